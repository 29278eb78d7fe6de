"""Trees of one node, and pairs of them below a root, by arrays of all rules of a subset.

A *stump* is a leaf, or a rule over two leaves. All stumps of a subset are held as arrays: what they
cost, what their two children say (a leaf says the same twice), and the ranks that the threshold may
have, which all send the same rows and places left. Those that do not satisfy are left out; the
cheapest that is left is the best tree of one level, without a search.

Below a root on a feature without direction two children are independent: for other features leaves
of both never meet. Below a root on an increasing feature f (a decreasing one is mirrored), let the
left stump have the threshold t and say a1, a2, the right one u and b1, b2. Two leaves of one child
are as the side alone has them. Of leaves of both, the left one must not say more wherever the two
meet in all features but f:

- Every two leaves meet, unless both stumps ask the same feature, another one than f. So max(a1, a2)
  <= min(b1, b2) is enough, and needed but in that case. For every left stump the cheapest right one
  that says enough is found among those sorted by what they say at least.
- Both ask the numbers of one feature: the lower leaves meet at its least number, the upper ones at
  its greatest, the lower left one and the upper right one iff u < t, the other two iff t < u. Each
  threshold may be chosen among its ranks, and no two of these demands go against each other: that
  t <= u is needed if a1 > b2, that t >= u is if a2 > b1, and both together contradict a1 <= b1 and
  a2 <= b2.
- Both ask codes of one feature: whether leaves meet is asked of the values, pair by pair.

What is said is compared as floats. That is exact: shares of weights below 2^26 are different floats
if they differ at all, because they differ by 2^-52 at least.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.engine.constrained.ground import CostedNode, CostedTree, Ground, Number, Subset
from exactree.engine.constrained.regions import FeatureSpace
from exactree.engine.constrained.state import LeafCondition, State

__all__ = ["Stumps", "Sweeps", "stump_tree", "stumps_of", "takes_sweeps"]

# Shares of weights below this are distinguished as floats, and so many units are added in 64 bits.
_MOST_WEIGHT, _MOST_UNITS = 2**26, 2**60

# Pairs of stumps that are compared at a time.
_MOST_PAIRS = 1_000_000

# Weights that are added up at a time.
_MOST_CELLS = 4_000_000

_NO_COLUMN = -1


@dataclass(frozen=True)
class Stumps:
    """Stumps of a subset, each an entry of every array.

    Attributes
    ----------
    cost : ndarray of int64
        With the prices of leaves.
    column : ndarray of int64
        Of the rule, -1 for the leaf.
    first, last : ndarray of int64
        The ranks that the threshold may have.
    leaf_value : ndarray of float64, shape (m, 2)
        By the left leaf and the right one.
    """

    cost: NDArray[np.int64]
    column: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    leaf_value: NDArray[np.float64]

    def of(self, chosen: NDArray[Any]) -> "Stumps":
        """Return some of them."""
        return Stumps(*(getattr(self, one.name)[chosen] for one in fields(self)))


def takes_sweeps(ground: Ground) -> bool:
    """Tell whether stumps of a problem can be held as arrays.

    Parameters
    ----------
    ground : Ground
        The problem.
    """
    costs, dataset = ground.costs, ground.problem.dataset
    if costs is None or not costs.exact or dataset.total_weight >= _MOST_WEIGHT:
        return False
    reach = costs.reach(dataset.labels, dataset.weights)
    assert reach is not None
    most = costs.at_least(sum(reach.tolist())) + 2 * ground.leaf_price
    several = [c for c, f in enumerate(ground.features) if ground.features.count(f) > 1]
    return most < _MOST_UNITS and all(len(ground.values[c]) <= 2 for c in several)


def stumps_of(
    ground: Ground, rows: Subset, features: frozenset[int], least_weight: int = 0
) -> Stumps:
    """Return all stumps of a subset, by rules that leave enough rows in both children.

    Parameters
    ----------
    ground : Ground
        The problem, whose stumps can be held as arrays.
    rows : ndarray of int64
        The subset, whose leaf satisfies.
    features : frozenset of int
        Those that may be used.
    least_weight : int
        What both children must weigh.
    """
    weights = ground.of_class[rows]
    alone = np.repeat(ground.leaf_values(weights.sum(axis=0)[None]), 2)[None]
    cost_of_leaf = np.array([int(ground.leaf(rows).cost)])
    nothing = np.array([_NO_COLUMN])
    held = [Stumps(cost_of_leaf, nothing, nothing, nothing, alone)]
    columns = np.array([c for c, f in enumerate(ground.features) if f in features], dtype=np.int64)
    size = max(_MOST_CELLS // (len(rows) * weights.shape[1]), 1)
    for start in range(0, len(columns), size):
        some = columns[start : start + size]
        held.append(_on_columns(ground, rows, weights, some, least_weight))
    return _joined(held)


def _on_columns(
    ground: Ground,
    rows: Subset,
    weights: NDArray[np.int64],
    columns: NDArray[np.int64],
    least_weight: int,
) -> Stumps:
    """Return the stumps with a rule on some columns, by the weights of the subset's rows."""
    costs = ground.costs
    assert costs is not None
    ranks = ground.ranks[np.ix_(rows, columns)]
    order = ranks.argsort(axis=0, kind="stable")
    ranks = np.take_along_axis(ranks, order, axis=0).T
    upto = weights[order].cumsum(axis=0)
    at, ends = np.nonzero(ranks[:, 1:] != ranks[:, :-1])
    fewest = np.minimum(ends + 1, len(rows) - 1 - ends)
    left = upto[ends, at]
    right = upto[-1, at] - left
    if ground.min_rows > 1 or least_weight:
        least = np.minimum(left.sum(axis=1), right.sum(axis=1))
        enough = (fewest >= ground.min_rows) & (least >= least_weight)
        at, ends, left, right = at[enough], ends[enough], left[enough], right[enough]
    cost = np.zeros(0, dtype=np.int64)
    if len(ends):
        cost = costs.two_leaves(left, right).astype(np.int64) * costs.step
    leaf_value = np.stack([ground.leaf_values(left), ground.leaf_values(right)], axis=1)
    first, last = ranks[at, ends], ranks[at, ends + 1] - 1
    return Stumps(cost + 2 * int(ground.leaf_price), columns[at], first, last, leaf_value)


