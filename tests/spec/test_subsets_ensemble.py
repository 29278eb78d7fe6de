"""Ensembles by counted votes: Theorems 5.3 and 6.5, Proposition 6.9, against lists of all."""

import runpy
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from exactree import Limits, MethodRefused, Problem, Status
from exactree.spec import subsets
from exactree.spec.subsets_ensemble import reason_to_refuse, solve
from exactree.spec.votes import Count
from exactree.testing import check_solver

BRUTE = runpy.run_path(str(Path(__file__).with_name("brute_force.py")))
MINIMIZE = [
    "total_size", "total_size", "largest_size", "errors", ("largest_size", "total_size"),
    ("total_size", "largest_size"), ("errors", "total_size"), ("total_size", "errors"),
    ("largest_size", "errors", "total_size"),
]  # fmt: skip
# Numbers of rows to draw from, by numbers of classes and trees; the definition needs tiny tables.
ROWS = {
    (2, 2): [2, 3, 3, 4],
    (2, 3): [2, 3, 3, 4],
    (2, 4): [2, 3],
    (2, 5): [2, 2, 3],
    (3, 2): [2, 3],
    (3, 3): [2, 2, 2, 2, 3],
    (4, 2): [4],
}


def random_problem(seed: int) -> Problem:
    """Return a problem with 2 to 4 classes and 2 to 5 trees; a few have one more row."""
    rng = np.random.default_rng(seed)
    classes, trees = list(ROWS)[rng.integers(len(ROWS))]
    rows = int(rng.choice(ROWS[classes, trees])) + (seed % 100 == 0 and classes < 4)
    X, y, weights = BRUTE["random_table"](rng, rows, classes)
    if classes == 4:  # four classes need four rows; equal rows make the list of trees shorter
        X = X[rng.choice([0, 0, 1, 1, 1, 2], rows)]
    minimize = MINIMIZE[rng.integers(len(MINIMIZE))]
    limits = BRUTE["random_limits"](rng, trees)
    penalty = 0 if minimize != "errors" else [0, 0.1, Fraction(1, 7)][rng.integers(3)]
    if penalty and limits.max_errors is not None:
        limits = Limits(max_size=limits.max_size, max_total_size=limits.max_total_size)
    return Problem(
        X, y, weights, minimize=minimize, leaf_penalty=penalty, n_trees=trees, limits=limits
    )


def as_tuple(cost: object) -> tuple[object, ...]:
    return cost if isinstance(cost, tuple) else (cost,)


@pytest.mark.parametrize("tables", [200, pytest.param(2000, marks=pytest.mark.long)])
def test_the_cost_is_the_minimum_over_all_ensembles_and_that_of_the_definition(tables: int) -> None:
    kinds: Counter[object] = Counter()
    for seed in range(tables):
        problem = random_problem(seed)
        outcome, costs = solve(problem), BRUTE["all_costs"](problem)
        kinds[outcome.status, problem.n_trees % 2, len(problem.dataset.classes)] += 1
        minimum = min(costs, default=None)
        assert (None if outcome.cost is None else as_tuple(outcome.cost)) == minimum, seed
        with BRUTE["seed_in_message"](seed):
            check_solver(problem, outcome)
    assert min(kinds.values()) > tables // 200


def corners(minimize: str, **limits: int) -> Problem:
    """Return a problem with the three corners (1,0), (0,1), (1,1) and a class for each."""
    return Problem(
        [[1, 0], [0, 1], [1, 1]], [0, 1, 2], minimize=minimize, n_trees=3, limits=Limits(**limits)
    )


def test_the_number_of_correct_votes_does_not_decide_with_three_classes() -> None:
    """Theorem 6.5 gives 3 nodes where 2 are enough, if it counts correct votes like Theorem 5.3.

    Trees 0 and 1 have one node, tree 2 is a leaf of class 0. Class 0 wins by two votes, and also
    if each class has one vote.
    """
    assert solve(corners("total_size")).cost == 2
    assert solve(corners("total_size", max_total_size=1)).status is Status.INFEASIBLE
    sizes = BRUTE["min_sizes"](np.array([[1, 0], [0, 1], [1, 1]]), 3)
    # As printed: each row, whose class is its index, has two correct votes.
    as_printed = [
        sum(sizes[labels] for labels in ensemble)
        for ensemble in product(sizes, repeat=3)
        if all(sum(labels[row] == row for labels in ensemble) >= 2 for row in range(3))
    ]
    assert min(as_printed) == 3


def test_two_trees_for_three_classes_need_three_nodes() -> None:
    """The printed refinement rule of witness trees (001) misses this optimum."""
    X, y = [[0, 1], [0, 0], [0, 2], [1, 1], [1, 0], [1, 2]], [0, 1, 1, 0, 2, 2]
    for max_total_size, cost in ((2, None), (3, 3)):
        limits = Limits(max_total_size=max_total_size)
        assert solve(Problem(X, y, minimize="total_size", n_trees=2, limits=limits)).cost == cost


