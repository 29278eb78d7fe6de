"""Binary space partitions: the smallest tree that separates pieces by their own lines (5.1).

Pieces are segments in the plane with their lines, or polygons in space with their planes. A root
divides the pieces that cross its line, so the rules of its subtrees are new rules, and the
ancestral constraint differs from that of axiom 4.

Departures
  1. The recursion ends when no rule remains, so every piece of a segment becomes a node, and (28)
     is 2 · size + 1. Pieces on the line of a root go left.
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
    """Return every piece as a root, with the pieces into which its line divides the others: (27).

    Parameters
    ----------
    rs : tuple of Segment, or of Polygon
        The pieces to separate.
    """
    return [_divided(rs, i) for i in range(len(rs))]


def _divided(rs: tuple[P, ...], i: int) -> Root[P]:
    root = rs[i]
    halves = [root.divided(other) for other in (*rs[:i], *rs[i + 1 :])]
    left, right = (tuple(piece for half in halves for piece in half[k]) for k in (0, 1))
    return left, root, right


SPACE: Space[Any, None] = Space(splits_bsp, lambda _, nothing: (nothing, nothing))
# (28): nodes and leaves.
NODES: TreeObjective[Any, None, int] = TreeObjective(
    lambda _: 1, lambda left, _, right: left + right + 1, lambda cost: cost
)


def smallest_partition(rs: tuple[P, ...]) -> BTree[P]:
    """Return a smallest tree of the lines or planes of pieces that separates all of them.

    Parameters
    ----------
    rs : tuple of Segment, or of Polygon
        The pieces to separate.
    """
    memory: Memory[P, None, int] = Memory()
    best = sodt(SPACE, NODES, rs, None, memory)
    assert best is not None, "every piece can be a root"
    return best.tree


def partition_in_order(rs: tuple[P, ...], order: Sequence[int]) -> BTree[P]:
    """Return the tree whose roots are chosen by one order of the pieces, in every region.

    Parameters
    ----------
    rs : tuple of Segment, or of Polygon
        The pieces to separate.
    order : sequence of int
        The position of each piece in the order.
    """
    if not rs:
        return Leaf(None)
    first = min(range(len(rs)), key=lambda i: order[rs[i].source])
    left, root, right = _divided(rs, first)
    return Node(partition_in_order(left, order), root, partition_in_order(right, order))


def random_partition(rs: tuple[P, ...], rng: Random) -> BTree[P]:
    """Return the tree of a random order, the usual method.

    Parameters
    ----------
    rs : tuple of Segment, or of Polygon
        The undivided pieces to separate; the i-th piece has the source i.
    rng : Random
        Draws the order.
    """
    order = list(range(len(rs)))
    rng.shuffle(order)
    return partition_in_order(rs, order)


def painted(tree: BTree[P], viewpoint: Corner) -> Iterator[P]:
    """List the pieces from back to front: no piece is hidden by an earlier piece.

    Parameters
    ----------
    tree : Leaf or Node
        A partition.
    viewpoint : tuple of Fraction
        The position of the viewer.
    """
    if isinstance(tree, Node):
        near, far = tree.left, tree.right
        if tree.rule.height(viewpoint) < 0:
            near, far = far, near
        yield from painted(far, viewpoint)
        yield tree.rule
        yield from painted(near, viewpoint)
