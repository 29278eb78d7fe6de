"""A problem encoded in columns has the trees of the original problem, at the same cost."""

import runpy
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from exactree import Limits, Problem, enumerate_optimal, solve
from exactree.problem.encoding.columns import in_columns
from exactree.problem.verification.recount import cost_of_found
from exactree.rules import AxisParallel, Column
from exactree.spec import min_cost
from exactree.testing import problems

ALL_TREES = runpy.run_path(str(Path(__file__).parents[1] / "spec" / "all_trees.py"))
X = np.array([[7.0, 0.5, 1.0], [3.0, 0.5, 4.0], [5.0, 2.5, 1.0], [7.0, 1.5, 4.0]])
Y = ["a", "b", "a", "b"]


def test_every_code_has_a_column_but_one_is_enough_for_two_codes() -> None:
    encoded = in_columns(Problem(X, Y, categories=[0, 2]))
    assert encoded.columns == (
        Column(1),
        Column(0, (3,)),
        Column(0, (5,)),
        Column(0, (7,)),
        Column(2, (1,)),
    )
    assert encoded.problem.dataset.feature_names == (
        "x1",
        "x0 == 3",
        "x0 == 5",
        "x0 == 7",
        "x2 == 1",
    )
    assert encoded.problem.dataset.X[:, 1:].tolist() == [
        [1, 1, 0, 0],
        [0, 1, 1, 1],
        [1, 0, 1, 0],
        [1, 1, 0, 1],
    ]
    both = in_columns(Problem(X, Y, categories=[2]), opposites=True)
    assert both.columns == (Column(0), Column(1), Column(2, (1,)), Column(2, (4,)))


def test_features_that_no_rule_may_use_have_no_column() -> None:
    problem = Problem(X, Y, categories=[0], rules=AxisParallel([1]))
    assert in_columns(problem).columns == (Column(1),)


def test_a_problem_of_thresholds_is_its_own_encoding() -> None:
    problem = Problem(X, Y)
    encoded = in_columns(problem)
    assert encoded.problem is problem
    outcome = min_cost(problem)
    assert encoded.lift(outcome) is outcome


def test_a_category_of_one_code_leaves_a_single_leaf() -> None:
    problem = Problem(np.full((3, 1), 4.0), [0, 1, 1], categories=[0])
    outcome = solve(problem)
    assert (outcome.cost, outcome.tree.size) == (1, 0)
    assert outcome.tree.feature_names == ("x0",)


@settings(deadline=None)
@given(problems(max_rows=5, max_features=2, max_depth=3, every_kind=True))
def test_the_optimal_trees_are_those_in_columns(problem: Problem) -> None:
    encoded = in_columns(problem, opposites=True)
    plain = partial(ALL_TREES["plain_tree_of"], problem)
    expected = Counter(enumerate_optimal(problem, limit=300))
    lifted = Counter(
        encoded.lift_tree(tree) for tree in enumerate_optimal(encoded.problem, limit=300)
    )
    if max(expected.total(), lifted.total()) < 300:  # both lists are complete
        assert set(map(plain, lifted)) == set(map(plain, expected))
        # A feature with missing values has two columns, which send these left and right. Subsets
        # without missing values are split equally by both columns, so trees are listed repeatedly.
        assert problem.dataset.with_missing or lifted == expected
    for tree in list(lifted)[:20]:
        assert cost_of_found(problem, tree) == min_cost(problem).cost


@settings(deadline=None)
@given(problems(max_rows=4, max_features=2, max_classes=3, max_depth=2, n_trees=2, every_kind=True))
def test_the_optimal_ensemble_in_columns_has_the_same_cost(problem: Problem) -> None:
    encoded = in_columns(problem)
    outcome = encoded.lift(min_cost(encoded.problem))
    expected = min_cost(problem)
    assert (outcome.status, outcome.cost) == (expected.status, expected.cost)
    assert outcome.reason == expected.reason
    if outcome.ensemble is not None:
        assert cost_of_found(problem, outcome.ensemble) == expected.cost


def test_enumeration_lists_a_code_and_its_opposite_as_different_trees() -> None:
    """The two trees send different examples left. Thresholds have no opposite."""
    table, limits = [[0], [1]], Limits(max_depth=1)
    by_code = list(enumerate_optimal(Problem(table, ["a", "b"], categories=[0], limits=limits)))
    assert [str(tree).split("\n")[0] for tree in by_code] == ["x0 == 0", "x0 == 1"]
    assert len(list(enumerate_optimal(Problem(table, ["a", "b"], limits=limits)))) == 1


@pytest.mark.parametrize("implementation", ["native", "spec"])
def test_unseen_codes_go_right(implementation: str) -> None:
    problem = Problem(X, ["b", "a", "b", "b"], categories=[0], limits=Limits(max_depth=1))
    tree = solve(problem, implementation=implementation).tree
    assert (tree.comparison[0], tree.threshold[0]) == ("==", 3)
    assert tree.predict([[3, 0, 0], [4, 0, 0], [-1, 0, 0], [3.5, 0, 0]]).tolist() == ["a", *"bbb"]
