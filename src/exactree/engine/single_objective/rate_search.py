"""A run for a rate of errors of two classes: the incumbent, the time left, the callback.

The searches for rates ask for trees of least errors where false positives and false negatives
weigh differently, again and again; `weighed` answers one such question.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from exactree.engine.lexicographic.branch_and_bound import branch_and_bound
from exactree.objectives.objective import plain
from exactree.problem import Outcome, Problem, Progress
from exactree.problem.class_weight import with_factors
from exactree.problem.confusion import confusion_of, keeps_rates
from exactree.problem.cost import Cost, as_tuple
from exactree.problem.limits import Limits
from exactree.problem.verification.recount import cost_of_found
from exactree.stopping import Deadline
from exactree.trees import Tree, grow
from exactree.trees.arrays import recounted

__all__ = ["LEAF", "Pair", "RateRun"]

# Integer weights of false positives and of false negatives.
Pair = tuple[int, int]

# The nodes of a tree of one leaf hold this alone.
LEAF = (-1, 0.0, 0.0, -1, -1)


@dataclass
class RateRun:
    """What is known while rates are searched for, in the user's unit.

    Attributes
    ----------
    problem : Problem
        The problem to solve.
    options : dict
        memory_limit, n_jobs and switches of the searches.
    time_limit : float or None
        Seconds in all.
    stop_at_gap : float
        Stop when the gap is at most this.
    listener : callable or None
        Told of progress; returning True stops.
    tree, cost
        The best so far.
    cost_bound : callable
        From a bound on the rate within the limits searched, one on every cost.
    """

    problem: Problem
    options: dict[str, Any]
    time_limit: float | None = None
    stop_at_gap: float = 0.0
    listener: Callable[[Progress], object] | None = None
    tree: Tree | None = None
    cost: Fraction | None = None
    cost_bound: Callable[[Fraction], Fraction] = lambda rate: rate
    stopped_by: str | None = None
    seconds: float = 0.0
    stats: dict[str, Any] = field(default_factory=dict)
    progress: list[Progress] = field(default_factory=list)
    bound: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        self.deadline = Deadline(self.time_limit)

    @property
    def counted(self) -> dict[str, Any]:
        """What the searches have counted, for the outcome."""
        return {**self.stats, "seconds": self.seconds, "progress": self.progress}

    @property
    def left(self) -> float | None:
        """Seconds that are left."""
        return self.deadline.left()

    def shown(self, cost: Fraction) -> Cost:
        """Return a cost as the problem reports it."""
        plain_cost = plain(cost)
        return plain_cost if isinstance(self.problem.minimize, str) else (plain_cost,)

    def take(self, tree: Tree) -> Pair:
        """Take in a tree within the limits, except those on rates; return what it confuses."""
        wrong = confusion_of(self.problem, tree)
        if self.problem.rate is not None and keeps_rates(self.problem, *wrong):
            (cost,) = as_tuple(cost_of_found(self.problem, tree))
            if self.cost is None or cost < self.cost:
                self.cost, self.tree = Fraction(cost), tree
        return wrong

    def take_leaves(self) -> None:
        """Take in the trees of one leaf, of either class: so a run has an answer from the start."""
        for predicted in (self.problem.positive, 1 - self.problem.positive):
            self.take(grow(self.problem.dataset, [LEAF], [predicted]))

    def report(self, rate: Fraction, more: float = 0.0) -> bool:
        """Tell that no rate within the limits searched is less; say whether to stop."""
        self.bound = max(self.bound, self.cost_bound(rate))
        bound = self.bound if self.cost is None else min(self.bound, self.cost)
        cost = None if self.cost is None else self.shown(self.cost)
        moment = Progress(cost, self.shown(bound), self.seconds + more)
        if not self.progress or (self.progress[-1].cost, self.progress[-1].lower_bound) != (
            moment.cost,
            moment.lower_bound,
        ):
            self.progress.append(moment)
        if self.listener is not None and self.listener(moment):
            self.stopped_by = "callback"
        near = self.cost is not None and self.cost - bound <= self.stop_at_gap * self.cost
        if self.stopped_by is None and self.stop_at_gap > 0 and near:
            self.stopped_by = "gap"
        return self.stopped_by is not None

    def count(self, stats: Mapping[str, Any], stopped_by: str | None) -> None:
        """Add what one search has counted, and why it ended early, if it did."""
        self.seconds += stats.get("seconds", 0.0)
        for name in ("nodes", "cache_lookups", "cache_hits"):
            self.stats[name] = self.stats.get(name, 0) + stats.get(name, 0)
        self.stats["searches"] = self.stats.get("searches", 0) + 1
        self.stopped_by = self.stopped_by or stopped_by

    def weighed(
        self,
        prices: tuple[Fraction, Fraction],
        limits: Limits,
        callback: Callable[[Progress], object],
    ) -> Outcome:
        """Return the tree of least errors with prices of false positives and false negatives.

        Parameters
        ----------
        prices : pair of Fraction
            Positive, per unit of the user's weight.
        limits : Limits
            Those of the trees.
        callback : callable
            Told of progress; returning True stops.

        Returns
        -------
        Outcome
            Its lower bound allows for weights that are rounded, where exact ones take more than 62
            bits.
        """
        problem, positive = self.problem, self.problem.positive
        factors = [prices[0], prices[0]]
        factors[positive] = prices[1]
        weighed = with_factors(problem.dataset, factors, None, "minimize")
        rounding = weighed.weight_rounding - problem.dataset.weight_rounding
        self.stats["rounding"] = max(self.stats.get("rounding", 0.0), rounding)
        free = replace(limits, min_precision=None, min_recall=None)
        restated = problem.with_plain_errors(weighed, Fraction(0), free)
        options = {"time_limit": self.left, **self.options}
        outcome = branch_and_bound(restated, on_progress=callback, **options)
        self.count(outcome.stats, outcome.stopped_by)
        if rounding:
            (exact,) = as_tuple(outcome.lower_bound)
            bound = Fraction(exact) / (1 + Fraction(rounding))
            outcome = replace(outcome, lower_bound=bound)
        if outcome.tree is None:
            return outcome

        def predicted(weights: list[int]) -> int:
            """Return what costs less, as the search does: of equals the earlier class."""
            priced = [factor * weight for factor, weight in zip(factors, weights, strict=True)]
            return priced.index(max(priced))

        return replace(outcome, tree=recounted(problem.dataset, outcome.tree, predicted))
