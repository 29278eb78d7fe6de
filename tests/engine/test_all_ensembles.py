"""Native lists of all optimal ensembles agree with the specification and with brute force."""

from collections import Counter
from math import comb

import numpy as np
import pytest

import exactree as xt
from exactree.engine import all_ensembles, reason_to_refuse_all_ensembles
from exactree.engine.enumeration.all_ensembles import MAX_ENSEMBLES
from exactree.instances import Parity
from exactree.problem.verification.recount import cost_of_found
from exactree.spec.effort import labelings_to_join
from exactree.spec.enumerate_ensembles import optimal_ensembles
from exactree.spec.table import fitted_tree
from exactree.testing import random_errors, random_weights

QUANTITIES = [
    "total_size",
    ("total_size", "largest_size"),
    ("largest_size", "total_size"),
    ("errors", "total_size"),
    ("total_size", "errors"),
    ("errors", "largest_size", "total_size"),
]


# For each number of trees, the maximum rows and features that the specification lists quickly.
LARGEST = {2: (6, 3), 3: (5, 2), 4: (4, 2)}


def draw(rng):
    n_trees = int(rng.choice([2, 2, 2, 2, 3, 4]))
    rows, features = (int(rng.integers(1, maximum + 1)) for maximum in LARGEST[n_trees])
    X = rng.integers(0, rng.choice([2, 3, 4]), (max(rows, 2), features)).astype(float)
    if rng.random() < 0.8:
        X = np.unique(X, axis=0)
    weights = random_weights(rng, len(X), bits=61)
    return xt.Problem(
        X,
        rng.integers(0, rng.integers(2, 4), len(X)),
        sample_weight=weights,
        minimize=QUANTITIES[rng.integers(len(QUANTITIES))],
        n_trees=n_trees,
        categories=[0] if rng.random() < 0.2 else None,
        limits=xt.Limits(
            max_errors=0 if rng.random() < 0.6 else random_errors(rng, weights, 2),
            max_size=int(rng.integers(0, 4)) if rng.random() < 0.2 else None,
            max_total_size=int(rng.integers(0, 5)) if rng.random() < 0.2 else None,
            max_depth=int(rng.integers(1, 3)) if rng.random() < 0.2 else None,
        ),
    )


def few_choices(problem):
    joined, labelings = labelings_to_join(problem)
    return joined < 2e4 and comb(2 * labelings + problem.n_trees - 1, problem.n_trees) < 20_000


@pytest.mark.parametrize("problems", [180, pytest.param(1_500, marks=pytest.mark.long)])
def test_random_lists_are_those_of_the_specification(problems):
    rng, n_done, lengths, kinds = np.random.default_rng(problems), 0, [], Counter()
    while n_done < problems:
        problem = draw(rng)
        if not few_choices(problem):
            continue
        n_done += 1
        assert reason_to_refuse_all_ensembles(problem) is None
        expected = Counter(
            xt.Ensemble(tuple(fitted_tree(problem, tree) for tree in trees))
            for trees in optimal_ensembles(problem)
        )
        listing = xt.enumerate_optimal(problem)
        assert Counter(listing) == expected, problem
        assert listing.complete
        assert xt.count_optimal(problem) == len(expected)
        lengths.append(len(expected))
        kinds[bool(problem.categories), len(problem.dataset.classes)] += 1
    assert sum(length > 1 for length in lengths) > problems / 5
    assert max(lengths) > 5
    assert sum(length == 0 for length in lengths) < problems / 2
    assert min(kinds[codes, classes] for codes in (False, True) for classes in (2, 3)) > 0, kinds


def test_lists_too_large_for_the_specification_are_valid():
    """Each ensemble is optimal and listed once, and the result of `solve` is among them."""
    rng = np.random.default_rng(4)
    X = np.unique(rng.integers(0, 4, (30, 3)), axis=0).astype(float)
    y = ((X[:, 0] > 1).astype(int) + (X[:, 1] > 1) + (X[:, 2] > 2) > 1).astype(int)
    problem = xt.Problem(X, y, minimize="total_size", n_trees=3)
    with pytest.raises(xt.MethodRefused):
        optimal_ensembles(problem)
    outcome = xt.solve(problem, method="witness")
    listing = list(xt.enumerate_optimal(problem))
    assert outcome.ensemble in listing
    assert len(set(listing)) == len(listing)
    for ensemble in listing:
        assert len(ensemble.trees) == 3
        assert cost_of_found(problem, ensemble) == outcome.cost
        assert (ensemble.predict(X) == y).all()
    assert listing == list(xt.enumerate_optimal(problem))


