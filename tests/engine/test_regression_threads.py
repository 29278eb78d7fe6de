"""Regressions: several threads agree with one thread, and stop without losing the tree."""

import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

from exactree import Limits, Problem, Status, solve

TERMS = ["squared_error", "absolute_error"]


def table(rows: int, features: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(11)
    X = rng.integers(0, 30, (rows, features)).astype(float)
    return X, np.round(X[:, 0] * (X[:, 1] > 11) + X[:, 2] + rng.normal(0, 6, rows))


def hard(term: str, values: int | None = None) -> Problem:
    """Return a problem that takes more than a minute; its columns are reals or have few values."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3_000, 8 if values is None else 60)), rng.normal(size=3_000)
    if values is not None:
        X = np.floor(values * rng.random(X.shape))
    return Problem(X, y, minimize=term, limits=Limits(max_depth=4 if values is None else 6))


def assert_valid_but_unproved(outcome: Any) -> None:
    assert outcome.status is Status.FEASIBLE
    assert 0 <= outcome.lower_bound < outcome.cost
    assert outcome.tree.depth <= 6


@pytest.mark.parametrize("term", TERMS)
@pytest.mark.parametrize(
    ("limits", "leaf_penalty"),
    [
        (Limits(max_depth=2), 0),
        (Limits(max_depth=3), 0),
        (Limits(max_depth=4, max_size=5), 0),
        (Limits(max_depth=3, min_samples_leaf=9), 0),
        (Limits(max_depth=3), 0.5),
    ],
)
def test_the_cost_is_that_of_one_thread(term: str, limits: Limits, leaf_penalty: float) -> None:
    X, y = table(90)
    problem = Problem(X, y, minimize=term, limits=limits, leaf_penalty=leaf_penalty)
    one_thread = solve(problem)
    assert one_thread.status is Status.OPTIMAL
    for n_jobs in (2, 5):
        outcome = solve(problem, n_jobs=n_jobs)
        assert (outcome.status, outcome.cost) == (one_thread.status, one_thread.cost)
        assert outcome.stats["threads"] == n_jobs


@pytest.mark.parametrize("term", TERMS)
def test_the_cost_is_that_of_one_thread_for_a_large_table_at_depth_two(term: str) -> None:
    rows = 8_000 if term == "squared_error" else 4_500
    X, y = table(rows)
    problem = Problem(X + np.arange(rows)[:, None] / rows, y, minimize=term)
    problem = problem.within(Limits(max_depth=2))
    one_thread, two_threads = solve(problem), solve(problem, n_jobs=2)
    assert two_threads.status is Status.OPTIMAL
    assert two_threads.cost == one_thread.cost


@pytest.mark.parametrize("values", [2, 3])
def test_columns_of_few_values_are_shared(values: int) -> None:
    rng = np.random.default_rng(values)
    for seed in range(4):
        X, y = np.floor(values * rng.random((150, 9))), rng.normal(size=150)
        limits = Limits(max_depth=5, min_samples_leaf=1 + 3 * (seed % 2))
        problem = Problem(X, y, minimize="squared_error", limits=limits)
        one_thread = solve(problem)
        assert one_thread.status is Status.OPTIMAL
        for n_jobs in (2, 3):
            outcome = solve(problem, n_jobs=n_jobs)
            assert (outcome.status, outcome.cost) == (one_thread.status, one_thread.cost)


@pytest.mark.parametrize(("term", "values"), [(TERMS[0], None), (TERMS[1], None), (TERMS[0], 2)])
def test_a_time_limit_stops_all_threads_and_keeps_the_tree(term: str, values: int | None) -> None:
    started = time.perf_counter()
    outcome = solve(hard(term, values), time_limit=0.5, n_jobs=3)
    # Many times the promised tenth of a second: the machine may be busy.
    assert time.perf_counter() - started < 0.5 + 5.0
    assert outcome.stopped_by == "time limit"
    assert_valid_but_unproved(outcome)


@pytest.mark.parametrize("values", [None, 2])
def test_ctrl_c_stops_all_threads(values: int | None) -> None:
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    outcome = solve(hard("squared_error", values), n_jobs=2)
    assert outcome.stopped_by == "interrupt"
    assert_valid_but_unproved(outcome)


@pytest.mark.parametrize("values", [None, 2])
def test_a_callback_stops_all_threads(values: int | None) -> None:
    problem = hard("squared_error", values)
    outcome = solve(problem, n_jobs=2, on_progress=lambda progress: progress.seconds > 0.2)
    assert outcome.stopped_by == "callback"
    assert_valid_but_unproved(outcome)


def test_a_gap_stops_all_threads() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 6)), rng.normal(size=500)
    problem = Problem(X, y, minimize="squared_error", limits=Limits(max_depth=3))
    outcome = solve(problem, n_jobs=2, stop_at_gap=0.9, time_limit=60)
    assert outcome.stopped_by == "gap"
    assert 0 < outcome.gap <= 0.9
