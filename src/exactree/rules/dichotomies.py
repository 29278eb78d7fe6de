"""All dichotomies of examples by hyperplanes, for examples in any position, each with a rule.

The idea. Take a hyperplane that separates the examples A from the examples B. Move it, without
passing an example, until it contains examples of both that span it. This is possible because the
separating hyperplanes form a pointed cone, and those on its edges touch both A and B. (With a
single feature the hyperplane cannot turn, and one example spans it.) Then A consists of the
examples on one side of the moved hyperplane and of some examples on it, and the examples on it are
divided between A and B by a flat of one dimension less. So all dichotomies arise from the
hyperplanes that examples span, each combined with every dichotomy of the examples that it contains,
which are found recursively. The rule of a dichotomy is the moved hyperplane, tilted by the rule of
the inner dichotomy, by half of the tilt that would pass an example.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from exactree.rules.sides import ScaledExamples, Sides, sides

# Number of hyperplanes of a batch; larger batches do not fit into the processor's caches.
_BATCH = 256


@lru_cache(maxsize=4096)
def linear_dichotomies(n_examples: int, n_terms: int) -> int:
    """Return the maximum number of dichotomies of examples by hyperplanes (Cover, 1965).

    It counts unordered pairs of sides, including the trivial pair: the sum of C(m - 1, i) for i = 0
    ... G. In the space of weights, an example is the hyperplane of all weights whose surface
    contains it. A further example adds at most as many cells to the arrangement of the m
    hyperplanes as the others cut out of its own hyperplane, for any position of the examples
    (Zaslavsky). So this is a bound for all tables.

    Parameters
    ----------
    n_examples : int
        The number m of examples, at least 1.
    n_terms : int
        The number G of terms of the weighted sum.
    """
    total = term = 1
    for i in range(min(n_terms, n_examples - 1)):
        term = term * (n_examples - 1 - i) // (i + 1)
        total += term
    return total


@dataclass(frozen=True)
class Dichotomies:
    """Dichotomies of n examples of d features.

    Attributes
    ----------
    left : ndarray of bool, shape (m, n)
        Which examples go left.
    weights : ndarray of float64, shape (m, d)
        With the weights of a row, the weighted sum of features is smaller for all examples that go
        left than for all others, up to rounding. Features are those of `ScaledExamples.rounded`.
    """

    left: NDArray[np.bool_]
    weights: NDArray[np.float64]

    def non_trivial(self) -> "Dichotomies":
        """Return the dichotomies with examples on both sides."""
        divides = self.left.any(axis=1) & ~self.left.all(axis=1)
        return Dichotomies(self.left[divides], self.weights[divides])

    def mirrored(self) -> "Dichotomies":
        """Return the dichotomies and their opposites."""
        return Dichotomies(
            np.concatenate([self.left, ~self.left]),
            np.concatenate([self.weights, -self.weights]),
        )


def no_check() -> None:
    """Do nothing: the check of callers without a time limit."""


def dichotomies(examples: ScaledExamples, check: Callable[[], object] = no_check) -> Dichotomies:
    """Return all dichotomies of different examples in which the first example goes left.

    The trivial dichotomy, with all examples left, is included. Each dichotomy has the rule with the
    widest margin of all rules that were found for it.

    Parameters
    ----------
    examples : ScaledExamples
        At least one.
    check : callable
        Called every few milliseconds; it may raise to end the listing.
    """
    features = examples.spanning_features()
    flat = examples.take(range(len(examples)), features)
    batches, margins_of = [], []
    for batch in _all_divisions(flat, check):
        check()
        batches.append(_first_left(batch))
        margins_of.append(margin(flat.rounded, batches[-1]))
    left = np.concatenate([batch.left for batch in batches])
    inner = np.concatenate([batch.weights for batch in batches])
    margins = np.concatenate(margins_of)
    by_margin = np.argsort(-margins, kind="stable")
    _, kept = np.unique(np.packbits(left[by_margin], axis=1), axis=0, return_index=True)
    kept = by_margin[np.sort(kept)]
    weights = np.zeros((len(kept), len(examples.powers)))
    weights[:, features] = inner[kept]
    return Dichotomies(left[kept], weights)


def margin(P: NDArray[np.float64], found: Dichotomies) -> NDArray[np.float64]:
    """Return the margin between the weighted sums of both sides, inf if one side is empty.

    Parameters
    ----------
    P : ndarray of float64, shape (n, d)
        The examples' features.
    found : Dichotomies
        The dichotomies with their weights.
    """
    value = found.weights @ P.T
    last_left = np.where(found.left, value, -np.inf).max(axis=1)
    first_right = np.where(found.left, np.inf, value).min(axis=1)
    length = np.sqrt((found.weights**2).sum(axis=1))
    gap: NDArray[np.float64] = (first_right - last_left) / np.where(length > 0, length, 1)
    return gap


def _first_left(found: Dichotomies) -> Dichotomies:
    """Return dichotomies, of which those that send the first example right are mirrored."""
    sign = np.where(found.left[:, :1], 1.0, -1.0)
    return Dichotomies(found.left ^ ~found.left[:, :1], found.weights * sign)


def _all_divisions(flat: ScaledExamples, check: Callable[[], object]) -> Iterator[Dichotomies]:
    """Yield the dichotomies of examples that span all their features, up to mirroring."""
    n, r = flat.rounded.shape
    yield Dichotomies(np.ones((1, n), dtype=np.bool_), np.zeros((1, r)))
    for planes, simple in hyperplanes(flat, _BATCH):
        if simple.any():
            yield of_simple_hyperplanes(flat, planes.side[simple], planes.normal[simple])
        for h in np.flatnonzero(~simple).tolist():
            yield of_crowded_hyperplane(flat, planes.side[h], planes.normal[h], check)


def hyperplanes(flat: ScaledExamples, batch: int) -> Iterator[tuple[Sides, NDArray[np.bool_]]]:
    """Yield all hyperplanes that examples span, in batches.

    Parameters
    ----------
    flat : ScaledExamples
        They span all their r features.
    batch : int
        Number of subsets of r examples that are processed together.

    Yields
    ------
    tuple of Sides and ndarray of bool
        Hyperplanes, and whether each is simple: contains exactly r examples. A hyperplane that
        contains more (a crowded hyperplane) is yielded once.
    """
    n, r = flat.rounded.shape
    subsets = combinations(range(n), r) if r else iter(())
    seen: set[bytes] = set()
    while chosen := list(islice(subsets, batch)):
        planes = sides(flat, np.array(chosen, dtype=np.int64))
        on = planes.side == 0
        simple = on.sum(axis=1) == r
        new = simple.copy()
        for h in np.flatnonzero(~simple).tolist():
            key = np.packbits(on[h]).tobytes()
            new[h] = key not in seen
            seen.add(key)
        kept = Sides(planes.side[new], planes.normal[new], planes.chosen[new])
        yield kept, simple[new]


def divisions_on_hyperplane(r: int) -> NDArray[np.float64]:
    """Return all divisions of r examples on a hyperplane between its two sides.

    Parameters
    ----------
    r : int
        At least 1. A single example goes to either side; of several examples some go to each side.

    Returns
    -------
    ndarray of float64, shape (m, r)
        -1 for the examples that go left, 1 for the others, in a row for each division.
    """
    patterns = np.array(np.meshgrid(*[[-1.0, 1.0]] * r)).reshape(r, -1).T
    return patterns[patterns.min(axis=1) < patterns.max(axis=1)] if r > 1 else patterns


def left_of_simple_hyperplanes(side: NDArray[np.int8], r: int) -> NDArray[np.bool_]:
    """Return the examples that go left in the dichotomies of simple hyperplanes.

    Parameters
    ----------
    side : ndarray of int8, shape (h, n)
        As in `Sides`.
    r : int
        The number of features.

    Returns
    -------
    ndarray of bool, shape (h, m, n)
        By hyperplane, then as in `divisions_on_hyperplane`.
    """
    on, patterns = _contained(side, r), divisions_on_hyperplane(r)
    left = np.repeat((side < 0)[:, None, :], len(patterns), axis=1)
    np.put_along_axis(left, on[:, None, :], patterns[None] < 0, axis=2)
    return left


def _contained(side: NDArray[np.int8], r: int) -> NDArray[np.int64]:
    on: NDArray[np.int64] = np.nonzero(side == 0)[1].reshape(len(side), r)
    return on


def of_simple_hyperplanes(
    flat: ScaledExamples, side: NDArray[np.int8], normal: NDArray[np.float64]
) -> Dichotomies:
    """Return the dichotomies of simple hyperplanes: their r examples are divided in all ways.

    Parameters
    ----------
    flat : ScaledExamples
        They span all their r features.
    side, normal : ndarray
        As in `Sides`.
    """
    (h, n), r = side.shape, normal.shape[1]
    on, patterns = _contained(side, r), divisions_on_hyperplane(r)
    # A tilt (w, t) has w x - t = 1 or -1 at each of the r examples; the shortest tilt is taken.
    equations = np.concatenate([flat.rounded[on], np.full((h, r, 1), -1.0)], axis=2)
    tilts = np.swapaxes(np.linalg.pinv(equations) @ patterns.T, 1, 2)
    weights = _tilted(flat, side, normal, tilts)
    return Dichotomies(left_of_simple_hyperplanes(side, r).reshape(-1, n), weights.reshape(-1, r))


def of_crowded_hyperplane(
    flat: ScaledExamples,
    side: NDArray[np.int8],
    normal: NDArray[np.float64],
    check: Callable[[], object] = no_check,
) -> Dichotomies:
    """Return the dichotomies of one hyperplane that contains more than r examples.

    Parameters
    ----------
    flat : ScaledExamples
        They span all their r features.
    side : ndarray of int8, shape (n,)
        The side of the hyperplane of each example.
    normal : ndarray of float64, shape (r,)
        Its direction.
    check : callable
        As in `dichotomies`.
    """
    on = np.flatnonzero(side == 0)
    contained = flat.take(on.tolist(), range(len(flat.powers)))
    inner = dichotomies(contained, check).non_trivial().mirrored()
    value = inner.weights @ flat.rounded[on].T
    last_left = np.where(inner.left, value, -np.inf).max(axis=1)
    first_right = np.where(inner.left, np.inf, value).min(axis=1)
    middle = (last_left + first_right) / 2
    tilts = np.concatenate([inner.weights, middle[:, None]], axis=1)
    left = np.repeat((side < 0)[None], len(tilts), axis=0)
    left[:, on] = inner.left
    return Dichotomies(left, _tilted(flat, side[None], normal[None], tilts[None])[0])


def _tilted(
    flat: ScaledExamples,
    side: NDArray[np.int8],
    normal: NDArray[np.float64],
    tilts: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return hyperplanes tilted by half of the tilt that would move them past an example."""
    P = flat.rounded
    on = side == 0
    origin = (on.astype(np.float64) @ P) / on.sum(axis=1)[:, None]
    distance = np.abs(normal @ P.T - (normal * origin).sum(axis=1)[:, None])
    change = np.abs(tilts[:, :, :-1] @ P.T - tilts[:, :, -1:])
    limiting = ~on[:, None, :] & (change > 0)
    # By hyperplane, tilt and example: the multiple of the tilt that reaches the example.
    limits = np.divide(
        distance[:, None, :], change, out=np.full(change.shape, np.inf), where=limiting
    )
    share = limits.min(axis=2) / 2
    # Without examples off the hyperplane nothing limits the tilt.
    share = np.where(np.isfinite(share), share, np.abs(normal).max(axis=1)[:, None])
    tilted: NDArray[np.float64] = normal[:, None] + share[:, :, None] * tilts[:, :, :-1]
    return tilted
