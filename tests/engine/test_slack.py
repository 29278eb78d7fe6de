"""All trees or ensembles within a slack of the optimum are listed once by cost, and counted."""

import runpy
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree import Limits, Problem, count_optimal, enumerate_optimal
from exactree.engine import reason_to_refuse_all_trees
from exactree.problem.quantities import as_tuple, slack_of
from exactree.problem.verification.recount import cost_of_found
from exactree.spec.enumerate import optimal_trees
from exactree.spec.table import fitted_tree
from exactree.testing import random_weights

ALL_TREES = runpy.run_path(str(Path(__file__).parents[1] / "spec" / "all_trees.py"))
INSTANCES = runpy.run_path(str(Path(__file__).with_name("instances.py")))
TUPLES = ["errors", ("errors",), *INSTANCES["TUPLES_OF_A_TREE"]]
REGRESSION_QUANTITIES = ["squared_error", ("absolute_error", "size")]
ENSEMBLE_QUANTITIES = ["total_size", "largest_size", "total_depth", ("errors", "largest_depth")]
MAX_TREES = 400


def draw(rng: np.random.Generator, choices: list[Any], n_trees: int = 1) -> Problem:
    """Draw a random problem of few rows."""
    rows, features = int(rng.integers(2, 7 if n_trees == 1 else 5)), int(rng.integers(1, 3))
    X = rng.integers(0, rng.choice([2, 3, 6]), (rows, features)).astype(float)
    kind = rng.choice(["numbers", "numbers", "codes", "missing"])
    if kind == "missing":
        X[rng.random(X.shape) < 0.2] = np.nan
    minimize = choices[rng.integers(len(choices))]
    last = minimize if isinstance(minimize, str) else minimize[-1]
    # The price with many digits needs large integers as units.
    penalty = [0, 0, 0.05, 0.00021544346900318845, 0.3][rng.integers(5)] if last == "errors" else 0
    limited = rng.random() < 0.4 and not penalty and minimize not in REGRESSION_QUANTITIES
    return Problem(
        X,
        rng.integers(0, rng.integers(1, 4), rows),
        sample_weight=random_weights(rng, rows, bits=62),
        minimize=minimize,
        leaf_penalty=penalty if n_trees == 1 else 0,
        n_trees=n_trees,
        categories=[0] if kind == "codes" else None,
        limits=Limits(
            max_depth=int(rng.integers(1, 4 if n_trees == 1 else 2)),
            max_size=int(rng.integers(0, 6)) if rng.random() < 0.3 else None,
            max_errors=[0, 1, 2, 0.5][rng.integers(4)] if limited else None,
            min_samples_leaf=int(rng.integers(1, 3)),
        ),
    )


def slack_for(rng: np.random.Generator, problem: Problem, vectors: list[tuple]) -> Any:
    """Draw a slack: none, a random number, or the exact or almost the exact slack of an answer."""
    minimum = min(vectors, default=(0,) * len(problem.quantities))
    some = rng.integers(len(vectors), size=3) if vectors else []
    other = max((vectors[at] for at in some), default=minimum)
    needed = [
        max(Fraction(a) - Fraction(b), Fraction(0)) for a, b in zip(other, minimum, strict=True)
    ]
    kind = rng.integers(7)
    if kind == 0:
        return 0 if rng.random() < 0.5 or isinstance(problem.minimize, str) else (0,) * len(minimum)
    slack: list[Any] = [[1, 0.1, 2, Fraction(1, 3)][rng.integers(4)] for _ in minimum]
    if kind > 1:
        slack = needed
    if kind > 5:
        slack = [max(exact - Fraction(1, 2**70), Fraction(0)) for exact in needed]
    return slack[0] if isinstance(problem.minimize, str) else tuple(slack)


def key(problem: Problem, trees: Any) -> frozenset[Any]:
    """Return the trees without their order; for regressions without the predictions of leaves."""
    bare = map(without_labels, trees) if problem.regression else trees
    return frozenset(Counter(bare).items())


def without_labels(tree: Any) -> Any:
    return (*tree[:2], *map(without_labels, tree[2:])) if isinstance(tree, tuple) else None


def check(problem: Problem, rng: np.random.Generator, counts: Counter) -> None:
    """Compare lists and counts with all trees, one by one."""
    names = problem.quantities
    all_answers = [
        (answer.vector(names), key(problem, answer.trees))
        for answer in ALL_TREES["answers"](problem)
    ]
    within = slack_for(rng, problem, [vector for vector, _ in all_answers])
    slack = slack_of(problem.minimize, within)
    minimum = min((vector for vector, _ in all_answers), default=None)
    expected = {
        tree: vector
        for vector, tree in all_answers
        if all(a <= b + more for a, b, more in zip(vector, minimum, slack, strict=True))
    }
    if len(expected) > MAX_TREES:
        return
    counts["done"] += 1
    lists: list[Any] = [enumerate_optimal(problem, within=within)]
    if problem.n_trees == 1:
        lists.append(fitted_tree(problem, tree) for tree in optimal_trees(problem, slack))
        native = reason_to_refuse_all_trees(problem, slack) is None
        counts["natively"] += native and len(expected) > 1
        counts["near", native] += any(vector > minimum for vector in expected.values())
        counts["huge"] += native and problem.dataset.total_weight > 2**50 and len(expected) > 1
    for found in lists:
        answers = list(found)
        trees = [key(problem, ALL_TREES["plain_trees_of"](problem, answer)) for answer in answers]
        assert len(set(trees)) == len(trees), (problem, within)
        assert set(trees) == set(expected), (problem, within, len(trees), len(expected))
        costs = [as_tuple(cost_of_found(problem, answer)) for answer in answers]
        assert costs == sorted(costs), (problem, within)
    assert lists[0].complete
    assert count_optimal(problem, within=within) == len(expected), (problem, within)


