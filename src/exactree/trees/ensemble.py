"""The ensemble: several trees that vote, frozen, with its sizes and depths."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.dataset import make_features
from exactree.data.features import CompleteFeatures
from exactree.data.levels import Levels
from exactree.errors import ModelError
from exactree.trees.label_schema import plain_labels
from exactree.trees.regression_tree import RegressionTree
from exactree.trees.schema import check_entries, check_origin
from exactree.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray
    from sklearn.ensemble import RandomForestClassifier

FORMAT = "exactree ensemble"
VERSION = 1


@dataclass(frozen=True, eq=False, repr=False)
class Ensemble:
    """Trees that vote for a class, ties to the earlier class; frozen, compared by content.

    The leaves of its trees may predict any class, not only the class of greatest weight, because a
    tree may be wrong where the others outvote it.

    Attributes
    ----------
    trees : tuple of Tree
        At least one tree; all have the same classes and features. The comparison of two ensembles
        ignores their order.
    """

    trees: tuple[Tree, ...]

    def __post_init__(self) -> None:
        """Check that the trees can vote together."""
        object.__setattr__(self, "trees", tuple(self.trees))
        if not self.trees:
            raise ModelError("an ensemble needs at least one tree")
        for number, tree in enumerate(self.trees):
            if isinstance(tree, RegressionTree):
                raise ModelError(
                    f"tree {number} of the ensemble is a regression tree; trees vote for classes"
                )
            if _interface(tree) != _interface(self.trees[0]):
                raise ModelError(
                    f"tree {number} of the ensemble has other classes or features than tree 0"
                )

    # --- size ------------------------------------------------------------------------------

    @property
    def total_size(self) -> int:
        """Number of inner nodes of all trees together."""
        return sum(tree.size for tree in self.trees)

    @property
    def largest_size(self) -> int:
        """Number of inner nodes of the largest tree."""
        return max(tree.size for tree in self.trees)

    @property
    def total_depth(self) -> int:
        """Sum of the depths of the trees."""
        return sum(tree.depth for tree in self.trees)

    @property
    def largest_depth(self) -> int:
        """Depth of the deepest tree."""
        return max(tree.depth for tree in self.trees)

    @property
    def leaves(self) -> int:
        """Number of leaves of all trees together."""
        return sum(tree.leaves for tree in self.trees)

    @property
    def sizes_text(self) -> str:
        """The sizes in words, such as "2 trees of sizes 3, 1", with the note on single leaves."""
        sizes = ", ".join(str(tree.size) for tree in self.trees)
        note = f" ({self.single_leaves_note})" if self.single_leaves_note else ""
        return f"{len(self.trees)} trees of sizes {sizes}{note}"

    @property
    def single_leaves_note(self) -> str:
        """A note on trees without a split, whose vote is constant; empty if there are none.

        They are common in ensembles of minimum size: if a few splits suffice, more would only make
        the ensemble larger.
        """
        constant = [tree for tree in self.trees if tree.size == 0]
        number, other = len(constant), [tree for tree in self.trees if tree.size > 0]
        if not number:
            return ""
        if not other:
            return "all are single leaves: every row has the same prediction"
        are = "is a single leaf" if number == 1 else "are single leaves"
        text = f"{number} of {len(self.trees)} {are} with a constant vote"
        if len(other) > 1:
            return text
        votes = np.bincount(
            [int(tree.prediction[0]) for tree in constant], minlength=len(self.classes)
        )
        one_vote = np.eye(len(votes), dtype=np.int64)
        labels = np.unique(other[0].prediction[other[0].children_left < 0])
        decides = all((votes + one_vote[label]).argmax() == label for label in labels)
        return f"{text}; the tree of size {other[0].size} decides alone" if decides else text

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, in the order of the class indices."""
        return self.trees[0].classes

    @property
    def feature_names(self) -> tuple[str, ...]:
        """A name for each feature."""
        return self.trees[0].feature_names

    @property
    def named(self) -> bool:
        """Whether the names were given by the user."""
        return self.trees[0].named

    @property
    def levels(self) -> Levels:
        """The levels of each feature of text or categories."""
        return self.trees[0].levels

    @property
    def complete_features(self) -> CompleteFeatures | None:
        """Features that must not be missing in rows to predict, and the reason; None if all may."""
        required = [
            tree.complete_features for tree in self.trees if tree.complete_features is not None
        ]
        if not required:
            return None
        features = {feature for tree in self.trees for feature in tree.surfaces.features}
        return CompleteFeatures(required[0].why, tuple(sorted(features)))

    # --- prediction ------------------------------------------------------------------------

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the label of each row: the class with the most votes, ties to the earlier class.

        Parameters
        ----------
        X : array or data frame, shape (n, n_features)
            The examples; a frame must have the trees' feature names in the same order.

        Returns
        -------
        ndarray, shape (n,)
            The predicted labels.
        """
        labels: NDArray[Any] = self.classes[self.votes(X).argmax(axis=1)]
        return labels

    def votes(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the number of trees that predict each class for each row.

        Parameters
        ----------
        X : array or data frame, shape (n, n_features)
            The examples.

        Returns
        -------
        ndarray of int64, shape (n, n_classes)
            Every row sums to the number of trees.
        """
        names, complete = self.feature_names, self.complete_features
        return self.votes_of(make_features(X, names, self.named, complete, self.levels))

    def ties(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return for each row whether several classes share the maximum number of votes.

        Parameters
        ----------
        X : array or data frame, shape (n, n_features)
            The examples.

        Returns
        -------
        ndarray of bool, shape (n,)
            All False for two classes and an odd number of trees.
        """
        return self.tied(self.votes(X))

    @staticmethod
    def tied(votes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each row of votes whether several classes share the maximum."""
        first = votes == votes.max(axis=1, keepdims=True)
        tied: NDArray[np.bool_] = first.sum(axis=1) > 1
        return tied

    def predict_index(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Predict the class index of each row; X is float64 and already checked."""
        predicted: NDArray[np.int64] = self.votes_of(X).argmax(axis=1)
        return predicted

    def votes_of(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the votes for each row; X is float64 and already checked."""
        votes = np.zeros((len(X), len(self.classes)), dtype=np.int64)
        for tree in self.trees:
            votes[np.arange(len(X)), tree.predict_index(X)] += 1
        return votes

    # --- conversion ------------------------------------------------------------------------

    def to_tree(
        self,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Tree:
        """Return one tree that predicts the same, without redundant nodes.

        It has at most (s + 1)^l - 1 inner nodes for l trees of size at most s, and its depth is at
        most the sum of their depths; it need not be a smallest tree.

        Parameters
        ----------
        X, y, sample_weight : array-like, optional
            Examples, their labels and weights. Without them the tree predicts the same for all
            possible examples, and each of its leaves counts as one example of its class. With
            them it predicts the same for these examples, and its nodes count them.

        Raises
        ------
        ValueError
            If the tree would be too large, the examples do not fit the ensemble, or a tree was
            fitted with missing values or splits on a surface or a set of levels.
        """
        from exactree.trees.combine import combine

        return combine(self, X, y, sample_weight)

    def to_sklearn(self, X: ArrayLike | None = None) -> RandomForestClassifier:
        """Return a fitted scikit-learn forest; see `exactree.export.to_sklearn`."""
        from exactree.export import to_sklearn

        return to_sklearn(self, X)

    def to_dict(self) -> dict[str, Any]:
        """Return the ensemble as plain lists and numbers, ready for JSON; nothing is rounded."""
        trees = [tree.to_dict() for tree in self.trees]
        return {"format": FORMAT, "version": VERSION, "trees": trees}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Ensemble:
        """Rebuild an ensemble from `to_dict`; anything unsound raises ModelError."""
        check_origin(record, FORMAT, VERSION)
        check_entries(record, ("format", "version", "trees"), "the model")
        trees = record["trees"]
        if not isinstance(trees, list):
            raise ModelError("the entry 'trees' of the model must be a list of trees")
        return cls(tuple(Tree.from_dict(tree) for tree in trees))

    def __str__(self) -> str:
        """Return the trees as text, one after the other."""
        from exactree.export import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        from exactree.export import to_html

        return to_html(self)

    def _repr_svg_(self) -> str:
        from exactree.export import to_svg

        return to_svg(self)

    def __repr__(self) -> str:
        """Return the sizes of the ensemble in one line."""
        note = f"; {self.single_leaves_note}" if self.single_leaves_note else ""
        return (
            f"<Ensemble: {len(self.trees)} trees, total size {self.total_size}, largest depth "
            f"{self.largest_depth}, {len(self.classes)} classes{note}>"
        )

    # --- equality by content ---------------------------------------------------------------

    @cached_property
    def _content(self) -> frozenset[tuple[Tree, int]]:
        return frozenset(Counter(self.trees).items())

    def __eq__(self, other: object) -> bool:
        """Compare the trees, in any order."""
        return self._content == other._content if isinstance(other, Ensemble) else NotImplemented

    def __hash__(self) -> int:
        """Return a hash of the content: equal ensembles have equal hashes."""
        return hash(self._content)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the trees only; unpickling checks them again."""
        return (Ensemble, (self.trees,))


def _interface(tree: Tree) -> tuple[Any, ...]:
    labels = tuple((type(label), label) for label in plain_labels(tree.classes))
    return (labels, tree.feature_names, tree.named, tree.levels)
