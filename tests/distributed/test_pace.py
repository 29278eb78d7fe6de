"""Tasks of workers are neither too small nor too large."""

from exactree.distributed.pace import Pace


def test_rules_that_take_little_time_are_divided_among_few_workers() -> None:
    pace = Pace()
    assert pace.sharers(1000, 5000) == 1000  # no speed is measured yet
    pace.note(10_000, 1.0)  # 2,000 rules take 0.2 s, the minimum of a task
    assert pace.sharers(1000, 5000) == 2
    assert pace.sharers(1, 5000) == 1
    assert pace.sharers(1000, 5) == 1


def test_rules_that_take_long_are_divided_into_tasks_of_one_rule() -> None:
    pace = Pace()
    pace.note(3, 60.0)
    assert pace.sharers(1000, 700) == 700
    assert pace.sharers(1000, 0) == 1


def test_tasks_are_a_twentieth_of_the_run_within_limits() -> None:
    assert [Pace.task_seconds(run, 4) for run in (0, 100, 10_000)] == [0.5, 5.0, 60.0]
    # With many workers at least 5 ms per worker, even beyond the maximum of 60 s.
    assert Pace.task_seconds(0, 1_000) == 5.0
    assert Pace.task_seconds(10_000, 20_000) == 100.0
