"""Native fronts of ensembles agree with the definition; results of stopped fronts are valid."""

from collections import Counter
from itertools import pairwise, product
from math import comb

import numpy as np
import pytest

import exactree as xt
from exactree.engine import reason_to_refuse_ensemble_front
from exactree.spec.effort import labelings_to_join
from exactree.testing import random_errors, random_weights

FRONTS = [
    ("total_size", "errors"),
    ("errors", "total_size"),
    ("largest_size", "errors"),
    ("total_size", "largest_size"),
    ("largest_size", "total_size"),
    ("total_depth", "errors"),
    ("errors", "largest_depth"),
]
BY_TREES = [
    ("n_trees", "total_size"),
    ("total_size", "n_trees"),
    ("n_trees", "largest_size"),
    ("n_trees", "errors"),
    ("errors", "n_trees"),
    ("n_trees", "total_depth"),
    ("largest_depth", "n_trees"),
]


def draw(rng):
    rows, features = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.choice([2, 3, 5]), (rows, features)).astype(float)
    if rng.random() < 0.7:
        X = np.unique(X, axis=0)
    weights = random_weights(rng, len(X), bits=61)
    return xt.Problem(
        X,
        rng.integers(0, rng.integers(2, 4), len(X)),
        sample_weight=weights,
        n_trees=int(rng.integers(2, 5)),
        limits=xt.Limits(
            max_errors=random_errors(rng, weights, 3) if rng.random() < 0.4 else None,
            max_size=int(rng.integers(0, 4)) if rng.random() < 0.3 else None,
            max_total_size=int(rng.integers(0, 6)) if rng.random() < 0.2 else None,
            max_depth=int(rng.integers(1, 3)) if rng.random() < 0.2 else None,
            min_samples_leaf=2 if rng.random() < 0.2 else 1,
        ),
    )


def draw_majority(rng):
    """Draw five or six rows whose labels are the majority of three features, as three stumps vote.

    A search for a size has no errors to spare, so that several trees are smaller than one.
    """
    rows = int(rng.integers(5, 7))
    X = np.array(list(product((0, 1), repeat=3)), dtype=float)[rng.permutation(8)[:rows]]
    weights = random_weights(rng, rows, bits=61)
    size = rng.choice([1, 1, 2])
    no_errors = xt.Limits(max_errors=0, max_size=size + 1, max_depth=2)
    limits = no_errors if rng.random() < 0.5 else xt.Limits(max_size=size)
    return xt.Problem(X, X.sum(axis=1) > 1, sample_weight=weights, n_trees=3, limits=limits)


def problems_for_the_definition(seed, problems, draw, max_choices=10_000):
    """Yield problems that the definition solves quickly."""
    rng = np.random.default_rng(seed)
    while problems:
        problem = draw(rng)
        joined, labelings = labelings_to_join(problem)
        choices = comb(labelings + problem.n_trees - 1, problem.n_trees)
        if joined < 1e5 and choices < max_choices:
            problems -= 1
            yield rng, problem


@pytest.mark.parametrize("problems", [120, pytest.param(2_000, marks=pytest.mark.long)])
def test_random_fronts_agree_with_the_definition(problems):
    lengths = []
    for rng, problem in problems_for_the_definition(problems, problems, draw):
        quantities = FRONTS[rng.integers(len(FRONTS))]
        assert reason_to_refuse_ensemble_front(problem.minimizing(quantities)) is None
        native = xt.pareto_front(problem, quantities)
        expected = xt.pareto_front(problem, quantities, "spec")
        assert [o.cost for o in native] == [o.cost for o in expected], (problem, quantities)
        for outcome in native:
            assert outcome.status is xt.Status.OPTIMAL
            assert outcome.lower_bound == outcome.cost
            assert len(outcome.ensemble.trees) == problem.n_trees
        lengths.append(len(native))
    assert sum(length > 1 for length in lengths) > problems / 5
    assert sum(length > 2 for length in lengths) > problems / (100 if problems < 200 else 50)


def majority_table(rng):
    """Draw a table whose labels are a majority of features, so that several trees are smaller."""
    features = int(rng.integers(3, 6))
    X = np.unique(rng.integers(0, rng.integers(2, 4), (24, features)), axis=0).astype(float)
    y = (2 * (X % 2).sum(axis=1) > features).astype(int)
    y[rng.random(len(y)) < 0.05] ^= 1
    limits = xt.Limits(max_errors=int(rng.integers(0, 3)))
    return xt.Problem(X, y, n_trees=int(rng.integers(2, 6)), limits=limits)


@pytest.mark.parametrize("problems", [40, pytest.param(400, marks=pytest.mark.long)])
def test_fronts_by_the_number_of_trees_are_those_of_a_search_for_each_number(problems):
    rng, n_longer = np.random.default_rng(problems), 0
    for _ in range(problems):
        problem = majority_table(rng)
        quantities = BY_TREES[rng.integers(len(BY_TREES))]
        (size,) = (name for name in quantities if name != "n_trees")
        if size == "errors":  # without limits a single tree makes none
            limits = xt.Limits(max_size=int(rng.integers(1, 3)), max_total_size=4)
            problem = xt.Problem(
                problem.dataset.X, problem.dataset.labels, n_trees=3, limits=limits
            )
        vectors = []
        for n_trees in range(1, problem.n_trees + 1):
            outcome = xt.solve(problem.minimizing((size,)).with_trees(n_trees))
            pair = {"n_trees": n_trees, size: outcome.cost[0]}
            vectors.append(tuple(pair[name] for name in quantities))
        front = sorted(v for v in vectors if not any(w != v and dominates(w, v) for w in vectors))
        native = xt.pareto_front(problem, quantities)
        assert [outcome.cost for outcome in native] == front, (problem, quantities)
        for outcome in native:
            assert outcome.status is xt.Status.OPTIMAL
            assert outcome.lower_bound == outcome.cost
            assert len(outcome.trees) == outcome.cost[quantities.index("n_trees")]
        n_longer += len(front) > 1
    assert n_longer > problems / 5, n_longer