def _joined(several: list[Stumps]) -> Stumps:
    """Return all of them, one after the other."""
    names = [one.name for one in fields(Stumps)]
    return Stumps(*(np.concatenate([getattr(each, name) for each in several]) for name in names))


def stump_tree(
    ground: Ground, rows: Subset, stumps: Stumps, at: int, rank: int | None = None
) -> CostedTree:
    """Return a stump as a tree.

    Parameters
    ----------
    ground : Ground
        The problem.
    rows : ndarray of int64
        The subset.
    stumps : Stumps
        Some of its stumps.
    at : int
        Which one.
    rank : int, optional
        Of the threshold; by default as near as may be to the middle between the part's values.
    """
    column = int(stumps.column[at])
    if column == _NO_COLUMN:
        return ground.leaf(rows)
    if rank is None:
        first, last = int(stumps.first[at]), int(stumps.last[at])
        held = ground.ranks[rows, column]
        low, high = int(held[held <= first].max()), int(held[held > last].min())
        rank = min(max(ground.middle(column, low, high), first), last)
    left = ground.holds(rows, column, rank)
    return CostedNode(column, rank, ground.leaf(rows[left]), ground.leaf(rows[~left]))


class Sweeps:
    """Best trees of one level, and of two.

    Parameters
    ----------
    ground : Ground
        The problem, whose stumps can be held as arrays.
    space : FeatureSpace or None
        As in `Parts`.
    """

    def __init__(self, ground: Ground, space: FeatureSpace | None) -> None:
        self.ground, self.space = ground, space
        self.feature_of = np.array([*ground.features, _NO_COLUMN], dtype=np.int64)
        directions = ground.problem.feature_constraints.directions
        self.direction = np.array([*(directions.get(f, 0) for f in ground.features), 0])
        self.several = {f for f in ground.features if ground.features.count(f) > 1}

    def best(self, rows: Subset, state: State, upper: Number) -> CostedTree | None:
        """Return the best tree of at most one node that is feasible and costs less than `upper`."""
        stumps = self.allowed(rows, state)
        if not len(stumps.cost):
            return None
        at = int(stumps.cost.argmin())
        return self._tree(rows, stumps, at) if int(stumps.cost[at]) < upper else None

    def pair(
        self,
        root: tuple[int, int],
        sides: tuple[Subset, Subset],
        states: tuple[State, State],
        upper: Number,
    ) -> CostedTree | None:
        """Return the best tree with a stump on each child of a root, if it costs less than `upper`.

        Parameters
        ----------
        root : pair of int
            Column and rank.
        sides : pair of ndarray of int64
            The rows on either side.
        states : pair of State
            What they must satisfy.
        upper : int, Fraction or float
            Trees that cost as much do not count.
        """
        one = self.allowed(sides[0], states[0])
        least = int(one.cost.min()) if len(one.cost) else inf
        if least >= upper:
            return None
        other = self.allowed(sides[1], states[1])
        if not len(other.cost) or least + int(other.cost.min()) >= upper:
            return None
        found = self._pair(root[0], one, other, upper)
        if found is None:
            return None
        i, j = found
        t, u = self._ranks(one, other, i, j, int(self.direction[root[0]]))
        left, right = self._tree(sides[0], one, i, t), self._tree(sides[1], other, j, u)
        return CostedNode(*root, left, right)

    def allowed(self, rows: Subset, state: State) -> Stumps:
        """Return the stumps of a subset that satisfy."""
        ground, required = self.ground, state.required
        features = state.open_features(ground) if state.size else frozenset()
        if required:
            features = features & required if len(required) == 1 else frozenset()
        stumps = stumps_of(ground, rows, features, ground.least_weight)
        low, high = stumps.leaf_value.T
        direction = self.direction[stumps.column]
        kept = direction * low <= direction * high
        enough = len(rows) >= ground.min_rows and ground.leaf(rows).weight >= ground.least_weight
        kept[0] = enough and not required
        for place in state.places:
            stumps, kept = self._placed(stumps, kept, place)
        return stumps.of(kept)

    def _placed(
        self, stumps: Stumps, kept: NDArray[np.bool_], place: LeafCondition
    ) -> tuple[Stumps, NDArray[np.bool_]]:
        """Leave out what a place may not reach; divide ranks that send it to either side."""
        rank = np.array([*place.ranks, 0])[stumps.column]
        either = np.flatnonzero((stumps.first < rank) & (rank <= stumps.last) & kept)
        if len(either):
            upper, last = stumps.of(either), stumps.last.copy()
            last[either] = rank[either] - 1
            lower = Stumps(stumps.cost, stumps.column, stumps.first, last, stumps.leaf_value)
            upper = Stumps(upper.cost, upper.column, rank[either], upper.last, upper.leaf_value)
            stumps = _joined([lower, upper])
            kept = np.append(kept, np.ones(len(either), dtype=np.bool_))
            rank = np.append(rank, rank[either])
        leaf_value = np.where(
            rank <= stumps.first, stumps.leaf_value[:, 0], stumps.leaf_value[:, 1]
        )
        return stumps, kept & ((leaf_value <= float(place.limit)) == place.most)

    def _pair(
        self, column: int, one: Stumps, other: Stumps, upper: Number
    ) -> tuple[int, int] | None:
        """Return the cheapest two stumps that go together, if they cost less than `upper`."""
        direction = int(self.direction[column])
        if not direction:
            return int(one.cost.argmin()), int(other.cost.argmin())
        a, b = direction * one.leaf_value, direction * other.leaf_value
        found: tuple[int, int] | None = None
        by_least = np.argsort(b.min(axis=1), kind="stable")
        cheapest = np.minimum.accumulate(other.cost[by_least][::-1])[::-1]
        at = np.searchsorted(b.min(axis=1)[by_least], a.max(axis=1), side="left")
        some = np.flatnonzero(at < len(cheapest))
        if len(some):
            total = one.cost[some] + cheapest[at[some]]
            best = int(total.argmin())
            if int(total[best]) < upper:
                i = int(some[best])
                rest = by_least[at[i] :]
                found, upper = (i, int(rest[other.cost[rest].argmin()])), int(total[best])
        root = self.ground.features[column]
        features_used = [set(self.feature_of[each.column].tolist()) for each in (one, other)]
        for feature in sorted((features_used[0] & features_used[1]) - {root, _NO_COLUMN}):
            for i, j, total in self._of_feature(feature, one, other, (a, b), upper):
                if total < upper:
                    found, upper = (i, j), total
        return found

    def _of_feature(
        self,
        feature: int,
        one: Stumps,
        other: Stumps,
        leaf_value: tuple[NDArray[np.float64], NDArray[np.float64]],
        upper: Number,
    ) -> Iterator[tuple[int, int, int]]:
        """List pairs of stumps on one feature that go together, the cheapest one among them."""
        mine = np.flatnonzero(self.feature_of[one.column] == feature)
        theirs = np.flatnonzero(self.feature_of[other.column] == feature)
        if upper != inf:
            most = int(-(-upper // 1))
            mine = mine[one.cost[mine] + other.cost[theirs].min() < most]
            if not len(mine):
                return
            theirs = theirs[other.cost[theirs] + one.cost[mine].min() < most]
        if not len(theirs):
            return
        size = max(_MOST_PAIRS // len(theirs), 1)
        for start in range(0, len(mine), size):
            chosen = mine[start : start + size]
            a, b = leaf_value[0][chosen][:, None], leaf_value[1][theirs][None]
            if feature in self.several:
                together = self._codes_go_together(one, other, chosen, theirs, a, b)
            else:
                at_most = one.first[chosen][:, None] <= other.last[theirs][None]
                at_least = one.last[chosen][:, None] >= other.first[theirs][None]
                together = np.asarray((a <= b).all(axis=2))
                together &= (a[..., 0] <= b[..., 1]) | at_most
                together &= (a[..., 1] <= b[..., 0]) | at_least
            total = one.cost[chosen][:, None] + other.cost[theirs][None]
            total = np.where(together, total, np.iinfo(np.int64).max)
            i, j = np.unravel_index(int(total.argmin()), total.shape)
            if together[i, j]:
                yield int(chosen[i]), int(theirs[j]), int(total[i, j])

    def _codes_go_together(
        self,
        one: Stumps,
        other: Stumps,
        mine: NDArray[np.int64],
        theirs: NDArray[np.int64],
        a: NDArray[np.float64],
        b: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Tell which stumps on codes of one feature go together, by the values they divide."""
        assert self.space is not None
        together = np.ones((len(mine), len(theirs)), dtype=np.bool_)
        left = [self.space.goes_left(int(one.column[i]), int(one.first[i])) for i in mine]
        right = [self.space.goes_left(int(other.column[j]), int(other.first[j])) for j in theirs]
        for x, y in np.ndindex(together.shape):
            for side, mask in enumerate((left[x], ~left[x])):
                for beside, their_mask in enumerate((right[y], ~right[y])):
                    if (mask & their_mask).any() and a[x, 0, side] > b[0, y, beside]:
                        together[x, y] = False
        return together

    def _ranks(
        self, one: Stumps, other: Stumps, i: int, j: int, direction: int
    ) -> tuple[int | None, int | None]:
        """Return the ranks of two thresholds that go together; None for any."""
        features = self.feature_of[[one.column[i], other.column[j]]]
        if not direction or features[0] != features[1] or int(features[0]) in self.several:
            return None, None
        (a1, a2), (b1, b2) = (direction * each for each in (one.leaf_value[i], other.leaf_value[j]))
        if a1 > b2:
            return int(one.first[i]), int(other.last[j])
        if a2 > b1:
            return int(one.last[i]), int(other.first[j])
        return None, None

    def _tree(self, rows: Subset, stumps: Stumps, at: int, rank: int | None = None) -> CostedTree:
        """Return a stump as a tree."""
        return stump_tree(self.ground, rows, stumps, at, rank)
