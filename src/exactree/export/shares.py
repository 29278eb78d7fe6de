"""Class shares and votes of leaves whose first maximum is the predicted class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exactree.trees.routing import NO_CHILD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from exactree.trees import Tree


def shares_of(tree: Tree) -> NDArray[np.float64]:
    """Return the class shares of each node, whose first maximum is the predicted class.

    The tree decides on exact integers; if rounding to float64 turns a narrow lead into a tie, the
    lead is restored by one ulp.

    Parameters
    ----------
    tree : Tree
        A tree for classes.
    """
    if not tree.counts_rows:  # the predicted class has all of it
        return np.eye(tree.n_classes)[tree.prediction]
    shares: NDArray[np.float64] = tree.value / tree.weighted_n_node_samples[:, None]
    wrong = np.flatnonzero(shares.argmax(axis=1) != tree.prediction)
    shares[wrong, tree.prediction[wrong]] = np.nextafter(shares[wrong].max(axis=1), np.inf)
    return shares


def votes_of(tree: Tree) -> NDArray[np.float64]:
    """Return the vote of each leaf, 1 for its class, and the class shares of each inner node.

    Parameters
    ----------
    tree : Tree
        A tree of an ensemble.
    """
    votes = shares_of(tree)
    leaves = tree.children_left == NO_CHILD
    votes[leaves] = np.eye(tree.n_classes)[tree.prediction[leaves]]
    return votes