@pytest.mark.parametrize("problems", [250, pytest.param(4_000, marks=pytest.mark.long)])
def test_all_trees_within_a_slack_are_listed_once_by_cost(problems: int) -> None:
    rng, counts = np.random.default_rng(problems), Counter()
    while counts["done"] < problems:
        try:
            problem = draw(rng, TUPLES)
        except ValueError as error:  # weights too heavy for the denominator of the penalty
            assert "the total must be below" in str(error)  # noqa: PT017
            continue
        check(problem, rng, counts)
    assert min(counts["natively"], counts["near", True], counts["near", False]) > problems / 20, (
        counts
    )
    assert counts["huge"] > problems / 50, counts


@pytest.mark.parametrize("problems", [40, pytest.param(500, marks=pytest.mark.long)])
def test_regression_trees_within_a_slack_are_listed_once_by_cost(problems: int) -> None:
    rng, counts = np.random.default_rng(problems), Counter()
    while counts["done"] < problems:
        check(draw(rng, REGRESSION_QUANTITIES), rng, counts)
    assert counts["near", False] > problems / 10, counts


@pytest.mark.parametrize("problems", [30, pytest.param(500, marks=pytest.mark.long)])
def test_all_ensembles_within_a_slack_are_listed_once_by_cost(problems: int) -> None:
    rng, counts = np.random.default_rng(problems), Counter()
    while counts["done"] < problems:
        check(draw(rng, ENSEMBLE_QUANTITIES, n_trees=2), rng, counts)


def test_trees_of_bounded_size_and_errors_are_all_listed() -> None:
    """Section 6.3 of Komusiewicz et al. (001): trees of at most s nodes with at most t errors."""
    rng = np.random.default_rng(8)
    X, y = rng.integers(0, 3, (7, 2)).astype(float), rng.integers(0, 2, 7)
    for t in range(3):
        problem = Problem(X, y, minimize="size", limits=Limits(max_errors=t))
        free = Problem(X, y, limits=Limits(max_errors=t))
        sizes = [answer.measured["size"] for answer in ALL_TREES["answers"](free)]
        for w in range(3):
            max_size = min(sizes, default=0) + w
            listed = list(enumerate_optimal(problem, within=w))
            assert len(listed) == sum(size <= max_size for size in sizes)
            assert all(tree.size <= max_size for tree in listed)
            assert [tree.size for tree in listed] == sorted(tree.size for tree in listed)


def test_counts_within_a_slack_are_exact_beyond_64_bits() -> None:
    """With one class and one feature, the trees of a size are the ways to split a chain of rows."""
    rows = 40
    problem = Problem([[value] for value in range(rows)], [0] * rows, minimize="size")
    trees = {(1, 0): 1}  # number of trees by rows and size

    def count(n: int, size: int) -> int:
        if size == 0:
            return 1
        if size >= n:
            return 0
        if (n, size) not in trees:
            trees[n, size] = sum(
                count(left, a) * count(n - left, size - 1 - a)
                for left in range(1, n)
                for a in range(size)
            )
        return trees[n, size]

    for within in (0, 1, 2, 20):
        expected = sum(count(rows, size) for size in range(within + 1))
        assert count_optimal(problem, within=within) == expected
    assert expected > 2**64


def test_the_first_trees_of_a_very_long_list_come_immediately() -> None:
    problem = Problem([[value] for value in range(20)], [0, 1] * 10, minimize=("errors", "size"))
    listing = enumerate_optimal(problem, within=(5, 0), limit=30)
    sizes = [(tree.errors[0], tree.size) for tree in listing]
    assert len(sizes) == 30
    assert not listing.complete


def test_stopped_lists_are_incomplete_and_stopped_counts_are_none() -> None:
    problem = Problem([[value] for value in range(60)], [0] * 60)
    small = {"within": 0, "memory_limit": 100_000}
    assert count_optimal(problem, **small) is None
    listing = enumerate_optimal(problem, **small)
    assert sum(1 for _ in listing) >= 0
    assert not listing.complete
    listing = enumerate_optimal(problem, within=1, time_limit=1e-9)
    assert list(listing) == []
    assert not listing.complete
    # A list by the specification also observes the time limit.
    limits = Limits(max_leaves_of={0: 3})
    table = Problem([[value] for value in range(9)], [0, 1, 0] * 3, limits=limits)
    listing = enumerate_optimal(table, within=3, time_limit=1e-9)
    assert list(listing) == []
    assert not listing.complete
    assert count_optimal(table, within=3, time_limit=1e-9) is None


def test_invalid_slacks_and_memory_limits_are_refused() -> None:
    one = Problem([[0], [1]], [0, 1])
    two = Problem([[0], [1]], [0, 1], minimize=("errors", "size"))
    for within in (-1, float("nan"), "1", None, True, (1,)):
        with pytest.raises(ValueError, match="within must be a finite number >= 0"):
            enumerate_optimal(one, within=within)
    for within in (1, (1,), (1, 2, 3)):
        with pytest.raises(ValueError, match="within must be a tuple of 2 numbers"):
            count_optimal(two, within=within)
    with pytest.raises(ValueError, match=r"within\[1\] must be a finite number >= 0"):
        count_optimal(two, within=(0, -1))
    with pytest.raises(ValueError, match="memory_limit must be a positive integer"):
        count_optimal(one, memory_limit=0)
