"""The side of each example of hyperplanes through examples, computed exactly and in batches.

A determinant is computed in floating point with a bound on its error, and again in integers where
the bound does not decide (adaptive precision). Examples are never perturbed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

_UNIT = 2.0**-53
# Upper bound on the error by underflow: with at most 12 features, and numbers that are at most 2,
# each of the 12! products of a determinant loses less than 2^12 * 2^-1074.
_TINY = 1e-290
# Laplace's expansion has 2^r terms; with more features everything is computed in integers.
_MAX_EXPANDED_FEATURES = 12


@dataclass(frozen=True)
class ScaledExamples:
    """Distinct examples, as integers and as floating-point numbers.

    Attributes
    ----------
    exact : list of list of int
        Their features, each times its own factor.
    rounded : ndarray of float64, shape (n, d)
        The features divided by powers of two, so that all are at most 1.
    powers : list of int
        The exponents of these powers.
    """

    exact: list[list[int]]
    rounded: NDArray[np.float64]
    powers: list[int]

    @classmethod
    def of(cls, exact: Sequence[Sequence[int]]) -> "ScaledExamples":
        """Return examples given as integers.

        Parameters
        ----------
        exact : sequence of sequence of int
            A row for each example, all of the same length.
        """
        rows = [list(row) for row in exact]
        d = len(rows[0]) if rows else 0
        powers = [max(abs(row[f]).bit_length() for row in rows) for f in range(d)]
        scaled = [[value / (1 << p) for value, p in zip(row, powers, strict=True)] for row in rows]
        return cls(rows, np.array(scaled, dtype=np.float64).reshape(len(rows), d), powers)

    def __len__(self) -> int:
        return len(self.exact)

    def take(self, rows: Sequence[int], features: Sequence[int]) -> "ScaledExamples":
        """Return some of the examples with some of their features.

        Parameters
        ----------
        rows, features : sequence of int
            Indices.
        """
        exact = [[self.exact[row][f] for f in features] for row in rows]
        rounded = self.rounded[np.ix_(list(rows), list(features))]
        return ScaledExamples(exact, rounded, [self.powers[f] for f in features])

    def spanning_features(self) -> list[int]:
        """Return features that distinguish all points of the flat that the examples span."""
        origin = self.exact[0]
        rows = [[a - b for a, b in zip(row, origin, strict=True)] for row in self.exact[1:]]
        found: list[int] = []
        last = 1
        for f in range(len(origin)):
            pivot = next((row for row in rows if row[f]), None)
            if pivot is not None:
                found.append(f)
                # All entries are minors, so the division by the last pivot is exact (Bareiss).
                rows = [
                    [(x * pivot[f] - y * row[f]) // last for x, y in zip(row, pivot, strict=True)]
                    for row in rows
                    if row is not pivot
                ]
                last = pivot[f]
        return found


@dataclass(frozen=True)
class Sides:
    """A batch of hyperplanes, and the side of each example.

    Attributes
    ----------
    side : ndarray of int8, shape (h, n)
        1 or -1; 0 for examples on the hyperplane.
    normal : ndarray of float64, shape (h, r)
        The direction towards the side 1, rounded.
    chosen : ndarray of int64, shape (h, r)
        The examples that span each hyperplane.
    """

    side: NDArray[np.int8]
    normal: NDArray[np.float64]
    chosen: NDArray[np.int64]


def sides(examples: ScaledExamples, chosen: NDArray[np.int64]) -> Sides:
    """Return the hyperplanes through subsets of r examples of r features.

    Parameters
    ----------
    examples : ScaledExamples
        All examples.
    chosen : ndarray of int64, shape (h, r)
        The subsets. Subsets that span no hyperplane are left out.
    """
    P, r = examples.rounded, chosen.shape[1]
    if r > _MAX_EXPANDED_FEATURES:
        return _exact_sides(examples, chosen)
    first = P[chosen[:, 0]]
    others = P[chosen[:, 1:]]
    normal = _cofactors(others - first[:, None], signed=True)
    bound = _cofactors(np.abs(others) + np.abs(first)[:, None], signed=False)
    value = normal @ P.T - (normal * first).sum(axis=1)[:, None]
    scale = bound @ np.abs(P).T + (bound * np.abs(first)).sum(axis=1)[:, None]
    # On a common scale all numbers are then integers below 2^53, so nothing is rounded.
    exact = sum(examples.powers) + r * r <= 50
    slack, tiny = (0.0, 0.0) if exact else ((2 * r * r + 10 * r + 16) * _UNIT, _TINY)
    side = np.sign(value).astype(np.int8)
    spans = np.asarray((np.abs(normal) > bound * slack + tiny).any(axis=1))
    if not exact:
        doubt = np.abs(value) <= scale * slack + tiny
        np.put_along_axis(doubt, chosen, False, axis=1)
        for h in np.flatnonzero(~spans | doubt.any(axis=1)).tolist():
            exact_normal = _exact_normal(examples, chosen[h].tolist())
            spans[h] = any(exact_normal)
            normal[h] = _rounded(examples, exact_normal)
            for j in np.flatnonzero(doubt[h]).tolist():
                side[h, j] = _exact_side(examples, exact_normal, int(chosen[h, 0]), j)
    np.put_along_axis(side, chosen, 0, axis=1)
    return Sides(side[spans], normal[spans], chosen[spans])


def _exact_sides(examples: ScaledExamples, chosen: NDArray[np.int64]) -> Sides:
    """Return the hyperplanes through subsets of examples, in integers."""
    side = np.zeros((len(chosen), len(examples)), dtype=np.int8)
    normal = np.zeros(chosen.shape)
    spans = np.zeros(len(chosen), dtype=np.bool_)
    for h, subset in enumerate(chosen.tolist()):
        exact_normal = orthogonal(_edges(examples, subset))
        spans[h] = any(exact_normal)
        normal[h] = _rounded(examples, exact_normal)
        side[h] = [_exact_side(examples, exact_normal, subset[0], j) for j in range(len(examples))]
    return Sides(side[spans], normal[spans], chosen[spans])


def _rounded(examples: ScaledExamples, normal: list[int]) -> list[float]:
    """Convert a normal vector to the coordinates of the rounded examples."""
    total = sum(examples.powers)
    return [n / (1 << (total - power)) for n, power in zip(normal, examples.powers, strict=True)]


def _edges(examples: ScaledExamples, chosen: list[int]) -> list[list[int]]:
    origin, *others = (examples.exact[row] for row in chosen)
    return [[a - b for a, b in zip(row, origin, strict=True)] for row in others]


def _cofactors(edges: NDArray[np.float64], *, signed: bool) -> NDArray[np.float64]:
    """Return the vectors that are orthogonal to r - 1 edges each, by Laplace's expansion.

    Unsigned, all products are added, which bounds the rounding errors.
    """
    h, rows, r = edges.shape
    minors: dict[tuple[int, ...], NDArray[np.float64]] = {(): np.ones(h)}
    for k in range(rows):
        minors = {
            columns: sum(
                (
                    (-1.0 if signed and (k - i) % 2 else 1.0)
                    * edges[:, k, f]
                    * minors[columns[:i] + columns[i + 1 :]]
                    for i, f in enumerate(columns)
                ),
                np.zeros(h),
            )
            for columns in combinations(range(r), k + 1)
        }
    all_features = tuple(range(r))
    signs = [-1.0 if signed and f % 2 else 1.0 for f in all_features]
    return np.stack(
        [s * minors[all_features[:f] + all_features[f + 1 :]] for f, s in enumerate(signs)], axis=1
    )


def _exact_normal(examples: ScaledExamples, chosen: list[int]) -> list[int]:
    edges = _edges(examples, chosen)
    features = range(len(chosen))
    return [
        (-1) ** f * determinant([[edge[g] for g in features if g != f] for edge in edges])
        for f in features
    ]


def _exact_side(examples: ScaledExamples, normal: list[int], origin: int, example: int) -> int:
    columns = zip(examples.exact[example], examples.exact[origin], normal, strict=True)
    value = sum(n * (a - b) for a, b, n in columns)
    return (value > 0) - (value < 0)


def determinant(matrix: Sequence[Sequence[int]]) -> int:
    """Return the determinant of a square matrix of integers, without fractions.

    Parameters
    ----------
    matrix : sequence of sequence of int
        Its rows; the determinant of the empty matrix is 1.
    """
    rows = [list(row) for row in matrix]
    sign, last = 1, 1
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if pivot is None:
            return 0
        if pivot != i:
            rows[i], rows[pivot], sign = rows[pivot], rows[i], -sign
        for row in rows[i + 1 :]:
            row[i + 1 :] = [
                (x * rows[i][i] - row[i] * y) // last
                for x, y in zip(row[i + 1 :], rows[i][i + 1 :], strict=True)
            ]
        last = rows[i][i]
    return sign * last


def orthogonal(edges: Sequence[Sequence[int]]) -> list[int]:
    """Return a vector orthogonal to r - 1 edges of r entries; zeros if the edges are dependent.

    Elimination without fractions yields the minors of the edges, up to a common sign.

    Parameters
    ----------
    edges : sequence of sequence of int
        The edges.
    """
    rows = [list(edge) for edge in edges]
    pivots: list[int] = []
    last = 1
    for i in range(len(rows)):
        found = next(
            ((k, f) for k in range(i, len(rows)) for f, x in enumerate(rows[k]) if x), None
        )
        if found is None:
            return [0] * (len(rows) + 1)
        rows[i], rows[found[0]] = rows[found[0]], rows[i]
        pivots.append(found[1])
        pivot = rows[i]
        for k, row in enumerate(rows):
            if k != i:
                share = row[found[1]]
                row[:] = [
                    (x * pivot[found[1]] - share * y) // last
                    for x, y in zip(row, pivot, strict=True)
                ]
        last = pivot[found[1]]
    free = next(f for f in range(len(rows) + 1) if f not in pivots)
    vector = [0] * (len(rows) + 1)
    vector[free] = last
    for pivot_at, row in zip(pivots, rows, strict=True):
        vector[pivot_at] = -row[free]
    return vector
