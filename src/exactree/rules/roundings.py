"""Weighted sums that realize given dichotomies of a table in the arithmetic of `predict`.

`predict` rounds every product of features, every weight times a product, and every sum. So
weights that are correct for real numbers may be wrong for examples next to their surface. Then
other weights are tried: multiples of these weights with other last digits, and weights with a wide
margin between the two children (`coordinates.py`). The multiples describe the same surface with
other rounding errors; if few examples are in doubt, some multiples send all examples to the correct
child by chance. On a grid of tenths, where three examples are on one line except for the roundings
of 0.1, a few dozen tries usually suffice.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.rules.coordinates import Coordinates
from exactree.rules.dichotomies import no_check
from exactree.rules.surface import weighted_sums

__all__ = ["Realized", "realize"]

# Rounds of tries: number of variants of each candidate, and maximum change of their last digits.
_ROUNDS = ((64, 0), (1024, 1), (4096, 3), (16384, 2))
# Limit on weights times products in all tries: some seconds. No round begins that would exceed it.
_MAX_PRODUCTS = 1_000_000_000
# Weights times products between two calls of `check`.
_PRODUCTS_PER_CHECK = 4_000_000
# If the sum of an example is farther from the middle of the gap than this share of the largest sum
# of absolute terms, all variants of the weights send it to the same child.
_MAX_ROUNDING = 2.0**-40


@dataclass(frozen=True)
class Realized:
    """Weighted sums for dichotomies of a table.

    Attributes
    ----------
    weights : ndarray of float64, shape (m, G)
        The weights of the products, for each dichotomy.
    last_left, first_right : ndarray of float64, shape (m,)
        The greatest sum on the left and the smallest sum on the right.
    """

    weights: NDArray[np.float64]
    last_left: NDArray[np.float64]
    first_right: NDArray[np.float64]

    @property
    def found(self) -> NDArray[np.bool_]:
        """Whether the weights of each dichotomy realize it."""
        return np.asarray(self.last_left < self.first_right)

    def put(self, dichotomy: int, weights: NDArray[np.float64], gap: tuple[float, float]) -> None:
        """Replace the weights of a dichotomy.

        Parameters
        ----------
        dichotomy : int
            The index of the dichotomy.
        weights : ndarray of float64, shape (G,)
            The weights.
        gap : tuple of float
            The greatest sum on the left and the smallest sum on the right.
        """
        self.weights[dichotomy] = weights
        self.last_left[dichotomy], self.first_right[dichotomy] = gap


def realize(
    P: NDArray[np.float64],
    weights: NDArray[np.float64],
    left: NDArray[np.bool_],
    check: Callable[[], object] = no_check,
) -> Realized:
    """Return weighted sums that realize given dichotomies of a table, where such sums are found.

    Parameters
    ----------
    P : ndarray of float64, shape (n, G)
        By different example, its products of features, as `predict` computes them.
    weights : ndarray of float64, shape (m, G)
        Weights that are correct up to roundings.
    left : ndarray of bool, shape (m, n)
        The examples that go left, for each dichotomy: some, and not all.
    check : callable
        Called every few milliseconds; it may raise to end the work.
    """
    batch = max(1, _PRODUCTS_PER_CHECK // max(P.size, 1))
    gaps_of_batches = []
    for start in range(0, max(len(left), 1), batch):
        check()
        rows = slice(start, start + batch)
        gaps_of_batches.append(gaps(P, weights[rows], left[rows]))
    last, first = (np.concatenate(ends) for ends in zip(*gaps_of_batches, strict=True))
    result = Realized(weights.copy(), last, first)
    unrealized = np.flatnonzero(~result.found).tolist()
    if not unrealized:
        return result
    usable = np.isfinite(P).all(axis=0)
    candidates = {
        dichotomy: [*_one_column(P, left[dichotomy]), result.weights[dichotomy] * usable]
        for dichotomy in _distinguished(P, left, unrealized)
    }
    rng = np.random.default_rng(0)
    cost = 0
    for number, (tries, digits) in enumerate(_ROUNDS):
        if number == 1 and candidates:
            coordinates = Coordinates.of(P)
            candidates = {
                dichotomy: [*old, coordinates.weights(left[dichotomy])]
                for dichotomy, old in candidates.items()
            }
        cost += sum(map(len, candidates.values())) * tries * P.size
        if cost > _MAX_PRODUCTS:
            break
        for dichotomy in list(candidates):
            check()
            for candidate in candidates[dichotomy]:
                variants = _variants(candidate, tries, digits, rng)
                if _put_first_correct(P, result, left[dichotomy], dichotomy, variants):
                    del candidates[dichotomy]
                    break
    return result


def gaps(
    P: NDArray[np.float64], weights: NDArray[np.float64], left: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the greatest sums on the left and the smallest sums on the right.

    If a sum is not finite, the greatest sum on the left is infinite, so that there is no gap.

    Parameters
    ----------
    P : ndarray of float64, shape (n, G)
        The products of features.
    weights : ndarray of float64, shape (m, G)
        The weights.
    left : ndarray of bool, shape (m, n) or (n,)
        Which examples go left.
    """
    value = weighted_sums(P.T, weights, len(P)).T
    last = np.where(left, value, -np.inf).max(axis=1)
    first = np.where(left, np.inf, value).min(axis=1)
    return np.where(np.isfinite(value).all(axis=1), last, np.inf), first


