"""The shares of the classes in leaves: smoothed on request, or with the prediction first."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import shown
from exactree.trees.routing import NO_CHILD

if TYPE_CHECKING:
    from exactree.trees.tree import Tree

__all__ = ["checked_smoothing", "shares_of", "shares_of_classes", "votes_of"]

# More than the total weight of any table; sums of floats stay within their range.
_MAX_SMOOTHING = 2.0**62


def checked_smoothing(smoothing: Any) -> float | str | None:
    """Return the smoothing of shares, if it is allowed.

    Parameters
    ----------
    smoothing : object
        The user's argument.

    Raises
    ------
    ValueError
        If it is neither None, "laplace" nor a number from 0 to 2**62.
    """
    if smoothing is None or (isinstance(smoothing, str) and smoothing == "laplace"):
        return smoothing
    number = isinstance(smoothing, Real) and not isinstance(smoothing, bool | np.bool_)
    if number and 0 <= smoothing <= _MAX_SMOOTHING:
        return float(smoothing)
    raise ValueError(
        f'smoothing must be None, "laplace" or a number from 0 to 2**62, got {shown(smoothing)}.'
    )


def shares_of_classes(
    value: NDArray[np.float64], smoothing: float | str | None = None
) -> NDArray[np.float64]:
    """Return the share of each class at each node.

    Parameters
    ----------
    value : ndarray of shape (n_nodes, n_classes)
        Weight of each class at each node; the first node is the root.
    smoothing : {"laplace"}, float or None
        None: the shares of the weight. "laplace": one example of each class is added to the node. A
        number m (the m-estimate): m examples with the shares of the whole table are added (Cestnik,
        "Estimating probabilities: a crucial task in machine learning", ECAI 1990).

    Returns
    -------
    ndarray of shape (n_nodes, n_classes)
        Rows that sum to one.
    """
    smoothing = checked_smoothing(smoothing)
    if smoothing == "laplace":
        value = value + 1.0
    elif smoothing:
        value = value + float(smoothing) * value[0] / value[0].sum()
    shares: NDArray[np.float64] = value / value.sum(axis=1, keepdims=True)
    return shares


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
