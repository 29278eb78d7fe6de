"""Ensembles by covers agree with the definition and the witness search; stops; refusals."""

from collections import Counter
from math import comb

import numpy as np
import pytest

import exactree as xt
from exactree.engine import accelerators, run_ensemble
from exactree.spec import definition_ensemble

SWITCHES = list(accelerators("branch-and-bound", n_trees=2))
SIZES, DEPTHS = ("total_size", "largest_size"), ("total_depth", "largest_depth")
MAX_CHOICES = 10_000


def draw(rng, rows, quantities):
    """Draw a table of two classes without contradictions, and limits on sizes and depths."""
    size, features = int(rng.integers(1, rows)), int(rng.integers(1, 4))
    X = np.unique(rng.integers(0, rng.choice((2, 3, 5)), (size, features)), axis=0).astype(float)
    rng.shuffle(X)
    minimize = str(rng.choice(quantities))
    limits = xt.Limits(
        max_size=int(rng.integers(0, 4)) if rng.random() < 0.3 else None,
        max_depth=int(rng.integers(0, 3)) if quantities != SIZES and rng.random() < 0.3 else None,
        max_total_size=int(rng.integers(0, 6))
        if minimize in SIZES and rng.random() < 0.2
        else None,
    )
    n_trees = int(rng.integers(2, 5))
    labels = rng.integers(0, 2, len(X))
    return xt.Problem(X, labels, minimize=minimize, n_trees=n_trees, limits=limits)


def solve_by_cover(rng, problem):
    """Solve a problem by covers under random switches, and check the ensemble."""
    switches = {name: bool(rng.random() < 0.7) for name in SWITCHES}
    outcome = run_ensemble("branch-and-bound", problem, switches=switches)
    if outcome.ensemble is not None:
        data = problem.dataset
        assert (outcome.ensemble.predict_index(data.X) == data.labels).all()
        assert outcome.lower_bound == outcome.cost
    return outcome


