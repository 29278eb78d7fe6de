"""A search that is stopped returns the best tree found and a valid lower bound."""

import signal
import time
from itertools import pairwise

import numpy as np
import pytest

import exactree as xt
from exactree.engine import branch_and_bound
from exactree.stopping import Interruptible


def hard(rows=3000, features=20, depth=5, seed=0):
    rng = np.random.default_rng(seed)
    return xt.Problem(
        rng.random((rows, features)),
        rng.integers(0, 3, rows),
        limits=xt.Limits(max_depth=depth),
    )


def assert_valid_but_unproved(outcome, problem):
    assert outcome.status is xt.Status.FEASIBLE
    assert 0 <= outcome.lower_bound < outcome.cost
    wrong = outcome.tree.predict(problem.dataset.X) != problem.dataset.labels
    assert outcome.cost == int(problem.dataset.weights[wrong].sum())


def test_a_time_limit_stops_the_search_and_keeps_the_tree():
    problem = hard()
    started = time.perf_counter()
    outcome = xt.solve(problem, time_limit=0.5)
    # Ten times the promised tenth of a second: the machine may be busy.
    assert time.perf_counter() - started < 0.5 + 1.0
    assert outcome.stopped_by == "time limit"
    assert_valid_but_unproved(outcome, problem)


@pytest.mark.parametrize("binary", [False, True])
def test_the_search_checks_the_clock_often_enough(binary):
    # The limits end in different phases of the search.
    problem = hard(rows=20_000, depth=4)
    if binary:
        X = (problem.dataset.X > 0.5).astype(float)
        problem = xt.Problem(X, problem.dataset.labels, limits=xt.Limits(max_depth=6))
    for limit in (0.02, 0.1, 0.3, 0.7):
        outcome = branch_and_bound(problem, time_limit=limit)
        assert outcome.stats["seconds"] < limit + 1.0
        assert outcome.tree is not None


def test_a_callback_receives_progress_and_can_stop():
    reports = []

    def stop_after_three(progress):
        reports.append(progress)
        return len(reports) >= 3

    problem = hard()
    outcome = xt.solve(problem, on_progress=stop_after_three)
    assert outcome.stopped_by == "callback"
    assert_valid_but_unproved(outcome, problem)
    assert len(reports) == 3
    assert reports[-1].seconds >= 0.25, "about ten calls a second at most"
    assert all(p.cost is None or p.lower_bound <= p.cost for p in reports)


def test_the_outcome_lists_the_improvements_of_incumbent_and_lower_bound():
    problem = hard()
    progress = xt.solve(problem, time_limit=1).stats["progress"]
    assert progress[0].lower_bound == 0
    assert progress[0].cost is not None, "a greedy tree comes first"
    for before, after in pairwise(progress):
        assert before.seconds <= after.seconds
        assert before.cost >= after.cost
        assert before.lower_bound <= after.lower_bound
        assert (before.cost, before.lower_bound) != (after.cost, after.lower_bound)


@pytest.mark.parametrize("limit", [0.3, None])
def test_progress_ends_with_the_outcome(limit):
    problem = hard() if limit else xt.Problem([[0], [1], [2], [3]], [0, 1, 1, 0])
    outcome = xt.solve(problem, time_limit=limit)
    last = outcome.stats["progress"][-1]
    assert (last.cost, last.lower_bound) == (outcome.cost, outcome.lower_bound)
    assert outcome.status == ("feasible" if limit else "optimal")


@pytest.mark.parametrize(
    ("method", "minimize"),
    [("branch-and-bound", "size"), ("branch-and-bound", ("size", "errors")), ("witness", "size")],
)
def test_progress_is_reported_in_the_units_of_the_problem(method, minimize):
    X = [[a, b] for a in range(4) for b in range(4)]
    y = [int(a < 2) ^ int(b < 2) for a, b in X]
    limits = xt.Limits(max_errors=0)
    problem = xt.Problem(X, y, minimize=minimize, limits=limits)
    outcome = xt.solve(problem, method=method)
    for moment in outcome.stats["progress"]:
        assert moment.lower_bound <= outcome.cost
        assert moment.cost is None or moment.cost >= outcome.cost


def test_an_exception_in_a_callback_is_raised_after_the_search_stopped():
    def fail(progress):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        xt.solve(hard(), on_progress=fail)


