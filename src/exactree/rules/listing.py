"""All dichotomies of a table as bits, with rules that are computed on request.

`dichotomies` computes a rule of widest margin for each dichotomy. A search needs only the rules of
one tree, so here a dichotomy is stored as the rows that it sends left and its origin.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

from exactree.rules.dichotomies import (
    Dichotomies,
    divisions_on_hyperplane,
    hyperplanes,
    left_of_simple_hyperplanes,
    of_crowded_hyperplane,
    of_simple_hyperplanes,
)
from exactree.rules.hypersurfaces import Hypersurfaces, embedded
from exactree.rules.sides import ScaledExamples, Sides, sides
from exactree.rules.surface import SurfaceRule

__all__ = ["DichotomyList", "listing", "listing_size"]

# Maximum number of values that are processed between two calls of `check`.
_BATCH_VALUES = 4_000_000


@dataclass
class DichotomyList:
    """The dichotomies of a table by surfaces of a family; equal and opposite ones may occur.

    Attributes
    ----------
    family : Hypersurfaces
        The family.
    X : ndarray of float64, shape (n, d)
        The table.
    inverse : ndarray of int64, shape (n,)
        The index of each row among the different examples.
    distinct : ndarray of int64
        The index of a row for each different example.
    flat : ScaledExamples
        The different examples, in products of features that distinguish them.
    features : list of int
        The indices of these products among the monomials of the family.
    """

    family: Hypersurfaces
    X: NDArray[np.float64]
    inverse: NDArray[np.int64]
    distinct: NDArray[np.int64]
    flat: ScaledExamples
    features: list[int]
    # A block has the dichotomies of simple hyperplanes, as the examples that span each of these, or
    # the dichotomies of another hyperplane.
    _bits: list[NDArray[np.uint8]] = field(default_factory=list)
    _blocks: list[NDArray[np.int64] | Dichotomies] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _count: int = 0

    def __len__(self) -> int:
        return self._count

    def bits(self) -> NDArray[np.uint8]:
        """Return the rows that go left: bits for each dichotomy, lowest bits first."""
        width = (len(self.X) + 7) // 8
        return np.concatenate([np.empty((0, width), dtype=np.uint8), *self._bits])

    def add(self, planes: Sides, simple: NDArray[np.bool_], check: Callable[[], object]) -> None:
        """Add the dichotomies of some hyperplanes.

        Parameters
        ----------
        planes, simple
            As yielded by `hyperplanes`.
        check : callable
            As in `listing`.
        """
        r = len(self.features)
        if simple.any():
            left = left_of_simple_hyperplanes(planes.side[simple], r).reshape(-1, len(self.flat))
            self._put(left, planes.chosen[simple])
        for h in np.flatnonzero(~simple).tolist():
            check()
            found = of_crowded_hyperplane(self.flat, planes.side[h], planes.normal[h], check)
            self._put(found.left, found)

    def _put(self, left: NDArray[np.bool_], block: NDArray[np.int64] | Dichotomies) -> None:
        self._starts.append(self._count)
        self._blocks.append(block)
        self._bits.append(np.packbits(left[:, self.inverse], axis=1, bitorder="little"))
        self._count += len(left)

    def rule(self, k: int) -> SurfaceRule | None:
        """Return a rule in floating point for a dichotomy; None if none was found.

        Parameters
        ----------
        k : int
            The number of the dichotomy.
        """
        number = bisect_right(self._starts, k) - 1
        block, inner = self._blocks[number], k - self._starts[number]
        if not isinstance(block, Dichotomies):
            h, inner = divmod(inner, len(divisions_on_hyperplane(len(self.features))))
            planes = sides(self.flat, block[h : h + 1])
            block = of_simple_hyperplanes(self.flat, planes.side, planes.normal)
        weights = np.zeros((1, len(self.family.monomials(self.X.shape[1]))))
        weights[:, self.features] = block.weights[inner]
        dichotomy = Dichotomies(block.left[inner : inner + 1], weights)
        rules, _ = self.family.surfaces(self.X[self.distinct], dichotomy)
        return rules[0] if rules else None


def listing(
    family: Hypersurfaces, X: NDArray[np.float64], check: Callable[[], object]
) -> DichotomyList:
    """List all dichotomies of a table by surfaces of a family.

    Parameters
    ----------
    family : Hypersurfaces
        The family.
    X : ndarray of float64, shape (n, d)
        The table.
    check : callable
        Called every few milliseconds; it may raise to end the listing.
    """
    monomials = family.monomials(X.shape[1])
    used = family.features_of(X.shape[1])
    _, distinct, inverse = np.unique(X[:, used], axis=0, return_index=True, return_inverse=True)
    examples, _ = embedded(X[distinct], monomials)
    features = examples.spanning_features()
    flat = examples.take(range(len(examples)), features)
    found = DichotomyList(family, X, inverse.ravel(), distinct, flat, features)
    r = len(features)
    if r:
        batch = max(1, min(512, _BATCH_VALUES // (len(divisions_on_hyperplane(r)) * len(X))))
        for planes, simple in hyperplanes(flat, batch):
            check()
            found.add(planes, simple, check)
    return found


def listing_size(family: Hypersurfaces, X: NDArray[np.float64]) -> tuple[int, int, int]:
    """Return upper bounds on the size of a listing, without listing anything.

    Parameters
    ----------
    family : Hypersurfaces
        The family.
    X : ndarray of float64, shape (n, d)
        The table.

    Returns
    -------
    tuple of int
        The number of different examples, the number of surfaces that are spanned by them, and the
        bytes of all dichotomies of these surfaces.
    """
    monomials = family.monomials(X.shape[1])
    used = family.features_of(X.shape[1])
    n = len(np.unique(X[:, used], axis=0))
    through = max(min(len(monomials), n - 1), 0)  # n examples span at most n - 1 dimensions
    surfaces = comb(n, through)
    return n, surfaces, surfaces * 2**through * ((len(X) + 7) // 8)
