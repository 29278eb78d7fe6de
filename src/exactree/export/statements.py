"""A tree as the statements of a program: "if this holds, do that and end; else go on"."""

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
    """A question or an answer.

    A question is followed by the statements of one side, one deeper and ending in an answer, and
    then by those of the other side, as deep as the question itself.

    Attributes
    ----------
    depth : int
        Questions around this statement.
    node : int
        The node that asks, or the leaf that answers.
    comparison : str
        How the node's feature compares with its threshold where the deeper statements begin; empty
        for an answer.
    missing : bool
        Whether missing values go to the deeper statements.
    only_missing : bool
        Whether the node only asks if the value is missing.
    """

    depth: int
    node: int
    comparison: str
    missing: bool = False
    only_missing: bool = False


# What a program of most languages can say of its own.
LITERALS = (str, int, float, bool, type(None))

# What each comparison is called when the right side comes first.
_OPPOSITE = {"<=": ">", EQUAL: "!=", IN: "not in"}
_OPPOSITE_ORDER = {"<=": ">", ">": "<="}


def statements_of(tree: Tree) -> Iterator[Statement]:
    """Return the statements of a tree.

    The smaller side of a node is the deeper one, so that no statement is deeper than the logarithm
    of the number of leaves: some languages allow few blocks within blocks.
    """
    return _statements(tree, 0, tree.node_count, 0)


def _statements(tree: Tree, node: int, end: int, depth: int) -> Iterator[Statement]:
    """Return the statements of a subtree, which stands in preorder before `end`."""
    while not tree.is_leaf(node):
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        comparison = str(tree.comparison[node])
        alone, missing_left = only_missing(tree, node), bool(tree.missing_go_to_left[node])
        if right - left <= end - right:
            yield Statement(depth, node, comparison, missing_left, alone)
            yield from _statements(tree, left, right, depth + 1)
            node = right
        else:
            yield Statement(depth, node, _OPPOSITE[comparison], not missing_left, alone)
            yield from _statements(tree, right, end, depth + 1)
            node, end = left, right
    yield Statement(depth, node, "")


def quantity(
    tree: Tree, node: int, feature: Callable[[int], str], number: Callable[[float], str]
) -> str:
    """Write what a node compares: a feature, or a sum in the order in which `predict` has it.

    What languages read from left to right needs no brackets: products first, then the sum.

    Parameters
    ----------
    tree : Tree
        The tree.
    node : int
        A node, no leaf.
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
    """Write when the deeper statements of a question follow, where NaN stands for a missing value.

    What compares with NaN is false, and unequal to it is NaN alone: as in C and Python.

    Parameters
    ----------
    tree : Tree
        The tree.
    statement : Statement
        A question.
    operand : str
        What is compared.
    number : callable
        Writes a number.
    """
    how, threshold = statement.comparison, number(float(tree.threshold[statement.node]))
    if splits_on_surface(tree, statement.node):
        # A sum that is no number goes right, too.
        return f"!({operand} <= {threshold})" if how == ">" else f"{operand} {how} {threshold}"
    if statement.only_missing:
        return f"{operand} {'!=' if statement.missing else '=='} {operand}"
    if codes := tree.codes_of_set(statement.node):
        equal, sign = (how == IN, " || ") if how == IN else (False, " && ")
        parts = [f"{operand} {'==' if equal else '!='} {number(float(code))}" for code in codes]
        if equal == statement.missing:  # else NaN goes where it shall
            parts.append(f"{operand} {'!=' if equal else '=='} {operand}")
        return sign.join(parts)
    if how in _OPPOSITE_ORDER and statement.missing:
        return f"!({operand} {_OPPOSITE_ORDER[how]} {threshold})"
    if how == EQUAL and statement.missing:
        return f"{operand} == {threshold} || {operand} != {operand}"
    if how == "!=" and not statement.missing:
        return f"{operand} != {threshold} && {operand} == {operand}"
    return f"{operand} {how} {threshold}"


def splits_on_surface(tree: Tree, node: int) -> bool:
    """Return whether a node splits on a surface."""
    return bool(tree.feature[node] >= tree.n_features)


def labels_of(model: Tree | Ensemble, form: str, allowed: tuple[type, ...]) -> list[Any]:
    """Return the labels as plain values, refusing those that a language has no literals for."""
    labels = plain_labels(model.classes)
    for label in labels:
        if type(label) not in allowed:
            raise ValueError(
                f"{form} has no literal for the label {label!r} of type {type(label).__name__}; "
                "give the classes names or numbers."
            )
    return labels
