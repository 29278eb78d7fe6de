"""Weighted sums that divide a table in given ways under the arithmetic of `predict`.

`predict` rounds: every product of features, every weight times a product, every sum. So weights
that are right for real numbers may be wrong for examples next to their surface. Then others are
tried: the same ones times other numbers, with other last digits, and others that set the two
sides far apart (`coordinates.py`). The first are the same surface to within rounding errors, and
have other rounding errors: with few examples in doubt some of them put all on their sides by
chance. On a grid of tenths, where three examples are on one line but for the roundings of 0.1, a
few dozen tries mostly do.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.rules.coordinates import Coordinates
from exactree.rules.dichotomies import unhurried
from exactree.rules.surface import weighted

__all__ = ["Divided", "divided"]

# How many weights are tried for each way to divide, and how many last digits of them change.
_TRIES = ((64, 0), (1024, 1), (4096, 3), (16384, 2))
# Weights times products in all tries together: some seconds. No round begins that goes beyond.
_MOST = 1_000_000_000
# Weights times products between two looks at the clock.
_TOGETHER = 4_000_000
# In sums of about 1, what is farther from the middle of a gap keeps its side in all tries.
_NEAR = 2.0**-40


@dataclass(frozen=True)
class Divided:
    """Weighted sums for ways to divide a table.

    Attributes
    ----------
    weights : ndarray of float64, shape (m, G)
        The weights of the products, for each way.
    last_left, first_right : ndarray of float64, shape (m,)
        The greatest sum on the left and the least one on the right.
    """

    weights: NDArray[np.float64]
    last_left: NDArray[np.float64]
    first_right: NDArray[np.float64]

    @property
    def found(self) -> NDArray[np.bool_]:
        """Tell for each way whether its weights divide so."""
        return np.asarray(self.last_left < self.first_right)

    def put(self, way: int, weights: NDArray[np.float64], gap: tuple[float, float]) -> None:
        """Put other weights for a way.

        Parameters
        ----------
        way : int
            The way.
        weights : ndarray of float64, shape (G,)
            The weights.
        gap : tuple of float
            The greatest sum on the left and the least one on the right.
        """
        self.weights[way] = weights
        self.last_left[way], self.first_right[way] = gap


def divided(
    P: NDArray[np.float64],
    weights: NDArray[np.float64],
    left: NDArray[np.bool_],
    check: Callable[[], object] = unhurried,
) -> Divided:
    """Return weighted sums that divide a table in given ways, as far as they are found.

    Parameters
    ----------
    P : ndarray of float64, shape (n, G)
        The products of features of different examples, as `predict` has them.
    weights : ndarray of float64, shape (m, G)
        Weights that are right but for roundings.
    left : ndarray of bool, shape (m, n)
        Which examples go left, for each way: some, and not all.
    check : callable
        Called every few milliseconds; what it raises ends the work.
    """
    together = max(1, _TOGETHER // max(P.size, 1))
    sums = []
    for start in range(0, max(len(left), 1), together):
        check()
        some = slice(start, start + together)
        sums.append(gaps(P, weights[some], left[some]))
    last, first = (np.concatenate(side) for side in zip(*sums, strict=True))
    result = Divided(weights.copy(), last, first)
    lost = np.flatnonzero(~result.found).tolist()
    if not lost:
        return result
    usable = np.isfinite(P).all(axis=0)
    tried = {
        way: [*_one_column(P, left[way]), result.weights[way] * usable]
        for way in _distinguished(P, left, lost)
    }
    rng = np.random.default_rng(0)
    cost = 0
    for number, (tries, digits) in enumerate(_TRIES):
        if number == 1 and tried:
            coordinates = Coordinates.of(P)
            tried = {way: [*old, coordinates.weights(left[way])] for way, old in tried.items()}
        cost += sum(map(len, tried.values())) * tries * P.size
        if cost > _MOST:
            break
        for way in list(tried):
            check()
            others = (_others(weights, tries, digits, rng) for weights in tried[way])
            if any(_put_first_good(P, result, left[way], way, weights) for weights in others):
                del tried[way]
    return result


def gaps(
    P: NDArray[np.float64], weights: NDArray[np.float64], left: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the greatest sums on the left and the least ones on the right.

    Where a sum is no finite number the first is infinite, so that there is no gap.

    Parameters
    ----------
    P : ndarray of float64, shape (n, G)
        The products of features.
    weights : ndarray of float64, shape (m, G)
        The weights.
    left : ndarray of bool, shape (m, n) or (n,)
        Which examples go left.
    """
    value = weighted(P.T, weights, len(P)).T
    last = np.where(left, value, -np.inf).max(axis=1)
    first = np.where(left, np.inf, value).min(axis=1)
    return np.where(np.isfinite(value).all(axis=1), last, np.inf), first


def _distinguished(P: NDArray[np.float64], left: NDArray[np.bool_], ways: list[int]) -> list[int]:
    """Return the ways that put all examples whose products are the same on one side."""
    _, same = np.unique(P, axis=0, return_inverse=True)
    sizes = np.bincount(same.ravel())
    groups = [np.flatnonzero(same.ravel() == group) for group in np.flatnonzero(sizes > 1)]
    return [
        way for way in ways if all(left[way, g].all() or not left[way, g].any() for g in groups)
    ]


def _one_column(P: NDArray[np.float64], left: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """Return the weights with which one product alone divides so: what a threshold can do."""
    units = np.eye(P.shape[1])
    signed = np.concatenate([units, -units])
    last, first = gaps(P, signed, left)
    return list(signed[last < first][:1])


def _others(
    weights: NDArray[np.float64], tries: int, digits: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return weights, and such that differ by a common factor and by last digits."""
    factor = rng.uniform(1, 2, size=(tries, 1))
    last_digits = rng.integers(-digits, digits + 1, size=(tries, len(weights)))
    others: NDArray[np.float64] = weights * factor * (1 + 2.0**-52 * last_digits)
    others[0] = weights
    return others


def _put_first_good(
    P: NDArray[np.float64],
    result: Divided,
    left: NDArray[np.bool_],
    way: int,
    tried: NDArray[np.float64],
) -> bool:
    """Return whether some weights divide as a way, and put the first that do."""
    near = _near(P, tried[0], left)
    last, first = gaps(P[near], tried, left[near])
    for good in np.flatnonzero(last < first)[:3].tolist():
        last, first = gaps(P, tried[good : good + 1], left)
        if last[0] < first[0]:
            result.put(way, tried[good], (last[0], first[0]))
            return True
    return False


def _near(
    P: NDArray[np.float64], weights: NDArray[np.float64], left: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the examples whose side rounding errors decide, and one of either side at least."""
    used = weights != 0
    with np.errstate(over="ignore", invalid="ignore"):
        value = P[:, used] @ weights[used]
        last = np.where(left, value, -np.inf).argmax()
        first = np.where(left, np.inf, value).argmin()
        size = (np.abs(P[:, used]) @ np.abs(weights[used])).max()
        near = ~(np.abs(value - (value[last] + value[first]) / 2) > _NEAR * size)
    near[[last, first]] = True
    return np.asarray(near)
