"""Trees of one node, and pairs of them below a root, by arrays of all splits of a subset.

A *stump* is a leaf, or a split with two leaves. All stumps of a subset are held as arrays: their
costs, the values of their two leaves (equal for a single leaf), and the ranks that the threshold
may have, which all split the rows and the points of the conditions alike. Infeasible stumps are
removed; the cheapest stump that is left is the best tree of one level.

Below a root on a feature without direction the two children are independent: for other features,
leaves of the left and the right child are never compared. Below a root on an increasing feature f
(a decreasing feature is mirrored), let the left stump have threshold t and values a1, a2, and the
right stump threshold u and values b1, b2. Leaves of the same child are compared within this child.
Of leaves of different children, the left value must not be greater if the regions of both leaves
meet in all features but f:

- Any two leaves meet, unless both stumps use the same feature, different from f. So max(a1, a2) <=
  min(b1, b2) is sufficient, and except in that case also necessary. For every left stump, the
  cheapest right stump with a sufficient minimum value is found by sorting the right stumps by their
  minimum values.
- Both stumps use the numbers of one feature: the lower leaves meet at its smallest number, and the
  upper leaves at its greatest. The lower left and the upper right leaf meet iff u < t, the other
  two iff t < u. Each threshold may be chosen among its ranks, and the requirements on them are
  compatible: t <= u is needed if a1 > b2, t >= u is needed if a2 > b1, and both together contradict
  a1 <= b1 and a2 <= b2.
- Both stumps use codes of one feature: whether leaves meet is computed from the values, pair by
  pair.

Values are compared as floats. That is exact: different shares of weights below 2^26 are different
floats, because they differ by at least 2^-52.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.engine.constrained.prepared import (
    CostedNode,
    CostedTree,
    Number,
    PreparedProblem,
    Subset,
)
from exactree.engine.constrained.regions import FeatureSpace
from exactree.engine.constrained.state import LeafCondition, State

__all__ = ["Stumps", "Sweeps", "stump_tree", "stumps_of", "takes_sweeps"]

# Shares of weights below the first are distinct floats; sums below the second fit into 64 bits.
_MAX_WEIGHT, _MAX_UNITS = 2**26, 2**60
# Pairs of stumps that are compared at a time.
_MAX_PAIRS = 1_000_000
# Weights that are added up at a time.
_MAX_CELLS = 4_000_000
_NO_COLUMN = -1


@dataclass(frozen=True)
class Stumps:
    """Stumps of a subset, each an entry of every array.

    Attributes
    ----------
    cost : ndarray of int64
        The costs, with the prices of leaves.
    column : ndarray of int64
        The column of the split, -1 for the leaf.
    first, last : ndarray of int64
        The ranks that the threshold may have.
    leaf_value : ndarray of float64, shape (m, 2)
        The values of the left and of the right leaf.
    """

    cost: NDArray[np.int64]
    column: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    leaf_value: NDArray[np.float64]

    def of(self, chosen: NDArray[Any]) -> "Stumps":
        """Return some of the stumps."""
        return Stumps(*(getattr(self, one.name)[chosen] for one in fields(self)))


def takes_sweeps(prepared: PreparedProblem) -> bool:
    """Return whether the stumps of a problem can be held as arrays.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    """
    costs, dataset = prepared.costs, prepared.problem.dataset
    if costs is None or not costs.exact or dataset.total_weight >= _MAX_WEIGHT:
        return False
    reach = costs.reach(dataset.labels, dataset.weights)
    assert reach is not None
    most = costs.at_least(sum(reach.tolist())) + 2 * prepared.leaf_price
    several = [c for c, f in enumerate(prepared.features) if prepared.features.count(f) > 1]
    return most < _MAX_UNITS and all(len(prepared.values[c]) <= 2 for c in several)


def stumps_of(
    prepared: PreparedProblem, rows: Subset, features: frozenset[int], least_weight: int = 0
) -> Stumps:
    """Return all stumps of a subset whose leaves meet the minimum rows and weight.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem; its stumps can be held as arrays.
    rows : ndarray of int64
        The subset; its leaf is feasible.
    features : frozenset of int
        The features that may be used.
    least_weight : int
        Minimum weight of both children.
    """
    weights = prepared.of_class[rows]
    alone = np.repeat(prepared.leaf_values(weights.sum(axis=0)[None]), 2)[None]
    cost_of_leaf = np.array([int(prepared.leaf(rows).cost)])
    nothing = np.array([_NO_COLUMN])
    held = [Stumps(cost_of_leaf, nothing, nothing, nothing, alone)]
    columns = np.array(
        [c for c, f in enumerate(prepared.features) if f in features], dtype=np.int64
    )
    size = max(_MAX_CELLS // (len(rows) * weights.shape[1]), 1)
    for start in range(0, len(columns), size):
        some = columns[start : start + size]
        held.append(_on_columns(prepared, rows, weights, some, least_weight))
    return _joined(held)


def _on_columns(
    prepared: PreparedProblem,
    rows: Subset,
    weights: NDArray[np.int64],
    columns: NDArray[np.int64],
    least_weight: int,
) -> Stumps:
    """Return the stumps with a rule on some columns, by the weights of the subset's rows."""
    costs = prepared.costs
    assert costs is not None
    ranks = prepared.ranks[np.ix_(rows, columns)]
    order = ranks.argsort(axis=0, kind="stable")
    ranks = np.take_along_axis(ranks, order, axis=0).T
    upto = weights[order].cumsum(axis=0)
    at, ends = np.nonzero(ranks[:, 1:] != ranks[:, :-1])
    fewest = np.minimum(ends + 1, len(rows) - 1 - ends)
    left = upto[ends, at]
    right = upto[-1, at] - left
    if prepared.min_rows > 1 or least_weight:
        least = np.minimum(left.sum(axis=1), right.sum(axis=1))
        enough = (fewest >= prepared.min_rows) & (least >= least_weight)
        at, ends, left, right = at[enough], ends[enough], left[enough], right[enough]
    cost = np.zeros(0, dtype=np.int64)
    if len(ends):
        cost = costs.two_leaves(left, right).astype(np.int64) * costs.step
    leaf_value = np.stack([prepared.leaf_values(left), prepared.leaf_values(right)], axis=1)
    first, last = ranks[at, ends], ranks[at, ends + 1] - 1
    return Stumps(cost + 2 * int(prepared.leaf_price), columns[at], first, last, leaf_value)


