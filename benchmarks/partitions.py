"""The command `python -m benchmarks.partitions`: sizes of binary space partitions.

The partitions separate disjoint segments in the plane or disjoint triangles in space. The command
prints the mean size over random orders, the size for the best of these orders, and the minimum size
(the tables of the page on paper 004), and draws the picture of that page.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path
from random import Random
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from benchmarks.picture import BLACK, BLUE, GREY, ORANGE, picture
from exactree.proper import (
    Polygon,
    Segment,
    polygons,
    random_partition,
    segments,
    size,
    smallest_partition,
)
from exactree.proper.pieces import Corner

__all__ = ["KINDS", "Kind", "disjoint_segments", "disjoint_triangles", "partition_row"]

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "papers" / "004-partition-sizes.svg"
# Number of random sets for each number of objects, and of random orders of each set.
DRAWS, ORDERS = 10, 20
P = TypeVar("P", Segment, Polygon)


def disjoint_segments(n: int, rng: Random) -> tuple[Segment, ...]:
    """Return random disjoint segments."""
    found: list[Segment] = []
    while len(found) < n:
        x, y = rng.randrange(1000), rng.randrange(1000)
        end = (x + rng.randrange(-300, 301), y + rng.randrange(-300, 301))
        if end != (x, y):
            drawn = replace(segments([((x, y), end)])[0], source=len(found))
            if not any(_meet(drawn, other) for other in found):
                found.append(drawn)
    return tuple(found)


def _meet(a: Segment, b: Segment) -> bool:
    """Return whether each segment touches or crosses the line of the other."""
    return all(
        segment.height(other.start) * segment.height(other.end) <= 0
        for segment, other in ((a, b), (b, a))
    )


def disjoint_triangles(n: int, rng: Random) -> tuple[Polygon, ...]:
    """Return random disjoint triangles in space."""
    found: list[Polygon] = []
    while len(found) < n:
        middle = [rng.randrange(1000) for _ in range(3)]
        corners = [[x + rng.randrange(-300, 301) for x in middle] for _ in range(3)]
        drawn = replace(polygons([corners])[0], source=len(found))
        if not any(_meet_in_space(drawn, other) for other in found):
            found.append(drawn)
    return tuple(found)


def _meet_in_space(a: Polygon, b: Polygon) -> bool:
    """Return whether both meet the line in which their planes cross, in overlapping intervals."""
    u, v = a.normal, b.normal
    line = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    intervals = []
    for polygon, other in ((a, b), (b, a)):
        points = _outline_in_plane(polygon, other)
        if not points:
            return False
        positions = [sum(x * y for x, y in zip(point, line, strict=True)) for point in points]
        intervals.append((min(positions), max(positions)))
    (low, high), (other_low, other_high) = intervals
    return low <= other_high and other_low <= high


def _outline_in_plane(polygon: Polygon, other: Polygon) -> list[Corner]:
    """Return the points in which the outline of a polygon meets the plane of another polygon."""
    points = []
    heights = [other.height(corner) for corner in polygon.corners]
    for i, (corner, height) in enumerate(zip(polygon.corners, heights, strict=True)):
        k = (i + 1) % len(heights)
        if height == 0:
            points.append(corner)
        elif height * heights[k] < 0:
            share = height / (height - heights[k])
            side = zip(corner, polygon.corners[k], strict=True)
            points.append(tuple(x + share * (y - x) for x, y in side))
    return points


@dataclass(frozen=True)
class Kind:
    """Kind of the objects to separate.

    Attributes
    ----------
    name : str
        Name of the objects.
    draw : callable
        From their number and a generator to random objects.
    numbers : tuple of int
        The numbers of objects in the table and in the picture.
    smallest_up_to : int
        The greatest number of objects for which a smallest tree is searched for.
    """

    name: str
    draw: Callable[[int, Random], tuple[Segment, ...] | tuple[Polygon, ...]]
    numbers: tuple[int, ...]
    smallest_up_to: int


KINDS = (
    Kind("segments in the plane", disjoint_segments, (4, 5, 6, 7, 16, 32, 64, 128), 7),
    Kind("triangles in space", disjoint_triangles, (4, 5, 6, 16, 32, 64), 6),
)


def mean_sizes(kind: Kind, n: int) -> tuple[float, float, float | None]:
    """Return the mean sizes of trees over random sets of n objects.

    These are the mean over random orders, the mean of the best of 20 orders, and the mean minimum
    size, which is None if n is above `smallest_up_to`.
    """
    has_minimum = n <= kind.smallest_up_to
    rng = Random(n)
    of_random, of_best, of_smallest = 0, 0, 0
    for _ in range(DRAWS):
        objects = kind.draw(n, rng)
        sizes = [size(random_partition(objects, rng)) for _ in range(ORDERS)]
        of_random += sum(sizes)
        of_best += min(sizes)
        of_smallest += size(smallest_partition(objects)) if has_minimum else 0
    mean_minimum = of_smallest / DRAWS if has_minimum else None
    return of_random / DRAWS / ORDERS, of_best / DRAWS, mean_minimum


def partition_row(kind: Kind, n: int) -> list[str]:
    """Return n, the three means, n log n and n²."""
    means = ("" if value is None else f"{value:.2f}" for value in mean_sizes(kind, n))
    return [str(n), *means, f"{n * log2(n):.0f}", str(n * n)]


def draw_sizes(found: list[tuple[Kind, list[list[str]]]], path: Path) -> None:
    """Draw the mean sizes compared with N log N and N², on logarithmic scales.

    Parameters
    ----------
    found : list of (Kind, list of list of str)
        The rows of each kind.
    path : Path
        The file to write.
    """
    from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

    with picture(path, columns=len(found), width=9, height=4) as panels:
        for axes, (kind, rows) in zip(panels, found, strict=True):
            numbers = [int(row[0]) for row in rows]
            # Eight points for each doubling of N, so that the curves are smooth.
            grid = [2 ** (k / 8) for k in range(8 * 2, 8 * 8)]
            grid = [n for n in grid if numbers[0] <= n <= numbers[-1]] + [numbers[-1]]
            axes.plot(grid, [n * n for n in grid], "--", color=GREY, label="N²")
            axes.plot(grid, [n * log2(n) for n in grid], "-.", color=GREY, label="N log N")
            axes.plot(grid, grid, ":", color=GREY, label="N")
            lines = (("mean of random orders", 1, "o", BLUE), ("best of 20", 2, "s", ORANGE))
            for label, column, mark, colour in (*lines, ("smallest", 3, "^", BLACK)):
                drawn = [(int(row[0]), float(row[column])) for row in rows if row[column]]
                style = {"marker": mark, "color": colour, "markerfacecolor": "none", "lw": 1}
                axes.plot(*zip(*drawn, strict=True), label=label, **style)
            axes.set(title=kind.name, xlabel="N", xscale="log", yscale="log")
            axes.xaxis.set_major_locator(FixedLocator([4, 8, 16, 32, 64, 128]))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.grid(color="#dddddd")
        panels[0].set_ylabel("nodes of the tree")
        panels[0].legend(fontsize=7)


def main() -> None:
    """Print the tables and draw the picture."""
    console = Console(width=120)
    found = []
    for kind in KINDS:
        rows = [partition_row(kind, n) for n in kind.numbers]
        columns = ("N", "mean of random", "best of 20", "smallest", "N log N", "N²")
        table = Table(*columns, title=f"Sizes of partitions of N {kind.name}; ten draws")
        for row in rows:
            table.add_row(*row)
        console.print(table)
        found.append((kind, rows))
    draw_sizes(found, PICTURE)
    console.print(f"Picture: {PICTURE.name}")


if __name__ == "__main__":
    main()
