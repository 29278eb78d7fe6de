"""Nodes of a regression tree that save nothing, taken out by exact sums.

The native search of absolute errors adds rounded numbers unless all are whole, so it cannot tell a
node that saves a little from one that saves nothing. Here costs are those of the definition.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Problem
from exactree.trees.arrays import Node

__all__ = ["without_spare_nodes"]

_LEAF: Node = (-1, 0.0, 0.0, -1, -1)


class _Rule(NamedTuple):
    """A rule and what stands below it; a leaf is None."""

    feature: int
    value: float
    left: "_Rule | None"
    right: "_Rule | None"


class _Costed(NamedTuple):
    """A subtree with what it costs on its part and how many nodes it has."""

    cost: int | Fraction
    size: int
    rule: _Rule | None


def without_spare_nodes(problem: Problem, nodes: Sequence[Node]) -> list[Node]:
    """Return a tree in which no node can be collapsed or replaced by a subtree at no cost.

    Limits hold as before: what is left has fewer nodes, is no deeper, and has more rows in every
    leaf.

    Parameters
    ----------
    problem : Problem
        What was asked, about numbers and thresholds.
    nodes : sequence of (feature, low, high, left, right)
        As in `exactree.trees.grow`.
    """
    sums = _Reduction(problem)
    found = sums.reduced(np.arange(len(problem.dataset.X)), _rule(nodes, 0))
    stated: list[Node] = []
    sums.state(stated, np.arange(len(problem.dataset.X)), found.rule)
    return stated


def _rule(nodes: Sequence[Node], number: int) -> _Rule | None:
    feature, low, _, left, right = nodes[number]
    return None if feature < 0 else _Rule(feature, low, _rule(nodes, left), _rule(nodes, right))


@dataclass(frozen=True)
class _Reduction:
    problem: Problem

    def reduced(self, part: NDArray[np.int64], rule: _Rule | None) -> _Costed:
        """Return a subtree of which no node can be spared."""
        leaf = self._leaf(part)
        if rule is None:
            return leaf
        left, right = self._sides(part, rule)
        node = self._joined(rule, self.reduced(left, rule.left), self.reduced(right, rule.right))
        assert node.rule is not None
        others = [self._refitted(part, side) for side in (node.rule.left, node.rule.right)]
        as_cheap = [other for other in (leaf, *others) if other.cost <= node.cost]
        if not as_cheap:
            return node
        # Fewer nodes may make others superfluous.
        return self.reduced(part, min(as_cheap, key=lambda it: (it.size, it.cost)).rule)

    def _refitted(self, part: NDArray[np.int64], rule: _Rule | None) -> _Costed:
        """Return the same rules for other rows, without those that do not divide them."""
        if rule is None:
            return self._leaf(part)
        left, right = self._sides(part, rule)
        if not len(left) or not len(right):
            return self._refitted(part, rule.left if len(left) else rule.right)
        sides = self._refitted(left, rule.left), self._refitted(right, rule.right)
        return self._joined(rule, *sides)

    def _sides(
        self, part: NDArray[np.int64], rule: _Rule
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        goes_left = self.problem.dataset.X[part, rule.feature] <= rule.value
        return part[goes_left], part[~goes_left]

    def _leaf(self, part: NDArray[np.int64]) -> _Costed:
        return _Costed(self.problem.term.leaf(self.problem.dataset, part), 0, None)

    def _joined(self, rule: _Rule, left: _Costed, right: _Costed) -> _Costed:
        joined = _Rule(rule.feature, rule.value, left.rule, right.rule)
        cost = self.problem.term.join(left.cost, right.cost)
        return _Costed(cost, left.size + right.size + 1, joined)

    def state(self, nodes: list[Node], part: NDArray[np.int64], rule: _Rule | None) -> int:
        """Append a subtree in preorder, with the values on both sides of each threshold."""
        number = len(nodes)
        nodes.append(_LEAF)
        if rule is not None:
            left, right = self._sides(part, rule)
            column = self.problem.dataset.X[:, rule.feature]
            children = self.state(nodes, left, rule.left), self.state(nodes, right, rule.right)
            low, high = float(column[left].max()), float(column[right].min())
            nodes[number] = (rule.feature, low, high, *children)
        return number
