"""The greedy tree that is pruned, and which of its leaves are grown first if there may be few.

Which rule a node splits on depends on its examples alone. So the tree of that many leaves is the
whole one without the nodes that come later in the order of growth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from exactree.data import make_dataset
from exactree.data.features import shown
from exactree.problem.parameters import columns_of_codes
from exactree.prune.any_tree import read_tree
from exactree.prune.codes_as_columns import CodesAsColumns
from exactree.prune.collapse import collapsed
from exactree.theory.counts import whole
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
        Most leaves; None grows until all leaves are pure.
    order : {"best-first", "depth-first", "purest-first"}
        See `first_leaves`.
    categories : list of str or int, optional
        Columns, by name or index, that hold codes without an order: nodes split on them whether
        they equal a code.
    random_state : int, RandomState or None
        Chooses among rules that are equally good.
    """
    from sklearn.tree import DecisionTreeClassifier

    source = random_source(random_state)
    table = make_dataset(X, y)
    names = table.feature_names
    columns = CodesAsColumns(table.X, columns_of_codes(categories, table.X, names, table.kept))
    model = DecisionTreeClassifier(random_state=source).fit(columns.X, table.labels)
    tree = columns.read_back(read_tree(model), names)
    # The labels are ours, of any kind; scikit-learn's are sorted numbers or text.
    tree = replace(tree, classes=table.classes, named=table.named)
    return tree if max_leaves is None else first_leaves(tree, max_leaves, order)


def random_source(random_state: Any) -> np.random.RandomState:
    """Return what draws at random, as scikit-learn does; its own messages name no parameter.

    Parameters
    ----------
    random_state : int, RandomState or None
        The user's argument.
    """
    from sklearn.utils import check_random_state

    try:
        if isinstance(random_state, bool):
            raise ValueError("an int to Python, but no seed a user means")
        source: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            "random_state must be None, an integer from 0 to 2**32 - 1, or a numpy RandomState, "
            f"got {shown(random_state)}."
        ) from None
    return source


def first_leaves(tree: Tree, max_leaves: int, order: GrowthOrder = "best-first") -> Tree:
    """Return what a tree was when it had so many leaves, if it grew in an order.

    Parameters
    ----------
    tree : Tree
        The whole tree.
    max_leaves : int
        Most leaves, at least 1.
    order : {"best-first", "depth-first", "purest-first"}
        Which node comes next: the one that lowers the Gini index of the whole table most, as in
        scikit-learn; the first in preorder; or the one whose two sides have the least mean Gini
        index, however few examples they have. Of equals, the one that could be had first.
    """
    if order not in get_args(GrowthOrder):
        raise ValueError(
            f"order must be one of {', '.join(get_args(GrowthOrder))}, found {order!r}."
        )
    most = whole("max_leaves", max_leaves, 1)
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    rank = _ranks(tree, order)
    later = [0] if left[0] != NO_CHILD else []
    leaves = 1
    while later and leaves < most:
        node = min(later, key=rank.__getitem__)  # the first of equals
        later.remove(node)
        later += [child for child in (left[node], right[node]) if left[child] != NO_CHILD]
        leaves += 1
    return collapsed(tree, later)


def _ranks(tree: Tree, order: GrowthOrder) -> list[float]:
    """Return for each node the number that is least for the next one; of leaves it is no use."""
    if order == "depth-first":
        return list(range(tree.node_count))
    left, right = tree.children_left, tree.children_right
    impurity = _impurity(tree)  # times the weight of the node
    below = impurity[left] + impurity[right]
    rank = below - impurity if order == "best-first" else below / tree.weighted_n_node_samples
    return [float(number) for number in rank]


def _impurity(tree: Tree) -> NDArray[np.float64]:
    """Return the Gini index of each node times its weight."""
    totals = tree.weighted_n_node_samples
    impurity: NDArray[np.float64] = totals - (tree.value**2).sum(axis=1) / totals
    return impurity
