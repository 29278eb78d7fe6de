"""State of a search for a rate of errors of two classes: incumbent, time left, callback.

Such a search repeatedly needs trees of minimum errors with different weights for false positives
and false negatives; `RateRun.minimum_weighted_errors` finds such a tree.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from exactree.engine.lexicographic.branch_and_bound import branch_and_bound
from exactree.objectives.objective import plain
from exactree.problem import Listener, Outcome, Problem, Progress
from exactree.problem.class_weight import rounding_of_errors, with_factors
from exactree.problem.confusion import confusion_of, keeps_rates
from exactree.problem.limits import Limits
from exactree.problem.quantities import Cost, as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.stopping import Deadline
from exactree.trees import Tree, grow
from exactree.trees.arrays import recounted

__all__ = ["LEAF", "ErrorPair", "RateRun"]

# Integer weights of false positives and of false negatives.
ErrorPair = tuple[int, int]

# The only node of a tree that is a single leaf, in the form that a search returns.
LEAF = (-1, 0.0, 0.0, -1, -1)


@dataclass
class RateRun:
    """The state of a search for a rate, in the user's unit.

    Attributes
    ----------
    problem : Problem
        The problem to solve.
    options : dict
        memory_limit, n_jobs and switches of the searches.
    time_limit : float or None
        Seconds for all searches together.
    stop_at_gap : float
        Stop when the gap is at most this.
    listener : callable or None
        Called with a `Progress`; returning True stops.
    tree, cost
        The incumbent and its cost.
    cost_bound : callable
        Maps a lower bound on the rate within the searched limits to a lower bound on every cost.
    stopped_by : str or None
        The reason if the run was stopped.
    seconds : float
        Duration of the finished searches.
    stats : dict
        Counts summed over the searches.
    progress : list of Progress
        The reported changes of incumbent and lower bound.
    bound : Fraction
        The greatest lower bound on the cost so far.
    """

    problem: Problem
    options: dict[str, Any]
    time_limit: float | None = None
    stop_at_gap: float = 0.0
    listener: Listener | None = None
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
    def all_stats(self) -> dict[str, Any]:
        """The statistics of all searches, for the outcome."""
        return {**self.stats, "seconds": self.seconds, "progress": self.progress}

    @property
    def rounded(self) -> bool:
        """Whether weights of a search were rounded, so that its lower bound is below its cost."""
        return bool(self.stats.get("rounding", 0.0))

    @property
    def seconds_left(self) -> float | None:
        """Remaining seconds."""
        return self.deadline.left()

    def reported_cost(self, cost: Fraction) -> Cost:
        """Return a cost as the problem reports it."""
        plain_cost = plain(cost)
        return plain_cost if isinstance(self.problem.minimize, str) else (plain_cost,)

    def offer(self, tree: Tree) -> ErrorPair:
        """Offer a tree as incumbent; return its false positives and false negatives.

        It is within all limits except possibly those on rates.
        """
        wrong = confusion_of(self.problem, tree)
        if self.problem.rate is not None and keeps_rates(self.problem, *wrong):
            (cost,) = as_tuple(cost_of_found(self.problem, tree))
            if self.cost is None or cost < self.cost:
                self.cost, self.tree = Fraction(cost), tree
        return wrong

    def offer_leaves(self) -> None:
        """Offer both single leaves as incumbents, so that a run has a solution from the start."""
        for predicted in (self.problem.positive, 1 - self.problem.positive):
            self.offer(grow(self.problem.dataset, [LEAF], [predicted]))

    def report(self, rate: Fraction, more: float = 0.0) -> bool:
        """Report a lower bound on the rate within the searched limits; return whether to stop."""
        self.bound = max(self.bound, self.cost_bound(rate))
        bound = self.bound if self.cost is None else min(self.bound, self.cost)
        cost = None if self.cost is None else self.reported_cost(self.cost)
        moment = Progress(cost, self.reported_cost(bound), self.seconds + more)
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

    def add_stats(self, stats: Mapping[str, Any], stopped_by: str | None) -> None:
        """Add the statistics of one search, and the reason if it ended early."""
        self.seconds += stats.get("seconds", 0.0)
        for name in ("nodes", "cache_lookups", "cache_hits"):
            self.stats[name] = self.stats.get(name, 0) + stats.get(name, 0)
        self.stats["searches"] = self.stats.get("searches", 0) + 1
        self.stopped_by = self.stopped_by or stopped_by

    def minimum_weighted_errors(
        self,
        prices: tuple[Fraction, Fraction],
        limits: Limits,
        callback: Listener,
    ) -> Outcome:
        """Return the tree of minimum errors with prices of false positives and false negatives.

        Parameters
        ----------
        prices : pair of Fraction
            Positive, per unit of the user's weight.
        limits : Limits
            Limits of the trees.
        callback : callable
            Called with a `Progress`; returning True stops.

        Returns
        -------
        Outcome
            Its lower bound allows for rounding of weights, if exact weights take more than 62
            bits.
        """
        problem, positive = self.problem, self.problem.positive
        factors = [prices[0], prices[0]]
        factors[positive] = prices[1]
        weighted = with_factors(problem.dataset, factors, None, "minimize")
        rounding = weighted.weight_rounding - problem.dataset.weight_rounding
        self.stats["rounding"] = max(self.stats.get("rounding", 0.0), rounding)
        above = rounding_of_errors(weighted)[0] if rounding > 0 else Fraction(0)
        free = replace(limits, min_precision=None, min_recall=None)
        plain_problem = problem.with_plain_errors(weighted, Fraction(0), free)
        options = {"time_limit": self.seconds_left, **self.options}
        outcome = branch_and_bound(plain_problem, on_progress=callback, **options)
        self.add_stats(outcome.stats, outcome.stopped_by)
        if above:
            (rounded,) = as_tuple(outcome.lower_bound)
            outcome = replace(outcome, lower_bound=max(rounded - above, Fraction(0)))
        if outcome.tree is None:
            return outcome

        def predicted(weights: list[int]) -> int:
            """Return the cheaper class, as the search does; ties to the earlier class."""
            priced = [factor * weight for factor, weight in zip(factors, weights, strict=True)]
            return priced.index(max(priced))

        return replace(outcome, tree=recounted(problem.dataset, outcome.tree, predicted))
