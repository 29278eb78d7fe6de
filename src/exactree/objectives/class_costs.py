"""What costs of classes have in common: a leaf's cost is that of the weights of its classes."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.additive import Additive
from exactree.objectives.errors import class_weights

__all__ = ["ClassCosts"]


@dataclass(frozen=True)
class ClassCosts(Additive):
    """Costs added up over leaves, each told by the weights of the classes in the leaf.

    Attributes
    ----------
    exact : bool
        Whether costs are told as exact fractions, else as the nearest float.
    """

    exact: ClassVar[bool] = True

    @abstractmethod
    def of_weights(self, weights: Sequence[int]) -> Fraction:
        """Return what a leaf costs, without its price, from the integer weights of its classes."""

    def predicted_class(self, weights: Sequence[int]) -> int:
        """Return the class a leaf predicts: the heaviest one, ties to the earlier class."""
        return max(range(len(weights)), key=lambda label: (weights[label], -label))

    def leaf(self, dataset: Dataset, part: NDArray[np.int64]) -> int | Fraction:
        """Return what the classes of the part cost in one leaf, and the price of the leaf."""
        return self.of_weights(class_weights(dataset, part)) + self.leaf_price

    def predicted(self, dataset: Dataset, part: NDArray[np.int64]) -> int:
        """Return the class that a leaf of the part predicts."""
        return self.predicted_class(class_weights(dataset, part))