def _distinguished(
    P: NDArray[np.float64], left: NDArray[np.bool_], dichotomies: list[int]
) -> list[int]:
    """Return the dichotomies that send examples with equal products to the same child."""
    _, group_of = np.unique(P, axis=0, return_inverse=True)
    sizes = np.bincount(group_of.ravel())
    groups = [np.flatnonzero(group_of.ravel() == group) for group in np.flatnonzero(sizes > 1)]
    return [
        dichotomy
        for dichotomy in dichotomies
        if all(left[dichotomy, g].all() or not left[dichotomy, g].any() for g in groups)
    ]


def _one_column(P: NDArray[np.float64], left: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """Return weights of a single product (a threshold) that realize a dichotomy, if any do."""
    units = np.eye(P.shape[1])
    signed = np.concatenate([units, -units])
    last, first = gaps(P, signed, left)
    return list(signed[last < first][:1])


def _variants(
    weights: NDArray[np.float64], tries: int, digits: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the weights themselves, and multiples of them with other last digits."""
    factor = rng.uniform(1, 2, size=(tries, 1))
    last_digits = rng.integers(-digits, digits + 1, size=(tries, len(weights)))
    variants: NDArray[np.float64] = weights * factor * (1 + 2.0**-52 * last_digits)
    variants[0] = weights
    return variants


def _put_first_correct(
    P: NDArray[np.float64],
    result: Realized,
    left: NDArray[np.bool_],
    dichotomy: int,
    candidates: NDArray[np.float64],
) -> bool:
    """Keep the first weights that realize a dichotomy, and return whether there are any."""
    near = _near(P, candidates[0], left)
    last, first = gaps(P[near], candidates, left[near])
    # Weights that are correct for the examples near the surface are almost always correct for all.
    for index in np.flatnonzero(last < first)[:3].tolist():
        last, first = gaps(P, candidates[index : index + 1], left)
        if last[0] < first[0]:
            result.put(dichotomy, candidates[index], (last[0], first[0]))
            return True
    return False


def _near(
    P: NDArray[np.float64], weights: NDArray[np.float64], left: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the examples whose child may depend on rounding, and an example of each child."""
    used = weights != 0
    with np.errstate(over="ignore", invalid="ignore"):
        value = P[:, used] @ weights[used]
        last = np.where(left, value, -np.inf).argmax()
        first = np.where(left, np.inf, value).argmin()
        size = (np.abs(P[:, used]) @ np.abs(weights[used])).max()
        near = ~(np.abs(value - (value[last] + value[first]) / 2) > _MAX_ROUNDING * size)
    near[[last, first]] = True
    return np.asarray(near)
