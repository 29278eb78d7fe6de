"""Reading of fitted trees: a `Tree` is returned unchanged, a tree of scikit-learn is converted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.features import default_names
from exactree.data.thresholds import before_rounding
from exactree.trees import RegressionTree, Tree
from exactree.trees.routing import AT_MOST, NO_CHILD, NO_COMPARISON, NO_FEATURE, NO_THRESHOLD

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.tree import DecisionTreeClassifier

_ACCEPTED = (
    "tree must be a Tree, a fitted classifier of exactree with one tree, or a fitted "
    "DecisionTreeClassifier of scikit-learn"
)


def read_tree(model: Any) -> Tree:
    """Return the tree of a model, with thresholds for float64 numbers.

    Parameters
    ----------
    model : Tree or fitted classifier
        A tree, a classifier of this package with one tree, or a tree of scikit-learn.

    Raises
    ------
    TypeError
        If it is something else, or a multi-output tree of scikit-learn.
    ValueError
        If a tree of scikit-learn has a rule that separates missing values from all others.
    sklearn.exceptions.NotFittedError
        If a classifier is not fitted.
    """
    found = getattr(model, "tree_", None)
    model = found if isinstance(found, Tree) else model
    if isinstance(model, Tree) and not isinstance(model, RegressionTree):
        return model
    if hasattr(model, "get_params") and not isinstance(model, type):
        from sklearn.tree import DecisionTreeClassifier
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
        if isinstance(model, DecisionTreeClassifier):
            if model.n_outputs_ != 1:
                raise TypeError(f"{_ACCEPTED} with one output, got {model.n_outputs_} outputs.")
            return _of_sklearn(model)
    raise TypeError(f"{_ACCEPTED}, got {type(model).__name__}.")


def _of_sklearn(model: DecisionTreeClassifier) -> Tree:
    arrays = model.tree_
    # scikit-learn numbers nodes in the order in which they were split off, not always in preorder.
    order = preorder(arrays.children_left.tolist(), arrays.children_right.tolist())
    new_index = np.full(len(order) + 1, NO_CHILD)  # entry -1, the last, keeps -1 for leaves
    new_index[order] = np.arange(len(order))
    inner = arrays.children_left[order] != NO_CHILD
    if not np.isfinite(arrays.threshold[order]).all():
        raise ValueError(
            "the tree of scikit-learn separates missing values from all others, and pruning takes "
            "no missing values; fill them in before the fit."
        )
    threshold = [before_rounding(float(number)) for number in arrays.threshold[order]]
    shares = arrays.value[order, 0, :]
    prediction = shares.argmax(axis=1)  # before rounding, like scikit-learn's prediction
    value = _weights(shares, arrays.weighted_n_node_samples[order])
    correct = value[np.arange(len(order)), prediction]
    names = getattr(model, "feature_names_in_", None)
    return Tree(
        children_left=new_index[arrays.children_left[order]],
        children_right=new_index[arrays.children_right[order]],
        feature=np.where(inner, arrays.feature[order], NO_FEATURE),
        comparison=np.where(inner, AT_MOST, NO_COMPARISON),
        threshold=np.where(inner, threshold, NO_THRESHOLD),
        value=value,
        prediction=prediction,
        n_node_samples=arrays.n_node_samples[order],
        errors=np.maximum(value.sum(axis=1) - correct, 0.0),
        classes=model.classes_,
        feature_names=default_names(model.n_features_in_) if names is None else tuple(names),
        named=names is not None,
    )


def preorder(left: list[int], right: list[int]) -> NDArray[np.int64]:
    """Return the nodes in preorder, given their children in any order.

    Parameters
    ----------
    left, right : list of int
        The children; -1 for leaves.
    """
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        if left[node] != NO_CHILD:
            stack += (right[node], left[node])
    return np.array(order, dtype=np.int64)


def _weights(shares: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each class at each node, given the shares of the classes, of any scale.

    scikit-learn stores shares of the rows; if the weights are counts of rows, they are rounded to
    integers.
    """
    weights: NDArray[np.float64] = shares * (totals / shares.sum(axis=1))[:, None]
    integers = np.rint(weights)
    return integers if np.allclose(weights, integers, rtol=0, atol=1e-6) else weights
