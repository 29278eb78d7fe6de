"""Native lists of all optimal trees, and their lengths, agree with the specification."""

import runpy
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree.engine import reason_to_refuse_all_trees
from exactree.problem.verification.recount import cost_of_found
from exactree.spec.effort import subsets_to_visit
from exactree.spec.enumerate import optimal_trees
from exactree.spec.table import fitted_tree
from exactree.testing import random_weights

TUPLES = runpy.run_path(str(Path(__file__).with_name("instances.py")))["TUPLES_OF_A_TREE"]
MAX_TREES = 300


def draw(rng):
    rows, features = int(rng.integers(2, 11)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.choice([2, 3, 8]), (rows, features)).astype(float)
    if rng.random() < 0.7:
        X = np.unique(X, axis=0)
        rows = len(X)
    y = rng.integers(0, rng.integers(1, 5), rows)
    minimize = TUPLES[rng.integers(len(TUPLES))]
    last = minimize if isinstance(minimize, str) else minimize[-1]
    # With the penalty of many digits, the search counts in large integers.
    penalty = [0, 0.05, 0.00021544346900318845, 0.3][rng.integers(4)] if last == "errors" else 0
    return xt.Problem(
        X,
        y,
        sample_weight=random_weights(rng, rows),
        minimize=minimize,
        leaf_penalty=penalty,
        limits=xt.Limits(
            max_depth=int(rng.integers(1, 4)) if rng.random() < 0.6 else None,
            max_size=int(rng.integers(0, 6)) if rng.random() < 0.3 else None,
            max_errors=[0, 1, 2, 0.5][rng.integers(4)]
            if rng.random() < 0.4 and not penalty
            else None,
            min_samples_leaf=int(rng.integers(2, 4)) if rng.random() < 0.2 else 1,
        ),
    )


def test_lists_of_trees_with_codes_are_those_of_the_specification():
    """A split may send either of two codes left: these are two trees."""
    X, y = [[0, 1], [0, 2], [1, 1], [1, 2], [2, 1]], [0, 1, 1, 0, 1]
    comparisons = set()
    for seed in range(200):
        rng = np.random.default_rng([1, seed])
        rows = rng.integers(0, rng.integers(2, 4), (int(rng.integers(2, 7)), 2))
        problem = xt.Problem(
            rows,
            rng.integers(0, 2, len(rows)),
            categories=[0],
            minimize="size",
            limits=xt.Limits(max_errors=int(rng.integers(0, 2))),
        )
        if reason_to_refuse_all_trees(problem) is not None:
            continue
        expected = {fitted_tree(problem, tree) for tree in optimal_trees(problem)}
        listed = list(xt.enumerate_optimal(problem))
        assert len(listed) == len(expected) == xt.count_optimal(problem), problem
        assert set(listed) == expected
        comparisons |= {comparison for tree in listed for comparison in tree.comparison.tolist()}
    assert comparisons == {"", "<=", "=="}
    assert xt.count_optimal(xt.Problem(X, y, categories=[0], minimize="size")) > 1


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 4))]
)
def test_random_problems_agree_with_the_specification(seed):
    rng = np.random.default_rng(seed)
    counts = Counter()
    while counts["done"] < 300:
        problem = draw(rng)
        if reason_to_refuse_all_trees(problem) is not None or subsets_to_visit(problem) > 30_000:
            continue
        count = xt.count_optimal(problem)
        if count > MAX_TREES or (count < 2 and rng.random() < 0.7):
            continue
        counts["done"] += 1
        counts["several"] += count > 1
        counts["weighted"] += problem.dataset.weight_scale > 1
        expected = [fitted_tree(problem, tree) for tree in optimal_trees(problem)]
        listing = xt.enumerate_optimal(problem)
        listed = list(listing)
        assert listing.complete
        assert count == len(expected) == len(listed), problem
        assert set(listed) == set(expected), problem
        assert len({cost_of_found(problem, tree) for tree in listed}) <= 1
    assert counts["several"] > 100, counts
    assert counts["weighted"] > 10