def test_a_search_that_stops_at_a_gap_has_at_most_this_gap():
    # Contradictions make the lower bound positive from the start.
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (3000, 8)).astype(float)
    problem = xt.Problem(X, rng.integers(0, 2, 3000), limits=xt.Limits(max_depth=5))
    outcome = xt.solve(problem, stop_at_gap=0.9)
    assert outcome.gap <= 0.9
    assert outcome.stopped_by in ("gap", None)


def test_a_tree_below_the_minimum_leaf_size_is_never_an_incumbent():
    # Without the minimum leaf size a stump has one error; with it every tree has two.
    problem = xt.Problem(
        [[0.0], [1.0], [1.0], [2.0], [3.0]],
        [0, 1, 1, 0, 1],
        minimize="size",
        limits=xt.Limits(min_samples_leaf=2, max_errors=1),
    )
    outcome = xt.solve(problem)
    assert (outcome.status, outcome.stopped_by) == (xt.Status.INFEASIBLE, None)


def test_max_errors_with_real_weights_does_not_delay_the_search():
    # An earlier search for fewest nodes tried all ways to share about 2^60 units of weight.
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, (40, 3)).astype(float), rng.integers(0, 2, 40)
    weights = rng.choice([0.1, 0.3, 1.7], 40)
    problem = xt.Problem(X, y, weights, minimize="size", limits=xt.Limits(max_errors=0.7))
    started = time.perf_counter()
    outcome = xt.solve(problem, time_limit=1)
    assert time.perf_counter() - started < 5
    assert outcome.status is not xt.Status.INFEASIBLE


def test_a_small_memory_limit_changes_no_optimum():
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (300, 12)).astype(float), rng.integers(0, 2, 300)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=7))
    free = xt.solve(problem)
    tight = xt.solve(problem, memory_limit=700_000)
    assert tight.status is xt.Status.OPTIMAL
    assert tight.cost == free.cost
    assert tight.stats["cache_evicted"] > 0
    assert tight.stats["cache_bytes"] <= 350_000


def test_lower_bounds_of_stopped_searches_are_valid():
    rng = np.random.default_rng(5)
    X = rng.random((250, 5))
    problem = xt.Problem(X, X[:, 0] + X[:, 1] ** 2 > 0.8, limits=xt.Limits(max_depth=3))
    optimum = xt.solve(problem).cost
    for step in range(1, 6):
        outcome = xt.solve(problem, time_limit=0.002 * step)
        assert outcome.lower_bound <= optimum <= outcome.cost


def test_an_impossible_error_limit_is_proved_infeasible_with_a_reason():
    X, y = [[0.0], [0.0], [1.0]], [0, 1, 1]
    problem = xt.Problem(X, y, limits=xt.Limits(max_errors=0))
    outcome = xt.solve(problem)
    assert outcome.status is xt.Status.INFEASIBLE
    assert outcome.tree is None
    assert "max_errors=0" in outcome.reason
    assert outcome.lower_bound == 1


def test_simultaneous_searches_in_several_python_threads_are_independent():
    from concurrent.futures import ThreadPoolExecutor

    problems = [hard(rows=60, features=3, depth=3, seed=seed) for seed in range(6)]
    separately = [xt.solve(problem).cost for problem in problems]
    with ThreadPoolExecutor(3) as pool:
        together = [outcome.cost for outcome in pool.map(xt.solve, problems)]
    assert together == separately


