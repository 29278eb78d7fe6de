"""Building a tree from a solver's nodes: thresholds, routed rows, exact counts of classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.thresholds import same_in_float32, threshold_between
from exactree.errors import InternalError
from exactree.trees.checks import check_preorder
from exactree.trees.routing import (
    AT_MOST,
    EQUAL,
    NO_CHILD,
    NO_COMPARISON,
    NO_FEATURE,
    NO_THRESHOLD,
    NONE_MISSING,
)
from exactree.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from exactree.data.dataset import Dataset

# (feature, low, high, left, right): see `grow`.
ArrayNode = tuple[int, float, float | None, int, int]


@dataclass(frozen=True, kw_only=True)
class TreeColumns:
    """The nodes of several trees, all of whose splits are thresholds, for `grow_all`.

    By tree: `ends`, the end of its nodes. By node: `left`, `right`, `feature`, `low` and `high` as
    for `grow`, and `prediction`, `rows` and `class_weights` in exact integers.
    """

    ends: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    feature: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    prediction: NDArray[np.int64]
    rows: NDArray[np.int64]
    class_weights: NDArray[np.int64]


def grow(
    dataset: Dataset,
    nodes: Sequence[ArrayNode],
    leaf_classes: Sequence[int] | None = None,
    predicted_class: Callable[[list[int]], int] | None = None,
) -> Tree:
    """Build a tree from the nodes that a solver returns.

    Parameters
    ----------
    dataset : Dataset
        The examples that were searched.
    nodes : sequence of (feature, low, high, left, right)
        In preorder. At a node, ``low < high`` are the neighbouring distinct values of the node's
        subset on the feature between which the node splits, and left and right are the numbers of
        the children. If high is None, examples that equal the code low go left. At a leaf the
        feature is -1 and the rest is ignored.
    leaf_classes : sequence of int, optional
        The class index that each leaf predicts, one entry per node (entries of inner nodes are
        ignored). In ensembles leaves may predict any class. By default the class of greatest
        weight.
    predicted_class : callable, optional
        Returns the class index that a leaf predicts, from the integer weights of all classes.

    Returns
    -------
    Tree
        With class weights, predictions (ties to the earlier class) and errors counted in exact
        integers, then divided once by the weight scale.

    Raises
    ------
    InternalError
        If the nodes do not fit the examples, because the tree would be wrong.
    """
    fields, subsets = fields_and_subsets(dataset, nodes)
    totals = _class_totals(dataset, subsets)
    prediction = totals.argmax(axis=1)
    if predicted_class is not None:
        prediction = np.array([predicted_class(row) for row in totals.tolist()], dtype=np.int64)
    if leaf_classes is not None:
        inner = fields["feature"] >= 0
        prediction = np.where(inner, prediction, np.array(leaf_classes, dtype=np.int64))
    correct = totals[np.arange(len(totals)), prediction]
    check_preorder(fields["children_left"], fields["children_right"])
    columns = {
        **{name: column for name, column in fields.items() if isinstance(column, np.ndarray)},
        "value": in_user_unit(totals, dataset.weight_scale),
        "prediction": prediction,
        "errors": in_user_unit(totals.sum(axis=1) - correct, dataset.weight_scale),
        "classes": dataset.classes,
        "missing": np.full(len(prediction), NONE_MISSING),
    }
    # Every other number is counted here from checked examples, so that the checks of `Tree`, which
    # take a tenth of a small fit, cannot fail.
    return Tree.unchecked(
        **{**fields, **{name: _read_only(each) for name, each in columns.items()}}
    )


def recounted(dataset: Dataset, tree: Tree, predicted_class: Callable[[list[int]], int]) -> Tree:
    """Return a tree with its weights, predictions and errors counted again from a table.

    Parameters
    ----------
    dataset : Dataset
        The table for which the tree was found, perhaps with other weights or classes.
    tree : Tree
        The tree.
    predicted_class : callable
        As in `grow`.
    """
    totals = totals_of(dataset, tree)
    prediction = np.array([predicted_class(row) for row in totals.tolist()], dtype=np.int64)
    correct = totals[np.arange(len(totals)), prediction]
    return replace(
        tree,
        value=in_user_unit(totals, dataset.weight_scale),
        prediction=prediction,
        errors=in_user_unit(totals.sum(axis=1) - correct, dataset.weight_scale),
        classes=dataset.classes,
    )


def totals_of(dataset: Dataset, tree: Tree) -> NDArray[np.int64]:
    """Return the integer weight of each class at each node of a tree.

    Parameters
    ----------
    dataset : Dataset
        The table.
    tree : Tree
        Any tree for its features.
    """
    totals = np.zeros((tree.node_count, len(dataset.classes)), dtype=np.int64)
    np.add.at(totals, (tree.leaf_index(dataset.X), dataset.labels), dataset.weights)
    for node in range(tree.node_count - 1, -1, -1):  # children come after their parent
        if not tree.is_leaf(node):
            left, right = tree.children_left[node], tree.children_right[node]
            totals[node] = totals[left] + totals[right]
    return totals


def fields_and_subsets(
    dataset: Dataset, nodes: Sequence[ArrayNode]
) -> tuple[dict[str, Any], list[NDArray[np.int64]]]:
    """Return the fields that all kinds of trees share, and the rows that reach each node.

    Parameters
    ----------
    dataset, nodes
        As in `grow`.
    """
    children_left, children_right, feature, low, high = _columns(nodes)
    inner = feature >= 0
    equal = inner & np.isnan(high)
    between = inner & ~equal
    if not (low[between] < high[between]).all():
        raise InternalError("a solver returned a split without low < high")
    threshold = np.full(len(feature), NO_THRESHOLD)
    threshold[equal] = low[equal]
    threshold[between] = threshold_between(low[between], high[between])
    subsets = _subsets(dataset.X, children_left, children_right, feature, low, high, threshold)
    fields = {
        "children_left": children_left,
        "children_right": children_right,
        "feature": feature,
        "comparison": np.where(equal, EQUAL, np.where(between, AT_MOST, NO_COMPARISON)),
        "threshold": threshold,
        "n_node_samples": np.array([len(subset) for subset in subsets], dtype=np.int64),
        "feature_names": tuple(dataset.feature_names),
        "named": dataset.named,
        "levels": dict(dataset.levels),
        # Whether float32 tells codes apart is checked with the rows, see `note_float32`.
        "same_in_float32": None
        if equal.any()
        else bool(same_in_float32(low[between], high[between]).all()),
    }
    return fields, subsets


def grow_all(dataset: Dataset, columns: TreeColumns) -> Iterator[Tree]:
    """Build the trees of a list that a solver returns as columns.

    The counts of the solver are used, because routing the examples again takes a hundred times
    longer than everything else. As a check, the first tree is also built from the examples.

    Parameters
    ----------
    dataset : Dataset
        The examples that were searched.
    columns : TreeColumns
        The nodes of all trees.

    Yields
    ------
    Tree
        In the order of the columns.

    Raises
    ------
    InternalError
        If the first tree does not fit the examples.
    """
    fields = _fields(columns, dataset.weight_scale)
    shared = {
        "classes": _read_only(dataset.classes),
        "feature_names": tuple(dataset.feature_names),
        "named": dataset.named,
        "levels": dataset.levels,
    }
    same = np.ones(len(columns.feature), dtype=bool)
    inner = columns.feature >= 0
    same[inner] = same_in_float32(columns.low[inner], columns.high[inner])
    start = 0
    for end in columns.ends.tolist():
        own: dict[str, Any] = {
            name: _read_only(column[start:end]) for name, column in fields.items()
        }
        own["same_in_float32"] = bool(same[start:end].all())
        tree = Tree.unchecked(**own, **shared)
        if start == 0 and tree != grow(dataset, _first_tree(columns, end)):
            raise InternalError("a solver's list of trees does not fit the examples")
        yield tree
        start = end


def _fields(columns: TreeColumns, weight_scale: int) -> dict[str, NDArray[Any]]:
    """Turn the columns of many trees into the attributes of their nodes."""
    inner = columns.feature >= 0
    threshold = np.full(len(inner), NO_THRESHOLD)
    threshold[inner] = threshold_between(columns.low[inner], columns.high[inner])
    totals, prediction = columns.class_weights, columns.prediction
    correct = totals[np.arange(len(totals)), prediction]
    return {
        "children_left": columns.left,
        "children_right": columns.right,
        "feature": np.where(inner, columns.feature, NO_FEATURE),
        "comparison": np.where(inner, AT_MOST, NO_COMPARISON),
        "threshold": threshold,
        "value": in_user_unit(totals, weight_scale),
        "prediction": prediction,
        "n_node_samples": columns.rows,
        "errors": in_user_unit(totals.sum(axis=1) - correct, weight_scale),
        "missing": np.full(len(inner), NONE_MISSING),
    }


def _first_tree(columns: TreeColumns, end: int) -> list[ArrayNode]:
    """Return the first tree of the columns, with its nodes as `grow` reads them."""
    rules = (columns.feature, columns.low, columns.high)
    children = (columns.left, columns.right)
    return list(zip(*(column[:end].tolist() for column in (*rules, *children)), strict=True))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy, so that the array it is cut from can be freed."""
    array = array.copy()
    array.setflags(write=False)
    return array


