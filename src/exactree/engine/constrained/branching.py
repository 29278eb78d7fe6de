"""Start here: constraints on whole trees, by branching on features.

The recursion on subsets handles the constraints that a subproblem can have: weight of leaves,
required features, features that must stand below others, leaves of a class, monotonicity. The
number of features and their prices are properties of whole trees. So the best tree without these
two is found first. If it satisfies all constraints and uses only features that are paid for, it is
optimal. Otherwise it uses another feature, and the problem is divided in two: trees that do not use
that feature, and trees for which it is paid and counted.

The open problem with the smallest lower bound is searched next. A problem is pruned if its lower
bound is at least the cost of the incumbent, so no better tree is lost. The search ends, because
every feature is chosen at most once on a path.
"""

from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import inf

from exactree.engine.constrained.free import FreeTrees
from exactree.engine.constrained.prepared import CostedTree, Number, PreparedProblem
from exactree.engine.constrained.recursion import SubsetRecursion
from exactree.engine.constrained.regions import FeatureSpace
from exactree.engine.constrained.smaller import collapsed_until, reduced
from exactree.engine.constrained.state import features_used, obeys, whole
from exactree.engine.constrained.watch import SearchStopped, Watch

__all__ = ["Branching"]

# Digits of rounded costs that are ignored: roundings of leaves can change them.
_HELD = 10


@dataclass(frozen=True)
class _Open:
    """An open problem: the features that may be used, and the features that are paid for."""

    features: frozenset[int]
    paid: frozenset[int]


