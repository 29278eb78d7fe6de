"""Binary space partitions by segments and polygons: smallest trees, and the painter's order."""

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
def drawn_segments(draw, max_segments: int = 4):
    """Draw segments, some of which touch, cross, or lie on one line."""
    rng = Random(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(0, max_segments))
    found = []
    while len(found) < n:
        ends = tuple((rng.randrange(8), rng.randrange(8)) for _ in range(2))
        if ends[0] != ends[1] and ends not in found:
            found.append(ends)
    return found


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(drawn_segments())
def test_no_partition_by_lines_of_the_segments_is_smaller(drawn) -> None:
    """The minimum over all trees; the objective (28) of the paper is 2 · size + 1."""
    best = smallest_partition(segments(drawn))
    every = gen_bts(SPACE, segments(drawn))
    assert best in every
    assert size(best) == min(map(size, every))
    assert all(cost(NODES, tree) == 2 * size(tree) + 1 for tree in every)


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(drawn_segments())
def test_the_pieces_of_a_segment_cover_it_once(drawn) -> None:
    """Each piece lies on its segment, and the lengths of all its pieces add up."""
    for order in list(permutations(range(len(drawn))))[:4]:
        tree = partition_in_order(segments(drawn), order)
        for number, (a, b) in enumerate(drawn):
            pieces = [piece for piece in level_order(tree) if piece.source == number]
            axis = 0 if a[0] != b[0] else 1
            lengths = [abs(piece.end[axis] - piece.start[axis]) for piece in pieces]
            assert sum(lengths) == abs(a[axis] - b[axis])
            whole = segments([(a, b)])[0]
            assert all(whole.height(end) == 0 for p in pieces for end in (p.start, p.end))
        assert set(leaves(tree)) == {None}


@settings(max_examples=20 if QUICK else 40, deadline=None)
@given(drawn_segments())
def test_partitions_in_one_order_are_never_smaller(drawn) -> None:
    """The usual algorithm uses the same order of segments in all regions."""
    rs = segments(drawn)
    best = size(smallest_partition(segments(drawn)))
    orders = [size(partition_in_order(rs, order)) for order in permutations(range(len(rs)))]
    assert best <= min(orders)
    assert min(orders) <= size(random_partition(rs, Random(0))) <= max(orders)


