"""The best tree of a subset that meets the demands of a state: a leaf, or a split.

*Monotone* trees have monotone sides, as no rule of a child lies beyond its part. What is left is
whether the two children of a rule on a directed feature agree: whatever the other features are, the
side of greater values must not say less. So the best sides are found first, each for itself. If two
places tell that they do not agree, every two children that do agree make one of two choices: one
child says at most some number at its place, or the other one says more than that at its own. Both
are tried, as long as they cost less than the best tree so far. Of the finitely many pairs of sides
each choice leaves out one, so there is an end.

*light*: where leaves must hold some weight W, the heaviest of k classes has at least W / k of it in
every leaf. A class that has less in the whole subset is predicted nowhere, and all of it is wrong.
That needs plain errors.

With every switch off it is the plain dynamic programme: every rule, and every way in which its
two children can share what is demanded. *relaxed* first asks for the best tree without constraints:
if it costs too much, so do all; if it satisfies the constraints, it is the answer. *remembered*
keeps what is proved, by the rows of a subset and all that its state says. *swept* answers what is
left of one level, or of two below a root, by arrays of all rules (`sweeps.py`).
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from exactree.engine.constrained.free import FreeTrees
from exactree.engine.constrained.ground import CostedNode, CostedTree, Ground, Number, Subset
from exactree.engine.constrained.regions import FeatureSpace
from exactree.engine.constrained.roots import Roots
from exactree.engine.constrained.state import State, obeys, shares
from exactree.engine.constrained.sweeps import Sweeps, takes_sweeps
from exactree.engine.constrained.watch import Watch

__all__ = ["Parts"]


@dataclass
class Parts:
    """The recursion on subsets.

    Attributes
    ----------
    ground : Ground
        The problem.
    free : FreeTrees
        Trees without constraints.
    watch : Watch
        Ends the search.
    switches : dict of str to bool
        What is on.
    space : FeatureSpace or None
        Tells where trees are not monotone; None if they may be anything.
    counts : Counter
        Parts looked at, and what was given up, by switch.
    callback : callable or None
        Told every better tree of the whole table.
    """

    ground: Ground
    free: FreeTrees
    watch: Watch
    switches: dict[str, bool]
    space: FeatureSpace | None
    counts: Counter[str] = field(default_factory=Counter)
    callback: Callable[[CostedTree], None] | None = None
    sweeps: Sweeps = field(init=False)
    takes_sweeps: bool = field(init=False)

    def __post_init__(self) -> None:
        self.sweeps = Sweeps(self.ground, self.space)
        self.takes_sweeps = self.switches["depth_two"] and takes_sweeps(self.ground)
        self.free.sweeps = self.takes_sweeps

    def best(self, rows: Subset, state: State, upper: Number) -> CostedTree | None:
        """Return the best feasible tree of a subset, if it costs less than `upper`.

        Parameters
        ----------
        rows : ndarray of int64
            The subset.
        state : State
            What must be satisfied.
        upper : int, Fraction or float
            Trees that cost as much do not count.

        Raises
        ------
        Stopped
            If there was no time for it.
        """
        state = state.within(len(rows))
        key = (rows.tobytes(), state)
        known = self.ground.memory.get("part", key)
        # Proved: no tree costs less than the number; a tree that costs so much, if it was found.
        lower, tree = known or (0, None)
        if tree is None and lower < upper:
            self.watch.check()
            self.counts["nodes"] += 1
            tree = self._searched(rows, state, upper)
            if self.switches["cache"]:
                proved = (upper, None) if tree is None else (tree.cost, tree)
                size = len(key[0]) + state.bytes + (0 if tree is None else tree.bytes)
                self.ground.memory.put("part", key, proved, size)
        elif known is not None:
            self.counts["cache"] += 1
        return tree if tree is not None and tree.cost < upper else None

    def floor(self, rows: Subset, state: State) -> Number:
        """Return what trees of a subset that satisfy cost at least, if it is cheap to know."""
        if not self.switches["relaxation"]:
            return 0
        state = state.within(len(rows))
        return self.free.lower(rows, state.depth, state.size, state.reachable(self.ground))

    def _searched(self, rows: Subset, state: State, upper: Number) -> CostedTree | None:
        if len(state.required) > state.size or not state.required <= state.reachable(self.ground):
            return None
        if self._swept(state):
            self.counts["depth_two"] += 1
            return self.sweeps.best(rows, state, upper)
        if self.switches["light_classes"] and self._of_light_classes(rows) >= upper:
            self.counts["light_classes"] += 1
            return None
        if self.switches["relaxation"]:
            features = state.reachable(self.ground)
            free = self.free.best(rows, state.depth, state.size, features)
            if free.lower >= upper:
                self.counts["relaxation"] += 1
                return None
            monotone = self.space is None or self.space.is_monotone(free.tree)
            if monotone and obeys(self.ground, free.tree, state):
                self.counts["relaxation"] += 1
                return free.tree
        leaf = self.ground.leaf(rows)
        found: CostedTree | None = leaf if obeys(self.ground, leaf, state) else None
        if found is not None and found.cost >= upper:
            found = None
        return found if state.size == 0 else self._divided(rows, state, upper, found)

    def _swept(self, *states: State) -> bool:
        """Tell whether stumps are all that states allow, and are held as arrays."""
        return self.takes_sweeps and all(state.depth <= 1 and not state.quotas for state in states)

    def _of_light_classes(self, rows: Subset) -> Number:
        """Return what every tree with heavy leaves costs: classes that none can predict."""
        problem = self.ground.problem
        if not problem.least_weight or not problem.plain_errors:
            return 0
        totals: list[int] = self.ground.of_class[rows].sum(axis=0).tolist()
        wrong = sum(total for total in totals if total * len(totals) < problem.least_weight)
        return wrong * self.ground.unit + self.ground.leaf_price

    def _divided(
        self, rows: Subset, state: State, upper: Number, found: CostedTree | None
    ) -> CostedTree | None:
        """Try the rules of a subset; returns the best tree that costs less than `upper`."""

        def most() -> Number:
            return upper if found is None else found.cost

        def sides(left: Subset, right: Subset) -> tuple[Number, Number]:
            self.watch.check()
            below = [
                self.free.lower(side, state.depth - 1, min(state.size, len(side)) - 1, features)
                for side in (left, right)
            ]
            return below[0], below[1]

        features = state.reachable(self.ground)
        roots = self._roots_of(rows, state, features)
        bounded = sides if self.switches["relaxation"] else None
        for column, rank in roots.in_order(state, most, bounded):
            better = self._with_root(rows, state, column, rank, most())
            if better is not None:
                found = better
                if self.callback is not None and len(rows) == len(self.ground.ranks):
                    self.callback(better)
        self._remember_roots(roots, state)
        return found

    def _roots_of(self, rows: Subset, state: State, features: frozenset[int]) -> Roots:
        key = (rows.tobytes(), state.depth, state.size, features)
        roots: Roots | None = self.ground.memory.get("roots", key)
        if roots is None:
            roots = Roots(self.ground, rows, state.depth, features, self.switches, self.counts)
        return roots

    def _remember_roots(self, roots: Roots, state: State) -> None:
        """Remember rules with what is known of their sides now."""
        if self.switches["cache"]:
            key = (roots.rows.tobytes(), state.depth, state.size, roots.features)
            self.ground.memory.put("roots", key, roots, len(key[0]) + roots.bytes)

    def _with_root(
        self, rows: Subset, state: State, column: int, rank: int, upper: Number
    ) -> CostedTree | None:
        """Return the best tree with a rule at its root, if it costs less than `upper`."""
        goes_left = self.ground.holds(rows, column, rank)
        left, right = rows[goes_left], rows[~goes_left]
        found: CostedTree | None = None
        directed = self.ground.problem.feature_constraints.directions
        open_pairs = [*shares(self.ground, state, len(rows), column, rank)][::-1]
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
            if self.space is not None and self.ground.features[column] in directed:
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