class Branching:
    """The search for the best tree that satisfies the constraints.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    free : FreeTrees
        Trees without constraints.
    watch : Watch
        Stops the search, and holds the incumbent.
    switches : dict of str to bool
        The accelerators that are on.
    """

    def __init__(
        self, prepared: PreparedProblem, free: FreeTrees, watch: Watch, switches: dict[str, bool]
    ) -> None:
        self.prepared, self.free, self.watch, self.switches = prepared, free, watch, switches
        self.space = (
            FeatureSpace(prepared) if prepared.problem.feature_constraints.directions else None
        )
        self.subsets = SubsetRecursion(prepared, free, watch, switches, self.space)
        problem = prepared.problem
        self.features = frozenset(prepared.features)
        # A limit on the cost of leaves: with prices of features the watch has no limit on errors.
        self.errors_below: Number = inf
        if problem.feature_constraints.prices and problem.max_error_weight is not None:
            self.errors_below = (problem.max_error_weight + 1) * prepared.unit
        self.whole = whole(prepared, self.features)
        if switches["incumbent"]:
            self.subsets.callback = self._take

    @property
    def counts(self) -> Counter[str]:
        """The statistics of the search."""
        return self.subsets.counts + Counter(unconstrained_searches=self.free.calls)

    def run(self) -> str | None:
        """Search, with the results in the watch; return the reason of a stop, None without one."""
        try:
            if self.switches["incumbent"]:
                self._first_trees()
            self._branch()
        except SearchStopped as stopped:
            if stopped.tree is not None:
                self._take(stopped.tree)
            return stopped.by
        return None

    def rounding(self) -> Number:
        """Return the maximum error of the lower bounds by rounding, so far."""
        costs = self.prepared.costs
        by_leaf = self.free.rounding + (0 if costs is None or costs.exact else 1)
        return self.prepared.problem.max_leaves * by_leaf

    def best(self) -> CostedTree | None:
        """Return the incumbent without superfluous nodes."""
        tree = self.watch.tree
        return (
            None if tree is None else reduced(self.prepared, tree, self.obeys, self._reported_cost)
        )

    def _reported_cost(self, tree: CostedTree) -> Number:
        """Return the cost of a tree, without the digits that rounding can change."""
        costs = self.prepared.costs
        exact = costs is None or costs.exact
        return self.total(tree) if exact else round(int(self.total(tree)), -_HELD)

    def total(self, tree: CostedTree) -> Number:
        """Return the cost of a tree, including the prices of its features."""
        return tree.cost + self.prepared.price(features_used(self.prepared, tree))

    def obeys(self, tree: CostedTree) -> bool:
        """Return whether a tree satisfies all constraints."""
        return (
            tree.cost < self.errors_below
            and obeys(self.prepared, tree, self.whole)
            and not self._too_many(tree)
            and (self.space is None or self.space.is_monotone(tree))
        )

    def _too_many(self, tree: CostedTree) -> bool:
        most = self.prepared.problem.feature_constraints.max_features
        return most is not None and len(features_used(self.prepared, tree)) > most

    def _take(self, tree: CostedTree) -> None:
        """Offer a tree as incumbent, after collapsing nodes until it satisfies the constraints."""
        found = collapsed_until(self.prepared, tree, self.obeys)
        if found is not None:
            self.watch.found(found, self.total(found))

    def _first_trees(self) -> None:
        """Offer trees that are found without branching as incumbents.

        Trees that use no feature with a direction are monotone.
        """
        self._take(self.prepared.leaf(self.prepared.everything))
        limits = self.whole.depth, self.whole.size
        directed = frozenset(self.prepared.problem.feature_constraints.directions)
        for features in dict.fromkeys((self.features, self.features - directed)):
            try:
                tree = self.free.best(self.prepared.everything, *limits, features).tree
                self._take(tree)
                if features == self.features:
                    self.watch.proved(tree.cost)
            except SearchStopped as stopped:
                if features == self.features:
                    self.watch.proved(stopped.lower)
                raise

    def _branch(self) -> None:
        required = frozenset(self.prepared.problem.feature_constraints.required)
        numbers = count()
        heap: list[tuple[Number, int, _Open]] = []

        def put(lower: Number, problem: _Open) -> None:
            if lower < self.watch.upper:
                heappush(heap, (lower, next(numbers), problem))

        put(0, self._within_quota(_Open(self.features, required)))
        while heap and heap[0][0] < self.watch.upper:
            lower, _, problem = heappop(heap)
            self.watch.proved(lower)
            self.watch.check()
            price = self.prepared.price(problem.paid)
            state = whole(self.prepared, problem.features)
            upper = min(self.watch.upper - price, self.errors_below)
            tree = self.subsets.best(self.prepared.everything, state, upper)
            if tree is None:
                continue
            lower = max(lower, tree.cost + price)
            if not heap or lower <= heap[0][0]:
                self.watch.proved(lower)
            if self.obeys(tree):
                self.watch.found(tree, self.total(tree))
                if self.total(tree) <= lower:
                    continue
            elif self.switches["incumbent"]:
                self._take(tree)
            self.subsets.counts["choices"] += 1
            for choice in self._choices(tree, problem):
                put(max(lower, self.prepared.price(choice.paid)), choice)
        self.watch.proved(self.watch.upper)

    def _choices(self, tree: CostedTree, problem: _Open) -> tuple[_Open, _Open]:
        """Return two problems that divide the trees: without a feature, or with it paid for.

        The tree uses a feature that is not paid for, or it would be optimal in its problem.
        """
        prices = self.prepared.problem.feature_constraints.prices
        unpaid = features_used(self.prepared, tree) - problem.paid
        # The feature with the highest price, ties to the first feature.
        chosen = max(unpaid, key=lambda feature: (prices.get(feature, 0), -feature))
        without = _Open(problem.features - {chosen}, problem.paid)
        return without, self._within_quota(_Open(problem.features, problem.paid | {chosen}))

    def _within_quota(self, problem: _Open) -> _Open:
        """Return a problem without features beyond the maximum number of features."""
        most = self.prepared.problem.feature_constraints.max_features
        if most is None or len(problem.paid) < most:
            return problem
        return _Open(problem.features & problem.paid, problem.paid)
