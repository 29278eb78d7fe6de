"""A tree as a sequence of program statements: conditions with early returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exactree.export.wording import only_missing
from exactree.trees.label_schema import plain_labels
from exactree.trees.routing import EQUAL, IN

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree


@dataclass(frozen=True)
class Statement:
    """A condition or a result.

    A condition is followed by the statements of one child, which are one level deeper and end in a
    result, and then by those of the other child, at the depth of the condition itself.

    Attributes
    ----------
    depth : int
        Number of conditions around this statement.
    node : int
        The inner node of the condition, or the leaf of the result.
    comparison : str
        The comparison of the node's feature with its threshold under which the deeper statements
        run; empty for a result.
    missing : bool
        Whether the deeper statements run for missing values.
    only_missing : bool
        Whether the condition tests only whether the value is missing: the deeper statements then
        run for all missing values and no others, or, if `missing` is false, for all other values.
    """

    depth: int
    node: int
    comparison: str
    missing: bool = False
    only_missing: bool = False


# Types with literals in most languages.
LITERALS = (str, int, float, bool, type(None))

# The opposites of comparisons, for conditions whose deeper statements are of the right child.
_OPPOSITE = {"<=": ">", EQUAL: "!=", IN: "not in"}
_OPPOSITE_ORDER = {"<=": ">", ">": "<="}


def statements_of(tree: Tree) -> Iterator[Statement]:
    """Return the statements of a tree.

    The statements of the smaller subtree of a node are the deeper statements, so the depth is at
    most the logarithm of the number of leaves: some languages limit the nesting of blocks.
    """
    return _statements(tree, 0, tree.node_count, 0)


def _statements(tree: Tree, node: int, end: int, depth: int) -> Iterator[Statement]:
    """Return the statements of the subtree from `node` to `end` in preorder."""
    while not tree.is_leaf(node):
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        comparison = str(tree.comparison[node])
        missing_only, missing_left = only_missing(tree, node), bool(tree.missing_go_to_left[node])
        if right - left <= end - right:
            yield Statement(depth, node, comparison, missing_left, missing_only)
            yield from _statements(tree, left, right, depth + 1)
            node = right
        else:
            yield Statement(depth, node, _OPPOSITE[comparison], not missing_left, missing_only)
            yield from _statements(tree, right, end, depth + 1)
            node, end = left, right
    yield Statement(depth, node, "")


def operand_of(
    tree: Tree, node: int, feature: Callable[[int], str], number: Callable[[float], str]
) -> str:
    """Write the operand that a node compares: a feature, or a sum in the order of `predict`.

    Languages evaluate products before sums and from left to right, so no brackets are needed.

    Parameters
    ----------
    tree : Tree
        The tree.
    node : int
        An inner node.
    feature, number : callable
        Write a feature, given by its index, and a number.
    """
    operand = int(tree.feature[node])
    if operand < tree.n_features:
        return feature(operand)
    terms = [
        " * ".join([feature(f) for f, p in enumerate(powers) for _ in range(p)] + [number(weight)])
        for powers, weight in tree.surfaces.terms(operand - tree.n_features)
    ]
    return " + ".join(terms or [number(0.0)])


def comparison_of(
    tree: Tree, statement: Statement, operand: str, number: Callable[[float], str]
) -> str:
    """Write the condition of the deeper statements, where NaN is a missing value.

    Comparisons with NaN are false, and only NaN is unequal to itself, as in C and Python.

    Parameters
    ----------
    tree : Tree
        The tree.
    statement : Statement
        A condition.
    operand : str
        The result of `operand_of`.
    number : callable
        Writes a number.
    """
    comparison, threshold = statement.comparison, number(float(tree.threshold[statement.node]))
    if splits_on_surface(tree, statement.node):
        # A sum that is NaN also goes right.
        if comparison == ">":
            return f"!({operand} <= {threshold})"
        return f"{operand} {comparison} {threshold}"
    if statement.only_missing:
        return f"{operand} {'!=' if statement.missing else '=='} {operand}"
    if codes := tree.level_set_at(statement.node):
        equal = comparison == IN
        sign = " || " if equal else " && "
        clauses = [f"{operand} {'==' if equal else '!='} {number(float(code))}" for code in codes]
        if equal == statement.missing:  # otherwise NaN already goes to its child
            clauses.append(f"{operand} {'!=' if equal else '=='} {operand}")
        return sign.join(clauses)
    if comparison in _OPPOSITE_ORDER and statement.missing:
        return f"!({operand} {_OPPOSITE_ORDER[comparison]} {threshold})"
    if comparison == EQUAL and statement.missing:
        return f"{operand} == {threshold} || {operand} != {operand}"
    if comparison == "!=" and not statement.missing:
        return f"{operand} != {threshold} && {operand} == {operand}"
    return f"{operand} {comparison} {threshold}"


def splits_on_surface(tree: Tree, node: int) -> bool:
    """Return whether a node splits on a surface."""
    return bool(tree.feature[node] >= tree.n_features)


def labels_of(model: Tree | Ensemble, form: str, allowed: tuple[type, ...]) -> list[Any]:
    """Return the labels as plain values, and refuse labels without a literal in a language."""
    labels = plain_labels(model.classes)
    for label in labels:
        if type(label) not in allowed:
            raise ValueError(
                f"{form} has no literal for the label {label!r} of type {type(label).__name__}; "
                "give the classes names or numbers."
            )
    return labels
