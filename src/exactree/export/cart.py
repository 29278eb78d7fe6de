"""CART, the greedy tree of scikit-learn, grown within the limits of an optimal tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.problem.encoding.columns import EncodedProblem, in_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from exactree.problem import Problem

__all__ = ["Cart", "grow_cart"]


@dataclass(frozen=True, eq=False)
class Cart:
    """A greedy tree.

    Attributes
    ----------
    encoded : EncodedProblem
        The problem in columns, on which CART may use the same rules as the optimal tree.
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        The greedy tree on these columns.
    """

    encoded: EncodedProblem
    tree: Any

    @property
    def depth(self) -> int:
        """The most nodes on a path."""
        return int(self.tree.get_depth())

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return int(self.tree.get_n_leaves())

    def apply(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the leaf of each row.

        Parameters
        ----------
        X : ndarray of float64
            Rows of the original problem's features.
        """
        return np.asarray(self.tree.apply(self.encoded.values(X)))

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : ndarray of float64
            Rows of the original problem's features.
        """
        predicted = np.asarray(self.tree.predict(self.encoded.values(X)))
        if self.encoded.original.regression:
            return predicted
        return np.asarray(self.encoded.original.dataset.classes[predicted])


def grow_cart(
    problem: Problem, max_depth: int | None, max_leaves: int | None, min_rows: int = 1
) -> Cart:
    """Return the greedy tree for a problem's examples.

    Parameters
    ----------
    problem : Problem
        Its examples, weights and rules are used. In a regression CART minimizes the same errors,
        otherwise Gini impurity.
    max_depth, max_leaves : int or None
        Limits.
    min_rows : int
        The fewest examples in a leaf.

    Raises
    ------
    MethodRefused
        If the columns of the rules would take too much memory.
    """
    # imported on demand, because it is slow to import
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    encoded = in_columns(problem)
    data = encoded.problem.dataset
    is_leaf = max_depth == 0 or max_leaves == 1  # limits that scikit-learn refuses
    within = {
        "max_depth": max_depth or None,
        "max_leaf_nodes": None if is_leaf else max_leaves,
        "min_samples_leaf": min_rows,
        "min_samples_split": len(data.X) + 1 if is_leaf else 2,
        "random_state": 0,
    }
    if problem.regression:
        tree = DecisionTreeRegressor(criterion=problem.error_term, **within)
        return Cart(encoded, tree.fit(data.X, data.targets, sample_weight=data.weights))
    tree = DecisionTreeClassifier(**within)
    return Cart(encoded, tree.fit(data.X, data.labels, sample_weight=data.weights))
