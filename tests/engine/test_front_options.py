"""Options of `pareto_front`: the front is the same however its searches run."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree import Constraints, Limits, Problem, Progress, pareto_front
from exactree.distributed import searches as shared_searches
from exactree.engine.native import root_search

Front = tuple[Problem, tuple[str, ...]]


def table(classes: int = 2, rows: int = 40) -> tuple[Any, Any]:
    """Return features and labels of a small random table."""
    rng = np.random.default_rng(3)
    return rng.integers(0, 6, (rows, 3)).astype(float), rng.integers(0, classes, rows)


def fronts() -> dict[str, Front]:
    """Return a front of every kind of native search."""
    X, y = table()
    deep = Limits(max_depth=3)
    return {
        "errors": (Problem(X, y, limits=deep), ("size", "errors")),
        "three": (Problem(X, y, limits=deep), ("depth", "size", "errors")),
        "stages": (Problem(X[:14], y[:14]), ("depth", "size", "errors")),
        "gini": (Problem(X, y, minimize="gini", limits=deep), ("size", "gini")),
        "regression": (
            Problem(X, X[:, 0] * y, minimize="squared_error", limits=deep),
            ("depth", "squared_error"),
        ),
        "monotone": (
            Problem(X, y, monotonic_cst={0: 1}, limits=Limits(max_depth=3)),
            ("depth", "errors"),
        ),
        "features": (
            Problem(X, y, constraints=Constraints(max_features=2), limits=Limits(max_depth=2)),
            ("depth", "errors"),
        ),
        "F1": (Problem(X, y, limits=Limits(max_depth=2)), ("depth", "f1_error")),
        "pairs": (Problem(X, y, limits=deep), ("false_positives", "false_negatives")),
        "ensemble": (
            Problem(X[:9], y[:9], n_trees=2, limits=Limits(max_depth=2)),
            ("total_size", "errors"),
        ),
        "n_trees": (
            Problem(X[:9], y[:9], n_trees=2, limits=Limits(max_depth=2)),
            ("n_trees", "errors"),
        ),
    }


FRONTS = fronts()


def check_equal(front: Any, expected: Any) -> None:
    """Compare two complete fronts."""
    assert all(outcome.status is xt.Status.OPTIMAL for outcome in (*front, *expected))
    assert [outcome.cost for outcome in front] == [
        pytest.approx(outcome.cost, rel=1e-9) for outcome in expected
    ]


@pytest.mark.parametrize("kind", FRONTS)
def test_options_do_not_change_a_front(kind: str) -> None:
    problem, quantities = FRONTS[kind]
    expected = pareto_front(problem, quantities)
    assert len(expected) > 1
    moments: list[Progress] = []
    with ThreadPoolExecutor(2) as workers:
        for options in (
            {"n_jobs": 2},
            {"memory_limit": 2**28},
            {"on_progress": moments.append},
            {"cluster": workers},
            {"cluster": (workers, 2), "on_progress": moments.append, "n_jobs": 2},
        ):
            check_equal(pareto_front(problem, quantities, **options), expected)
    assert moments


@pytest.mark.parametrize("kind", FRONTS)
def test_a_callback_that_returns_true_ends_a_front(kind: str) -> None:
    problem, quantities = FRONTS[kind]
    moments: list[Progress] = []

    def stop(progress: Progress) -> bool:
        moments.append(progress)
        return len(moments) == 1

    front = pareto_front(problem, quantities, on_progress=stop)
    assert front[-1].stopped_by == "callback"
    assert len(moments) <= 2  # the second report is the end of the same search
    complete = [outcome.cost for outcome in pareto_front(problem, quantities)]
    assert all(outcome.cost in complete for outcome in front[:-1])


@pytest.mark.parametrize("kind", [kind for kind in FRONTS if kind != "ensemble"])
def test_a_memory_limit_ends_a_front(kind: str) -> None:
    problem, quantities = FRONTS[kind]
    front = pareto_front(problem, quantities, memory_limit=1)
    assert front[-1].stopped_by == "memory limit"
    assert {suggestion.parameter for suggestion in front[-1].advice} >= {"memory_limit"}


@pytest.mark.parametrize("kind", ["errors", "gini", "regression", "monotone", "pairs"])
def test_a_cluster_shares_the_searches_of_a_front(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, counted = shared_searches.shared, list[int]()

    def search(*arguments: Any) -> Any:
        counted.append(1)
        return shared(*arguments)

    monkeypatch.setattr(shared_searches, "shared", search)
    problem, quantities = FRONTS[kind]
    with ThreadPoolExecutor(2) as workers:
        pareto_front(problem, quantities, cluster=workers)
    assert counted


@pytest.mark.parametrize("kind", ["errors", "three", "gini", "regression", "monotone", "pairs"])
def test_a_front_continues_from_a_file(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, quantities = FRONTS[kind]
    expected, file = pareto_front(problem, quantities), tmp_path / "front.json"
    moments: list[Progress] = []

    def stop(progress: Progress) -> bool:
        moments.append(progress)
        return len(moments) == 3

    pareto_front(problem, quantities, resume=file, on_progress=stop)
    check_equal(pareto_front(problem, quantities, resume=file), expected)
    # All searches are finished, and their states have no open root rules.
    searched: list[Any] = []
    run = root_search.PreparedRoots.search

    def search(self: Any, roots: Any, *arguments: Any, **options: Any) -> Any:
        searched.extend(roots)
        return run(self, roots, *arguments, **options)

    monkeypatch.setattr(root_search.PreparedRoots, "search", search)
    check_equal(pareto_front(problem, quantities, resume=file), expected)
    assert not searched
    check_equal(pareto_front(problem, quantities, resume=tmp_path / "other.json"), expected)
    assert searched


def test_a_file_is_refused_where_no_search_of_the_front_can_be_divided(tmp_path: Path) -> None:
    for kind in ("features", "F1", "ensemble", "n_trees"):
        with pytest.raises(ValueError, match="resume is for"):
            pareto_front(*FRONTS[kind], resume=tmp_path / "front.json")
    with pytest.raises(ValueError, match="resume is for fronts of one tree"):
        pareto_front(*FRONTS["errors"], implementation="spec", resume=tmp_path / "front.json")


@pytest.mark.parametrize("kind", FRONTS)
def test_a_front_starts_from_any_tree(kind: str) -> None:
    problem, quantities = FRONTS[kind]
    X, y = (problem.dataset.X, problem.dataset.labels)
    estimator = xt.OptimalTreeClassifier(max_depth=2)
    if problem.regression:
        estimator, y = xt.OptimalTreeRegressor(max_depth=2), problem.dataset.targets
    tree = estimator.fit(X, np.asarray(y, float) if problem.regression else y).tree_
    if problem.n_trees > 1:
        with pytest.raises(TypeError, match="incumbent must be a fitted ensemble"):
            pareto_front(problem, quantities, incumbent=tree)
        expected = pareto_front(problem, quantities)
        for outcome in expected:
            if len(outcome.trees) == problem.n_trees:
                front = pareto_front(problem, quantities, incumbent=xt.Ensemble(outcome.trees))
                check_equal(front, expected)
        return
    expected = pareto_front(problem, quantities)
    check_equal(pareto_front(problem, quantities, incumbent=tree), expected)
    with pytest.raises(TypeError, match="incumbent must be a fitted tree"):
        pareto_front(problem, quantities, incumbent="tree")
    narrow = xt.OptimalTreeClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="incumbent was fitted on 1 features"):
        pareto_front(problem, quantities, incumbent=narrow)


def test_a_stopped_search_of_a_front_returns_the_incumbent() -> None:
    X, y = table(rows=300)
    problem = Problem(X, y, limits=Limits(max_depth=4))
    tree = xt.OptimalTreeClassifier(max_depth=2).fit(X, y).tree_
    (outcome,) = pareto_front(problem, ("errors", "depth"), incumbent=tree, memory_limit=1)
    assert outcome.cost is not None


def test_options_of_a_front_are_checked() -> None:
    problem, quantities = FRONTS["errors"]
    for options in ({"n_jobs": 0}, {"memory_limit": 0}, {"resume": ""}):
        with pytest.raises(ValueError, match=next(iter(options))):
            pareto_front(problem, quantities, **options)  # type: ignore[arg-type]
    for wrong in ({"on_progress": 1}, {"cluster": 1}, {"resume": 1}):
        with pytest.raises(TypeError, match=next(iter(wrong))):
            pareto_front(problem, quantities, **wrong)  # type: ignore[arg-type]
