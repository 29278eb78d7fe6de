"""Rules and examples shared by the tests of He and Little's framework."""

from itertools import product
from random import Random

from hypothesis import strategies as st

from exactree.proper import DTree, Hyperplane, ThresholdAt, leaves
from exactree.proper.geometry import Point

# The lines of the paper's Figure 5. The paper gives no coordinates; these have the same relations.
FIGURE_5 = [
    Hyperplane(points)
    for points in (
        ((9, 7), (7, 6)),
        ((0, 6), (1, 9)),
        ((3, 3), (5, 9)),
        ((6, 3), (2, 1)),
    )
]
GRID: tuple[Point, ...] = tuple(product(range(-5, 16), repeat=2))


def polygon(k: int) -> list[Hyperplane]:
    """Return lines through the sides of a convex polygon, whose inside is left of each line."""
    corners = [(x, x * x) for x in range(k)]
    return [Hyperplane((corners[i], corners[(i + 1) % k])) for i in range(k)]


def partition(tree: DTree[object, tuple[Point, ...]]) -> frozenset[frozenset[Point]]:
    """Return the set of the subsets of examples in the leaves."""
    return frozenset(frozenset(subset) for subset in leaves(tree))


@st.composite
def rules(draw: st.DrawFn, max_rules: int = 5) -> list[Hyperplane | ThresholdAt]:
    """Draw different thresholds and lines through points of a small grid, often degenerate."""
    rng = Random(draw(st.integers(0, 2**32 - 1)))
    k = draw(st.integers(0, max_rules))
    found: dict[Hyperplane | ThresholdAt, None] = {}
    while len(found) < k:
        first, second = ((rng.randrange(6), rng.randrange(6)) for _ in range(2))
        if rng.random() < 0.3:
            found[ThresholdAt(rng.randrange(2), first)] = None
        elif first != second:
            found[Hyperplane((first, second))] = None
    return list(found)


@st.composite
def examples(draw: st.DrawFn) -> tuple[Point, ...]:
    """Draw a few examples on the same grid."""
    points = st.tuples(st.integers(0, 5), st.integers(0, 5))
    return tuple(draw(st.lists(points, max_size=9, unique=True)))
