"""All shapes of trees with a number of leaves or up to a depth, and their number."""

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, product

from exactree.data.parameters import checked_integer
from exactree.theory.shape import TreeShape

# Beyond these numbers time or memory does not suffice: leaves of counted shapes, and leaves and
# depth of listed shapes.
MAX_LEAVES, _MAX_LISTED, _MAX_DEPTH = 10_000, 23, 5


def wedderburn_etherington(leaves: int) -> int:
    """Return the number of shapes with a number of leaves, up to mirror image.

    Parameters
    ----------
    leaves : int
        From 1 to 10,000.
    """
    leaves = checked_integer("leaves", leaves, 1, MAX_LEAVES)
    return wedderburn_etherington_numbers(leaves)[leaves]


def wedderburn_etherington_numbers(max_leaves: int) -> list[int]:
    """Return the numbers of shapes with 0 (none), 1, 2, ... `max_leaves` leaves.

    Parameters
    ----------
    max_leaves : int
        At least 1.
    """
    numbers = [0, 1]
    for n in range(2, max_leaves + 1):
        total = sum(numbers[k] * numbers[n - k] for k in range(1, (n + 1) // 2))
        if n % 2 == 0:
            total += numbers[n // 2] * (numbers[n // 2] + 1) // 2
        numbers.append(total)
    return numbers


def enumerate_shapes(leaves: int) -> Iterator[TreeShape]:
    """Yield every shape with a number of leaves once.

    Parameters
    ----------
    leaves : int
        From 1 to 23; there are 3.6 million shapes of 23 leaves. All smaller shapes are kept in
        memory.
    """
    leaves = checked_integer("leaves", leaves, 1, _MAX_LISTED)
    smaller: list[list[TreeShape]] = [[]]
    for n in range(1, leaves):
        smaller.append(list(_joined(n, smaller)))
    return _joined(leaves, smaller)


def _joined(leaves: int, smaller: list[list[TreeShape]]) -> Iterator[TreeShape]:
    """Yield the shapes with a number of leaves, given all smaller shapes by their leaves."""
    if leaves == 1:
        yield TreeShape()
    for large in range((leaves + 1) // 2, leaves):
        pairs: Iterable[tuple[TreeShape, TreeShape]]
        if 2 * large == leaves:
            pairs = combinations_with_replacement(smaller[large], 2)
        else:
            pairs = product(smaller[large], smaller[leaves - large])
        for left, right in pairs:
            yield TreeShape(left, right)


def enumerate_shapes_within(depth: int) -> list[TreeShape]:
    """Return every shape of limited depth once, by depth and number of leaves.

    Parameters
    ----------
    depth : int
        From 0 to 5. There are 1, 2, 4, 11, 67, 2279 shapes of depth at most 0, 1, 2, 3, 4, 5, and
        2.6 million of depth at most 6.
    """
    depth = checked_integer("depth", depth, 0, _MAX_DEPTH)
    shapes = [TreeShape()]
    for _ in range(depth):
        pairs = combinations_with_replacement(shapes, 2)
        shapes = [TreeShape(), *(TreeShape(*pair) for pair in pairs)]
    return sorted(shapes, key=lambda shape: (shape.depth, shape.leaves, shape.code))
