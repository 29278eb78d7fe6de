"""The command prints the counts of proper trees that the page of the paper shows."""

from fractions import Fraction
from itertools import combinations, permutations
from math import factorial
from pathlib import Path
from random import Random

from benchmarks.partitions import KINDS, disjoint_triangles, draw_sizes, partition_row
from benchmarks.proper import (
    DRAWS,
    distinct_subproblems,
    hyperplanes,
    polygon,
    record_of_times,
    subproblems,
    trees,
)

Point = tuple[Fraction, ...]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "papers" / "004-proper-trees.md"


def test_the_page_has_the_counts() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for k in (2, 3, 4):
        means = [trees(k, d) / DRAWS for d in (1, 2, 3, 4)]
        cells = [f"{n:.3f} ({n / factorial(k):.4%})" for n in means]
        assert f"| {k} | {' | '.join(cells)} |" in page
    for k in (3, 4, 5):
        rng = Random(k)
        mean = sum(subproblems(hyperplanes(k, 2, rng)) for _ in range(DRAWS)) / DRAWS
        sides = polygon(k)
        counts = f"{subproblems(sides)} | {distinct_subproblems(sides)} | {factorial(k)}"
        assert f"| {k} | {mean:.2f} | {counts} |" in page
    for kind in KINDS:
        for n in kind.numbers[:2]:
            assert f"| {' | '.join(partition_row(kind, n))} |" in page


def test_numbers_of_trees_of_thresholds_are_catalan_numbers() -> None:
    assert [trees(k, 1, "thresholds", 3) for k in (2, 3, 4)] == [6, 15, 42]
    assert distinct_subproblems(polygon(5)) == 2**5


def test_the_sizes_of_partitions_are_drawn(tmp_path: Path) -> None:
    rows = [["4", "4.40", "4.10", "4.10", "8", "16"], ["16", "22.74", "19.20", "", "64", "256"]]
    draw_sizes([(kind, rows) for kind in KINDS], tmp_path / "sizes.svg")
    drawn = (tmp_path / "sizes.svg").read_text(encoding="utf-8")
    shown = (PAGE.parent / "004-partition-sizes.svg").read_text(encoding="utf-8")
    for name in ("N²", "N log N", "mean of random orders", "best of 20", "smallest"):
        assert f">{name}<" in drawn
        assert f">{name}<" in shown
    assert all(kind.name in shown for kind in KINDS)
    assert "(004-partition-sizes.svg)" in PAGE.read_text(encoding="utf-8")


def test_triangles_are_disjoint() -> None:
    """No side of a triangle intersects another triangle, by signs of volumes of tetrahedra."""

    def volume(a: Point, b: Point, c: Point, d: Point) -> Fraction:
        u, v, w = ([y - x for x, y in zip(a, other, strict=True)] for other in (b, c, d))
        first = u[0] * (v[1] * w[2] - v[2] * w[1])
        return first - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])

    triangles = [polygon.corners for polygon in disjoint_triangles(30, Random(1))]
    near = 0
    for triangle, other in permutations(triangles, 2):
        for p, q in combinations(triangle, 2):
            crosses_plane = volume(*other, p) * volume(*other, q) < 0
            sides = [volume(p, q, *pair) > 0 for pair in (other[:2], other[1:], other[::-2])]
            near += crosses_plane
            assert not (crosses_plane and len(set(sides)) == 1)
    assert near > 100, "few sides cross the plane of another triangle"


def test_a_record_of_times_has_the_costs_of_both_methods() -> None:
    record = record_of_times([(12, 2, 2)])
    assert record.count("| 12 | 2 | 2 | ") == 2
    assert "| 66 | " in record
    assert "- load_before: " in record
