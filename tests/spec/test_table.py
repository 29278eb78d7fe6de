"""Code shared by specifications: trees, thresholds, and answers without superfluous nodes."""

import pytest

from exactree import InternalError, Limits, Problem, Status
from exactree.rules import AxisRule
from exactree.spec import min_cost
from exactree.spec.irreducible import irreducible, with_predicted_labels
from exactree.spec.table import answer, fitted_tree, rows, thresholds
from exactree.spec.trees import SpecLeaf, SpecNode, depth, label_of, leaves, size

X, Y = [[0, 5], [1, 5], [2, 5], [3, 6]], [0, 0, 1, 1]
PROBLEM = Problem(X, Y, minimize="size")
STUMP = SpecNode(AxisRule(0, 1.0, 2.0), SpecLeaf(0), SpecLeaf(1))
LARGE = SpecNode(AxisRule(1, 5.0, 6.0), STUMP, SpecLeaf(1))


def test_size_depth_and_leaves_of_trees() -> None:
    assert [(size(t), depth(t), len(leaves(t))) for t in (SpecLeaf(0), STUMP, LARGE)] == [
        (0, 0, 1),
        (1, 1, 2),
        (2, 2, 3),
    ]
    assert [label_of(LARGE, row) for row in rows(PROBLEM)] == Y


def test_thresholds_lie_between_neighbouring_values_of_the_subset() -> None:
    table = rows(PROBLEM)
    assert thresholds(table, range(4), 1) == [AxisRule(1, 5.0, 6.0)]
    assert thresholds(table, [0, 2, 3], 0) == [AxisRule(0, 0.0, 2.0), AxisRule(0, 2.0, 3.0)]
    assert thresholds(table, [0], 0) == []


def test_an_answer_is_recounted_and_irreducible() -> None:
    outcome = answer(PROBLEM, LARGE)
    assert (outcome.status, outcome.cost, outcome.lower_bound) == (Status.OPTIMAL, 1, 1)
    assert outcome.tree.size == 1
    assert outcome.tree.threshold[0] == 1.0


def test_leaves_of_a_single_tree_predict_their_majority() -> None:
    wrong = SpecNode(STUMP.rule, SpecLeaf(1), SpecLeaf(1))
    assert with_predicted_labels(PROBLEM, rows(PROBLEM), wrong, range(4)) == STUMP
    assert answer(PROBLEM, wrong).tree.predict(X).tolist() == Y


def test_leaves_count_for_the_limit_of_the_class_that_is_cheapest_in_them() -> None:
    """A single leaf costs nothing, but predicts class 2, which no row has and no leaf may predict.

    Both rows of the table are of other classes, so the leaf would not count by its majority.
    """
    costs = {0: {0: 0, 1: 1, 2: 0}, 1: {0: 1, 1: 0, 2: 0}}
    problem = Problem([[0], [1]], [0, 1], cost_matrix=costs)
    assert min_cost(problem).tree.prediction.tolist() == [2]
    limited = problem.within(Limits(max_leaves_of={2: 0}))
    assert min_cost(limited).tree.prediction.tolist()[1:] == [0, 1]


def test_an_irreducible_ensemble_has_only_the_nodes_that_it_needs() -> None:
    """The votes of two leaves of different classes cancel each other, and one stump decides."""
    problem = Problem(X, Y, minimize="largest_size", n_trees=3)
    trees = irreducible(problem, rows(problem), [STUMP, STUMP, LARGE])
    assert sorted(map(size, trees)) == [0, 0, 1]  # two leaves of both classes and a stump
    outcome = answer(problem, [STUMP, STUMP, LARGE])
    assert outcome.cost == 1
    assert outcome.ensemble.predict(X).tolist() == Y


def test_thresholds_are_moved_between_the_neighbouring_values_of_their_subsets() -> None:
    """The rule between 2 and 3.5 splits the values 0 and 4 at 2.0, and 2 and 3.5 at 3.0."""
    table = [[0, 0], [4, 0], [2, 1], [3.5, 1]]
    problem = Problem(table, [0, 1, 0, 1])
    tree = SpecNode(
        AxisRule(1, 0.0, 1.0),
        SpecNode(AxisRule(0, 2.0, 3.5), SpecLeaf(0), SpecLeaf(1)),
        SpecNode(AxisRule(0, 2.0, 3.5), SpecLeaf(0), SpecLeaf(1)),
    )
    assert fitted_tree(problem, tree).threshold.tolist() == [0.5, 2.0, -2.0, -2.0, 3.0, -2.0, -2.0]


def test_a_rule_with_an_empty_child_is_an_internal_error() -> None:
    tree = SpecNode(AxisRule(0, 7.0, 8.0), SpecLeaf(0), SpecLeaf(1))
    with pytest.raises(InternalError, match="empty child"):
        fitted_tree(PROBLEM, tree)


def test_an_infeasible_answer_names_the_limits() -> None:
    limits = Limits(max_size=0, min_samples_leaf=2)
    outcome = answer(Problem(X, Y, minimize="size", limits=limits), None)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.reason == (
        "no solution satisfies max_size=0 and min_samples_leaf=2 and max_errors=0 together"
    )
    assert answer(PROBLEM, None, "because").reason == "because"