@pytest.mark.parametrize("problems", [60, pytest.param(600, marks=pytest.mark.long)])
def test_fronts_by_the_number_of_trees_are_those_of_the_definition(problems):
    """The definition enumerates the ensembles of every number of trees."""

    def draw_either(rng):
        return draw_majority(rng) if rng.random() < 0.7 else draw(rng)

    n_longer = Counter()
    for rng, problem in problems_for_the_definition(problems, problems, draw_either, 50_000):
        quantities = BY_TREES[rng.integers(len(BY_TREES))]
        native = xt.pareto_front(problem, quantities)
        (other,) = (name for name in quantities if name != "n_trees")
        vectors = []
        for n_trees in range(1, problem.n_trees + 1):
            of_number = problem.minimizing((other,)).with_trees(n_trees)
            cost = xt.solve(of_number, implementation="spec").cost
            if cost is not None:
                pair = {"n_trees": n_trees, other: cost[0]}
                vectors.append(tuple(pair[name] for name in quantities))
        front = sorted(v for v in vectors if not any(w != v and dominates(w, v) for w in vectors))
        assert [outcome.cost for outcome in native] == front, (problem, quantities)
        n_longer[other == "errors"] += len(front) > 1
    assert min(n_longer[False], n_longer[True]) > problems / 30, n_longer


def test_more_stumps_make_fewer_errors():
    """Three stumps predict as one tree of five nodes."""
    instance = xt.instances.Parity(3, 1).apply()
    problem = xt.Problem(instance.X, instance.y, n_trees=5, limits=xt.Limits(max_depth=1))
    costs = [outcome.cost for outcome in xt.pareto_front(problem, ("n_trees", "errors"))]
    assert costs == [(1, 2), (3, 0)]
    assert xt.pareto_front(problem, ("errors", "n_trees"))[0].cost == (0, 3)


def dominates(vector, other):
    """Return whether a vector is nowhere greater than another."""
    return all(a <= b for a, b in zip(vector, other, strict=True))


def test_the_front_of_the_parity_family():
    """Three trees of one node each replace a tree of five nodes."""
    instance = xt.instances.Parity(3, 1).apply()
    limits = xt.Limits(max_errors=0)
    problem = xt.Problem(instance.X, instance.y, n_trees=5, limits=limits)
    costs = [outcome.cost for outcome in xt.pareto_front(problem, ("n_trees", "total_size"))]
    assert costs == [(1, 5), (3, 3)]
    three = xt.Problem(instance.X, instance.y, n_trees=3)
    costs = [outcome.cost for outcome in xt.pareto_front(three, ("total_size", "errors"))]
    assert costs[0] == (0, 4)
    assert costs[-1] == (3, 0)
    assert all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(costs))


@pytest.mark.parametrize("quantities", [*FRONTS, *BY_TREES])
def test_a_stopped_front_ends_with_the_search_that_was_stopped(quantities):
    rng = np.random.default_rng(0)
    X, y = rng.random((150, 6)), rng.integers(0, 2, 150)
    errors = None if "errors" in quantities else 0
    small = 3 if "n_trees" in quantities and errors is None else None
    limits = xt.Limits(max_errors=errors, max_size=small)
    problem = xt.Problem(X, y, n_trees=3, limits=limits)
    outcomes = xt.pareto_front(problem, quantities, time_limit=0.5)
    assert all(outcome.status is xt.Status.OPTIMAL for outcome in outcomes[:-1])
    last = outcomes[-1]
    assert last.status in (xt.Status.FEASIBLE, xt.Status.STOPPED)
    assert last.stopped_by == "time limit"
    assert (last.cost is None) == (last.status is xt.Status.STOPPED)
    assert last.cost is None or last.lower_bound <= last.cost


def test_fronts_that_the_native_search_refuses_are_found_by_the_definition():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    problem = xt.Problem(X, y, n_trees=2)
    for quantities in (("total_size", "total_depth"), ("total_size", "largest_size", "errors")):
        assert reason_to_refuse_ensemble_front(problem.minimizing(quantities)) is not None
        native = xt.pareto_front(problem, quantities)
        assert [o.cost for o in native] == [
            o.cost for o in xt.pareto_front(problem, quantities, "spec")
        ]
    few = xt.Limits(max_leaves_of={0: 2}, max_errors=0)
    limited = xt.Problem(X, y, n_trees=3, limits=few)
    costs = [outcome.cost for outcome in xt.pareto_front(limited, ("n_trees", "total_size"))]
    assert costs == [(1, 2)]


def test_a_limit_on_depth_may_need_several_trees():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    shallow = xt.Problem(X, y, n_trees=3, limits=xt.Limits(max_depth=1, max_errors=0))
    costs = [outcome.cost for outcome in xt.pareto_front(shallow, ("n_trees", "total_size"))]
    assert costs == [(2, 2)]


@pytest.mark.parametrize(
    ("quantities", "n_trees"),
    [
        (("n_trees", "total_size", "errors"), 3),
        (("n_trees", "total_size"), 1),
        (("n_trees", "n_trees"), 3),
    ],
)
def test_other_fronts_by_the_number_of_trees_are_refused(quantities, n_trees):
    problem = xt.Problem([[0.0], [1.0]], [0, 1], n_trees=n_trees)
    with pytest.raises(ValueError, match="'n_trees' together with one of 'total_size', "):
        xt.pareto_front(problem, quantities)
