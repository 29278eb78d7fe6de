"""Several threads find the same cost as one thread, and stop without losing the tree."""

import time

import numpy as np
import pytest

import exactree as xt

from .test_stopping import assert_valid_but_unproved, hard


@pytest.mark.parametrize(
    ("limits", "leaf_penalty"),
    [
        (xt.Limits(max_depth=2), 0),
        (xt.Limits(max_depth=3), 0),
        (xt.Limits(max_depth=4, max_size=5), 0),
        (xt.Limits(max_depth=3, min_samples_leaf=9), 0),
        (xt.Limits(max_depth=4), 0.02),
    ],
)
def test_the_cost_is_that_of_one_thread(limits, leaf_penalty):
    rng = np.random.default_rng(11)
    X = rng.integers(0, 30, (250, 4)).astype(float)
    y = (X[:, 0] > X[:, 1]) ^ (X[:, 2] > 11) ^ (rng.random(250) < 0.15)
    problem = xt.Problem(X, y, limits=limits, leaf_penalty=leaf_penalty)
    one_thread = xt.solve(problem)
    assert one_thread.status is xt.Status.OPTIMAL
    for n_jobs in (2, 5):
        outcome = xt.solve(problem, n_jobs=n_jobs)
        assert (outcome.status, outcome.cost) == (one_thread.status, one_thread.cost)


@pytest.mark.parametrize(
    ("limits", "leaf_penalty"),
    [
        (xt.Limits(max_depth=3), 0),
        (xt.Limits(max_depth=4, max_size=6), 0),
        (xt.Limits(max_depth=4, min_samples_leaf=9), 0),
        (xt.Limits(max_depth=5), 0),
        (xt.Limits(), 0.02),
    ],
)
def test_the_cost_is_that_of_one_thread_where_columns_have_two_values(limits, leaf_penalty):
    rng = np.random.default_rng(12)
    X = rng.integers(0, 2, (300, 12)).astype(float)
    y = (X[:, 0] + X[:, 1] + X[:, 2] > 1) ^ (X[:, 3] * X[:, 4] > 0) ^ (rng.random(300) < 0.1)
    problem = xt.Problem(X, y, limits=limits, leaf_penalty=leaf_penalty)
    one_thread = xt.solve(problem)
    assert one_thread.status is xt.Status.OPTIMAL
    for n_jobs in (2, 3):
        outcome = xt.solve(problem, n_jobs=n_jobs)
        assert (outcome.status, outcome.cost) == (one_thread.status, one_thread.cost)


def test_a_time_limit_stops_all_threads_where_columns_have_two_values():
    rng = np.random.default_rng(13)
    X = rng.integers(0, 2, (4000, 60)).astype(float)
    limits = xt.Limits(max_depth=6)
    problem = xt.Problem(X, rng.integers(0, 2, 4000), limits=limits)
    started = time.perf_counter()
    outcome = xt.solve(problem, time_limit=0.5, n_jobs=3)
    # Ten times the promised tenth of a second: the machine may be busy.
    assert time.perf_counter() - started < 0.5 + 1.0
    assert outcome.stopped_by == "time limit"
    assert_valid_but_unproved(outcome, problem)


def test_the_cost_is_that_of_one_thread_for_a_large_table_at_depth_two():
    rng = np.random.default_rng(5)
    X = rng.random((40_000, 5))
    problem = xt.Problem(X, rng.integers(0, 2, 40_000), limits=xt.Limits(max_depth=2))
    one_thread, two_threads = xt.solve(problem), xt.solve(problem, n_jobs=2)
    assert two_threads.status is xt.Status.OPTIMAL
    assert two_threads.cost == one_thread.cost


def test_a_time_limit_stops_all_threads_and_keeps_the_tree():
    problem = hard()
    started = time.perf_counter()
    outcome = xt.solve(problem, time_limit=0.5, n_jobs=3)
    # Ten times the promised tenth of a second: the machine may be busy.
    assert time.perf_counter() - started < 0.5 + 1.0
    assert outcome.stopped_by == "time limit"
    assert_valid_but_unproved(outcome, problem)


def test_a_callback_stops_all_threads():
    problem = hard()
    outcome = xt.solve(problem, n_jobs=2, on_progress=lambda progress: progress.seconds > 0.2)
    assert outcome.stopped_by == "callback"
    assert_valid_but_unproved(outcome, problem)


def test_a_gap_stops_all_threads():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (3000, 8)).astype(float)
    problem = xt.Problem(X, rng.integers(0, 2, 3000), limits=xt.Limits(max_depth=5))
    outcome = xt.solve(problem, n_jobs=2, stop_at_gap=0.9, time_limit=60)
    assert outcome.stopped_by == "gap"
    assert outcome.cost - outcome.lower_bound <= 0.9 * outcome.cost


@pytest.mark.parametrize("n_jobs", [None, -1, -1000])
def test_the_number_of_threads_may_be_given_as_in_joblib(n_jobs):
    problem = hard(rows=60, features=3, depth=2)
    assert xt.solve(problem, n_jobs=n_jobs).status is xt.Status.OPTIMAL