def _joined(several: list[Stumps]) -> Stumps:
    """Return all stumps of a list."""
    names = [one.name for one in fields(Stumps)]
    return Stumps(*(np.concatenate([getattr(each, name) for each in several]) for name in names))


def stump_tree(
    prepared: PreparedProblem, rows: Subset, stumps: Stumps, at: int, rank: int | None = None
) -> CostedTree:
    """Return a stump as a tree.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    rows : ndarray of int64
        The subset.
    stumps : Stumps
        Stumps of the subset.
    at : int
        Position of the stump.
    rank : int, optional
        The rank of the threshold; by default the rank nearest to the middle between the values of
        the subset.
    """
    column = int(stumps.column[at])
    if column == _NO_COLUMN:
        return prepared.leaf(rows)
    if rank is None:
        first, last = int(stumps.first[at]), int(stumps.last[at])
        held = prepared.ranks[rows, column]
        low, high = int(held[held <= first].max()), int(held[held > last].min())
        rank = min(max(prepared.middle(column, low, high), first), last)
    left = prepared.holds(rows, column, rank)
    return CostedNode(column, rank, prepared.leaf(rows[left]), prepared.leaf(rows[~left]))


class Sweeps:
    """Best trees of one level, and of two levels below a given root.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem; its stumps can be held as arrays.
    space : FeatureSpace or None
        As in `SubsetRecursion`.
    """

    def __init__(self, prepared: PreparedProblem, space: FeatureSpace | None) -> None:
        self.prepared, self.space = prepared, space
        self.feature_of = np.array([*prepared.features, _NO_COLUMN], dtype=np.int64)
        directions = prepared.problem.feature_constraints.directions
        self.direction = np.array([*(directions.get(f, 0) for f in prepared.features), 0])
        self.several = {f for f in prepared.features if prepared.features.count(f) > 1}

    def best(self, rows: Subset, state: State, upper: Number) -> CostedTree | None:
        """Return the best tree of at most one node that is feasible and costs less than `upper`."""
        stumps = self.allowed(rows, state)
        if not len(stumps.cost):
            return None
        at = int(stumps.cost.argmin())
        return stump_tree(self.prepared, rows, stumps, at) if int(stumps.cost[at]) < upper else None

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
            The rows of both children.
        states : pair of State
            Their constraints.
        upper : int, Fraction or float
            The exclusive upper bound.
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
        left = stump_tree(self.prepared, sides[0], one, i, t)
        right = stump_tree(self.prepared, sides[1], other, j, u)
        return CostedNode(*root, left, right)

    def allowed(self, rows: Subset, state: State) -> Stumps:
        """Return the feasible stumps of a subset."""
        prepared, required = self.prepared, state.required
        features = state.open_features(prepared) if state.size else frozenset()
        if required:
            features = features & required if len(required) == 1 else frozenset()
        stumps = stumps_of(prepared, rows, features, prepared.least_weight)
        low, high = stumps.leaf_value.T
        direction = self.direction[stumps.column]
        kept = direction * low <= direction * high
        enough = (
            len(rows) >= prepared.min_rows and prepared.leaf(rows).weight >= prepared.least_weight
        )
        kept[0] = enough and not required
        for place in state.places:
            stumps, kept = self._placed(stumps, kept, place)
        return stumps.of(kept)

    def _placed(
        self, stumps: Stumps, kept: NDArray[np.bool_], place: LeafCondition
    ) -> tuple[Stumps, NDArray[np.bool_]]:
        """Remove stumps that violate a condition; split ranks on both sides of its point."""
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
        """Return the cheapest compatible stumps, if they cost less than `upper`."""
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
        root = self.prepared.features[column]
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
        """List compatible pairs of stumps on one feature, the cheapest pair among them."""
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
        size = max(_MAX_PAIRS // len(theirs), 1)
        for start in range(0, len(mine), size):
            chosen = mine[start : start + size]
            a, b = leaf_value[0][chosen][:, None], leaf_value[1][theirs][None]
            if feature in self.several:
                together = self._compatible_codes(one, other, chosen, theirs, a, b)
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

    def _compatible_codes(
        self,
        one: Stumps,
        other: Stumps,
        mine: NDArray[np.int64],
        theirs: NDArray[np.int64],
        a: NDArray[np.float64],
        b: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Return which stumps on codes of one feature are compatible, by the values they split."""
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
        """Return the ranks of two compatible thresholds; None for any ranks."""
        features = self.feature_of[[one.column[i], other.column[j]]]
        if not direction or features[0] != features[1] or int(features[0]) in self.several:
            return None, None
        (a1, a2), (b1, b2) = (direction * each for each in (one.leaf_value[i], other.leaf_value[j]))
        if a1 > b2:
            return int(one.first[i]), int(other.last[j])
        if a2 > b1:
            return int(one.last[i]), int(other.first[j])
        return None, None
