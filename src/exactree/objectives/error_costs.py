"""The objective "errors" with a cost matrix: each confusion of two classes has its own cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactree.data.dataset import Dataset
from exactree.objectives.class_costs import ClassCosts
from exactree.objectives.objective import Law

__all__ = ["ErrorCosts"]


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
