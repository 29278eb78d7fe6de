"""What costs of classes have in common: a leaf's cost is that of the weights of its classes."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.errors import class_weights
from exactree.objectives.objective import Additive, Law

__all__ = ["ClassCosts", "ErrorCosts"]


@dataclass(frozen=True)
class ClassCosts(Additive):
    """Costs added up over leaves, each told by the weights of the classes in the leaf.

    Attributes
    ----------
    exact : bool
        Whether costs are reported as exact fractions, else as the nearest float.
    """

    exact: ClassVar[bool] = True

    @abstractmethod
    def of_weights(self, weights: Sequence[int]) -> Fraction:
        """Return what a leaf costs, without its price, from the integer weights of its classes."""

    def predicted_class(self, weights: Sequence[int]) -> int:
        """Return the class a leaf predicts: the heaviest one, ties to the earlier class."""
        return max(range(len(weights)), key=lambda label: (weights[label], -label))

    def leaf(self, dataset: Dataset, subset: NDArray[np.int64]) -> int | Fraction:
        """Return what the classes of the subset cost in one leaf, and the price of the leaf."""
        return self.of_weights(class_weights(dataset, subset)) + self.leaf_price

    def predicted(self, dataset: Dataset, subset: NDArray[np.int64]) -> int:
        """Return the class that a leaf of the subset predicts."""
        return self.predicted_class(class_weights(dataset, subset))


@dataclass(frozen=True)
class ErrorCosts(ClassCosts):
    """Weights of classes times what it costs to predict another; a leaf predicts the cheapest.

    Attributes
    ----------
    costs : tuple of tuple of Fraction
        By true and by predicted class, what a unit of weight costs; none is negative.
    """

    declared: ClassVar[frozenset[Law]] = frozenset(Law)

    costs: tuple[tuple[Fraction, ...], ...] = ()

    def of_weights(self, weights: Sequence[int]) -> Fraction:
        """Return the cost of the prediction that costs least."""
        return min(self.by_prediction(weights))

    def predicted_class(self, weights: Sequence[int]) -> int:
        """Return the prediction that costs least, ties to the earlier class."""
        by_prediction = self.by_prediction(weights)
        return by_prediction.index(min(by_prediction))

    def by_prediction(self, weights: Sequence[int]) -> list[Fraction]:
        """Return for each class what it costs to predict it."""
        return [
            sum((w * row[label] for w, row in zip(weights, self.costs, strict=True)), Fraction(0))
            for label in range(len(self.costs))
        ]

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return the weight of the row times the greatest cost of its class."""
        return self.value(int(dataset.weights[row]) * max(self.costs[dataset.labels[row]]))
