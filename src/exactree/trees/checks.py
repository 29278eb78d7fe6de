"""Checks of the arrays of a tree, and of the trees that other modules accept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.errors import ModelError
from exactree.rules.family import LEFT, RIGHT
from exactree.trees import schema
from exactree.trees.routing import (
    AT_MOST,
    EQUAL,
    IN,
    NO_CHILD,
    NO_COMPARISON,
    NO_FEATURE,
    NO_THRESHOLD,
    NONE_MISSING,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from exactree.trees.tree import Tree


def check_arrays(tree: Tree) -> None:
    """Raise ModelError unless the arrays describe one tree, of any kind.

    The predictions of its leaves are not checked.
    """
    count = len(tree.children_left)
    if count == 0:
        raise ModelError("a tree needs at least one node")
    for name in (*schema.PER_NODE, "missing"):
        array = getattr(tree, name)
        dimensions = 2 if name == "value" else 1
        if array.ndim != dimensions or len(array) != count:
            raise ModelError(
                f"the entry '{name}' of the tree has the shape {array.shape}, expected are "
                f"{dimensions} dimension(s) and {count} nodes as in 'children_left'"
            )
    check_nodes(tree)
    check_levels(tree)


def check_preorder(children_left: NDArray[np.int64], children_right: NDArray[np.int64]) -> None:
    """Raise ModelError unless the children describe one tree, numbered in preorder.

    Preorder means that a node is followed by its left subtree and then by its right subtree. It
    excludes cycles, nodes with two parents and unreachable nodes.
    """
    count = len(children_left)
    _check_children(children_left.tolist(), children_right.tolist(), count)
    spans = [1] * count
    for node in range(count - 1, -1, -1):
        left, right = int(children_left[node]), int(children_right[node])
        if left == NO_CHILD:
            continue
        spans[node] = 1 + spans[left] + spans[right]
        if left != node + 1 or right != left + spans[left]:
            raise ModelError(
                f"the nodes of the tree are not in preorder: node {node} has the children "
                f"{left} and {right}, its left subtree must start at node {node + 1} and its "
                "right subtree must follow directly"
            )


def _check_children(left: list[int], right: list[int], count: int) -> None:
    """Check that every node but the root has one parent, which comes before it."""
    parents: list[int | None] = [None] * count
    for node, children in enumerate(zip(left, right, strict=True)):
        if children == (NO_CHILD, NO_CHILD):
            continue
        for child in children:
            if not 0 <= child < count:
                raise ModelError(
                    f"node {node} of the tree has the child {child}, allowed are 0 to "
                    f"{count - 1}, or -1 for both children of a leaf"
                )
            if child <= node:
                raise ModelError(
                    f"node {node} of the tree has the child {child}, which does not come after "
                    "it: the nodes form a cycle or are not in preorder"
                )
            if parents[child] is not None:
                raise ModelError(
                    f"node {child} of the tree is the child of two nodes, {parents[child]} "
                    f"and {node}, every node has one parent"
                )
            parents[child] = node
    for node in range(1, count):
        if parents[node] is None:
            raise ModelError(f"node {node} of the tree cannot be reached from the root")


def check_nodes(tree: Tree) -> None:
    """Raise ModelError unless every inner node has a valid split and every leaf has none."""
    check_preorder(tree.children_left, tree.children_right)
    _check_missing(tree)
    n_operands = tree.n_features + len(tree.surfaces)
    columns = (tree.children_left, tree.feature, tree.comparison, tree.threshold)
    for node, (left, feature, comparison, threshold) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if left == NO_CHILD:
            if (feature, comparison, threshold) != (NO_FEATURE, NO_COMPARISON, NO_THRESHOLD):
                raise ModelError(
                    f"leaf {node} of the tree must have feature {NO_FEATURE}, no comparison and "
                    f"threshold {NO_THRESHOLD}, found {feature}, {comparison!r} and {threshold}"
                )
        elif not 0 <= feature < n_operands:
            raise ModelError(
                f"node {node} of the tree uses feature {feature}, allowed are 0 to {n_operands - 1}"
            )
        elif comparison not in (AT_MOST, EQUAL, IN):
            raise ModelError(
                f"node {node} of the tree has the comparison {comparison!r}, allowed are "
                f"{AT_MOST!r}, {EQUAL!r} and {IN!r}"
            )
        elif comparison in (EQUAL, IN) and not threshold.is_integer():
            raise ModelError(
                f"node {node} of the tree compares with the code {threshold}, a code must be an "
                "integer"
            )


def _check_missing(tree: Tree) -> None:
    """Check the direction of missing values, and that only they are split off at infinity."""
    columns = (tree.children_left, tree.threshold, tree.missing)
    only_missing = ((-np.inf, LEFT), (np.inf, RIGHT))
    for node, (left, threshold, direction) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        allowed = (NONE_MISSING,) if left == NO_CHILD else (NONE_MISSING, LEFT, RIGHT)
        if direction not in allowed:
            raise ModelError(
                f"node {node} of the tree sends missing values {direction!r}, allowed are "
                f"{' and '.join(map(repr, allowed))}"
            )
        if not np.isfinite(threshold) and (threshold, direction) not in only_missing:
            raise ModelError(
                f"node {node} of the tree has the threshold {threshold}, a threshold must be a "
                "finite number, or separate missing values from all others"
            )


def check_levels(tree: Tree) -> None:
    """Raise ModelError unless splits of features with levels are by level or by missing value."""
    comparison, threshold = tree.comparison, tree.threshold
    levels, level_sets = tree.levels, tree.level_sets
    sets = [int(number) for number in threshold[comparison == IN].tolist()]
    if not all(0 <= number < len(level_sets) and level_sets[number] for number in sets):
        raise ModelError("a node of the tree splits on a set of codes that the tree does not have")
    for feature, names in levels.items():
        if not 0 <= feature < tree.n_features or len(set(names)) < len(names):
            raise ModelError(f"the tree has no feature {feature}, or its levels are not distinct")
    for node, (feature, operator, value) in enumerate(
        zip(tree.feature.tolist(), comparison.tolist(), threshold.tolist(), strict=True)
    ):
        if feature not in levels or np.isinf(value):
            continue
        codes = level_sets[int(value)] if operator == IN else (value,)
        if operator == AT_MOST or not all(0 <= code < len(levels[feature]) for code in codes):
            raise ModelError(
                f"node {node} of the tree splits feature {feature} by other than levels"
            )


def check_contents(tree: Tree) -> None:
    """Raise ModelError unless the nodes have the numbers of a fitted classification tree."""
    value, prediction, n_classes = tree.value, tree.prediction, tree.value.shape[1]
    if tree.classes.ndim != 1 or len(tree.classes) != n_classes:
        raise ModelError(
            f"the tree has {len(tree.classes)} classes but 'value' has {n_classes} columns"
        )
    with np.errstate(over="ignore"):
        totals = value.sum(axis=1)
    unsound = (
        (
            ~np.isfinite(value).all(axis=1) | (value < 0).any(axis=1),
            "class weights (value) that are negative or not finite",
        ),
        (
            ~np.isfinite(totals) | (totals <= 0),
            "class weights (value) whose sum is not a positive finite number",
        ),
        (
            (prediction < 0) | (prediction >= n_classes),
            f"a predicted class outside 0 to {n_classes - 1}",
        ),
    )
    refuse_unsound(unsound)
    check_counts(tree)


def refuse_unsound(unsound: Iterable[tuple[Any, str]]) -> None:
    """Raise ModelError for the first node with a defect, naming the node and the defect."""
    for wrong, defect in unsound:
        if np.count_nonzero(wrong):
            raise ModelError(f"node {int(np.argmax(wrong))} of the tree has {defect}")


def check_counts(tree: Tree) -> None:
    """Raise ModelError unless the nodes have example counts and errors of a fitted tree."""
    children_left, n_node_samples, errors = tree.children_left, tree.n_node_samples, tree.errors
    unsound = (
        (n_node_samples < 1, "no examples (n_node_samples below 1)"),
        (~np.isfinite(errors) | (errors < 0), "errors that are negative or not finite"),
    )
    refuse_unsound(unsound)
    inner = np.flatnonzero(children_left != NO_CHILD)
    below = n_node_samples[children_left[inner]] + n_node_samples[tree.children_right[inner]]
    wrong = below != n_node_samples[inner]
    if wrong.any():
        node = int(inner[np.argmax(wrong)])
        raise ModelError(
            f"node {node} of the tree has {n_node_samples[node]} examples but its children "
            f"have {below[np.argmax(wrong)]} together"
        )


def refuse_level_sets(tree: Tree, form: str) -> None:
    """Raise ValueError if a node splits on a set of levels, naming its feature.

    Parameters
    ----------
    tree : Tree
        A tree.
    form : str
        The format or function that does not accept such trees.
    """
    set_nodes = np.flatnonzero(tree.comparison == IN)
    if len(set_nodes):
        name = tree.operand_names[tree.feature[set_nodes[0]]]
        raise ValueError(
            f"node {set_nodes[0]} of the tree splits on several levels of {name!r}, and {form} "
            "accepts splits on a single level only; fit it without level_sets."
        )


def refuse_surface_splits(tree: Tree, form: str) -> None:
    """Raise ValueError if a node splits on a hyperplane or another surface.

    Parameters
    ----------
    tree : Tree
        A tree.
    form : str
        The function that does not accept such trees.
    """
    surface_nodes = np.flatnonzero(tree.feature >= tree.n_features)
    if len(surface_nodes):
        raise ValueError(
            f"node {surface_nodes[0]} of the tree splits on a hyperplane or another surface, and "
            f"{form} accepts splits on a single feature only."
        )


def refuse_missing(tree: Tree, why: str) -> None:
    """Raise ValueError if a node was fitted with missing values, naming its feature.

    Parameters
    ----------
    tree : Tree
        A tree.
    why : str
        A clause that names the function that accepts no missing values.
    """
    with_missing = np.flatnonzero(tree.missing != NONE_MISSING)
    if len(with_missing):
        name = tree.operand_names[tree.feature[with_missing[0]]]
        raise ValueError(
            f"node {with_missing[0]} of the tree was fitted with missing values of {name!r}, and "
            f"{why}; fill them in before the fit."
        )
