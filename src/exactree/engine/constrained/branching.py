"""Start here: constraints on whole trees, one choice of a feature after the other.

What parts can be required to satisfy (weight of leaves, features that are required or stand below
others, leaves of a class, that trees are monotone) the recursion minds. How many features are used
in all, and what they cost, shows only in whole trees. So the best tree without these is found
first. If it satisfies the constraints, and asks no feature that was not paid for, it is the best.
Else there is a feature that it asks, and every tree makes one of two choices: it does not ask that
feature, or it does, and then that is paid for and counted. Both are open problems of the same kind.

Of the open problems the one with the least lower bound is next; a problem that is at least as
expensive as the best tree so far is closed, and so no tree that satisfies the constraints is lost.
There is an end, as every feature is chosen once.
"""

from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from exactree.engine.constrained.free import FreeTrees
from exactree.engine.constrained.ground import CostedTree, Ground, Number
from exactree.engine.constrained.recursion import Parts
from exactree.engine.constrained.regions import FeatureSpace
from exactree.engine.constrained.smaller import collapsed_until, reduced
from exactree.engine.constrained.state import features_used, obeys, whole
from exactree.engine.constrained.watch import SearchStopped, Watch

__all__ = ["Branching"]

# Digits of costs of shares that are not held: those that roundings of leaves reach.
_HELD = 10


@dataclass(frozen=True)
class _Open:
    """An open problem: the features that may be used, and those that are paid for."""

    features: frozenset[int]
    paid: frozenset[int]


class Branching:
    """The search for the best tree that satisfies the constraints.

    Parameters
    ----------
    ground : Ground
        The problem.
    free : FreeTrees
        Trees without constraints.
    watch : Watch
        Ends the search, and holds the best tree so far.
    switches : dict of str to bool
        What is on.
    """

    def __init__(
        self, ground: Ground, free: FreeTrees, watch: Watch, switches: dict[str, bool]
    ) -> None:
        self.ground, self.free, self.watch, self.switches = ground, free, watch, switches
        self.space = FeatureSpace(ground) if ground.problem.feature_constraints.directions else None
        self.subsets = Parts(ground, free, watch, switches, self.space)
        self.features = frozenset(ground.features)
        self.whole = whole(ground, self.features)
        if switches["incumbent"]:
            self.subsets.callback = self._take

    @property
    def counts(self) -> Counter[str]:
        """What was counted."""
        return self.subsets.counts + Counter(free=self.free.calls)

    def run(self) -> str | None:
        """Search; the watch holds what is found. Returns what stopped the search, if anything."""
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
        """Return how far lower bounds can be above what is proved, so far."""
        costs = self.ground.costs
        by_leaf = self.free.rounding + (0 if costs is None or costs.exact else 1)
        return self.ground.problem.most_leaves * by_leaf

    def best(self) -> CostedTree | None:
        """Return the best tree so far, without a node that it does not need."""
        tree = self.watch.tree
        return None if tree is None else reduced(self.ground, tree, self.obeys, self._reported_cost)

    def _reported_cost(self, tree: CostedTree) -> Number:
        """Return what a tree costs, without what is rounded."""
        costs = self.ground.costs
        exact = costs is None or costs.exact
        return self.total(tree) if exact else round(int(self.total(tree)), -_HELD)

    def total(self, tree: CostedTree) -> Number:
        """Return what a tree costs, its features included."""
        return tree.cost + self.ground.price(features_used(self.ground, tree))

    def obeys(self, tree: CostedTree) -> bool:
        """Tell whether a tree satisfies all constraints."""
        return (
            obeys(self.ground, tree, self.whole)
            and not self._too_many(tree)
            and (self.space is None or self.space.is_monotone(tree))
        )

    def _too_many(self, tree: CostedTree) -> bool:
        most = self.ground.problem.feature_constraints.max_features
        return most is not None and len(features_used(self.ground, tree)) > most

    def _take(self, tree: CostedTree) -> None:
        """Take a tree, or what is left of it when nodes are collapsed, if it is the best so far."""
        found = collapsed_until(self.ground, tree, self.obeys)
        if found is not None:
            self.watch.found(found, self.total(found))

    def _first_trees(self) -> None:
        """Take trees that are found without branching.

        Those of no directed feature are monotone.
        """
        self._take(self.ground.leaf(self.ground.everything))
        limits = self.whole.depth, self.whole.size
        directed = frozenset(self.ground.problem.feature_constraints.directions)
        for features in dict.fromkeys((self.features, self.features - directed)):
            try:
                tree = self.free.best(self.ground.everything, *limits, features).tree
                self._take(tree)
                if features == self.features:
                    self.watch.proved(tree.cost)
            except SearchStopped as stopped:
                if features == self.features:
                    self.watch.proved(stopped.lower)
                raise

    def _branch(self) -> None:
        required = frozenset(self.ground.problem.feature_constraints.required)
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
            price = self.ground.price(problem.paid)
            state = whole(self.ground, problem.features)
            tree = self.subsets.best(self.ground.everything, state, self.watch.upper - price)
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
                put(max(lower, self.ground.price(choice.paid)), choice)
        self.watch.proved(self.watch.upper)

    def _choices(self, tree: CostedTree, problem: _Open) -> tuple[_Open, _Open]:
        """Return two problems of which every tree is in one: without a feature, or paying for it.

        The tree uses a feature that is not paid for, or it would be the best of its problem.
        """
        prices = self.ground.problem.feature_constraints.prices
        unpaid = features_used(self.ground, tree) - problem.paid
        # The reach one; of equal ones the earliest.
        chosen = max(unpaid, key=lambda feature: (prices.get(feature, 0), -feature))
        without = _Open(problem.features - {chosen}, problem.paid)
        return without, self._within_quota(_Open(problem.features, problem.paid | {chosen}))

    def _within_quota(self, problem: _Open) -> _Open:
        """Return a problem without features that would be one too many."""
        most = self.ground.problem.feature_constraints.max_features
        if most is None or len(problem.paid) < most:
            return problem
        return _Open(problem.features & problem.paid, problem.paid)
