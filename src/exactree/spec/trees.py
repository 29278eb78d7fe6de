"""The trees of the specifications: leaves, nodes, and functions on them."""

from dataclasses import dataclass
from math import isnan

import numpy as np

from exactree.rules import AxisRule, CategoryRule, LevelsRule, MissingRule, Rule, SurfaceRule

__all__ = [
    "FeatureRow",
    "SpecLeaf",
    "SpecNode",
    "SpecTree",
    "depth",
    "goes_left",
    "label_of",
    "leaves",
    "size",
]  # fmt: skip

FeatureRow = tuple[float, ...]


@dataclass(frozen=True)
class SpecLeaf:
    """A leaf that predicts a class, given by its index."""

    label: int


@dataclass(frozen=True)
class SpecNode:
    """A node: the rows for which its rule holds go left, the others right."""

    rule: Rule
    left: "SpecTree"
    right: "SpecTree"


SpecTree = SpecLeaf | SpecNode


def size(tree: SpecTree) -> int:
    """Return the number of nodes."""
    return 0 if isinstance(tree, SpecLeaf) else size(tree.left) + size(tree.right) + 1


def depth(tree: SpecTree) -> int:
    """Return the number of nodes on the longest path."""
    return 0 if isinstance(tree, SpecLeaf) else max(depth(tree.left), depth(tree.right)) + 1


def leaves(tree: SpecTree) -> list[SpecLeaf]:
    """List the leaves from left to right."""
    return [tree] if isinstance(tree, SpecLeaf) else leaves(tree.left) + leaves(tree.right)


def goes_left(rule: Rule, row: FeatureRow) -> bool:
    """Return whether a row goes left, for a rule that is made for a table with this row."""
    if isinstance(rule, SurfaceRule):
        return bool(rule.holds(np.array([row]))[0])
    if isnan(row[rule.feature]):
        return rule.missing_left
    match rule:
        case MissingRule():
            return not rule.missing_left
        case LevelsRule():
            return row[rule.feature] in rule.codes
        case CategoryRule():
            return row[rule.feature] == rule.code
        case AxisRule():
            return row[rule.feature] <= rule.low


def label_of(tree: SpecTree, row: FeatureRow) -> int:
    """Return the class index that a tree predicts for a row of the table."""
    while isinstance(tree, SpecNode):
        tree = tree.left if goes_left(tree.rule, row) else tree.right
    return tree.label
