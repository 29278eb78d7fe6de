"""Greedy trees, fully grown or with a limited number of leaves.

The split of a node depends only on its examples. So the tree with a limited number of leaves is the
full tree without the nodes that come later in the order of growth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from exactree.data import make_dataset
from exactree.data.parameters import checked_integer, shown
from exactree.problem.parameters import columns_of_codes
from exactree.prune.any_tree import read_tree
from exactree.prune.codes_as_columns import CodesAsColumns
from exactree.prune.partly_pruned import collapsed
from exactree.trees.routing import NO_CHILD

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from exactree.trees import Tree

GrowthOrder = Literal["best-first", "depth-first", "purest-first"]


def grow_greedily(
    X: ArrayLike,
    y: Any,
    *,
    max_leaves: int | None = 40,
    order: GrowthOrder = "best-first",
    categories: Any = None,
    random_state: Any = None,
) -> Tree:
    """Grow a tree greedily by the Gini index, as scikit-learn does.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The examples.
    y : array-like, shape (n,)
        Their labels, of any hashable kind.
    max_leaves : int, optional
        Maximum number of leaves; None grows until all leaves are pure.
    order : {"best-first", "depth-first", "purest-first"}
        See `first_leaves`.
    categories : list of str or int, optional
        Columns, by name or index, of codes without an order; rules compare them for equality with a
        code.
    random_state : int, RandomState or None
        Seed of the choice among equally good rules.
    """
    from sklearn.tree import DecisionTreeClassifier

    source = random_source(random_state)
    table = make_dataset(X, y)
    names = table.feature_names
    columns = CodesAsColumns(table.X, columns_of_codes(categories, table.X, names, table.kept))
    model = DecisionTreeClassifier(random_state=source).fit(columns.X, table.labels)
    tree = columns.tree_of_codes(read_tree(model), names)
    # The user's labels may be of any kind; scikit-learn's are class indices here.
    tree = replace(tree, classes=table.classes, named=table.named)
    return tree if max_leaves is None else first_leaves(tree, max_leaves, order)


def random_source(random_state: Any) -> np.random.RandomState:
    """Return the random state for an argument, as scikit-learn does; errors name the parameter.

    Parameters
    ----------
    random_state : int, RandomState or None
        The user's argument.
    """
    from sklearn.utils import check_random_state

    try:
        if isinstance(random_state, bool):
            raise ValueError("a bool is an int in Python, but not a seed")
        source: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            "random_state must be None, an integer from 0 to 2**32 - 1, or a numpy RandomState, "
            f"got {shown(random_state)}."
        ) from None
    return source


def first_leaves(tree: Tree, max_leaves: int, order: GrowthOrder = "best-first") -> Tree:
    """Return the subtree of at most `max_leaves` leaves that is grown first.

    Parameters
    ----------
    tree : Tree
        The full tree.
    max_leaves : int
        Maximum number of leaves, at least 1.
    order : {"best-first", "depth-first", "purest-first"}
        The node that is split next: the one with the greatest decrease of the Gini index of the
        whole table, as in scikit-learn; the first one in preorder; or the one whose children have
        the smallest Gini index, averaged over their examples, even if these are few. Ties go to the
        node that is available first.
    """
    if order not in get_args(GrowthOrder):
        raise ValueError(
            f"order must be one of {', '.join(get_args(GrowthOrder))}, found {order!r}."
        )
    max_leaves = checked_integer("max_leaves", max_leaves, 1)
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    rank = _ranks(tree, order)
    available = [0] if left[0] != NO_CHILD else []  # nodes that can be split next
    leaves = 1
    while available and leaves < max_leaves:
        node = min(available, key=rank.__getitem__)  # ties to the first
        available.remove(node)
        available += [child for child in (left[node], right[node]) if left[child] != NO_CHILD]
        leaves += 1
    return collapsed(tree, available)


def _ranks(tree: Tree, order: GrowthOrder) -> list[float]:
    """Return the rank of each node; the smallest rank is split next. Unused for leaves."""
    if order == "depth-first":
        return list(range(tree.node_count))
    left, right = tree.children_left, tree.children_right
    impurity = _impurity(tree)
    children = impurity[left] + impurity[right]
    best_first = order == "best-first"
    rank = children - impurity if best_first else children / tree.weighted_n_node_samples
    return [float(number) for number in rank]


def _impurity(tree: Tree) -> NDArray[np.float64]:
    """Return the Gini index of each node times its weight."""
    totals = tree.weighted_n_node_samples
    impurity: NDArray[np.float64] = totals - (tree.value**2).sum(axis=1) / totals
    return impurity
