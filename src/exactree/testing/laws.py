"""Checks of the laws of objectives, rule families and solvers.

A check that fails raises `AssertionError` with a message that names the broken law.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree.data import Dataset
from exactree.objectives import Law, Objective, WithReach
from exactree.problem import Outcome, Problem, Status
from exactree.problem.verification.recount import recount
from exactree.rules import RuleFamily
from exactree.spec import min_cost
from exactree.testing.irreducible import check_irreducible

__all__ = ["check_objective", "check_rule_family", "check_solver"]

CostT = TypeVar("CostT")
Subset = NDArray[np.int64]
# A tree without rules: the subset of examples of a leaf, or the pair of its two children.
NestedSubsets = Any
_ROUNDS = 30


def check_objective(
    objective: Objective[CostT],
    dataset: Dataset,
    measure: Callable[[Dataset, NestedSubsets], int | Fraction | float],
    rng: np.random.Generator,
    near: float = 0,
) -> None:
    """Check the laws of an objective on random trees for a table.

    Every objective must satisfy three laws, and in addition the laws that it declares.

    Parameters
    ----------
    objective : Objective
        The objective.
    dataset : Dataset
        The table.
    measure : callable
        Measures a tree, independently of the objective. The tree is given as its partition of the
        rows: an array of rows for a leaf, a pair of partitions for a node.
    rng : numpy.random.Generator
        The random number generator for the trees.
    near : float
        Allowed error of the measure of a tree of value v, as a multiple of 1 + v: 0 if it is exact.

    Raises
    ------
    AssertionError
        If the objective is not monotone, inflating and faithful, or does not satisfy a law that
        it declares; with the trees that show it and their two numbers. A leaf is written as its
        row indices, a node as the pair of its children.
    """
    at_most, join = objective.order, objective.join
    everything = np.arange(len(dataset.X))
    for _ in range(_ROUNDS):
        partitions = [_random_partition(everything, rng) for _ in range(3)]
        costs = [_joined(objective, dataset, partition) for partition in partitions]
        values = [objective.value(cost) for cost in costs]
        for partition, value in zip(partitions, values, strict=True):
            measured = measure(dataset, partition)
            _require(
                abs(value - Fraction(measured)) <= near * (1 + value),
                "not faithful: value and measure differ: for {} the value is {} and the measure {}",
                *(partition, value, measured),
            )
        trees = list(zip(partitions, costs, values, strict=True))
        for (tree_a, a, value_a), (tree_b, b, value_b) in product(trees, trees):
            _require(
                at_most(a, b) == (value_a <= value_b),
                "not faithful: order and value differ: {} has the value {}, {} has {}, and the "
                "order of the first and the second is {}",
                *(tree_a, value_a, tree_b, value_b, at_most(a, b)),
            )
            joined = join(a, b)
            for child, child_cost in ((tree_a, a), (tree_b, b)):
                _require(
                    at_most(child_cost, joined),
                    "not inflating: the tree ({}, {}) costs {}, and its child {} costs {}",
                    *(tree_a, tree_b, objective.value(joined), child, objective.value(child_cost)),
                )
            for tree_c, c, _ in trees if at_most(a, b) else ():
                sides = ((join(a, c), join(b, c), "left"), (join(c, a), join(c, b), "right"))
                for with_a, with_b, side in sides:
                    _require(
                        at_most(with_a, with_b),
                        "not monotone: {} costs {}, and {} costs {}, not less; but as the {} child "
                        "next to {} the first makes a tree that costs {}, the second one of {}",
                        *(tree_a, value_a, tree_b, value_b, side, tree_c),
                        *(objective.value(with_a), objective.value(with_b)),
                    )
    for _ in range(_ROUNDS // 6):
        _check_declared(objective, dataset, rng.permutation(everything), near)


def _check_declared(
    objective: Objective[CostT], dataset: Dataset, rows: Subset, near: float
) -> None:
    """Check the declared laws on leaves of the first rows and of the remaining rows."""

    def leaf(subset: Subset) -> Fraction:
        return Fraction(objective.value(objective.leaf(dataset, subset)))

    def at_most(low: Fraction, high: Fraction) -> bool:
        return low <= high + Fraction(near) * (1 + abs(high))

    for count in range(1, len(rows)):
        fewer, more, rest = rows[:count], rows[: count + 1], rows[count:]
        if Law.NEVER_CHEAPER in objective.laws:
            _require(
                at_most(leaf(fewer), leaf(more)),
                "cheaper with more examples: a leaf {} costs {}, and {} costs {}",
                *(fewer, leaf(fewer), more, leaf(more)),
            )
        if Law.REACH in objective.laws:
            assert isinstance(objective, WithReach), "Law.REACH is declared without reach()"
            reach = Fraction(objective.reach(dataset, int(rows[count])))
            _require(
                at_most(leaf(more), leaf(fewer) + reach),
                "an example beyond its reach: a leaf {} costs {}, and {} costs {}, but the reach "
                "of row {} is {}",
                *(fewer, leaf(fewer), more, leaf(more), int(rows[count]), reach),
            )
        if Law.SUPER_ADDITIVE in objective.laws:
            _require(
                at_most(leaf(fewer) + leaf(rest), leaf(rows)),
                "not super-additive: leaves {} and {} cost {} together, and one leaf {} costs {}",
                *(fewer, rest, leaf(fewer) + leaf(rest), rows, leaf(rows)),
            )


def check_rule_family(family: RuleFamily, X: NDArray[np.float64], subset: Subset) -> None:
    """Check the laws of a rule family on a subset, and on the left child of each of its rules.

    Parameters
    ----------
    family : RuleFamily
        The family.
    X : ndarray of float64
        The table.
    subset : ndarray of int64
        Row indices of the table.

    Raises
    ------
    AssertionError
        If a rule has an empty child, two rules split the subset alike, the thresholds of the
        columns split it in other ways, or a rule of the subset splits a left child in a way that
        the family does not list for this child.
    """
    rules = list(family.distinct(X, subset))
    splits = [rule.holds(X[subset]) for rule in rules]
    for goes_left in splits:
        _require(0 < int(goes_left.sum()) < len(subset), "a rule has an empty child")
    listed = {goes_left.tobytes() for goes_left in splits}
    _require(len(listed) == len(splits), "two rules split alike")
    _require(_splits_by_columns(family, X, subset) == listed, "the columns split in other ways")
    for goes_left in splits:
        child = subset[goes_left]
        listed = {rule.holds(X[child]).tobytes() for rule in family.distinct(X, child)}
        for rule in rules:
            holds = rule.holds(X[child])
            splits_child = 0 < int(holds.sum()) < len(child)
            _require(
                not splits_child or holds.tobytes() in listed, "a child misses a rule of its parent"
            )


def _splits_by_columns(family: RuleFamily, X: NDArray[np.float64], subset: Subset) -> set[bytes]:
    """Return the left masks of all thresholds on the columns of a family."""
    columns = [column.values(X)[subset] for column in family.columns(X)]
    return {(c <= low).tobytes() for c in columns for low in np.unique(c)[:-1].tolist()}


def check_solver(problem: Problem, outcome: Outcome) -> None:
    """Check an outcome with a complete proof against the definition.

    Parameters
    ----------
    problem : Problem
        A problem small enough for the definition.
    outcome : Outcome
        The outcome of a solver that was not stopped early.

    Raises
    ------
    AssertionError
        If status or cost differ from the definition, or a node is not needed.
    InternalError
        If the outcome contradicts its own tree or ensemble.
    """
    recount(problem, outcome)
    expected = min_cost(problem)
    _require(
        (outcome.status, outcome.cost) == (expected.status, expected.cost),
        f"the definition says {expected}, the solver {outcome}",
    )
    if outcome.status is Status.INFEASIBLE:
        _require(bool(outcome.reason), "an infeasible outcome without a reason")
    if outcome.trees:
        check_irreducible(problem, outcome.trees)


def _random_partition(subset: Subset, rng: np.random.Generator) -> NestedSubsets:
    """Return the partition of a subset by a random tree, whose children need no rules."""
    if len(subset) < 2 or rng.random() < 0.3:
        return subset
    left = rng.random(len(subset)) < 0.5
    if left.all() or not left.any():
        return subset
    return (_random_partition(subset[left], rng), _random_partition(subset[~left], rng))


def _joined(objective: Objective[CostT], dataset: Dataset, partition: NestedSubsets) -> CostT:
    """Return the cost of a tree, from the costs of its leaves."""
    if isinstance(partition, tuple):
        left, right = (_joined(objective, dataset, child) for child in partition)
        return objective.join(left, right)
    return objective.leaf(dataset, partition)


def _require(holds: bool, violation: str, *shown: Any) -> None:
    """Raise AssertionError unless a law holds; trees and numbers fill the gaps of the message."""
    if not holds:
        texts = [entry if isinstance(entry, str) else _text(entry) for entry in shown]
        raise AssertionError(violation.format(*texts) if texts else violation)


def _text(entry: Any) -> str:
    """Return a tree or a number as text: a leaf as its rows, a node as a pair."""
    if isinstance(entry, tuple):
        return f"({', '.join(map(_text, entry))})"
    if isinstance(entry, np.ndarray):
        return str(sorted(entry.tolist()))
    return str(entry)
