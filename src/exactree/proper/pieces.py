"""Segments in the plane and convex polygons in space, with exact coordinates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, Self

import numpy as np

Number = int | Fraction | float
Corner = tuple[Fraction, ...]


class Piece(Protocol):
    """A segment or a polygon, or a piece of it cut off by the line or plane of another."""

    @property
    def source(self) -> int:
        """The index of the undivided segment or polygon."""
        ...

    def height(self, place: Corner) -> Fraction:
        """Return a multiple of the distance from its line or plane, positive on the left side."""
        ...

    def divided(self, other: Self) -> tuple[list[Self], list[Self]]:
        """Return the parts of another piece on the left and on the right side."""
        ...


@dataclass(frozen=True)
class Segment:
    """A segment in the plane.

    Attributes
    ----------
    start, end : tuple of Fraction
        Its ends. Its left side is to the left of the direction from start to end.
    source : int
        The index of the segment of which it is a piece.
    """

    start: Corner
    end: Corner
    source: int

    def height(self, place: Corner) -> Fraction:
        """Return a multiple of the distance from the line; positive on the left side.

        Parameters
        ----------
        place : tuple of Fraction
            A point of the plane.
        """
        (ax, ay), (bx, by) = self.start, self.end
        return (bx - ax) * (place[1] - ay) - (by - ay) * (place[0] - ax)

    def divided(self, other: "Segment") -> tuple[list["Segment"], list["Segment"]]:
        """Return the parts of another segment on the left and on the right side of the line.

        Parameters
        ----------
        other : Segment
            Any segment.
        """
        first, last = self.height(other.start), self.height(other.end)
        if first >= 0 and last >= 0:
            return [other], []
        if first <= 0 and last <= 0:
            return [], [other]
        middle = _between(other.start, other.end, first / (first - last))
        begin = Segment(other.start, middle, other.source)
        rest = Segment(middle, other.end, other.source)
        return ([begin], [rest]) if first > 0 else ([rest], [begin])


@dataclass(frozen=True)
class Polygon:
    """A convex polygon in space.

    Attributes
    ----------
    corners : tuple of tuple of Fraction
        The corners in order.
    normal : tuple of Fraction
        The direction of its left side.
    source : int
        The index of the polygon of which it is a piece.
    """

    corners: tuple[Corner, ...]
    normal: Corner
    source: int

    def height(self, place: Corner) -> Fraction:
        """Return a multiple of the distance from the plane; positive on the left side.

        Parameters
        ----------
        place : tuple of Fraction
            A point in space.
        """
        coordinates = zip(self.normal, place, self.corners[0], strict=True)
        return sum((n * (x - a) for n, x, a in coordinates), Fraction(0))

    def divided(self, other: "Polygon") -> tuple[list["Polygon"], list["Polygon"]]:
        """Return the parts of another polygon on the left and on the right side of the plane.

        Parameters
        ----------
        other : Polygon
            Any convex polygon.
        """
        heights = [self.height(corner) for corner in other.corners]
        if min(heights) >= 0:
            return [other], []
        if max(heights) <= 0:
            return [], [other]
        above: list[Corner] = []
        below: list[Corner] = []
        for i, corner in enumerate(other.corners):
            k = (i + 1) % len(heights)
            above += [corner] if heights[i] >= 0 else []
            below += [corner] if heights[i] <= 0 else []
            if heights[i] * heights[k] < 0:
                share = heights[i] / (heights[i] - heights[k])
                crossing = _between(corner, other.corners[k], share)
                above.append(crossing)
                below.append(crossing)
        halves = (Polygon(tuple(c), other.normal, other.source) for c in (above, below))
        return [next(halves)], [next(halves)]


def _between(start: Corner, end: Corner, share: Fraction) -> Corner:
    return tuple(a + share * (b - a) for a, b in zip(start, end, strict=True))


def segments(ends: Iterable[Sequence[Sequence[Number]]]) -> tuple[Segment, ...]:
    """Return segments from their ends.

    Parameters
    ----------
    ends : iterable of two places each
        A place is two numbers, which are converted to exact fractions.

    Raises
    ------
    ValueError
        If both ends of a segment are equal, or the input has another form.
    """
    found = []
    for number, places in enumerate(ends):
        exact = _exact(places, 2)
        if len(exact) != 2:
            raise ValueError(f"segment {number} needs two ends of two finite numbers each.")
        start, end = exact
        if start == end:
            raise ValueError(f"segment {number} has no length: both ends are {tuple(places[0])}.")
        found.append(Segment(start, end, number))
    return tuple(found)


def polygons(corners: Iterable[Sequence[Sequence[Number]]]) -> tuple[Polygon, ...]:
    """Return convex polygons from their corners in order.

    Parameters
    ----------
    corners : iterable of at least three places each
        A place is three numbers, which are converted to exact fractions.

    Raises
    ------
    ValueError
        If the corners are not those of a convex polygon in a plane.
    """
    found = []
    for number, places in enumerate(corners):
        exact = _exact(places, 3)
        if len(exact) < 3:
            raise ValueError(
                f"polygon {number} needs three or more corners of three finite numbers."
            )
        polygon = Polygon(exact, _normal(exact), number)
        if not _convex(polygon):
            raise ValueError(f"polygon {number} is not flat and convex, with its corners in order.")
        found.append(polygon)
    return tuple(found)


def _exact(places: Sequence[Sequence[Number]], d: int) -> tuple[Corner, ...]:
    """Return places as fractions; no places if any of them does not have d finite numbers."""
    try:
        exact = tuple(tuple(map(_fraction, place)) for place in places)
    except (OverflowError, TypeError, ValueError):  # infinite, or not a number
        return ()
    return exact if all(len(place) == d for place in exact) else ()


def _fraction(number: Any) -> Fraction:
    # Numpy's integers would overflow.
    return Fraction(int(number)) if isinstance(number, np.integer) else Fraction(number)


def _normal(corners: tuple[Corner, ...]) -> Corner:
    a, b, c = corners[:3]
    u, v = ([y - x for x, y in zip(a, other, strict=True)] for other in (b, c))
    return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])


def _convex(polygon: Polygon) -> bool:
    """Return whether all corners are in the plane, and all are on one side of every edge.

    Equal turning directions at all corners do not suffice, as a five-pointed star shows.
    """
    corners, n = polygon.corners, len(polygon.corners)
    if any(polygon.height(corner) != 0 for corner in corners):
        return False
    normals = [
        _normal((corners[i], corners[(i + 1) % n], corners[(i + k) % n]))
        for i in range(n)
        for k in range(2, n)
    ]
    return all(
        sum(x * y for x, y in zip(normal, polygon.normal, strict=True)) > 0 for normal in normals
    )
