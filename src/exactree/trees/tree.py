"""The fitted tree: frozen arrays in preorder, prediction and conversion.

Length: a third is documentation of attributes; most methods are a line or two.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.dataset import make_features
from exactree.data.features import CompleteFeatures
from exactree.data.levels import Levels
from exactree.rules.family import LEFT
from exactree.rules.surface import NO_SURFACES, Surfaces, features_of
from exactree.trees import regression_schema, schema
from exactree.trees.checks import check_arrays, check_contents
from exactree.trees.label_schema import plain_labels
from exactree.trees.routing import (
    IN,
    NO_CHILD,
    NONE_MISSING,
    goes_left,
    node_depths,
    paths_csr,
    route,
    route_by_nodes,
)
from exactree.trees.shares import shares_of_classes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csr_matrix
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from exactree.export import Explanation


def _no_directions() -> NDArray[np.str_]:
    """Return the default of `Tree.missing`: no missing values at any node."""
    return np.empty(0, dtype=np.str_)


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A decision tree for classes; frozen, compared by content, with scikit-learn's array names.

    Node 0 is the root, and the nodes are in preorder: a node, its left subtree, its right subtree.
    At a node with the comparison ``"<="`` an example with ``x[feature] <= threshold`` goes left. At
    a node with ``"=="`` an example with ``x[feature] == threshold`` goes left: the threshold is the
    code of a category, and every other code goes right, including codes that the fitted table did
    not have. At a node with ``"in"`` an example whose code is in the node's set of `level_sets`
    goes left. An example without a value of the feature goes in the direction of
    `missing_go_to_left`. All arrays are read-only.

    Attributes
    ----------
    children_left, children_right : ndarray of int64
        The children of each node, -1 at leaves.
    feature : ndarray of int64
        The feature of the node's split, -2 at leaves; `n_features` + k stands for surface k.
    comparison : ndarray of str
        The comparison of the node's split: "<=", "==" or "in"; empty at leaves.
    threshold : ndarray of float64
        The threshold or the code of the node's split, -2.0 at leaves. With -inf only missing values
        go left, with inf only values that are not missing.
    value : ndarray of float64, shape (node_count, n_classes)
        The weight of each class among the examples that reach the node, in the user's unit.
    prediction : ndarray of int64
        The index of the class predicted at the node.
    n_node_samples : ndarray of int64
        The number of examples that reach the node, rows counted as given.
    errors : ndarray of float64
        The weight that is misclassified if the node predicts its class.
    classes : ndarray
        The labels, in the order of the class indices.
    feature_names : tuple of str
        A name for each feature.
    named : bool
        Whether the names were given by the user.
    surfaces : Surfaces, optional
        The weighted sums of features, or of products of features, that nodes compare with
        thresholds; none by default.
    missing : ndarray of str, optional
        The direction, "left" or "right", of examples without a value of the feature, at nodes that
        were fitted with such examples; empty at other nodes and at leaves. By default empty
        everywhere.
    levels : mapping of int to tuple, optional
        The levels of each feature of text or categories; the code of a level is its index. A value
        that is not listed equals no level.
    level_sets : tuple of tuple of int, optional
        Sets of codes. At a node with the comparison "in" the threshold is the index of the set
        whose codes go left.
    same_in_float32 : bool, optional
        Whether every training row reaches the same leaf when the features are rounded to float32;
        None if unknown. It does not apply to new rows, and equal trees may differ in it.
    counts_rows : bool, optional
        Whether `value`, `n_node_samples` and `errors` count examples. They do not in a tree of
        `smallest_equal_tree` without examples: such a tree has no probabilities, and texts and
        pictures leave counts out.
    """

    children_left: NDArray[np.int64]
    children_right: NDArray[np.int64]
    feature: NDArray[np.int64]
    comparison: NDArray[np.str_]
    threshold: NDArray[np.float64]
    value: NDArray[np.float64]
    prediction: NDArray[np.int64]
    n_node_samples: NDArray[np.int64]
    errors: NDArray[np.float64]
    classes: NDArray[Any]
    feature_names: tuple[str, ...]
    named: bool
    surfaces: Surfaces = NO_SURFACES
    missing: NDArray[np.str_] = field(default_factory=_no_directions)
    levels: Levels = field(default_factory=dict)
    level_sets: tuple[tuple[int, ...], ...] = ()
    same_in_float32: bool | None = None
    counts_rows: bool = True

    def __post_init__(self) -> None:
        """Copy the arrays, check that they are one sound tree, and freeze them."""
        for name in ("children_left", "children_right", "feature", "prediction", "n_node_samples"):
            self._freeze(name, np.int64)
        for name in ("threshold", "value", "errors"):
            self._freeze(name, np.float64)
        if not len(self.missing):
            no_directions = np.full(len(self.children_left), NONE_MISSING)
            object.__setattr__(self, "missing", no_directions)
        for name in ("comparison", "missing"):
            self._freeze(name, np.str_)
        self._freeze("classes", None)
        object.__setattr__(self, "feature_names", tuple(self.feature_names))
        object.__setattr__(self, "named", bool(self.named))
        object.__setattr__(self, "levels", dict(self.levels))
        check_arrays(self)
        self._check_contents()

    @classmethod
    def unchecked(cls, **attributes: Any) -> Tree:
        """Return a tree without checks: its arrays must be read-only and form a sound tree.

        It is for millions of trees from one solver, because the checks take longer than the rest.

        Parameters
        ----------
        **attributes
            Every attribute.
        """
        tree = object.__new__(cls)
        tree.__dict__.update(attributes)
        return tree

    def _freeze(self, name: str, dtype: type[np.generic] | None) -> None:
        array = np.array(getattr(self, name), dtype=dtype)
        array.setflags(write=False)
        object.__setattr__(self, name, array)

    def _check_contents(self) -> None:
        """Raise ModelError unless the numbers of the nodes fit the kind of tree; see subclasses."""
        check_contents(self)

    # --- size ------------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        """Number of inner nodes and leaves together."""
        return len(self.children_left)

    @property
    def size(self) -> int:
        """Number of inner nodes; a single leaf has size 0."""
        return (self.node_count - 1) // 2

    @property
    def leaves(self) -> int:
        """Number of leaves, always size + 1."""
        return self.size + 1

    @cached_property
    def depth(self) -> int:
        """Number of inner nodes on the longest path; a single leaf has depth 0."""
        return int(node_depths(self.children_left, self.children_right).max())

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def n_features(self) -> int:
        """Number of features the tree expects."""
        return len(self.feature_names)

    @cached_property
    def operand_names(self) -> tuple[str, ...]:
        """Names of what nodes compare: of the features, then of the sums of surfaces, as text."""
        return (*self.feature_names, *self.surfaces.names(self.feature_names))

    def features_of_operand(self, operand: int) -> tuple[int, ...]:
        """Return the features that an inner node compares: one, or several for a surface.

        Parameters
        ----------
        operand : int
            The value of `feature` at the node.
        """
        if operand < self.n_features:
            return (operand,)
        weights = self.surfaces.weights[operand - self.n_features]
        return features_of(self.surfaces.monomials, weights)

    @property
    def max_depth(self) -> int:
        """The depth, under scikit-learn's name."""
        return self.depth

    @property
    def n_leaves(self) -> int:
        """The number of leaves, under scikit-learn's name."""
        return self.leaves

    @cached_property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """Weight of the examples that reach each node, in the user's unit."""
        totals: NDArray[np.float64] = self.value.sum(axis=1)
        totals.setflags(write=False)
        return totals

    @cached_property
    def missing_go_to_left(self) -> NDArray[np.bool_]:
        """Whether examples without a value go left at each node.

        At nodes that were fitted with missing values `missing` has the direction. At other nodes
        they go to the child with more examples, to the right child if both have as many, as in
        scikit-learn.
        """
        goes_left: NDArray[np.bool_] = self.missing == LEFT
        rows, inner = self.n_node_samples, self.children_left != NO_CHILD
        more_left = rows[self.children_left] > rows[self.children_right]
        goes_left |= inner & (self.missing == NONE_MISSING) & more_left
        goes_left.setflags(write=False)
        return goes_left

    @property
    def complete_features(self) -> CompleteFeatures | None:
        """Features without missing values in predicted rows, and the reason; None if any may be.

        These are the features of surfaces; all other features may be missing.
        """
        if not len(self.surfaces):
            return None
        return CompleteFeatures(
            "hyperplanes or other surfaces of a tree take no missing values", self.surfaces.features
        )

    def level_set_at(self, node: int) -> tuple[int, ...]:
        """Return the codes that go left at a node whose comparison is "in"; else no codes."""
        return self.level_sets[int(self.threshold[node])] if self.comparison[node] == IN else ()

    def left_codes_at(self, node: int) -> tuple[int, ...]:
        """Return the codes that go left at a node whose comparison is "==" or "in"."""
        return self.level_set_at(node) or (int(self.threshold[node]),)

    def is_leaf(self, node: int) -> bool:
        """Return whether the node is a leaf."""
        return bool(self.children_left[node] == NO_CHILD)

    def goes_left(
        self, node: int, X: NDArray[np.float64], rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.bool_]:
        """Return whether each row goes left at a node.

        Parameters
        ----------
        node : int
            An inner node.
        X : ndarray of float64, shape (n, n_features)
            The examples, already checked.
        rows : ndarray of int64, optional
            The rows to compare; all by default.
        """
        return goes_left(self, node, X, rows)

    # --- prediction ------------------------------------------------------------------------

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the label of each row.

        Parameters
        ----------
        X : array or data frame, shape (n, n_features)
            The examples; a frame must have the tree's feature names in the same order.

        Returns
        -------
        ndarray, shape (n,)
            The predicted labels.
        """
        labels: NDArray[Any] = self.classes[self.predict_index(self._features(X))]
        return labels

    def predict_index(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Predict the class index of each row; X is float64 and already checked."""
        return self.prediction[self.leaf_index(X)]

    def predict_proba(
        self, X: ArrayLike, smoothing: float | str | None = None
    ) -> NDArray[np.float64]:
        """Return the shares of the classes in the leaf of each row.

        Parameters
        ----------
        X : array-like or data frame, shape (n, d)
            Examples with the features of the tree.
        smoothing : {"laplace"}, float or None
            See `exactree.trees.shares.shares_of_classes`.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Rows that sum to one.
        """
        return self.shares_at(self.apply(X), smoothing)

    def shares_at(
        self, leaves: NDArray[np.int64], smoothing: float | str | None = None
    ) -> NDArray[np.float64]:
        """Return the shares of the classes in given leaves, smoothed as in `predict_proba`."""
        self.check_counted("probabilities")
        return shares_of_classes(self.value, smoothing)[leaves]

    def check_counted(self, need: str) -> None:
        """Raise ValueError if the nodes do not count examples, which something needs."""
        if not self.counts_rows:
            raise ValueError(
                f"{need} need counts of examples, which this tree does not have; the function "
                "smallest_equal_tree counts the examples given as X and y."
            )

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the index of the leaf of each row."""
        return self.leaf_index(self._features(X))

    def decision_path(self, X: ArrayLike) -> csr_matrix:
        """Return a sparse matrix with a 1 for each row and each node on its path."""
        return self.paths_to(self.apply(X))

    def paths_to(self, leaves: NDArray[np.int64]) -> csr_matrix:
        """Return a sparse matrix with a 1 for each leaf and each node on the path to it."""
        return paths_csr(self.children_left, self.children_right, leaves)

    def _features(self, X: ArrayLike) -> NDArray[np.float64]:
        return make_features(X, self.feature_names, self.named, self.complete_features, self.levels)

    def leaf_index(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the leaf of each row; X is float64 and already checked."""
        if len(self.surfaces) or self.level_sets:
            return route_by_nodes(self, X)
        return route(self, X)

    def explain(self, x: ArrayLike, **options: Any) -> Explanation:
        """Explain the prediction of one example; see `exactree.export.explain`.

        Parameters
        ----------
        x : array-like or data frame
            The values of the features of one example.
        **options
            As for `exactree.export.explain`: `to`, `costs`, `fixed` and `exact`.
        """
        from exactree.export import explain

        return explain(self, x, **options)

    # --- conversion ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain lists and numbers, ready for JSON; nothing is rounded."""
        return schema.to_dict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Tree:
        """Rebuild a tree of any kind from `to_dict`; anything unsound raises ModelError."""
        if isinstance(record, dict) and record.get("version") in regression_schema.VERSIONS:
            from exactree.trees.regression_tree import RegressionTree  # imports this file

            return RegressionTree(**regression_schema.from_dict(record))
        return cls(**schema.from_dict(record))

    def to_sklearn(
        self, X: ArrayLike | None = None
    ) -> DecisionTreeClassifier | DecisionTreeRegressor:
        """Return a fitted tree of scikit-learn; see `exactree.export.to_sklearn`."""
        from exactree.export import to_sklearn

        return to_sklearn(self, X)

    def __str__(self) -> str:
        """Return the tree as text."""
        from exactree.export import to_text

        return to_text(self)

    def __repr__(self) -> str:
        """Return the size, depth and number of classes in one line."""
        return f"<Tree: size {self.size}, depth {self.depth}, {self.n_classes} classes>"

    def _repr_html_(self) -> str:
        from exactree.export import to_html

        return to_html(self)

    def _repr_svg_(self) -> str:
        from exactree.export import to_svg

        return to_svg(self)

    # --- equality by content ---------------------------------------------------------------

    @cached_property
    def _content(self) -> tuple[Any, ...]:
        # Adding 0 turns -0.0 into 0.0, so that equal numbers make equal trees.
        arrays = tuple((getattr(self, name) + 0).tobytes() for name in schema.NUMBERS)
        arrays = (*arrays, tuple(self.comparison.tolist()), tuple(self.missing.tolist()))
        labels = tuple((type(label), label) for label in plain_labels(self.classes))
        levels = tuple(sorted(self.levels.items()))
        code_sets = tuple(self.level_set_at(node) for node in range(self.node_count))
        return (arrays, labels, self.feature_names, self.named, self.surfaces, levels, code_sets)

    def __eq__(self, other: object) -> bool:
        """Compare nodes, classes and names."""
        return self._content == other._content if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        """Return a hash of the content: equal trees have equal hashes."""
        return hash(self._content)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields only; unpickling checks and freezes them again."""
        return (Tree, tuple(getattr(self, field.name) for field in fields(self)))