@pytest.mark.parametrize("problems", [125, pytest.param(2_000, marks=pytest.mark.long)])
def test_random_problems_agree_with_the_definition(problems):
    rng, kinds, n_done = np.random.default_rng(problems), Counter(), 0
    while n_done < problems:
        problem = draw(rng, 6, SIZES + DEPTHS)
        if comb(2 ** len(problem.dataset.X) + problem.n_trees - 1, problem.n_trees) > MAX_CHOICES:
            continue
        n_done += 1
        expected, outcome = definition_ensemble.solve(problem), solve_by_cover(rng, problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        kinds[problem.minimize if outcome.cost else outcome.status] += 1
    assert min(kinds[name] for name in SIZES + DEPTHS) > problems / 25, kinds
    assert kinds[xt.Status.INFEASIBLE] > problems / 25, kinds


@pytest.mark.parametrize("problems", [300, pytest.param(3_000, marks=pytest.mark.long)])
def test_random_problems_agree_with_the_witness_search(problems):
    rng, counts, costly = np.random.default_rng(problems), Counter(), 0
    for _ in range(problems):
        problem = draw(rng, 18, SIZES)
        expected, outcome = run_ensemble("witness", problem), solve_by_cover(rng, problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        counts.update({name: n for name, n in outcome.stats.items() if isinstance(n, int)})
        costly += (outcome.cost or 0) > 3
    for name in ("next_tree_bound", "inclusion", "failed_states", "by_core", "by_larger"):
        assert counts[name] > 100, counts
    assert costly > problems / 20


def hard(minimize):
    rng = np.random.default_rng(0)
    X, y = rng.random((150, 6)), rng.integers(0, 2, 150)
    return xt.Problem(X, y, minimize=minimize, n_trees=3)


@pytest.mark.parametrize("minimize", ["total_size", "largest_size", "total_depth"])
def test_a_time_limit_keeps_the_ensemble_and_its_bound(minimize):
    problem = hard(minimize)
    outcome = xt.solve(problem, method="branch-and-bound", time_limit=0.5)
    assert outcome.status is xt.Status.FEASIBLE
    assert outcome.stopped_by == "time limit"
    assert 0 < outcome.lower_bound < outcome.cost
    data = problem.dataset
    assert (outcome.ensemble.predict_index(data.X) == data.labels).all()


def test_lower_bounds_of_stopped_searches_are_valid():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 8, (26, 4)).astype(float)
    y = (X[:, 0] > 3) ^ (X[:, 1] > 4) ^ (X.sum(axis=1) > 18)
    problem = xt.Problem(X, y, minimize="total_size", n_trees=3)
    optimum = xt.solve(problem, method="branch-and-bound").cost
    for step in range(1, 6):
        outcome = xt.solve(problem, method="branch-and-bound", time_limit=0.002 * step)
        assert outcome.lower_bound <= optimum
        assert outcome.cost is None or optimum <= outcome.cost


def test_a_callback_and_a_gap_stop_the_search():
    reports = []

    def stop_after_two(progress):
        reports.append(progress)
        return len(reports) >= 2

    problem = hard("total_size")
    outcome = xt.solve(problem, method="branch-and-bound", on_progress=stop_after_two)
    assert outcome.stopped_by == "callback"
    assert all(p.cost is None or p.lower_bound <= p.cost for p in reports)
    outcome = xt.solve(problem, method="branch-and-bound", stop_at_gap=0.99)
    assert outcome.stopped_by == "gap"
    assert 0 < outcome.gap <= 0.99


def test_contradictions_and_limits_that_exclude_every_ensemble_are_proved():
    X = [[float(row)] for row in range(8)]
    limits = xt.Limits(max_depth=1)
    problem = xt.Problem(X, [0, 1] * 4, minimize="total_depth", n_trees=3, limits=limits)
    outcome = xt.solve(problem, method="branch-and-bound")
    assert outcome.status is xt.Status.INFEASIBLE
    assert "max_depth=1" in outcome.reason
    problem = xt.Problem([[0.0], [0.0]], [0, 1], minimize="total_size", n_trees=3)
    outcome = xt.solve(problem, method="branch-and-bound")
    assert outcome.status is xt.Status.INFEASIBLE
    assert "rows 0, 1" in outcome.reason


def test_auto_uses_covers_where_they_are_accepted():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    covered = xt.solve(xt.Problem(X, y, minimize="total_depth", n_trees=3))
    assert "placed" in covered.stats
    limits = xt.Limits(max_errors=1)
    other = xt.solve(xt.Problem(X, y, minimize="total_size", n_trees=3, limits=limits))
    assert "search_nodes" in other.stats


@pytest.mark.parametrize(
    ("parameters", "clause"),
    [
        ({"minimize": ("total_size", "largest_size")}, "one quantity for ensembles only"),
        ({"minimize": "errors"}, "one quantity for ensembles only"),
        ({"limits": xt.Limits(max_errors=1)}, "no errors"),
        ({"y": [0, 1, 2]}, "two classes only"),
        ({"minimize": "total_depth", "limits": xt.Limits(max_total_size=2)}, "no max_total_size"),
        ({"limits": xt.Limits(min_samples_leaf=2)}, "no min_samples_leaf"),
        ({"limits": xt.Limits(max_leaves_of={0: 1})}, "no max_leaves_of"),
    ],
)
def test_problems_that_the_method_refuses_are_refused_in_one_clause(parameters, clause):
    problem = xt.Problem(
        [[0.0], [1.0], [2.0]],
        **{"y": [0, 1, 0], "n_trees": 3, "minimize": "total_size"} | parameters,
    )
    with pytest.raises(xt.MethodRefused, match=f"its native form takes {clause}"):
        xt.solve(problem, method="branch-and-bound")


def test_a_switch_that_does_not_exist_is_named():
    with pytest.raises(ValueError, match='has no switch named "fast"; it has incumbent'):
        run_ensemble("branch-and-bound", hard("total_size"), switches={"fast": True})
