"""The best tree of a subset that satisfies the constraints of a state: a leaf, or a split.

*Monotonicity.* The children of a monotone tree are monotone. What remains to check are the two
children of a split on a feature with a direction: for equal values of all other features, the value
of the leaf on the side of greater feature values must not be smaller (for an increasing feature).
So the best children are found first, independently. If they violate this at two points, every pair
of children that satisfies it belongs to at least one of two subproblems: the value of one child at
its point is at most some number, or the value of the other child at its point is greater than that
number. Both subproblems are searched while they can cost less than the incumbent. The search ends,
because each subproblem excludes at least one of the finitely many pairs of children.

With every switch off this is the plain dynamic programme: all splits, and all ways in which the two
children can share the constraints. *relaxation* first finds the best tree without constraints: if
it costs too much, all trees do; if it satisfies the constraints, it is optimal. *cache* keeps
proved results, by the rows of a subset and its state. *depth_two* solves subproblems of one level,
or of two levels below a root, by arrays of all splits (`sweeps.py`).
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from exactree.engine.constrained.free import FreeTrees
from exactree.engine.constrained.prepared import (
    CostedNode,
    CostedTree,
    Number,
    PreparedProblem,
    Subset,
)
from exactree.engine.constrained.regions import FeatureSpace
from exactree.engine.constrained.roots import Roots
from exactree.engine.constrained.state import State, obeys, shares
from exactree.engine.constrained.sweeps import Sweeps, takes_sweeps
from exactree.engine.constrained.watch import Watch

__all__ = ["SubsetRecursion"]


@dataclass
class SubsetRecursion:
    """The recursion on subsets.

    Attributes
    ----------
    prepared : PreparedProblem
        The problem.
    free : FreeTrees
        Trees without constraints.
    watch : Watch
        Stops the search.
    switches : dict of str to bool
        The accelerators that are on.
    space : FeatureSpace or None
        Finds violations of monotonicity; None if trees need not be monotone.
    counts : Counter
        Number of subproblems, and of prunings by switch.
    callback : callable or None
        Called with every better tree of the whole table.
    """

    prepared: PreparedProblem
    free: FreeTrees
    watch: Watch
    switches: dict[str, bool]
    space: FeatureSpace | None
    counts: Counter[str] = field(default_factory=Counter)
    callback: Callable[[CostedTree], None] | None = None
    sweeps: Sweeps = field(init=False)
    takes_sweeps: bool = field(init=False)

    def __post_init__(self) -> None:
        self.sweeps = Sweeps(self.prepared, self.space)
        self.takes_sweeps = self.switches["depth_two"] and takes_sweeps(self.prepared)
        self.free.sweeps = self.takes_sweeps

    def best(self, rows: Subset, state: State, upper: Number) -> CostedTree | None:
        """Return the best feasible tree of a subset, if it costs less than `upper`.

        Parameters
        ----------
        rows : ndarray of int64
            The subset.
        state : State
            The constraints.
        upper : int, Fraction or float
            The exclusive upper bound.

        Raises
        ------
        SearchStopped
            If the search was stopped.
        """
        state = state.within(len(rows))
        key = (rows.tobytes(), state)
        known = self.prepared.memory.get("subset", key)
        # A lower bound, and the tree of that cost if it was found.
        lower, tree = known or (0, None)
        if tree is None and lower < upper:
            self.watch.check()
            self.counts["nodes"] += 1
            tree = self._searched(rows, state, upper)
            if self.switches["cache"]:
                proved = (upper, None) if tree is None else (tree.cost, tree)
                size = len(key[0]) + state.bytes + (0 if tree is None else tree.bytes)
                self.prepared.memory.put("subset", key, proved, size)
        elif known is not None:
            self.counts["cache"] += 1
        return tree if tree is not None and tree.cost < upper else None

    def floor(self, rows: Subset, state: State) -> Number:
        """Return a lower bound on the feasible trees of a subset that is cheap to compute."""
        if not self.switches["relaxation"]:
            return 0
        state = state.within(len(rows))
        return self.free.lower(rows, state.depth, state.size, state.reachable(self.prepared))

    def _searched(self, rows: Subset, state: State, upper: Number) -> CostedTree | None:
        if len(state.required) > state.size or not state.required <= state.reachable(self.prepared):
            return None
        if self._swept(state):
            self.counts["depth_two"] += 1
            return self.sweeps.best(rows, state, upper)
        if self.switches["relaxation"]:
            features = state.reachable(self.prepared)
            free = self.free.best(rows, state.depth, state.size, features)
            if free.lower >= upper:
                self.counts["relaxation"] += 1
                return None
            monotone = self.space is None or self.space.is_monotone(free.tree)
            if monotone and obeys(self.prepared, free.tree, state):
                self.counts["relaxation"] += 1
                return free.tree
        leaf = self.prepared.leaf(rows)
        found: CostedTree | None = leaf if obeys(self.prepared, leaf, state) else None
        if found is not None and found.cost >= upper:
            found = None
        return found if state.size == 0 else self._divided(rows, state, upper, found)

    def _swept(self, *states: State) -> bool:
        """Return whether states allow only stumps, and these can be held as arrays."""
        return self.takes_sweeps and all(state.depth <= 1 and not state.quotas for state in states)

    def _divided(
        self, rows: Subset, state: State, upper: Number, found: CostedTree | None
    ) -> CostedTree | None:
        """Try the splits of a subset; return the best tree that costs less than `upper`."""

        def most() -> Number:
            return upper if found is None else found.cost

        def sides(left: Subset, right: Subset) -> tuple[Number, Number]:
            self.watch.check()
            below = [
                self.free.lower(side, state.depth - 1, min(state.size, len(side)) - 1, features)
                for side in (left, right)
            ]
            return below[0], below[1]

        features = state.reachable(self.prepared)
        roots = self._roots_of(rows, state, features)
        bounded = sides if self.switches["relaxation"] else None
        for column, rank in roots.in_order(state, most, bounded):
            better = self._with_root(rows, state, column, rank, most())
            if better is not None:
                found = better
                if self.callback is not None and len(rows) == len(self.prepared.ranks):
                    self.callback(better)
        self._remember_roots(roots, state)
        return found

    def _roots_of(self, rows: Subset, state: State, features: frozenset[int]) -> Roots:
        key = (rows.tobytes(), state.depth, state.size, features)
        roots: Roots | None = self.prepared.memory.get("roots", key)
        if roots is None:
            roots = Roots(self.prepared, rows, state.depth, features, self.switches, self.counts)
        return roots

    def _remember_roots(self, roots: Roots, state: State) -> None:
        """Cache the splits of a subset with the known bounds of their children."""
        if self.switches["cache"]:
            key = (roots.rows.tobytes(), state.depth, state.size, roots.features)
            self.prepared.memory.put("roots", key, roots, len(key[0]) + roots.bytes)

    def _with_root(
        self, rows: Subset, state: State, column: int, rank: int, upper: Number
    ) -> CostedTree | None:
        """Return the best tree with a given split at its root, if it costs less than `upper`."""
        goes_left = self.prepared.holds(rows, column, rank)
        left, right = rows[goes_left], rows[~goes_left]
        found: CostedTree | None = None
        directed = self.prepared.problem.feature_constraints.directions
        open_pairs = [*shares(self.prepared, state, len(rows), column, rank)][::-1]
        while open_pairs:
            at_left, at_right = open_pairs.pop()
            states = at_left.within(len(left)), at_right.within(len(right))
            if self._swept(*states):
                self.watch.check()
                self.counts["depth_two"] += 1
                better = self.sweeps.pair((column, rank), (left, right), states, upper)
                if better is not None:
                    found, upper = better, better.cost
                continue
            one = self.best(left, at_left, upper - self.floor(right, at_right))
            other = None if one is None else self.best(right, at_right, upper - one.cost)
            if one is None or other is None:
                continue
            tree = CostedNode(column, rank, one, other)
            choice = None
            if self.space is not None and self.prepared.features[column] in directed:
                choice = self.space.choice(tree)
            if choice is None:
                found, upper = tree, tree.cost
                continue
            self.counts["choices"] += 1
            for side, place in zip((0, 1), choice, strict=True):
                pair = [at_left, at_right]
                pair[side] = replace(pair[side], places=(*pair[side].places, place))
                open_pairs.append((pair[0], pair[1]))
        return found
