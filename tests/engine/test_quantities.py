"""Size, depth and lexicographic tuples: the engine agrees with the definition."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import exactree as xt
from exactree.engine import branch_and_bound, reason_to_refuse
from exactree.problem.verification.recount import recount
from exactree.spec.effort import subsets_to_visit
from exactree.spec.methods import METHODS
from exactree.testing import check_irreducible, random_weights

QUANTITIES = [
    "size",
    "depth",
    ("size", "depth"),
    ("depth", "size"),
    ("errors", "size"),
    ("errors", "depth", "size"),
    ("size", "errors"),
    ("depth", "errors"),
    ("size", "depth", "errors"),
]


def draw(rng):
    rows, features = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.choice([2, 3, 8]), (rows, features)).astype(float)
    y = rng.integers(0, rng.integers(2, 5), rows)
    penalised = rng.random() < 0.1
    minimize = "errors" if penalised else QUANTITIES[rng.integers(len(QUANTITIES))]
    return xt.Problem(
        X,
        y,
        sample_weight=random_weights(rng, rows),
        minimize=minimize,
        leaf_penalty=Fraction(1, 20) if penalised else 0,
        limits=xt.Limits(
            max_depth=int(rng.integers(0, 5)) if rng.random() < 0.5 else None,
            max_size=int(rng.integers(0, 6)) if rng.random() < 0.5 else None,
            max_errors=[0, 1, 2, 0.5][rng.integers(4)]
            if rng.random() < 0.4 and not penalised
            else None,
            min_samples_leaf=int(rng.integers(2, 4)) if rng.random() < 0.2 else 1,
        ),
    )


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 4))]
)
def test_random_problems_agree_with_the_definition(seed):
    rng = np.random.default_rng(seed)
    n_done = 0
    while n_done < 500:
        problem = draw(rng)
        if reason_to_refuse(problem) is not None or subsets_to_visit(problem) > 300:
            continue
        n_done += 1
        expected = METHODS["branch-and-bound"].spec(problem)
        outcome = branch_and_bound(problem)
        recount(problem, outcome)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        if outcome.cost is not None:
            assert outcome.lower_bound == outcome.cost


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 4))]
)
def test_limits_on_leaves_agree_with_the_definition_and_the_threshold_search(seed):
    rng = np.random.default_rng(100 + seed)
    n_done = binding = 0
    while n_done < 300:
        rows, features = int(rng.integers(1, 10)), int(rng.integers(1, 4))
        X = rng.integers(0, rng.choice([2, 3, 8]), (rows, features)).astype(float)
        y = rng.integers(0, rng.integers(2, 5), rows)
        labels = rng.choice(np.unique(y), int(rng.integers(1, 3)))
        limits = xt.Limits(
            max_leaves_of={int(label): int(rng.integers(0, 4)) for label in labels},
            max_depth=int(rng.integers(1, 5)) if rng.random() < 0.4 else None,
            max_size=int(rng.integers(0, 6)) if rng.random() < 0.3 else None,
        )
        minimize = ["size", "depth", ("size", "depth"), ("depth", "size")][rng.integers(4)]
        problem = xt.Problem(X, y, minimize=minimize, limits=limits)
        if subsets_to_visit(problem) > 300:
            continue
        n_done += 1
        outcome = branch_and_bound(problem)
        recount(problem, outcome)
        expected = METHODS["branch-and-bound"].spec(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        free = xt.Problem(X, y, minimize=minimize, limits=replace(limits, max_leaves_of=None))
        binding += branch_and_bound(free).cost != outcome.cost
        if METHODS["threshold"].reason_to_refuse(problem) is None:
            assert METHODS["threshold"].spec(problem).cost == outcome.cost
    assert binding > 20


def test_a_limit_on_real_weighted_errors_is_feasible_iff_the_minimum_errors_keep_it():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 5, (40, 4)).astype(float), rng.integers(0, 2, 40)
    weights = rng.random(40)
    limits = xt.Limits(max_errors=float(weights.sum()) / 10, max_depth=3)
    outcome = branch_and_bound(
        xt.Problem(X, y, sample_weight=weights, minimize="size", limits=limits)
    )
    errors = xt.Problem(
        X, y, sample_weight=weights, minimize=("errors", "size"), limits=xt.Limits(max_depth=3)
    )
    optimal = branch_and_bound(errors)
    assert (outcome.cost is None) == (optimal.cost[0] > limits.max_errors)


def hard():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (800, 8)).astype(float)
    first = {tuple(row): row for row in X.tolist()}
    X = np.array(list(first.values()))
    return X, rng.integers(0, 2, len(X))


@pytest.mark.parametrize("minimize", ["size", "depth", ("size", "depth"), ("depth", "size")])
def test_a_stopped_search_keeps_a_tree_or_at_least_a_valid_bound(minimize):
    X, y = hard()
    problem = xt.Problem(X, y, minimize=minimize)
    outcome = xt.solve(problem, time_limit=0.3)
    assert outcome.stopped_by == "time limit"
    assert outcome.status in (xt.Status.FEASIBLE, xt.Status.STOPPED)
    if outcome.tree is not None:
        assert (outcome.tree.predict(X) == y).all()
        assert outcome.lower_bound < outcome.cost


def test_a_search_for_fewest_nodes_starts_with_an_incumbent():
    X, y = hard()
    outcome = xt.solve(xt.Problem(X, y, minimize="size"), time_limit=0.3)
    assert outcome.tree is not None
    assert outcome.stats["first_incumbent"] >= outcome.cost


def test_the_first_incumbent_is_a_value_of_the_first_quantity():
    X, y = hard()
    X, y = X[:80], y[:80]
    weights = np.full(
        len(y), 0.25
    )  # so that errors in the integers of the search are other numbers

    def first_incumbent(*minimize):
        limits = xt.Limits(max_depth=3, max_errors=20)
        problem = xt.Problem(X, y, sample_weight=weights, minimize=minimize, limits=limits)
        return xt.solve(problem).stats["first_incumbent"]

    errors = first_incumbent("errors")
    assert 0 < errors < weights.sum()
    assert first_incumbent("errors", "size") == errors
    assert first_incumbent("errors", "depth", "size") == errors
    # The search raises the depth until a tree exists: there is no incumbent before the optimum.
    assert first_incumbent("depth", "errors") is None


def test_lower_bounds_of_progress_are_tuples_in_every_stage():
    X, y = hard()
    reports = []
    problem = xt.Problem(X, y, minimize=("errors", "size"), limits=xt.Limits(max_depth=2))
    xt.solve(problem, time_limit=2, on_progress=reports.append)
    assert all(isinstance(progress.lower_bound, tuple) for progress in reports)


def test_sharing_errors_and_a_search_for_each_size_find_the_same_size(monkeypatch):
    """With few levels and errors, each size is searched for; else children share the errors."""
    rng = np.random.default_rng(11)
    smallest = []
    for _ in range(60):
        X = rng.integers(0, 6, (24, 3)).astype(float)
        y = (X[:, 0] + X[:, 1] > 5) ^ (rng.random(24) < 0.1)
        limits = xt.Limits(max_depth=int(rng.integers(1, 5)), max_errors=int(rng.integers(0, 9)))
        problem = xt.Problem(X, y, minimize="size", limits=limits)
        sizes = []
        for few_levels in (3, -9):
            monkeypatch.setattr(
                "exactree.engine.lexicographic.one_quantity._FEW_LEVELS", few_levels
            )
            outcome = branch_and_bound(problem)
            sizes.append((outcome.status, outcome.cost))
        assert sizes[0] == sizes[1], problem
        smallest.append(sizes[0][1])
    assert len(set(smallest)) > 4


@pytest.mark.parametrize("minimize", ["size", "depth"])
def test_an_infeasible_limit_on_errors_is_proved_by_searches_up_to_the_limits(minimize):
    """The greatest lower bound in the progress is the maximum size or depth within the limits."""
    rng = np.random.default_rng(12)
    X, y = rng.random((80, 2)), rng.integers(0, 2, 80)
    limits = xt.Limits(max_depth=2, max_size=None if minimize == "size" else 3, max_errors=10)
    outcome = branch_and_bound(xt.Problem(X, y, minimize=minimize, limits=limits))
    assert outcome.status is xt.Status.INFEASIBLE
    maximum = {"size": 3, "depth": 2}[minimize]
    assert max(moment.lower_bound for moment in outcome.stats["progress"]) == maximum


def test_a_tree_of_minimum_depth_has_no_node_that_allowed_errors_can_replace():
    """Found by the fuzz campaign: of two allowed errors, a superfluous node saved one."""
    X = [[0, "c"], [1, "c"], [0, "a"], [0, "b"], [1, "a"], [0, "c"]]
    limits = xt.Limits(max_errors=2)
    problem = xt.Problem(X, [2, 3, 2, 1, 0, 3], minimize="depth", limits=limits)
    outcome = xt.solve(problem)
    assert (outcome.cost, outcome.tree.size) == (2, 2)
    check_irreducible(problem, outcome.trees)