@pytest.mark.parametrize(
    ("n_trees", "size", "shapes"), [(3, 1, 1), (3, 2, 2), (5, 1, 1), (3, 3, 5)]
)
def test_the_parity_family_has_one_ensemble_up_to_the_shapes_of_its_trees(n_trees, size, shapes):
    """Each tree has all thresholds of its feature, in any shape of a binary search tree."""
    data = Parity(n_trees, size).apply().problem().dataset
    problem = xt.Problem(data.X, data.labels, minimize="total_size", n_trees=n_trees)
    one_feature_per_tree = [
        ensemble
        for ensemble in xt.enumerate_optimal(problem)
        if all(len(set(tree.feature[tree.feature >= 0])) == 1 for tree in ensemble.trees)
    ]
    assert len(one_feature_per_tree) == shapes**n_trees


def test_a_list_can_be_limited_and_stopped():
    X = [[float(value)] for value in range(8)]
    y = [0, 1] * 4
    problem = xt.Problem(X, y, minimize="total_size", n_trees=3)
    listing = xt.enumerate_optimal(problem, limit=7)
    assert len(set(listing)) == 7
    assert not listing.complete
    listing = xt.enumerate_optimal(problem, time_limit=1e-3)
    assert len(list(listing)) < xt.count_optimal(problem)
    assert not listing.complete
    assert xt.count_optimal(problem, time_limit=1e-3) is None


def test_too_many_ensembles_are_refused_without_a_limit():
    X = [[float(value)] * 12 for value in range(6)]
    problem = xt.Problem(X, [0, 1] * 3, minimize="total_size", n_trees=3)
    with pytest.raises(xt.MethodRefused, match="more than 100,000 optimal ensembles"):
        xt.count_optimal(problem)
    assert len(list(xt.enumerate_optimal(problem, limit=50))) == 50
    assert MAX_ENSEMBLES == 100_000


def test_the_list_of_an_infeasible_problem_is_empty():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    for limits in (xt.Limits(max_size=0), xt.Limits(max_total_size=1)):
        problem = xt.Problem(X, y, minimize="total_size", n_trees=3, limits=limits)
        listing = xt.enumerate_optimal(problem)
        assert list(listing) == []
        assert listing.complete
        assert xt.count_optimal(problem) == 0
    contradiction = xt.Problem([[0.0], [0.0]], [0, 1], minimize="total_size", n_trees=2)
    assert xt.count_optimal(contradiction) == 0


@pytest.mark.parametrize(
    ("parameters", "clause"),
    [
        ({"minimize": "largest_size"}, "the total size is minimized"),
        ({"minimize": "errors"}, "the total size is minimized"),
        ({"minimize": ("total_size", "total_depth")}, "sizes and errors only"),
        ({"limits": xt.Limits(min_samples_leaf=2)}, "neither min_samples_leaf"),
        ({"limits": xt.Limits(max_leaves_of={0: 2})}, "nor max_leaves_of"),
    ],
)
def test_problems_that_the_native_list_refuses_are_listed_by_the_specification(parameters, clause):
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    problem = xt.Problem(X, y, n_trees=2, **({"minimize": "total_size"} | parameters))
    assert clause in reason_to_refuse_all_ensembles(problem)
    expected = [
        xt.Ensemble(tuple(fitted_tree(problem, t) for t in e)) for e in optimal_ensembles(problem)
    ]
    assert list(xt.enumerate_optimal(problem)) == expected


def test_the_native_list_needs_an_optimal_ensemble_only_for_its_sizes():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]
    problem = xt.Problem(X, y, minimize="total_size", n_trees=2)
    ensembles, complete = all_ensembles(problem, next(xt.enumerate_optimal(problem)), 100, None)
    assert complete
    assert ensembles == list(xt.enumerate_optimal(problem))