def crossing(piece, origin, direction):
    """Return the exact distance at which a ray meets a piece, as a multiple of its direction."""
    at_origin = piece.height(origin)
    after_one = piece.height((origin[0] + direction[0], origin[1] + direction[1]))
    if at_origin == after_one:
        return None
    distance = at_origin / (at_origin - after_one)
    point = tuple(o + distance * d for o, d in zip(origin, direction, strict=True))
    axis = 0 if piece.start[0] != piece.end[0] else 1
    low, high = sorted((piece.start[axis], piece.end[axis]))
    return distance if distance > 0 and low <= point[axis] <= high else None


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(drawn_segments(5), st.integers(0, 2**32 - 1))
def test_pieces_in_front_are_painted_later(drawn, seed) -> None:
    """The pieces on a ray are painted from far to near.

    Half of the viewpoints are on the grid of the ends, so they are often on the line of a segment.
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
        distances = [d for piece in order if (d := crossing(piece, view, ray)) is not None]
        assert distances == sorted(distances, reverse=True)


def test_a_smallest_partition_avoids_dividing_a_segment() -> None:
    """The line of the first wall divides the second wall, but not the other way around."""
    walls = [((0, 0), (2, 0)), ((3, -1), (3, 1))]
    assert size(smallest_partition(segments(walls))) == 2
    assert size(partition_in_order(segments(walls), [0, 1])) == 3


def test_a_segment_without_length_is_refused() -> None:
    with pytest.raises(ValueError, match="segment 1 has no length"):
        segments([((0, 0), (1, 0)), ((2, 2), (2, 2))])


def rectangles(rng: Random, n: int):
    """Return rectangles in space, each orthogonal to an axis; many of them cross."""
    found = []
    for _ in range(n):
        axis, level = rng.randrange(3), rng.randrange(6)
        low, high = (rng.randrange(3), rng.randrange(3)), (rng.randrange(3, 6), rng.randrange(3, 6))
        corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        found.append([(*c[:axis], level, *c[axis:]) for c in corners])
    return found


def triangles(rng: Random, n: int):
    """Return triangles in space of any orientation; many of them cross."""
    found = []
    while len(found) < n:
        a, b, c = ([rng.randrange(6) for _ in range(3)] for _ in range(3))
        u, v = ([y - x for x, y in zip(a, other, strict=True)] for other in (b, c))
        if any(u[i] * v[k] != u[k] * v[i] for i, k in ((0, 1), (0, 2), (1, 2))):
            found.append([a, b, c])
    return found


def area(polygon) -> Fraction:
    """Return twice the area times the length of the normal; exact."""
    a, *others = polygon.corners
    total = Fraction(0)
    for b, c in pairwise(others):
        u, v = ([y - x for x, y in zip(a, other, strict=True)] for other in (b, c))
        cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        total += sum(x * y for x, y in zip(cross, polygon.normal, strict=True))
    return total


@pytest.mark.parametrize("scene", [rectangles, triangles])
@pytest.mark.parametrize("seed", range(8))
def test_partitions_by_polygons_in_space(seed: int, scene) -> None:
    """No tree is smaller, no area is lost, and polygons in front are painted later."""
    rng = Random(seed)
    rs = polygons(scene(rng, 4))
    best = smallest_partition(rs)
    assert size(best) <= min(size(partition_in_order(rs, o)) for o in permutations(range(4)))
    assert size(best) == min(map(size, gen_bts(SPACE, rs)))
    for polygon in rs:
        pieces = [piece for piece in level_order(best) if piece.source == polygon.source]
        assert sum(map(area, pieces)) == area(polygon)
    view = tuple(Fraction(rng.randrange(-40, 90), 7) for _ in range(3))
    order = list(painted(best, view))
    for _ in range(200):
        ray = tuple(Fraction(rng.randrange(-60, 61), 13) for _ in range(3))
        distances = [d for polygon in order if (d := piercing(polygon, view, ray)) is not None]
        assert distances == sorted(distances, reverse=True)


def piercing(polygon, origin, direction):
    """Return the exact distance at which a ray meets a polygon, as a multiple of its direction."""
    at_origin = polygon.height(origin)
    after_one = polygon.height(tuple(o + d for o, d in zip(origin, direction, strict=True)))
    if at_origin == after_one or at_origin / (at_origin - after_one) <= 0:
        return None
    distance = at_origin / (at_origin - after_one)
    point = tuple(o + distance * d for o, d in zip(origin, direction, strict=True))
    corners = polygon.corners
    for i, a in enumerate(corners):
        b = corners[(i + 1) % len(corners)]
        u = [y - x for x, y in zip(a, b, strict=True)]
        v = [y - x for x, y in zip(a, point, strict=True)]
        cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        if sum(x * y for x, y in zip(cross, polygon.normal, strict=True)) < 0:
            return None
    return distance


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
def test_polygons_that_are_not_flat_and_convex_are_refused(corners) -> None:
    with pytest.raises(ValueError, match="polygon 0 is not flat and convex"):
        polygons([corners])


@pytest.mark.parametrize("ends", [[(0, 0)], [(0, 0, 0), (1, 1, 1)], [(0, 0), (float("nan"), 1)]])
def test_ends_that_are_not_two_points_of_the_plane_are_refused(ends) -> None:
    with pytest.raises(ValueError, match="segment 0 needs two ends of two finite numbers each"):
        segments([ends])


@pytest.mark.parametrize(
    "corners", [[(0, 0, 0), (1, 0, 0)], [(0, 0), (1, 0), (0, 1)], [(0, 0, float("inf"))] * 3]
)
def test_corners_that_are_not_three_points_in_space_are_refused(corners) -> None:
    with pytest.raises(ValueError, match="polygon 0 needs three or more corners"):
        polygons([corners])


@pytest.mark.parametrize("n", [3, 5, 8])
def test_corners_on_a_parabola_are_a_convex_polygon(n: int) -> None:
    """In both orientations."""
    corners = [(k, k * k, 2 * k + 1) for k in range(n)]
    for oriented in (corners, corners[::-1]):
        assert len(polygons([oriented])) == 1
