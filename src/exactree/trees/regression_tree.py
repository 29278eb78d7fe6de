"""The fitted regression tree: a tree with a number at every leaf."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from exactree.errors import ModelError
from exactree.trees import regression_schema
from exactree.trees.arrays import fields_and_subsets
from exactree.trees.checks import check_counts, refuse_unsound
from exactree.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from exactree.data.dataset import Dataset
    from exactree.trees.arrays import ArrayNode

    # Exact errors of a subset, in units of the integer weights, and exact prediction of its leaf.
    Measure = Callable[[NDArray[np.int64]], tuple[Fraction, Fraction]]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RegressionTree(Tree):
    """A regression tree; attributes that are not listed here are those of `Tree`.

    Attributes
    ----------
    value : ndarray of float64, shape (node_count, 1)
        The number that the node would predict as a leaf: the weighted mean of its examples for the
        squared error, their lower weighted median for the absolute error.
    errors : ndarray of float64
        The error of the node as a leaf, in the user's unit: the weighted sum of the squared
        distances from the mean, or of the distances from the median.
    error_term : str
        The measure of `errors`: "squared_error" or "absolute_error".
    weight : ndarray of float64
        The weight of the examples that reach the node, in the user's unit.
    classes : ndarray of float64
        The distinct numbers in `value`, sorted.
    prediction : ndarray of int64
        The index of each node's number in `classes`.
    """

    prediction: NDArray[np.int64] = field(init=False)
    classes: NDArray[Any] = field(init=False)
    error_term: str
    weight: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Copy the arrays, check that they are one sound tree, and freeze them."""
        self._freeze("weight", np.float64)
        numbers = np.asarray(self.value, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
        if numbers.ndim != 2 or numbers.shape[1] != 1:
            raise ModelError(f"'value' of the tree has the shape {numbers.shape}, not (nodes, 1)")
        classes, prediction = np.unique(numbers, return_inverse=True)
        for name, array in (("value", numbers), ("classes", classes)):
            object.__setattr__(self, name, array)
        object.__setattr__(self, "prediction", prediction.reshape(-1))
        super().__post_init__()

    def _check_contents(self) -> None:
        regression_schema.check_error_term(self.error_term)
        weight = self.weight
        if weight.shape != (self.node_count,):
            raise ModelError(
                f"'weight' of the tree has the shape {weight.shape}, expected is one number for "
                f"each of {self.node_count} nodes"
            )
        refuse_unsound(
            (
                (~np.isfinite(self.value[:, 0]), "a value that is not finite"),
                (~np.isfinite(weight) | (weight <= 0), "a weight that is not positive and finite"),
            )
        )
        check_counts(self)

    @cached_property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """Weight of the examples that reach each node, in the user's unit."""
        return self.weight

    def predict_proba(self, X: ArrayLike, smoothing: float | str | None = None) -> NoReturn:
        """Raise AttributeError, because a regression tree has no classes."""
        raise AttributeError("a regression tree predicts numbers, not shares of classes")

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain lists and numbers, ready for JSON; nothing is rounded."""
        return regression_schema.to_dict(self)

    def __repr__(self) -> str:
        """Return the size, depth and error term in one line."""
        return f"<RegressionTree: size {self.size}, depth {self.depth}, {self.error_term}>"

    @cached_property
    def _content(self) -> tuple[Any, ...]:
        arrays = (self.weight.tobytes(), self.value.tobytes())
        return (*super()._content, self.error_term, *arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arguments of the constructor; unpickling checks and freezes them again."""
        arguments = {field.name: getattr(self, field.name) for field in fields(self) if field.init}
        return (partial(RegressionTree, **arguments), ())


def grow_regression(
    dataset: Dataset, nodes: Sequence[ArrayNode], error_term: str, measure: Measure
) -> RegressionTree:
    """Build a regression tree from the nodes that a solver returns.

    Parameters
    ----------
    dataset : Dataset
        The examples that were searched.
    nodes : sequence of (feature, low, high, left, right)
        As in `exactree.trees.grow`.
    error_term : str
        "squared_error" or "absolute_error".
    measure : callable
        Returns the exact errors of a subset, in integer weights, and the prediction of its leaf.

    Returns
    -------
    RegressionTree
        Every number counted exactly, then rounded once.

    Raises
    ------
    InternalError
        If the nodes do not fit the examples.
    """
    common, subsets = fields_and_subsets(dataset, nodes)
    measured = [measure(subset) for subset in subsets]
    scale = dataset.weight_scale
    return RegressionTree(
        **common,
        value=np.array([[float(predicted)] for _, predicted in measured]),
        # The quotient of two integers is rounded once.
        errors=np.array([e.numerator / (e.denominator * scale) for e, _ in measured]),
        weight=np.array([int(dataset.weights[subset].sum()) / scale for subset in subsets]),
        error_term=error_term,
    )
