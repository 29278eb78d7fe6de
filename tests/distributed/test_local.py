"""A search without a cluster is saved to a file and resumed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.distributed import local, scheduler
from exactree.problem import Progress, Status


@pytest.fixture(autouse=True)
def _no_head_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave everything to the worker, and look at once: these searches are short."""
    monkeypatch.setattr(scheduler, "_ALONE", 0.0)
    monkeypatch.setattr(scheduler, "_LOOK", 0.0)


def problem(depth: int = 4, rows: int = 250, **asked: Any) -> xt.Problem:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(rows, 4)).round(1)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(rows) < 0.2)).astype(int)
    return xt.Problem(X, y, limits=xt.Limits(max_depth=depth), **asked)


def open_rules(path: Path) -> int:
    """Return how many root rules the only search of a file leaves open."""
    (state,) = json.loads(path.read_text())["content"]["searches"].values()
    return sum(roots["last"] - roots["first"] + 1 for roots in state["open"])


def test_a_search_that_was_stopped_goes_on_and_reaches_the_same_optimum(tmp_path: Path) -> None:
    asked, path = problem(), tmp_path / "run.json"
    alone = xt.solve(asked)
    least = alone.cost
    left, outcome = [10**9], xt.solve(asked, resume=path, on_progress=lambda _: True)
    assert outcome.status is Status.FEASIBLE
    while outcome.status is not Status.OPTIMAL:
        assert outcome.lower_bound <= least <= outcome.cost
        left.append(open_rules(path))
        before = outcome
        outcome = xt.solve(asked, resume=path, on_progress=after(0.3 * len(left)))
        assert outcome.lower_bound >= before.lower_bound
        assert outcome.cost <= before.cost
    assert outcome.cost == outcome.lower_bound == least
    assert left == sorted(left, reverse=True)
    assert open_rules(path) == 0
    assert xt.solve(asked, resume=path).stats["nodes"] < alone.stats["nodes"] / 100


def after(seconds: float) -> Any:
    return lambda progress: progress.seconds > seconds


def test_ctrl_c_keeps_what_was_proved(tmp_path: Path) -> None:
    asked, path = problem(), tmp_path / "run.json"

    def interrupted(progress: Progress) -> None:
        if progress.workers is not None:  # the worker is at it, and the main thread waits
            raise KeyboardInterrupt

    outcome = xt.solve(asked, resume=path, on_progress=interrupted)
    assert outcome.stopped_by == "interrupt"
    assert outcome.tree is not None
    assert xt.solve(asked, resume=path).cost == xt.solve(asked).cost


def test_two_threads_and_an_incumbent_go_with_a_file(tmp_path: Path) -> None:
    asked, path = problem(3), tmp_path / "run.json"
    least = xt.solve(asked)
    greedy = xt.solve(asked, on_progress=lambda _: True).tree
    for incumbent in (least.tree, greedy):
        outcome = xt.solve(asked, resume=path, n_jobs=2, incumbent=incumbent)
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, least.cost)


def test_the_worker_here_is_the_one_that_is_requested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignments: list[Any] = []
    submit = local._LocalPool.submit
    monkeypatch.setattr(
        local._LocalPool,
        "submit",
        lambda pool, assignment: (assignments.append(assignment), submit(pool, assignment)),
    )
    xt.solve(problem(), resume=tmp_path / "run.json")
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
        xt.solve(problem(rows=20, **other), resume=tmp_path / "run.json")


def test_an_estimator_goes_on_from_a_file(tmp_path: Path) -> None:
    dataset, path = problem(3).dataset, tmp_path / "run.json"
    model = xt.OptimalTreeClassifier(resume=path)
    model.fit(dataset.X, dataset.labels)
    assert model.outcome_.cost == xt.solve(problem(3)).cost
    assert open_rules(path) == 0
