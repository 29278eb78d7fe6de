"""A run can be played for any number of workers."""

from benchmarks.cluster import planted, played, table

from exactree.engine.roots import laid_out


def test_a_run_is_played_for_each_number_of_workers() -> None:
    question = planted(400, 5, 3)
    runs = [played(question, laid_out(question), workers) for workers in (1, 4)]
    assert [run.workers for run in runs] == [1, 4]
    assert all(run.busy >= run.longest >= 0 and run.seconds > 0 for run in runs)
    assert table(runs).count("\n") == 3