@pytest.mark.parametrize("rows", [20_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_a_chain_of_rows_needs_no_depth_limit(rows):
    X = np.arange(float(rows))[:, None]
    outcome = xt.solve(xt.Problem(X, np.arange(rows) % 2), time_limit=20)
    assert outcome.tree is not None


@pytest.mark.parametrize("leaf_penalty", [0, 0.002])
@pytest.mark.parametrize("binary", [False, True])
def test_what_a_gap_ended_is_called_optimal_only_where_it_is(binary, leaf_penalty):
    rng = np.random.default_rng(6)
    n_stopped = 0
    for _ in range(60):
        X = rng.integers(0, 2 if binary else 9, (200, 7 if binary else 3)).astype(float)
        y = ((X[:, 0] > X[:, 1]) ^ (rng.random(200) < 0.2)).astype(int)
        problem = xt.Problem(X, y, leaf_penalty=leaf_penalty, limits=xt.Limits(max_depth=4))
        optimum = xt.solve(problem).cost
        allowed = float(rng.choice([0.05, 0.2, 0.5, 0.9]))
        outcome = xt.solve(problem, stop_at_gap=allowed)
        assert outcome.lower_bound <= optimum <= outcome.cost
        assert outcome.gap <= allowed
        if outcome.lower_bound < outcome.cost:
            assert (outcome.status, outcome.stopped_by) == (xt.Status.FEASIBLE, "gap")
        else:
            assert (outcome.status, outcome.stopped_by) == (xt.Status.OPTIMAL, None)
        n_stopped += outcome.stopped_by == "gap"
    assert 10 < n_stopped < 60


# Size and depth are minimized directly, by raising the limit, or by bisection.
SIZES = {
    "size": {"minimize": "size"},
    "depth": {"minimize": "depth"},
    "size with errors": {"minimize": "size", "limits": xt.Limits(max_errors=1)},
    "depth with errors": {"minimize": "depth", "limits": xt.Limits(max_errors=1)},
    "small leaves": {"minimize": "size", "limits": xt.Limits(max_errors=5, min_samples_leaf=2)},
    "leaves of a class": {"minimize": "size", "limits": xt.Limits(max_leaves_of={1: 5})},
    "then the errors": {"minimize": ("size", "errors"), "limits": xt.Limits(max_errors=2)},
    "depth, then size": {"minimize": ("depth", "size")},
    "under constraints": {"minimize": "size", "constraints": xt.Constraints(max_features=1)},
    "after Gini": {"minimize": ("gini", "size"), "limits": xt.Limits(max_depth=3)},
}


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("kind", SIZES)
def test_a_search_for_size_or_depth_stops_at_the_gap(kind, warm):
    rng = np.random.default_rng(7)
    n_stopped = 0
    for _ in range(15):
        X = rng.random((24, 2)).round(2)
        y = ((X[:, 0] > X[:, 1]) ^ (rng.random(24) < 0.2)).astype(int)
        problem = xt.Problem(X, y, **SIZES[kind])
        best = xt.solve(problem)
        if best.tree is None:
            continue
        allowed = float(rng.choice([0.1, 0.4, 0.9]))
        incumbent = best.tree if warm else None
        outcome = xt.solve(problem, incumbent=incumbent, stop_at_gap=allowed)
        assert outcome.lower_bound <= best.cost <= outcome.cost
        assert outcome.gap <= allowed
        if outcome.lower_bound < outcome.cost:
            assert (outcome.status, outcome.stopped_by) == (xt.Status.FEASIBLE, "gap")
        else:
            assert (outcome.status, outcome.stopped_by) == (xt.Status.OPTIMAL, None)
        n_stopped += outcome.stopped_by == "gap"
    assert warm or n_stopped > 2


KINDS = {
    "errors": {},
    "priced leaves": {"leaf_penalty": 0.01},
    "rows per leaf": {"limits": xt.Limits(max_depth=3, min_samples_leaf=5)},
    "cost matrix": {"cost_matrix": [[0, 3, 1], [1, 0, 2], [2, 1, 0]]},
    "log_loss": {"minimize": "log_loss"},
    "gini": {"minimize": "gini"},
    "squared_error": {"minimize": "squared_error"},
    "absolute_error": {"minimize": "absolute_error"},
    "then the size": {"minimize": ("errors", "size")},
}


@pytest.mark.parametrize("stopped_by", ["time limit", "interrupt"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stop_before_the_search_leaves_a_leaf_and_a_valid_bound(kind, stopped_by):
    # At most the classes of the table have been read.
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 4, (60, 3)).astype(float), rng.integers(0, 3, 60)
    problem = xt.Problem(X, y, **{"limits": xt.Limits(max_depth=2), **KINDS[kind]})
    optimum = xt.solve(problem).cost
    with Interruptible() as call:
        if stopped_by == "interrupt":
            signal.raise_signal(signal.SIGINT)
        outcome = xt.solve(problem, time_limit=1e-9)
        call.answered = True
    assert (outcome.status, outcome.stopped_by) == (xt.Status.FEASIBLE, stopped_by)
    assert outcome.tree.size == 0
    assert outcome.lower_bound <= optimum <= outcome.cost
    assert outcome.stats["rows"] == 60
    assert "merged_rows" not in outcome.stats


def test_preparation_of_a_wide_table_ends_at_its_first_polls():
    # In so little time not even all columns are ranked.
    rng = np.random.default_rng(6)
    X = rng.random((2000, 50))
    for y in (rng.integers(0, 2, 2000), rng.random(2000)):
        minimize = "errors" if y.dtype.kind == "i" else "squared_error"
        outcome = xt.solve(xt.Problem(X, y, minimize=minimize), time_limit=1e-9)
        assert outcome.stats["nodes"] == 0
        assert outcome.tree.size == 0
