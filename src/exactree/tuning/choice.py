"""Choice of the setting with the maximum mean score of the folds; ties go to the smaller tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Outcome
from exactree.problem.quantities import as_tuple
from exactree.tuning.front import leaves_of, size_or_depth

__all__ = ["Choice", "choose", "settings_along"]

# Means of the same numbers in another order differ by rounding errors.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Choice:
    """The best setting, and the scores of all settings.

    Attributes
    ----------
    index : int
        Index of the best setting.
    results : dict of str to array
        As ``cv_results_`` of scikit-learn: "params", "split0_test_score" and so on,
        "mean_test_score", "std_test_score" and "rank_test_score".
    """

    index: int
    results: dict[str, Any]


def settings_along(front: Sequence[Outcome], along: str, penalty_unit: Fraction) -> list[Any]:
    """List the settings that give different trees of a front, by increasing tree size.

    As in CART's cost-complexity pruning, the leaf penalty for a tree is the geometric mean of the
    two penalties between which the tree is best; for the single leaf it is the minimum penalty at
    which the leaf is best.

    Parameters
    ----------
    front : sequence of Outcome
        The front of all examples, from `front_along`.
    along : {"size", "depth", "leaf_penalty"}
        The tuned quantity.
    penalty_unit : Fraction
        The cost of a leaf if the leaf penalty is 1: the total weight of the table, or 1 for rates
        and the balanced error.
    """
    if along != "leaf_penalty":
        return [size_or_depth(outcome, along) for outcome in front]
    points = [(leaves_of(outcome), Fraction(as_tuple(outcome.cost or 0)[0])) for outcome in front]
    # The prices of a leaf at which two neighbouring trees of the hull cost the same.
    equal_prices = [
        (errors_small - errors_large) / (leaves_large - leaves_small)
        for (leaves_small, errors_small), (leaves_large, errors_large) in pairwise(_hull(points))
    ]
    if not equal_prices:  # the single leaf is best at every price
        return [Fraction(0)]
    penalties = [price / penalty_unit for price in equal_prices]
    pairs = zip(penalties, [*penalties[1:], Fraction(0)], strict=True)
    return [_rounded_up(penalties[0]), *(Fraction(sqrt(high * low)) for high, low in pairs)]


def _rounded_up(penalty: Fraction) -> Fraction:
    """Return a penalty that survives `float`, at least the given one, and at most one float above.

    `leaf_penalty` is read by the shortest decimal of a float. At a smaller penalty than the minimum
    at which the single leaf is best, another tree would be better.
    """
    nearest = float(penalty)
    if Fraction(str(nearest)) < penalty:
        nearest = nextafter(nearest, inf)
    return Fraction(str(nearest))


def _hull(points: list[tuple[int, Fraction]]) -> list[tuple[int, Fraction]]:
    """Return the corners of the lower convex hull: the trees that are best at some price."""
    hull: list[tuple[int, Fraction]] = []
    for leaves, errors in points:
        while len(hull) > 1:
            (leaves_0, errors_0), (leaves_1, errors_1) = hull[-2:]
            change_before, change_after = errors_1 - errors_0, errors - errors_1
            if change_before * (leaves - leaves_1) < change_after * (leaves_1 - leaves_0):
                break  # the slope increases at the last point, so it is a corner of the hull
            hull.pop()
        hull.append((leaves, errors))
    return hull


def choose(parameter: str, settings: Sequence[Any], scores: NDArray[np.float64]) -> Choice:
    """Return the setting with the maximum mean score.

    Parameters
    ----------
    parameter : str
        Name of the tuned parameter.
    settings : sequence
        The settings, by increasing tree size.
    scores : ndarray of shape (n_settings, n_folds)
        The scores on held-out examples; greater is better.

    Raises
    ------
    ValueError
        If no setting has a mean score.
    """
    means = scores.mean(axis=1)
    if np.isnan(means).all():
        raise ValueError(
            "cv: no setting has a mean score, because some fold has too few examples for a "
            "score; use fewer folds or another scoring."
        )
    greatest = float(np.nanmax(means))
    best = np.flatnonzero(means >= greatest - _ROUNDING * max(1.0, abs(greatest)))
    ranks = 1 + (means[:, None] < means[None, :] - _ROUNDING).sum(axis=1)
    values = [float(value) if isinstance(value, Fraction) else value for value in settings]
    results: dict[str, Any] = {
        f"param_{parameter}": np.array(values),
        "params": [{parameter: value} for value in values],
    }
    results |= {f"split{fold}_test_score": column for fold, column in enumerate(scores.T)}
    results |= {
        "mean_test_score": means,
        "std_test_score": scores.std(axis=1),
        "rank_test_score": ranks.astype(np.int32),
    }
    return Choice(int(best[0]), results)
