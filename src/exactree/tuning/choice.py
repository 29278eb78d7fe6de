"""Which setting is best: the greatest mean of the scores of the folds, ties to the smaller tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Outcome
from exactree.problem.quantities import as_tuple
from exactree.tuning.front import leaves_of, measured

__all__ = ["Choice", "choose", "settings_along"]

# Means of the same numbers in another order differ by roundings.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Choice:
    """What was tried and what is best.

    Attributes
    ----------
    index : int
        The best setting.
    results : dict of str to array
        "params", and of each setting "split0_test_score" and so on, "mean_test_score",
        "std_test_score", "rank_test_score", as scikit-learn has them.
    """

    index: int
    results: dict[str, Any]


def settings_along(front: Sequence[Outcome], along: str, total_weight: Fraction) -> list[Any]:
    """List the settings that give different trees of a front, from the smallest tree on.

    Of prices each is the geometric mean of the two between which its tree is best, as in CART's
    pruning by cost and complexity; the single leaf has the least price at which it is best.

    Parameters
    ----------
    front : sequence of Outcome
        Of all examples, as `front_along` returns it.
    along : {"size", "depth", "leaf_penalty"}
        What is tuned.
    total_weight : Fraction
        Of the table of the front.
    """
    if along != "leaf_penalty":
        return [measured(outcome, along) for outcome in front]
    hull = _hull([(leaves_of(one), Fraction(as_tuple(one.cost or 0)[0])) for one in front])
    turns = [(more[1] - fewer[1]) / (fewer[0] - more[0]) for fewer, more in pairwise(hull)]
    if not turns:  # a single leaf is best at every price
        return [Fraction(0)]
    prices = [turn / total_weight for turn in turns]
    pairs = zip(prices, [*prices[1:], Fraction(0)], strict=True)
    return [prices[0], *(Fraction(sqrt(dear * cheap)) for dear, cheap in pairs)]


def _hull(corners: list[tuple[int, Fraction]]) -> list[tuple[int, Fraction]]:
    """Return the trees that are best at some price, by number of leaves: the lower convex hull."""
    hull: list[tuple[int, Fraction]] = []
    for leaves, errors in corners:
        while len(hull) > 1:
            (a, x), (b, y) = hull[-2:]
            if (y - x) * (leaves - b) < (errors - y) * (b - a):
                break
            hull.pop()
        hull.append((leaves, errors))
    return hull


def choose(parameter: str, settings: Sequence[Any], held_out: NDArray[np.float64]) -> Choice:
    """Return the best of some settings.

    Parameters
    ----------
    parameter : str
        Its name.
    settings : sequence
        From the smallest tree on.
    held_out : ndarray of shape (n_settings, n_folds)
        The scores of held-out examples; greater is better.
    """
    means = held_out.mean(axis=1)
    if np.isnan(means).all():
        raise ValueError(
            "cv: no setting has a mean score, as some fold has too few examples for one; give "
            "fewer folds or another scoring."
        )
    greatest = float(np.nanmax(means))
    best = np.flatnonzero(means >= greatest - _ROUNDING * max(1.0, abs(greatest)))
    ranks = 1 + (means[:, None] < means[None, :] - _ROUNDING).sum(axis=1)
    shown = [float(value) if isinstance(value, Fraction) else value for value in settings]
    results: dict[str, Any] = {
        f"param_{parameter}": np.array(shown),
        "params": [{parameter: value} for value in shown],
    }
    results |= {f"split{fold}_test_score": column for fold, column in enumerate(held_out.T)}
    results |= {
        "mean_test_score": means,
        "std_test_score": held_out.std(axis=1),
        "rank_test_score": ranks.astype(np.int32),
    }
    return Choice(int(best[0]), results)
