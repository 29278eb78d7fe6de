"""Independent searches run through the joblib backend of the user."""

from threading import Barrier
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
    problem = seconds_of_work(200)
    X, y = problem.dataset.X, problem.dataset.labels
    tree = xt.OptimalTreeClassifier(max_depth=2)
    with parallel_config(backend="dask", client=client):
        on_workers = cross_val_score(tree, X, y, cv=4, n_jobs=4)
    assert on_workers.tolist() == cross_val_score(tree, X, y, cv=4).tolist()


def test_cross_validation_of_prunings_runs_on_the_backend_of_the_user() -> None:
    from sklearn.tree import DecisionTreeClassifier

    from exactree.prune import calibrate_prior, prune_with_cross_validation

    table = seconds_of_work(200, 4).dataset
    tree = DecisionTreeClassifier(random_state=0).fit(table.X, table.labels)

    def grow(X: Any, y: Any) -> Any:
        return DecisionTreeClassifier(random_state=0, max_leaf_nodes=20).fit(X, y)

    def results() -> tuple[Any, ...]:
        examples, options = (table.X, table.labels), {"grow": grow, "n_folds": 3}
        pruned = prune_with_cross_validation(tree, *examples, **options)
        prior = calibrate_prior(*examples, n_draws=1, exponents=(2, 5), **options)
        return pruned.price, pruned.fold_errors, prior

    sequential = results()
    with parallel_config(backend="threading", n_jobs=2):
        assert results() == sequential


def fronts() -> list[Any]:
    """Return the costs of a regression's front, and of a classification's with three quantities."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, size=(20, 2)).astype(float), rng.normal(size=20).round(1)
    regression = Problem(X, y, minimize="squared_error", limits=xt.Limits(max_size=5))
    classification = Problem(X, y > 0, limits=xt.Limits(max_depth=3, max_size=5))
    found = (
        xt.pareto_front(regression, ("size", "squared_error")),
        xt.pareto_front(classification, ("depth", "size", "errors")),
    )
    return [[outcome.cost for outcome in front] for front in found]


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_fronts_run_on_the_backend_of_the_user(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sequential, solved_together = fronts(), list[int]()
    some = parallel.ParallelSolver._solve_batch

    def counted(self: Any, problems: Any) -> Any:
        solved_together.append(len(problems))
        return some(self, problems)

    monkeypatch.setattr(parallel.ParallelSolver, "_solve_batch", counted)
    with parallel_config(backend=backend, n_jobs=2):
        assert fronts() == sequential
    assert max(solved_together) == 2


def test_a_front_that_is_stopped_ends_with_the_search_that_was_stopped() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 8)), rng.normal(size=400)
    problem = Problem(X, y, minimize="squared_error")
    with parallel_config(backend="threading", n_jobs=2):
        front = xt.pareto_front(problem, ("size", "squared_error"), time_limit=0.3)
    assert front[-1].stopped_by == "time limit"
    assert all(outcome.stopped_by is None for outcome in front[:-1])


def test_loops_of_evaluations_run_on_the_backend_of_the_user() -> None:
    # Each call waits for the other, so they must run at the same time.
    barrier = Barrier(2, timeout=60)

    def square(number: int) -> int:
        barrier.wait()
        return number**2

    with parallel_config(backend="threading", n_jobs=2):
        assert each(square, range(2)) == [0, 1]