def in_user_unit(totals: NDArray[np.int64], weight_scale: int) -> NDArray[np.float64]:
    """Divide exact integer totals by the scale; every quotient is the nearest float64."""
    if weight_scale.bit_count() > 1:
        # Python rounds the quotient of two integers once.
        quotients = [total / weight_scale for total in totals.ravel().tolist()]
        return np.array(quotients, dtype=np.float64).reshape(totals.shape)
    # ldexp also handles scales beyond float64, which occur with tiny weights.
    scaled: NDArray[np.float64] = np.ldexp(totals.astype(np.float64), 1 - weight_scale.bit_length())
    return scaled


def _columns(nodes: Sequence[ArrayNode]) -> tuple[NDArray[Any], ...]:
    """Turn the nodes of a solver into the columns of a tree."""
    leaf = (NO_FEATURE, NO_THRESHOLD, NO_THRESHOLD, NO_CHILD, NO_CHILD)
    columns = zip(*(node if node[0] >= 0 else leaf for node in nodes), strict=True)
    dtypes = (np.int64, np.float64, np.float64, np.int64, np.int64)
    feature, low, high, left, right = map(np.array, columns, dtypes)
    return left, right, feature, low, high


def _subsets(
    X: NDArray[np.float64],
    children_left: NDArray[np.int64],
    children_right: NDArray[np.int64],
    feature: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    threshold: NDArray[np.float64],
) -> list[NDArray[np.int64]]:
    """Return the rows that reach each node, after checking the split of every node."""
    subsets: dict[int, NDArray[np.int64]] = {0: np.arange(len(X))}
    by_codes = np.isnan(high).tolist()
    for node, split_feature in enumerate(feature.tolist()):
        if node not in subsets:
            raise InternalError(f"node {node} of a solver's tree does not follow its parent")
        if split_feature < 0:
            continue
        subset, by_code = subsets[node], by_codes[node]
        column = X[subset, split_feature]
        left = column == low[node] if by_code else column <= threshold[node]
        right = ~left
        to_left, to_right = subset[left], subset[right]
        if not (len(to_left) and len(to_right)) or not (
            by_code or (column[left].max() == low[node] and column[right].min() == high[node])
        ):
            where = f"by the code {low[node]:.0f}, which none or all examples of its subset have"
            if not by_code:
                where = (
                    f"between {low[node]} and {high[node]}, which are not neighbouring values of "
                    "its subset"
                )
            raise InternalError(
                f"node {node} of a solver's tree splits feature {split_feature} {where}"
            )
        subsets[int(children_left[node])] = to_left
        subsets[int(children_right[node])] = to_right
    return [subsets[node] for node in range(len(feature))]


def _class_totals(dataset: Dataset, subsets: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the integer weight of each class at each node; floats would be rounded above 2^53."""
    totals = np.zeros((len(subsets), len(dataset.classes)), dtype=np.int64)
    for node, subset in enumerate(subsets):
        np.add.at(totals[node], dataset.labels[subset], dataset.weights[subset])
    return totals
