"""Tasks of workers are neither too small nor too long."""

from exactree.distributed.pace import Pace


def test_what_is_settled_fast_is_divided_among_few() -> None:
    pace = Pace()
    assert pace.share(1000, 5000) == 1000  # nothing is known yet
    pace.note(10_000, 1.0)  # 2,000 rules take 0.2 s
    assert pace.share(1000, 5000) == 2
    assert pace.share(1, 5000) == 1
    assert pace.share(1000, 5) == 1


def test_what_takes_long_is_divided_to_the_last_rule() -> None:
    pace = Pace()
    pace.note(3, 60.0)
    assert pace.share(1000, 700) == 700
    assert pace.share(1000, 0) == 1


def test_tasks_are_a_twentieth_of_the_run_within_limits() -> None:
    assert [Pace.task(run, 4) for run in (0, 100, 10_000)] == [0.5, 5.0, 60.0]
    assert Pace.task(0, 1_000) == 5.0
    assert Pace.task(10_000, 20_000) == 100.0
