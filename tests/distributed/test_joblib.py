"""Independent searches run through the joblib backend of the user."""

from typing import Any

import numpy as np
import pytest
from benchmarks.evaluation.each import each
from joblib import parallel_config
from sklearn.model_selection import cross_val_score
from tests.distributed.clusters import seconds_of_work

import exactree as xt
from exactree.engine.fronts import parallel
from exactree.problem import Problem


def test_cross_validation_runs_on_the_workers_of_a_joblib_backend(client: Any) -> None:
    asked = seconds_of_work(200)
    X, y = asked.dataset.X, asked.dataset.labels
    tree = xt.OptimalTreeClassifier(max_depth=2)
    with parallel_config(backend="dask", client=client):
        there = cross_val_score(tree, X, y, cv=4, n_jobs=4)
    assert there.tolist() == cross_val_score(tree, X, y, cv=4).tolist()


def test_cross_validation_of_prunings_runs_on_the_backend_of_the_user() -> None:
    from sklearn.tree import DecisionTreeClassifier

    from exactree.prune import calibrate_prior, prune_with_cross_validation

    table = seconds_of_work(200, 4).dataset
    tree = DecisionTreeClassifier(random_state=0).fit(table.X, table.labels)

    def grow(X: Any, y: Any) -> Any:
        return DecisionTreeClassifier(random_state=0, max_leaf_nodes=20).fit(X, y)

    def both() -> tuple[Any, ...]:
        examples, options = (table.X, table.labels), {"grow": grow, "n_folds": 3}
        priced = prune_with_cross_validation(tree, *examples, **options)
        prior = calibrate_prior(*examples, n_draws=1, exponents=(2, 5), **options)
        return priced.price, priced.fold_errors, prior

    alone = both()
    with parallel_config(backend="threading", n_jobs=2):
        assert both() == alone


def fronts() -> list[Any]:
    """Return the costs of a front of a regression and of one of three quantities."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, size=(20, 2)).astype(float), rng.normal(size=20).round(1)
    numbers = Problem(X, y, minimize="squared_error", limits=xt.Limits(max_size=5))
    classes = Problem(X, y > 0, limits=xt.Limits(max_depth=3, max_size=5))
    asked = ((numbers, ("size", "squared_error")), (classes, ("depth", "size", "errors")))
    found = [xt.pareto_front(problem, quantities) for problem, quantities in asked]
    return [[outcome.cost for outcome in front] for front in found]


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_fronts_run_on_the_backend_of_the_user(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, together = fronts(), list[int]()
    some = parallel.ParallelSolver._solve_batch

    def counted(self: Any, problems: Any) -> Any:
        together.append(len(problems))
        return some(self, problems)

    monkeypatch.setattr(parallel.ParallelSolver, "_solve_batch", counted)
    with parallel_config(backend=backend, n_jobs=2):
        assert fronts() == alone
    assert max(together) == 2


def test_a_front_that_is_stopped_ends_with_the_search_that_was_stopped() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 8)), rng.normal(size=400)
    asked = Problem(X, y, minimize="squared_error")
    with parallel_config(backend="threading", n_jobs=2):
        front = xt.pareto_front(asked, ("size", "squared_error"), time_limit=0.3)
    assert front[-1].stopped_by == "time limit"
    assert all(outcome.stopped_by is None for outcome in front[:-1])


def test_loops_of_evaluations_run_on_the_backend_of_the_user() -> None:
    with parallel_config(backend="threading", n_jobs=2):
        assert each(lambda turn: turn**2, range(5)) == [0, 1, 4, 9, 16]
