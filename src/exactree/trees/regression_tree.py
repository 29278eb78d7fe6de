"""The fitted tree of a regression: what a tree is, with a number at every leaf."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from exactree.errors import ModelError
from exactree.trees import regression_schema
from exactree.trees.arrays import divided
from exactree.trees.checks import check_counts, refuse_unsound
from exactree.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from numpy.typing import ArrayLike, NDArray

    from exactree.data.dataset import Dataset
    from exactree.trees.arrays import ArrayNode

    # Errors of a subset in units of the integer weights, and what a leaf of it predicts; both
    # exact.
    Measure = Callable[[NDArray[np.int64]], tuple[Fraction, Fraction]]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RegressionTree(Tree):
    """A decision regression tree; all else is as in `Tree`.

    Attributes
    ----------
    value : ndarray of float64, shape (node_count, 1)
        The number that a leaf in the node's place predicts: the weighted mean of its examples where
        the squared error is minimized, their lower weighted median for the absolute error.
    errors : ndarray of float64
        The error of a leaf in the node's place, in the user's unit: the weighted sum of squared
        distances from the mean, or that of the distances from the median.
    error_term : str
        Which errors these are: "squared_error" or "absolute_error".
    weight : ndarray of float64
        The weight of the examples that reach the node, in the user's unit.
    classes : ndarray of float64
        The distinct numbers in `value`, sorted.
    prediction : ndarray of int64
        The place of each node's number in `classes`.
    """

    prediction: NDArray[np.int64] = field(init=False)
    classes: NDArray[Any] = field(init=False)
    error_term: str
    weight: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Copy the arrays, check that they are one sound tree, and freeze them."""
        self._freeze("weight", np.float64)
        numbers = np.asarray(self.value, dtype=np.float64) + 0.0  # one zero
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
        """Refuse: there are no classes whose shares could be told."""
        raise AttributeError("a tree of a regression predicts numbers, no shares of classes")

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain lists and numbers, ready for JSON; nothing is rounded."""
        return regression_schema.to_dict(self)

    def __repr__(self) -> str:
        """Return the tree's measures in one line."""
        return f"<RegressionTree: size {self.size}, depth {self.depth}, {self.error_term}>"

    @cached_property
    def _content(self) -> tuple[Any, ...]:
        arrays = (self.weight.tobytes(), self.value.tobytes())
        return (*super()._content, self.error_term, *arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the tree is made of; unpickling checks and freezes it again."""
        stated = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        return (partial(RegressionTree, **stated), ())


def grow_regression(
    dataset: Dataset, nodes: Sequence[ArrayNode], error_term: str, measure: Measure
) -> RegressionTree:
    """Build the tree of a regression that a solver describes by the nodes of its answer.

    Parameters
    ----------
    dataset : Dataset
        The examples the answer was found for.
    nodes : sequence of (feature, low, high, left, right)
        As in `exactree.trees.grow`.
    error_term : str
        "squared_error" or "absolute_error".
    measure : callable
        Returns the exact errors of a subset, in integer weights, and what a leaf of it predicts.

    Returns
    -------
    RegressionTree
        Every number counted exactly, then rounded once.

    Raises
    ------
    InternalError
        If an answer does not fit the examples.
    """
    stated, subsets = divided(dataset, nodes)
    measured = [measure(subset) for subset in subsets]
    scale = dataset.weight_scale
    return RegressionTree(
        **stated,
        value=np.array([[float(predicted)] for _, predicted in measured]),
        errors=np.array([float(errors / scale) for errors, _ in measured]),
        weight=np.array([int(dataset.weights[subset].sum()) / scale for subset in subsets]),
        error_term=error_term,
    )
