"""K-D trees: a node is an example, and the levels cycle through the features (section 5.3).

Departures
  1. Examples that equal the root in its feature go left; the paper does not define this.
  2. A tree may have fewer nodes than examples; its leaves hold the other examples.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import dist
from typing import Any, TypeAlias

from exactree.data.parameters import finite_float, shown
from exactree.proper.objective import TreeObjective
from exactree.proper.odt import Best, Memory, sodt
from exactree.proper.permutations import kcombs
from exactree.proper.space import Root, Space
from exactree.proper.tree import DTree, Leaf

KdPoint: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class KdExample:
    """An example with its level if it is the next root.

    Attributes
    ----------
    number : int
        The index of the example.
    place : tuple of float
        Its features.
    level : int
        As a root it splits on the feature `level` modulo the number of features.
    """

    number: int
    place: KdPoint
    level: int = 0

    @property
    def feature(self) -> int:
        """The feature that it splits on as a root."""
        return self.level % len(self.place)

    def left_of(self, place: KdPoint) -> bool:
        """Return whether a point goes left of this example as a root.

        Parameters
        ----------
        place : tuple of float
            Any point.
        """
        return place[self.feature] <= self.place[self.feature]


@dataclass(frozen=True)
class LeafData:
    """The data of a leaf.

    Attributes
    ----------
    examples : tuple of KdExample
        The examples that are not nodes.
    queries : tuple of tuple of float
        Points that are looked up.
    """

    examples: tuple[KdExample, ...]
    queries: tuple[KdPoint, ...] = ()


KDTree: TypeAlias = DTree[KdExample, LeafData]


def splits_kd(rs: tuple[KdExample, ...]) -> list[Root[KdExample]]:
    """Return every example as a root, with the others one level below.

    Parameters
    ----------
    rs : tuple of KdExample
        The nodes of a tree, all with the same level.
    """
    roots = []
    for i, root in enumerate(rs):
        below = [KdExample(q.number, q.place, q.level + 1) for q in (*rs[:i], *rs[i + 1 :])]
        left = tuple(q for q in below if root.left_of(q.place))
        right = tuple(q for q in below if not root.left_of(q.place))
        roots.append((left, root, right))
    return roots


def divide_kd(root: KdExample, data: LeafData) -> tuple[LeafData, LeafData]:
    """Return the data to the left and to the right of a root.

    Parameters
    ----------
    root : KdExample
        The root.
    data : LeafData
        Examples and queries.
    """
    sides = []
    for left in (True, False):
        examples = tuple(x for x in data.examples if root.left_of(x.place) is left)
        queries = tuple(q for q in data.queries if root.left_of(q) is left)
        sides.append(LeafData(examples, queries))
    return sides[0], sides[1]


SPACE: Space[KdExample, LeafData] = Space(splits_kd, divide_kd)


def best_kd_tree(
    places: Sequence[Sequence[float]],
    objective: TreeObjective[KdExample, LeafData, Any],
    k: int | None = None,
    queries: Sequence[Sequence[float]] = (),
) -> Best[KdExample, LeafData, Any]:
    """Return the best K-D tree of some examples.

    Parameters
    ----------
    places : sequence of sequence of float
        The features of the examples.
    objective : TreeObjective
        The objective: `balance`, `scatter`, `visits`, or another.
    k : int, optional
        The number of nodes; by default the number of examples.
    queries : sequence of sequence of float
        Points that are looked up.

    Raises
    ------
    ValueError
        If k is not an integer >= 0, there are fewer examples than nodes, or a place or query has a
        number that is not finite, or a different number of features than the first place.
    """
    features = len(places[0]) if len(places) else 0
    examples = [KdExample(i, place) for i, place in enumerate(_checked("places", places, features))]
    k = len(examples) if k is None else k
    checked_queries = tuple(_checked("queries", queries, features))
    memory: Memory[KdExample, LeafData, Any] = Memory()
    found = []
    for chosen in kcombs(k, examples):
        rest = tuple(x for x in examples if x not in chosen)
        best = sodt(SPACE, objective, chosen, LeafData(rest, checked_queries), memory)
        assert best is not None, "every example can be a root"
        found.append(best)
    if not found:
        raise ValueError(
            f"k={shown(k)} nodes of a K-D tree need as many examples, found {len(examples)}."
        )
    return min(found, key=lambda best: objective.value(best.cost))


def _checked(name: str, places: Sequence[Sequence[float]], features: int) -> list[KdPoint]:
    """Return places as tuples of floats, after checking their lengths and numbers."""
    checked = []
    for row, given in enumerate(places):
        place = tuple(
            finite_float(f"{name}, row {row}, feature {feature}", number)
            for feature, number in enumerate(given)
        )
        if len(place) != features or not place:
            raise ValueError(
                f"{name}, row {row} has {len(place)} numbers; every place needs the same number, "
                f"at least one, and the first of places has {features}."
            )
        checked.append(place)
    return checked


# The imbalance of the leaves: the sum of their squared numbers of examples.
balance: TreeObjective[KdExample, LeafData, int] = TreeObjective(
    lambda data: len(data.examples) ** 2, lambda left, _, right: left + right, lambda cost: cost
)


def _scatter(data: LeafData) -> float:
    columns = list(zip(*(x.place for x in data.examples), strict=True))
    means = [sum(column) / len(column) for column in columns]
    pairs = zip(columns, means, strict=True)
    return float(sum((x - mean) ** 2 for column, mean in pairs for x in column))


# The scatter of the examples in the leaves: the sum of squares about their means.
scatter: TreeObjective[KdExample, LeafData, float] = TreeObjective(
    _scatter, lambda left, _, right: left + right, lambda cost: cost
)
# The number of nodes that queries visit; the second number is the number of queries.
visits: TreeObjective[KdExample, LeafData, tuple[int, int]] = TreeObjective(
    lambda data: (0, len(data.queries)),
    lambda left, _, right: (left[0] + right[0] + left[1] + right[1], left[1] + right[1]),
    lambda cost: cost[0],
)


def in_box(tree: KDTree, low: KdPoint, high: KdPoint) -> Iterator[int]:
    """List the indices of the examples in a closed box.

    Parameters
    ----------
    tree : Leaf or Node
        A K-D tree.
    low, high : tuple of float
        The corners of the box.
    """
    if isinstance(tree, Leaf):
        found = tree.data.examples
    else:
        found, f = (tree.rule,), tree.rule.feature
        if low[f] <= tree.rule.place[f]:
            yield from in_box(tree.left, low, high)
        if high[f] > tree.rule.place[f]:
            yield from in_box(tree.right, low, high)
    for x in found:
        if all(a <= v <= b for a, v, b in zip(low, x.place, high, strict=True)):
            yield x.number


def nearest(tree: KDTree, query: KdPoint) -> tuple[float, int]:
    """Return the distance of the nearest example, and its index.

    Parameters
    ----------
    tree : Leaf or Node
        A K-D tree with at least one example.
    query : tuple of float
        A point.

    Raises
    ------
    ValueError
        If the tree holds no examples.
    """
    best = _nearest(tree, query, (float("inf"), -1))
    if best[1] < 0:
        raise ValueError("the tree holds no examples.")
    return best


def _nearest(tree: KDTree, query: KdPoint, best: tuple[float, int]) -> tuple[float, int]:
    if isinstance(tree, Leaf):
        return min([best, *((dist(x.place, query), x.number) for x in tree.data.examples)])
    root = tree.rule
    best = min(best, (dist(root.place, query), root.number))
    near, far = (tree.left, tree.right) if root.left_of(query) else (tree.right, tree.left)
    best = _nearest(near, query, best)
    if abs(query[root.feature] - root.place[root.feature]) <= best[0]:
        best = _nearest(far, query, best)
    return best
