"""Objectives whose leaf costs depend only on the total weight of each class in the leaf."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.errors import weight_by_class
from exactree.objectives.objective import Additive, Law

__all__ = ["ClassCosts", "ErrorCosts"]


@dataclass(frozen=True)
class ClassCosts(Additive):
    """Sum over leaves of a cost that depends on the total weight of each class in the leaf.

    Attributes
    ----------
    exact : bool
        Whether costs are reported as exact fractions, else as the nearest float.
    """

    exact: ClassVar[bool] = True

    @abstractmethod
    def of_weights(self, weights: Sequence[int]) -> Fraction:
        """Return the cost of a leaf, without its price, from the integer weights of its classes."""

    def predicted_class(self, weights: Sequence[int]) -> int:
        """Return the class a leaf predicts: the heaviest class, ties to the earlier class."""
        return max(range(len(weights)), key=lambda label: (weights[label], -label))

    def leaf(self, dataset: Dataset, subset: NDArray[np.int64]) -> int | Fraction:
        """Return the cost of a leaf for the subset, including its price."""
        return self.of_weights(weight_by_class(dataset, subset)) + self.leaf_price

    def predicted(self, dataset: Dataset, subset: NDArray[np.int64]) -> int:
        """Return the class that a leaf of the subset predicts."""
        return self.predicted_class(weight_by_class(dataset, subset))


@dataclass(frozen=True)
class ErrorCosts(ClassCosts):
    """Costs by true and predicted class, a cost matrix; a leaf makes the cheapest prediction.

    Costs are non-negative, so adding an example makes no prediction cheaper, and the minimum over
    predictions satisfies `Law.NEVER_CHEAPER`.

    Attributes
    ----------
    costs : tuple of tuple of Fraction
        The non-negative cost of a unit of weight, by true and by predicted class.
    """

    declared: ClassVar[frozenset[Law]] = frozenset(Law)

    costs: tuple[tuple[Fraction, ...], ...] = ()

    def of_weights(self, weights: Sequence[int]) -> Fraction:
        """Return the cost of the cheapest prediction."""
        return min(self.by_prediction(weights))

    def predicted_class(self, weights: Sequence[int]) -> int:
        """Return the cheapest prediction, ties to the earlier class."""
        by_prediction = self.by_prediction(weights)
        return by_prediction.index(min(by_prediction))

    def by_prediction(self, weights: Sequence[int]) -> list[Fraction]:
        """Return the cost of predicting each class."""
        return [
            sum((w * row[label] for w, row in zip(weights, self.costs, strict=True)), Fraction(0))
            for label in range(len(self.costs))
        ]

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return the weight of the row times the greatest cost of its class."""
        return self.value(int(dataset.weights[row]) * max(self.costs[dataset.labels[row]]))
