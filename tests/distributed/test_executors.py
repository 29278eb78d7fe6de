"""Executors with the interface of `concurrent.futures` share a search."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.distributed import pace, scheduler
from exactree.problem import Problem, Status


@pytest.fixture(autouse=True)
def _no_search_by_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "_CLIENT_SECONDS", 0.0)
    monkeypatch.setattr(pace, "_WORTHWHILE", 0.0)


def problem(**more: Any) -> Problem:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).round(1)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(200) < 0.2)).astype(int)
    return Problem(X, y, limits=xt.Limits(max_depth=3), **more)


def test_threads_share_a_search() -> None:
    with ThreadPoolExecutor(3) as executor:
        outcome = xt.solve(problem(), cluster=executor)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(problem()).cost)
    assert outcome.stats["workers"] == 3
    assert outcome.stats["tasks"] >= 3


@pytest.mark.parametrize(
    "more",
    [
        {"minimize": "balanced_error"},
        {"cost_matrix": {0: {1: 3}, 1: {0: 0.5}}, "leaf_penalty": 0.01},
        {"minimize": ("balanced_error", "size")},
    ],
)
def test_threads_share_searches_for_errors_of_other_weights(
    more: dict[str, Any], tmp_path: Path
) -> None:
    expected = xt.solve(problem(**more))
    with ThreadPoolExecutor(3) as executor:
        outcome = xt.solve(problem(**more), cluster=executor)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, expected.cost)
    assert outcome.stats["workers"] == 3
    saved = tmp_path / "run.json"
    begun = xt.solve(problem(**more), resume=saved, time_limit=0.01)
    assert begun.lower_bound <= expected.cost
    assert xt.solve(problem(**more), resume=saved).cost == expected.cost


def test_processes_share_a_search() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        outcome = xt.solve(problem(leaf_penalty=0.01), cluster=(executor, 2))
        local = xt.solve(problem(leaf_penalty=0.01))
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, local.cost)
        # Not shared: it runs on one process, and two thresholds separate 0, 1, 1, 0.
        size = Problem([[0], [1], [2], [3]], [0, 1, 1, 0], minimize="size")
        assert xt.solve(size, cluster=executor).cost == 2


class DyingExecutor(Executor):
    """An executor that runs a given number of calls; then its processes are dead."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError("a process died")
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_an_executor_that_dies_leaves_a_tree_and_a_lower_bound() -> None:
    outcome = xt.solve(problem(), cluster=(DyingExecutor(3), 4))
    assert outcome.stopped_by == "loss of the cluster"
    assert outcome.stats["cluster"] == "the executor takes no more tasks (a process died)"
    assert outcome.lower_bound <= xt.solve(problem()).cost <= outcome.cost


def test_unusable_executors_are_refused() -> None:
    with pytest.raises(ValueError, match="the number of workers of the executor is unknown"):
        xt.solve(problem(), cluster=DyingExecutor(3))
    with pytest.raises(TypeError, match="cluster must be a Dask client"):
        xt.solve(problem(), cluster=7)
