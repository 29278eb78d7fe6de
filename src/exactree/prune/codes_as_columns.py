"""Greedy trees for columns of codes, which scikit-learn does not support.

The tree is grown on a column of 0 and 1 for each code. The threshold 0.5 on such a column tests for
equality with the code.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from exactree.prune.any_tree import preorder
from exactree.trees.routing import EQUAL, NO_CHILD
from exactree.trees.schema import PER_NODE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from exactree.trees import Tree


class CodesAsColumns:
    """A table in which each column of codes is replaced by one column of 0 and 1 per code.

    Parameters
    ----------
    X : ndarray of float64
        The table with codes.
    codes : sequence of int
        The columns of codes.

    Attributes
    ----------
    X : ndarray of float64
        The table without codes.
    """

    def __init__(self, X: NDArray[np.float64], codes: Sequence[int]) -> None:
        pairs = [
            (feature, code)
            for feature in range(X.shape[1])
            for code in (np.unique(X[:, feature]).tolist() if feature in codes else (None,))
        ]
        self._features = np.array([feature for feature, _ in pairs])
        self._codes = np.array([np.nan if code is None else code for _, code in pairs])
        self.X = X[:, self._features]
        of_codes = ~np.isnan(self._codes)
        self.X[:, of_codes] = self.X[:, of_codes] == self._codes[of_codes]

    def tree_of_codes(self, tree: Tree, feature_names: tuple[str, ...]) -> Tree:
        """Convert a tree for the table without codes to the equal tree for the table with codes.

        Parameters
        ----------
        tree : Tree
            A tree for the table without codes.
        feature_names : tuple of str
            The features of the table with codes.
        """
        inner = tree.children_left != NO_CHILD
        column = np.where(inner, tree.feature, 0)
        code = self._codes[column]
        by_code = inner & ~np.isnan(code)
        # Rows with a value of at most 0.5 have another code, and go right in the result.
        left = np.where(by_code, tree.children_right, tree.children_left)
        right = np.where(by_code, tree.children_left, tree.children_right)
        order = preorder(left.tolist(), right.tolist())
        new_index = np.full(tree.node_count + 1, NO_CHILD)  # its last entry serves child -1
        new_index[order] = np.arange(tree.node_count)
        entries = {name: getattr(tree, name) for name in PER_NODE} | {
            "children_left": new_index[left],
            "children_right": new_index[right],
            "feature": np.where(inner, self._features[column], tree.feature),
            "comparison": np.where(by_code, EQUAL, tree.comparison),
            "threshold": np.where(by_code, code, tree.threshold),
        }
        in_order = {name: entry[order] for name, entry in entries.items()}
        return replace(tree, feature_names=feature_names, **in_order)
