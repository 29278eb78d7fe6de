"""Different examples as points of the native search for one surface, and rules for its splits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.thresholds import middle_between
from exactree.engine.native import best_surface
from exactree.engine.native.one_surface import points_of
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import SurfacePointArrays
from exactree.rules import Hypersurfaces, SurfaceRule
from exactree.rules.dichotomies import (
    Dichotomies,
    of_crowded_hyperplane,
    of_simple_hyperplanes,
)
from exactree.rules.hulls import widest_margin_weights
from exactree.rules.hypersurfaces import embedded
from exactree.rules.roundings import realize
from exactree.rules.sides import ScaledExamples, sides
from exactree.rules.surface import products

__all__ = ["MAX_POINTS", "MAX_TERMS", "SurfacePoints", "best_split", "steps_of"]

# The native search takes fewer points than this, and at most as many terms.
MAX_POINTS, MAX_TERMS = 2**19, 8
# The number of examples of each child through which surfaces are tried for a rule.
_NEAR = 8


def steps_of(family: Hypersurfaces, n: int, n_features: int) -> int:
    """Return the number of steps of the search for one surface, an infinite one if it is refused.

    Parameters
    ----------
    family : Hypersurfaces
        The family.
    n : int
        The number of examples.
    n_features : int
        The number of features of the table.
    """
    terms = family.number_of_monomials(n_features)
    return n * comb(n, max(terms - 1, 0)) if terms <= MAX_TERMS else 2**200


@dataclass(frozen=True)
class SurfacePoints:
    """Different examples as points of the native search.

    Attributes
    ----------
    family : Hypersurfaces
        The family of surfaces.
    X : ndarray of float64, shape (n, d)
        The different examples.
    inverse : ndarray of int64
        For each row, its example.
    coordinates : ndarray of uint8, shape (n, r, bytes)
        The products of features that distinguish the examples, as integers.
    flat : ScaledExamples
        The same products.
    features : list of int
        The indices of these products among the monomials of the family.
    """

    family: Hypersurfaces
    X: NDArray[np.float64]
    inverse: NDArray[np.int64]
    coordinates: NDArray[np.uint8]
    flat: ScaledExamples
    features: list[int]

    @classmethod
    def of(cls, family: Hypersurfaces, X: NDArray[np.float64]) -> "SurfacePoints":
        """Return the points of a table.

        Parameters
        ----------
        family : Hypersurfaces
            The family of surfaces.
        X : ndarray of float64, shape (n, d)
            The table.
        """
        used = family.features_of(X.shape[1])
        _, first, inverse = np.unique(X[:, used], axis=0, return_index=True, return_inverse=True)
        examples, _ = embedded(X[first], family.monomials(X.shape[1]))
        features = examples.spanning_features()
        exact = [[row[f] for f in features] for row in examples.exact]
        width = 1 + max((abs(v).bit_length() for row in exact for v in row), default=0) // 8
        content = b"".join(v.to_bytes(width, "little", signed=True) for row in exact for v in row)
        numbers = np.frombuffer(content, dtype=np.uint8)
        shape = (len(first), len(features), width)
        flat = examples.take(range(len(first)), features)
        return cls(family, X[first], inverse.ravel(), numbers.reshape(shape), flat, features)

    def sums(self, values: NDArray[Any]) -> NDArray[np.uint64]:
        """Return the sums of the values of equal rows.

        Parameters
        ----------
        values : ndarray, shape (rows, ...)
            Integers.
        """
        total = np.zeros((len(self.X), *values.shape[1:]), dtype=np.uint64)
        np.add.at(total, self.inverse, values.astype(np.uint64))
        return total

    def arrays(self, excluded: Sequence[NDArray[np.bool_]] = ()) -> SurfacePointArrays:
        """Return the points as the native searches take them.

        Parameters
        ----------
        excluded : sequence of ndarray of bool
            Splits that are not allowed, nor their opposites: which examples go left.
        """
        rows = self.sums(np.ones(len(self.inverse), dtype=np.uint64))
        return points_of(self.coordinates, rows, excluded)

    def rule(self, left: NDArray[np.bool_]) -> SurfaceRule | None:
        """Return a rule in floating point with a given split; None if none is found.

        Parameters
        ----------
        left : ndarray of bool
            For each different example whether it goes left: some do, and not all.
        """
        monomials = self.family.monomials(self.X.shape[1])
        P = np.stack(list(products(monomials, self.X)), axis=1)
        widest = widest_margin_weights(P, left)
        found = realize(P, widest[None], left[None])
        if found.found[0]:
            threshold = float(middle_between(found.last_left[0], found.first_right[0]))
            return SurfaceRule(monomials, tuple(found.weights[0].tolist()), threshold)
        with np.errstate(all="ignore"):
            value = np.nan_to_num(P @ widest)
        for weights in self._spanned(left, value):
            rules, _ = self.family.surfaces(self.X, Dichotomies(left[None], weights[None]))
            if rules:
                return rules[0]
        return None

    def _spanned(
        self, left: NDArray[np.bool_], value: NDArray[np.float64]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the weights of tilted surfaces through examples near the border of both children.

        A list of splits has these weights, so that a rule is found for the same splits.
        """
        on_left, on_right = np.flatnonzero(left), np.flatnonzero(~left)
        last = on_left[np.argsort(-value[on_left], kind="stable")[:_NEAR]]
        first = on_right[np.argsort(value[on_right], kind="stable")[:_NEAR]]
        near = np.sort(np.concatenate([last, first]))
        chosen = np.array(list(combinations(near.tolist(), len(self.features))), dtype=np.int64)
        seen: set[bytes] = set()
        if not chosen.size:
            return
        planes = sides(self.flat, chosen)
        for side, normal in zip(planes.side, planes.normal, strict=True):
            same = (side >= 0) | left, (side <= 0) | ~left
            opposite = (side >= 0) | ~left, (side <= 0) | left
            if not (all(map(np.all, same)) or all(map(np.all, opposite))):
                continue  # an example is on the wrong side
            key = np.packbits(side == 0).tobytes()
            if key in seen:
                continue
            seen.add(key)
            if (side == 0).sum() == len(self.features):
                found = of_simple_hyperplanes(self.flat, side[None], normal[None])
            else:
                found = of_crowded_hyperplane(self.flat, side, normal)
            for mine, sign in ((left, 1.0), (~left, -1.0)):
                for index in np.flatnonzero((found.left == mine).all(axis=1)).tolist():
                    weights = np.zeros(len(self.family.monomials(self.X.shape[1])))
                    weights[self.features] = sign * found.weights[index]
                    yield weights


def best_split(
    points: SurfacePoints, classes: NDArray[np.float64], below: int, seconds: float
) -> SurfaceRule | None:
    """Return the best split of rows by one surface, if a better one is found in time.

    Parameters
    ----------
    points : SurfacePoints
        The rows.
    classes : ndarray of float64, shape (rows, classes)
        Whole numbers: the weight of each row in the column of its class.
    below : int
        Only splits of fewer errors are searched for.
    seconds : float
        The time limit.
    """
    if not points.coordinates.shape[1] or below <= 0:
        return None
    options = SearchOptions.within(seconds)
    found = best_surface(points.arrays(), points.sums(classes), (1, below), options)
    if found is None or found.left is None:
        return None
    return points.rule(np.array(found.left, dtype=np.bool_))
