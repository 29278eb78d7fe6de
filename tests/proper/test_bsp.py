"""Partitions of the plane by the lines of segments: smallest trees, and the painter's order."""

from fractions import Fraction
from itertools import pairwise, permutations
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactree.proper import gen_bts, leaves, level_order, size
from exactree.proper.bsp import (
    NODES,
    SPACE,
    painted,
    partition_in_order,
    random_partition,
    smallest_partition,
)
from exactree.proper.objective import cost
from exactree.proper.pieces import polygons, segments

QUICK = settings.get_current_profile_name() == "quick"


@st.composite
def drawn_segments(draw, most: int = 4):
    """Draw segments that may touch or cross, or lie on one line."""
    rng = Random(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(0, most))
    found = []
    while len(found) < n:
        ends = tuple((rng.randrange(8), rng.randrange(8)) for _ in range(2))
        if ends[0] != ends[1] and ends not in found:
            found.append(ends)
    return found


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(drawn_segments())
def test_no_tree_of_these_lines_is_smaller(drawn) -> None:
    """Against all trees; (28) is 2 · size + 1."""
    best = smallest_partition(segments(drawn))
    every = gen_bts(SPACE, segments(drawn))
    assert best in every
    assert size(best) == min(map(size, every))
    assert all(cost(NODES, tree) == 2 * size(tree) + 1 for tree in every)


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(drawn_segments())
def test_every_part_of_every_segment_is_there_once(drawn) -> None:
    """Each piece is on its segment, and the lengths add up."""
    for order in list(permutations(range(len(drawn))))[:4]:
        tree = partition_in_order(segments(drawn), order)
        for number, (a, b) in enumerate(drawn):
            own = [piece for piece in level_order(tree) if piece.source == number]
            axis = 0 if a[0] != b[0] else 1
            lengths = [abs(piece.end[axis] - piece.start[axis]) for piece in own]
            assert sum(lengths) == abs(a[axis] - b[axis])
            whole = segments([(a, b)])[0]
            assert all(whole.height(end) == 0 for p in own for end in (p.start, p.end))
        assert set(leaves(tree)) == {None}


@settings(max_examples=20 if QUICK else 40, deadline=None)
@given(drawn_segments())
def test_orders_of_the_segments_are_never_better(drawn) -> None:
    """The usual algorithm takes one order in all regions."""
    rs = segments(drawn)
    best = size(smallest_partition(segments(drawn)))
    orders = [size(partition_in_order(rs, order)) for order in permutations(range(len(rs)))]
    assert best <= min(orders)
    assert min(orders) <= size(random_partition(rs, Random(0))) <= max(orders)


