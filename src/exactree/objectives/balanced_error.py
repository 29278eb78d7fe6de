"""The objective "balanced_error": 1 - balanced accuracy, plus a price per leaf."""

from collections.abc import Sequence
from fractions import Fraction

from exactree.objectives.class_costs import ErrorCosts

__all__ = ["BalancedError", "balanced_costs"]


class BalancedError(ErrorCosts):
    """The mean, over the classes, of the share of their weight that is misclassified.

    For k classes, misclassifying all examples of one class costs 1/k; misclassifying some of them
    costs that in proportion to their weight. A leaf predicts the class for which it holds the
    greatest share of the total weight.
    """


def balanced_costs(totals: Sequence[int], weight_scale: int) -> tuple[tuple[Fraction, ...], ...]:
    """Return the cost matrix of the balanced error.

    Parameters
    ----------
    totals : sequence of int
        The integer weight of each class in the whole table.
    weight_scale : int
        Integer weight of an example whose weight is 1.

    Returns
    -------
    tuple of tuple of Fraction
        Costs by true and predicted class, in units of 1 / `weight_scale`.
    """
    classes = range(len(totals))
    by_class = [Fraction(weight_scale, len(totals) * total) for total in totals]
    return tuple(
        tuple(by_class[true] if true != predicted else Fraction(0) for predicted in classes)
        for true in classes
    )
