"""The public checks of solvers and rule families detect wrong results."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from exactree import Limits, Problem, Status
from exactree.rules import AxisParallel, AxisRule, Column
from exactree.spec import min_cost
from exactree.testing import check_irreducible, check_rule_family, check_solver
from exactree.trees import grow

# The first feature sorts the labels 0, 0, 1, 1; the second feature is of no use.
PROBLEM = Problem([[0, 0], [1, 1], [2, 0], [3, 1]], [0, 0, 1, 1])
LEAF = (-1, 0.0, 0.0, -1, -1)


def test_an_optimal_outcome_passes() -> None:
    check_solver(PROBLEM, min_cost(PROBLEM))


def test_a_tree_that_is_not_optimal_is_detected() -> None:
    limited = Problem(PROBLEM.dataset.X, PROBLEM.dataset.labels, limits=Limits(max_depth=0))
    with pytest.raises(AssertionError, match="the definition says"):
        check_solver(PROBLEM, min_cost(limited))


def test_a_wrong_infeasible_is_detected() -> None:
    wrong = replace(min_cost(PROBLEM), status=Status.INFEASIBLE, cost=None, tree=None)
    with pytest.raises(AssertionError, match="the definition says"):
        check_solver(PROBLEM, wrong)


def test_a_node_that_can_be_collapsed_is_detected() -> None:
    nodes = [(0, 1.0, 2.0, 1, 4), (0, 0.0, 1.0, 2, 3), LEAF, LEAF, LEAF]
    with pytest.raises(AssertionError, match="node 1 can be collapsed"):
        check_irreducible(PROBLEM, grow(PROBLEM.dataset, nodes))


def test_a_node_that_a_subtree_can_replace_is_detected() -> None:
    # The root splits by the useless feature, and only its left child by the useful feature.
    problem = Problem([[0, 0], [2, 0], [2, 0], [2, 1]], [0, 1, 1, 1])
    nodes = [(1, 0.0, 1.0, 1, 4), (0, 0.0, 2.0, 2, 3), LEAF, LEAF, LEAF]
    with pytest.raises(AssertionError, match="node 0 can be replaced by its subtree 1"):
        check_irreducible(problem, grow(problem.dataset, nodes))


@dataclass(frozen=True)
class BrokenFamily(AxisParallel):
    """Axis-parallel rules with a fault.

    "twice": a rule is listed twice; "empty": a rule with an empty child is listed; "no_rules": no
    rules are listed for a proper subset; "no_columns": no columns are listed.
    """

    fault: str

    def distinct(self, X: np.ndarray, subset: np.ndarray):  # type: ignore[no-untyped-def]
        rules = list(AxisParallel().distinct(X, subset))
        if self.fault == "twice":
            return iter([*rules, rules[-1]])
        if self.fault == "empty":
            return iter([*rules, AxisRule(0, 100.0, 101.0)])
        if self.fault == "no_rules" and len(subset) < len(X):
            return iter([])
        return iter(rules)

    def columns(self, X: np.ndarray) -> list[Column]:
        return [] if self.fault == "no_columns" else super().columns(X)


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        ("twice", "split alike"),
        ("empty", "empty child"),
        ("no_rules", "misses a rule"),
        ("no_columns", "columns split in other ways"),
    ],
)
def test_a_rule_family_that_breaks_a_law_is_detected(fault: str, law: str) -> None:
    X = np.array([[0.0], [1.0], [2.0]])
    broken = BrokenFamily(features=None, level_sets=False, fault=fault)
    with pytest.raises(AssertionError, match=law):
        check_rule_family(broken, X, np.arange(3))