def crossing(piece, origin, direction):
    """Return how far along a ray a piece is met, or None; exact."""
    first = piece.height(origin)
    second = piece.height((origin[0] + direction[0], origin[1] + direction[1]))
    if first == second:
        return None
    share = first / (first - second)
    place = tuple(o + share * d for o, d in zip(origin, direction, strict=True))
    axis = 0 if piece.start[0] != piece.end[0] else 1
    low, high = sorted((piece.start[axis], piece.end[axis]))
    return share if share > 0 and low <= place[axis] <= high else None


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(drawn_segments(5), st.integers(0, 2**32 - 1))
def test_what_is_in_front_is_painted_later(drawn, seed) -> None:
    """Along every ray the pieces that it meets are painted from far to near.

    Half of the viewpoints are on the grid of the ends, so often on the line of a segment.
    """
    rng = Random(seed)
    tree = random_partition(segments(drawn), rng)
    x, y = rng.randrange(-20, 60), rng.randrange(-20, 60)
    view = rng.choice([(Fraction(x, 7), Fraction(y, 7)), (Fraction(x // 7), Fraction(y // 7))])
    order = list(painted(tree, view))
    assert sorted(map(repr, order)) == sorted(map(repr, level_order(tree)))
    for _ in range(30):
        ray = (Fraction(rng.randrange(-99, 100)), Fraction(rng.randrange(-99, 100)))
        assume(ray != (0, 0))
        met = [share for piece in order if (share := crossing(piece, view, ray)) is not None]
        assert met == sorted(met, reverse=True)


def test_a_segment_that_need_not_be_divided() -> None:
    """Two walls of a corner, and one across the line of the first: the second root spares it."""
    walls = [((0, 0), (2, 0)), ((3, -1), (3, 1))]
    assert size(smallest_partition(segments(walls))) == 2
    assert size(partition_in_order(segments(walls), [0, 1])) == 3


def test_a_segment_without_length_is_refused() -> None:
    with pytest.raises(ValueError, match="segment 1 has no length"):
        segments([((0, 0), (1, 0)), ((2, 2), (2, 2))])


def boxes(rng: Random, n: int):
    """Return rectangles in space, each across one of the axes, many of which cross."""
    found = []
    for _ in range(n):
        axis, level = rng.randrange(3), rng.randrange(6)
        low, high = (rng.randrange(3), rng.randrange(3)), (rng.randrange(3, 6), rng.randrange(3, 6))
        around = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        found.append([(*c[:axis], level, *c[axis:]) for c in around])
    return found


def triangles(rng: Random, n: int):
    """Return triangles in space in any direction, many of which cross."""
    found = []
    while len(found) < n:
        a, b, c = ([rng.randrange(6) for _ in range(3)] for _ in range(3))
        u, v = ([y - x for x, y in zip(a, other, strict=True)] for other in (b, c))
        if any(u[i] * v[k] != u[k] * v[i] for i, k in ((0, 1), (0, 2), (1, 2))):
            found.append([a, b, c])
    return found


def area(polygon) -> Fraction:
    """Return the area, times the length of its normal: exact."""
    a, *others = polygon.corners
    total = Fraction(0)
    for b, c in pairwise(others):
        u, v = ([y - x for x, y in zip(a, other, strict=True)] for other in (b, c))
        cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        total += sum(x * y for x, y in zip(cross, polygon.normal, strict=True))
    return total


@pytest.mark.parametrize("scene", [boxes, triangles])
@pytest.mark.parametrize("seed", range(8))
def test_polygons_in_space(seed: int, scene) -> None:
    """No tree is smaller, no area is lost, and what is in front is painted later."""
    rng = Random(seed)
    rs = polygons(scene(rng, 4))
    best = smallest_partition(rs)
    assert size(best) <= min(size(partition_in_order(rs, o)) for o in permutations(range(4)))
    assert size(best) == min(map(size, gen_bts(SPACE, rs)))
    for polygon in rs:
        own = [piece for piece in level_order(best) if piece.source == polygon.source]
        assert sum(map(area, own)) == area(polygon)
    view = tuple(Fraction(rng.randrange(-40, 90), 7) for _ in range(3))
    order = list(painted(best, view))
    for _ in range(200):
        ray = tuple(Fraction(rng.randrange(-60, 61), 13) for _ in range(3))
        met = [share for polygon in order if (share := pierced(polygon, view, ray)) is not None]
        assert met == sorted(met, reverse=True)


def pierced(polygon, origin, direction):
    """Return how far along a ray a polygon is pierced, or None; exact."""
    first = polygon.height(origin)
    second = polygon.height(tuple(o + d for o, d in zip(origin, direction, strict=True)))
    if first == second or first / (first - second) <= 0:
        return None
    share = first / (first - second)
    place = tuple(o + share * d for o, d in zip(origin, direction, strict=True))
    corners = polygon.corners
    for i, a in enumerate(corners):
        b = corners[(i + 1) % len(corners)]
        u = [y - x for x, y in zip(a, b, strict=True)]
        v = [y - x for x, y in zip(a, place, strict=True)]
        cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        if sum(x * y for x, y in zip(cross, polygon.normal, strict=True)) < 0:
            return None
    return share


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 1)],
        [(0, 0, 0), (2, 0, 0), (1, 1, 0), (2, 2, 0)],
        [(0, 0, 0), (1, 1, 1), (2, 2, 2)],
        [(0, 3, 0), (2, -3, 0), (-3, 1, 0), (3, 1, 0), (-2, -3, 0)],
        [(0, 0, 0), (2, 0, 0), (2, 2, 0), (2, 2, 0), (0, 2, 0)],
    ],
    ids=["not flat", "not convex", "a line", "a star", "a corner twice"],
)
def test_what_is_no_convex_polygon_is_refused(corners) -> None:
    with pytest.raises(ValueError, match="polygon 0 is not flat and convex"):
        polygons([corners])


@pytest.mark.parametrize("ends", [[(0, 0)], [(0, 0, 0), (1, 1, 1)], [(0, 0), (float("nan"), 1)]])
def test_what_is_no_segment_is_refused(ends) -> None:
    with pytest.raises(ValueError, match="segment 0 needs two ends of two finite numbers each"):
        segments([ends])


@pytest.mark.parametrize(
    "corners", [[(0, 0, 0), (1, 0, 0)], [(0, 0), (1, 0), (0, 1)], [(0, 0, float("inf"))] * 3]
)
def test_what_has_no_three_corners_is_refused(corners) -> None:
    with pytest.raises(ValueError, match="polygon 0 needs three or more corners"):
        polygons([corners])


@pytest.mark.parametrize("n", [3, 5, 8])
def test_corners_on_a_parabola_are_convex(n: int) -> None:
    """Either way around."""
    corners = [(k, k * k, 2 * k + 1) for k in range(n)]
    for around in (corners, corners[::-1]):
        assert len(polygons([around])) == 1
