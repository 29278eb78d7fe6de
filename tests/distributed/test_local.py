"""A search without a cluster is saved to a file and resumed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.distributed import pool, scheduler
from exactree.problem import Progress, Status


@pytest.fixture(autouse=True)
def _no_search_by_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave everything to the worker, and check limits immediately: these searches are short."""
    monkeypatch.setattr(scheduler, "_CLIENT_SECONDS", 0.0)
    monkeypatch.setattr(scheduler, "_CHECK_INTERVAL", 0.0)


def small_problem(depth: int = 4, rows: int = 250, **options: Any) -> xt.Problem:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(rows, 4)).round(1)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(rows) < 0.2)).astype(int)
    return xt.Problem(X, y, limits=xt.Limits(max_depth=depth), **options)


def open_rules(path: Path) -> int:
    """Return the number of open root rules of the only search in a file."""
    (state,) = json.loads(path.read_text())["content"]["searches"].values()
    return sum(roots["last"] - roots["first"] + 1 for roots in state["open"])


def test_a_stopped_search_continues_from_its_file_and_reaches_the_optimum(tmp_path: Path) -> None:
    problem, path = small_problem(), tmp_path / "run.json"
    complete = xt.solve(problem)
    optimum = complete.cost
    outcome = xt.solve(problem, resume=path, on_progress=lambda _: True)
    open_counts: list[int] = []
    assert outcome.status is Status.FEASIBLE
    while outcome.status is not Status.OPTIMAL:
        assert outcome.lower_bound <= optimum <= outcome.cost
        open_counts.append(open_rules(path))
        before = outcome
        # Every run is longer than the last, so that the loop ends on a slow machine as well.
        outcome = xt.solve(problem, resume=path, on_progress=stop_after(0.3 * len(open_counts)))
        assert outcome.lower_bound >= before.lower_bound
        assert outcome.cost <= before.cost
    assert outcome.cost == outcome.lower_bound == optimum
    assert open_counts == sorted(open_counts, reverse=True)
    assert open_rules(path) == 0
    assert xt.solve(problem, resume=path).stats["nodes"] < complete.stats["nodes"] / 100


def stop_after(seconds: float) -> Callable[[Progress], bool]:
    return lambda progress: progress.seconds > seconds


def test_ctrl_c_keeps_the_tree_and_a_file_to_resume_from(tmp_path: Path) -> None:
    problem, path = small_problem(), tmp_path / "run.json"

    def interrupt(progress: Progress) -> None:
        if progress.workers is not None:  # the worker searches, and the main thread waits
            raise KeyboardInterrupt

    outcome = xt.solve(problem, resume=path, on_progress=interrupt)
    assert outcome.stopped_by == "interrupt"
    assert outcome.tree is not None
    assert xt.solve(problem, resume=path).cost == xt.solve(problem).cost


def test_two_threads_and_an_incumbent_are_accepted_together_with_a_file(tmp_path: Path) -> None:
    problem = small_problem(3)
    optimal = xt.solve(problem)
    greedy = xt.solve(problem, on_progress=lambda _: True).tree
    for name, incumbent in (("optimal", optimal.tree), ("greedy", greedy)):
        path = tmp_path / f"{name}.json"  # from one file the second search would only be resumed
        outcome = xt.solve(problem, resume=path, n_jobs=2, incumbent=incumbent)
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, optimal.cost)


def test_a_search_with_a_file_uses_the_worker_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignments: list[Any] = []
    submit = pool._LocalPool.submit
    monkeypatch.setattr(
        pool._LocalPool,
        "submit",
        lambda pool, assignment: (assignments.append(assignment), submit(pool, assignment)),
    )
    xt.solve(small_problem(), resume=tmp_path / "run.json")
    assert assignments


@pytest.mark.parametrize(
    "other",
    [
        {"depth": 2},
        {"minimize": "squared_error", "depth": 2},
        {"minimize": "size", "depth": 2},
    ],
)
def test_a_search_that_is_not_divided_by_its_root_is_refused(
    other: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="searches that can be divided among workers"):
        xt.solve(small_problem(rows=20, **other), resume=tmp_path / "run.json")


def test_an_estimator_writes_a_file_and_resumes_from_it(tmp_path: Path) -> None:
    dataset, path = small_problem(3).dataset, tmp_path / "run.json"
    first = xt.OptimalTreeClassifier(resume=path).fit(dataset.X, dataset.labels)
    assert first.outcome_.cost == xt.solve(small_problem(3)).cost
    assert open_rules(path) == 0
    again = xt.OptimalTreeClassifier(resume=path).fit(dataset.X, dataset.labels)
    assert again.outcome_.cost == first.outcome_.cost
    assert again.outcome_.stats["nodes"] < first.outcome_.stats["nodes"] / 10