@pytest.mark.parametrize("trees", [2, 3, 4, 5, 6, 7])
def test_an_example_of_the_first_class_may_need_fewer_votes(trees: int) -> None:
    """Ties elect the earlier class, so an example of the second class needs more than half."""
    count = Count(Problem([[0], [1]], ["a", "b"], minimize="total_size", n_trees=trees))
    assert count.needed == ((trees + 1) // 2, trees // 2 + 1)
    for correct in product(range(trees + 1), repeat=2):  # correct votes for each example
        wrong = (correct[0] < trees - correct[0]) + (correct[1] <= trees - correct[1])
        r = (0, 0)
        for tree in range(trees):
            r = count.with_votes(r, tuple(int(tree < votes) for votes in correct))
        assert count.wrong_weight(r) == wrong
    # One node is enough: the votes of the other trees, which are leaves, cancel each other.
    assert solve(count.problem).cost == 1


def test_votes_of_more_classes_are_counted_for_each_class() -> None:
    """0, 0, 1, 2, 1 elect class 0 and 0, 0, 1, 1, 1 do not, with two votes for class 0 each.

    These are the votes of five trees for the first example; the others are classified correctly.
    """
    count = Count(Problem([[0], [1], [2]], [0, 1, 2], n_trees=5))
    for votes, wrong in (((0, 0, 1, 2, 1), 0), ((0, 0, 1, 1, 1), 1), ((2, 2, 2, 0, 0), 1)):
        r = (0,) * 9
        for vote in votes:
            R = [0b010 if j == 1 else 0b100 if j == 2 else 0 for j in range(3)]
            R[vote] |= 0b001
            r = count.with_votes(r, count.votes_of(tuple(R)))
        assert count.wrong_weight(r) == wrong


def test_trees_that_outvote_each_other_are_smaller_than_one_tree() -> None:
    """Theorem 3.3's family for three trees of size 1: a single tree needs 5 nodes."""
    X = list(product([0, 1], repeat=3))
    y = [int(sum(x) >= 2) for x in X]
    small = {"n_trees": 3, "limits": Limits(max_size=1)}
    outcome = solve(Problem(X, y, minimize="total_size", **small))
    assert (outcome.cost, outcome.ensemble.largest_size) == (3, 1)
    assert outcome.ensemble.predict(X).tolist() == y
    assert solve(Problem(X, y, minimize="largest_size", **small)).cost == 1
    assert subsets.solve(Problem(X, y, minimize="size")).cost == 5


def test_the_smallest_total_and_the_smallest_largest_tree_need_different_ensembles() -> None:
    """Alternating labels need three nodes: all in one tree, or one in each of three trees."""
    X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    for minimize in (("total_size", "largest_size"), ("largest_size", "total_size")):
        problem = Problem(X, y, minimize=minimize, n_trees=3)
        assert as_tuple(solve(problem).cost) == min(BRUTE["all_costs"](problem))
    total = solve(Problem(X, y, minimize="total_size", n_trees=3))
    largest = solve(Problem(X, y, minimize=("largest_size", "total_size"), n_trees=3))
    assert (total.cost, total.ensemble.largest_size) == (3, 3)
    assert largest.cost == (1, 3)


def test_ensembles_with_errors_are_smaller() -> None:
    """Proposition 6.9 for alternating labels, with at most 0, 1 and 2 errors."""
    X, y = [[i] for i in range(5)], [0, 1, 0, 1, 0]
    costs = [
        solve(Problem(X, y, minimize="total_size", n_trees=3, limits=Limits(max_errors=t))).cost
        for t in range(3)
    ]
    assert costs == [4, 2, 0]


def test_two_trees_are_never_larger_than_a_single_tree() -> None:
    """With a leaf of the second class as one of two trees, the other tree decides every vote."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y, _ = BRUTE["random_table"](rng, 4, 2)
        one = subsets.solve(Problem(X, y, minimize="size"))
        two = solve(Problem(X, y, minimize="total_size", n_trees=2))
        assert one.status is two.status
        assert one.cost is None or two.cost <= one.cost


def test_contradictory_rows_are_named() -> None:
    problem = Problem([[0], [3], [0]], [0, 1, 1], minimize="total_size", n_trees=3)
    outcome = solve(problem)
    assert outcome.status is Status.INFEASIBLE
    assert "rows 0, 2" in outcome.reason


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"n_trees": 1, "minimize": "size"}, "two or more trees"),
        ({"minimize": "total_depth"}, "sizes and errors only"),
        ({"limits": Limits(max_depth=1)}, "no max_depth"),
        ({"limits": Limits(min_samples_leaf=2)}, "no min_samples_leaf"),
        ({"limits": Limits(max_leaves_of={0: 1})}, "no max_leaves_of"),
    ],
)
def test_problems_that_the_method_refuses_have_a_reason(
    parameters: dict[str, object], reason: str
) -> None:
    parameters = {"n_trees": 2, "minimize": "total_size", **parameters}
    assert reason in reason_to_refuse(Problem([[0], [1]], [0, 1], **parameters))  # type: ignore[arg-type]
    assert reason_to_refuse(Problem([[0], [1]], [0, 1], minimize="total_size", n_trees=2)) is None


@pytest.mark.parametrize(
    ("n", "classes", "trees"), [(12, 2, 3), (8, 3, 3), (2_000, 4, 3), (5_000, 2, 1_000)]
)
def test_a_large_table_is_refused_immediately_naming_the_better_method(
    n: int, classes: int, trees: int
) -> None:
    X, y = np.random.default_rng(0).random((n, 3)), np.arange(n) % classes
    problem = Problem(X, y, minimize="total_size", n_trees=trees)
    with pytest.raises(MethodRefused, match=r"Theorem 6.5 .* use method='witness'"):
        solve(problem)
