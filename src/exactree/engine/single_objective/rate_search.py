"""State of a search for a rate of errors of two classes: incumbent, time left, callback.

Such a search repeatedly needs trees of minimum errors with different weights for false positives
and false negatives; `RateRun.minimum_weighted_errors` finds such a tree.
"""

from dataclasses import replace
from fractions import Fraction

from exactree.engine.constrained import constrained_tree
from exactree.engine.lexicographic.branch_and_bound import branch_and_bound
from exactree.engine.lexicographic.run import SearchRun
from exactree.problem import Listener, Outcome, Status
from exactree.problem.class_weight import rounding_of_errors, with_factors
from exactree.problem.confusion import confusion_of, keeps_rates
from exactree.problem.limits import Limits
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import as_tuple
from exactree.trees import Tree, grow
from exactree.trees.arrays import recounted

__all__ = ["LEAF", "ErrorPair", "RateRun"]

# Integer weights of false positives and of false negatives.
ErrorPair = tuple[int, int]

# The only node of a tree that is a single leaf, in the form that a search returns.
LEAF = (-1, 0.0, 0.0, -1, -1)


class RateRun(SearchRun):
    """The state of a search for a rate, in the user's unit."""

    def offer(self, tree: Tree) -> ErrorPair:
        """Offer a tree as incumbent; return its false positives and false negatives.

        It is within all limits except possibly those on rates.
        """
        wrong = confusion_of(self.problem, tree)
        if self.problem.rate is not None and keeps_rates(self.problem, *wrong):
            self.take(tree)
        return wrong

    def offer_leaves(self) -> None:
        """Offer both single leaves as incumbents, so that a run has a solution from the start.

        A single leaf satisfies all constraints except a required feature.
        """
        if not self.problem.feature_constraints.required:
            for predicted in (self.problem.positive, 1 - self.problem.positive):
                self.offer(grow(self.problem.dataset, [LEAF], [predicted]))

    def offer_all_positive(self, tree: Tree) -> None:
        """Offer a tree whose leaves all predict positive: constraints compare no predictions."""
        positive = self.problem.positive
        self.offer(recounted(self.problem.dataset, tree, lambda _: positive))

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
        if self.problem.constrained:
            return self._under_constraints(prices, limits, callback)
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

    def _under_constraints(
        self, prices: tuple[Fraction, Fraction], limits: Limits, callback: Listener
    ) -> Outcome:
        """Return the tree of minimum errors with prices that satisfies the constraints."""
        negative, positive = 1 - self.problem.positive, self.problem.positive
        costs = [[Fraction(0)] * 2, [Fraction(0)] * 2]
        costs[negative][positive], costs[positive][negative] = prices
        weighted = self.problem.with_costs((tuple(costs[0]), tuple(costs[1])), limits)
        options = {"time_limit": self.seconds_left, **self.options}
        if limits != self.problem.limits:  # the incumbent need not be within other limits
            options["incumbent"] = None
        outcome = constrained_tree(weighted, on_progress=callback, **options)
        if outcome.stopped_by == ROUNDED:
            rounding = max(self.stats.get("rounding", 0.0), outcome.stats["rounding"])
            self.stats["rounding"] = rounding
            outcome = replace(outcome, status=Status.OPTIMAL, stopped_by=None)
        self.add_stats(outcome.stats, outcome.stopped_by)
        return outcome
