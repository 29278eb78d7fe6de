"""Binary space partitions: the smallest tree that separates segments by their own lines (5.1).

Or polygons by their own planes. A root divides what crosses its line, so the rules of its subtrees
are new: the ancestral constraint is another one.

Departures
  1. The recursion ends when no rule is left, so every piece of a segment becomes a node, and (28)
     is 2 · size + 1. What lies on the line of a root goes left.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, TypeVar

from exactree.proper.objective import TreeObjective
from exactree.proper.odt import Memory, sodt
from exactree.proper.pieces import Corner, Piece
from exactree.proper.space import Root, Space
from exactree.proper.tree import BTree, Leaf, Node

P = TypeVar("P", bound=Piece)


def splits_bsp(rs: tuple[P, ...]) -> list[Root[P]]:
    """Return every piece as a root, with the pieces that its line makes of the others: (27).

    Parameters
    ----------
    rs : tuple of Segment, or of Polygon
        What is to be separated.
    """
    return [_divided(rs, i) for i in range(len(rs))]


def _divided(rs: tuple[P, ...], i: int) -> Root[P]:
    root = rs[i]
    sides = [root.divided(other) for other in (*rs[:i], *rs[i + 1 :])]
    left, right = (tuple(piece for side in sides for piece in side[k]) for k in (0, 1))
    return left, root, right


SPACE: Space[Any, None] = Space(splits_bsp, lambda _, nothing: (nothing, nothing))
# (28): nodes and leaves.
NODES: TreeObjective[Any, None, int] = TreeObjective(
    lambda _: 1, lambda left, _, right: left + right + 1, lambda cost: cost
)


def smallest_partition(rs: tuple[P, ...]) -> BTree[P]:
    """Return a smallest tree of the lines or planes of some pieces that separates all of them.

    Parameters
    ----------
    rs : tuple of Segment, or of Polygon
        What is to be separated.
    """
    memory: Memory[P, None, int] = Memory()
    best = sodt(SPACE, NODES, rs, None, memory)
    assert best is not None, "every piece can be a root"
    return best.tree


def partition_in_order(rs: tuple[P, ...], order: Sequence[int]) -> BTree[P]:
    """Return the tree whose roots are taken in one order of the pieces, in every region.

    Parameters
    ----------
    rs : tuple of Segment, or of Polygon
        What is to be separated.
    order : sequence of int
        The place of each one in the order.
    """
    if not rs:
        return Leaf(None)
    first = min(range(len(rs)), key=lambda i: order[rs[i].source])
    left, root, right = _divided(rs, first)
    return Node(partition_in_order(left, order), root, partition_in_order(right, order))


def random_partition(rs: tuple[P, ...], rng: Random) -> BTree[P]:
    """Return the tree of a random order, as it is done usually.

    Parameters
    ----------
    rs : tuple of Segment, or of Polygon
        What is to be separated, undivided: the i-th one has the source i.
    rng : Random
        Draws the order.
    """
    order = list(range(len(rs)))
    rng.shuffle(order)
    return partition_in_order(rs, order)


def painted(tree: BTree[P], viewpoint: Corner) -> Iterator[P]:
    """List the pieces from back to front: none is hidden by an earlier one.

    Parameters
    ----------
    tree : Leaf or Node
        A partition.
    viewpoint : tuple of Fraction
        From where it is seen.
    """
    if isinstance(tree, Node):
        near, far = tree.left, tree.right
        if tree.rule.height(viewpoint) < 0:
            near, far = far, near
        yield from painted(far, viewpoint)
        yield tree.rule
        yield from painted(near, viewpoint)
