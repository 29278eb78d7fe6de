"""Cost matrices that are equivalent to plain errors with class weights, plus a constant.

Suppose that for each class all wrong predictions cost the same, and more than the right prediction.
The cost of a tree is then the cost of predicting every example correctly, a constant, plus the
errors of the tree on a table whose rows are weighted by the difference of the two costs of their
class. So the search for plain errors finds the best tree, and its bounds hold up to the constant.
With two classes this covers every cost matrix in which errors cost more than correct predictions;
the balanced error is also of this kind.

Weights are divided by their common divisor. If they still take more than 62 bits, each is rounded
once. The lower bound is reduced by the maximum effect of rounding, so it is valid. If it is then
below the cost of the tree, the outcome is not proved, and its `stopped_by` names the rounding.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

from exactree.data.weights import total_limit
from exactree.engine.lexicographic.branch_and_bound import (
    ENGINE,
    branch_and_bound,
    reason_to_refuse,
)
from exactree.engine.oblique.proper import prefers_proper, reason_to_refuse_proper, run_proper
from exactree.objectives import ErrorCosts
from exactree.objectives.errors import weight_by_class
from exactree.objectives.leaves import heaviest
from exactree.objectives.objective import plain
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.class_weight import integer_scale, rounding_of_errors, with_factors
from exactree.problem.cost_matrix import Costs
from exactree.problem.encoding.decoding import without_rounded_gains
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import Cost, as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.trees.arrays import recounted

__all__ = ["InPlainErrors", "in_plain_errors"]


@dataclass(frozen=True)
class InPlainErrors:
    """A problem in terms of plain errors, and the conversion of its outcomes.

    Attributes
    ----------
    original : Problem
        The problem to solve.
    problem : Problem
        The equivalent problem of plain errors, with other weights.
    unit : Fraction
        The cost of one unit of these errors, in the user's unit.
    constant : Fraction
        The cost that every tree has in addition to these errors, in the user's unit.
    factors : tuple of Fraction
        By class, the cost of an error on a unit of its weight, in some unit.
    above, below : Fraction
        The maximum difference by which a cost can exceed, and fall below, the exact cost, in the
        user's unit; 0 unless exact weights take more than 62 bits.
    """

    original: Problem
    problem: Problem
    unit: Fraction
    constant: Fraction
    factors: tuple[Fraction, ...]
    above: Fraction
    below: Fraction

    def solve(
        self, on_progress: Callable[[Progress], object] | None = None, **options: Any
    ) -> Outcome:
        """Return the best tree by the search for plain errors; parameters as for that search."""

        def on_weighted_progress(progress: Progress) -> object:
            assert on_progress is not None
            return on_progress(self._lifted(progress))

        listener = None if on_progress is None else on_weighted_progress
        by_default = options.get("searches", ENGINE) is ENGINE and not options.get("switches")
        if by_default and self._prefers_proper():
            options.pop("searches", None)
            if (start := options.get("incumbent")) is not None:
                own = recounted(self.problem.dataset, start.tree, heaviest)
                options["incumbent"] = replace(start, tree=own)
            return self.lift(run_proper(self.problem, on_progress=listener, **options))
        return self.lift(branch_and_bound(self.problem, on_progress=listener, **options))

    def _prefers_proper(self) -> bool:
        return reason_to_refuse_proper(self.problem) is None and prefers_proper(self.problem)

    def lift(self, outcome: Outcome) -> Outcome:
        """Convert an outcome of the problem with plain errors to one of the original problem.

        Parameters
        ----------
        outcome : Outcome
            The outcome of the search.
        """
        stats = dict(outcome.stats)
        cost = None if outcome.cost is None else self._cost(outcome.cost)
        bound, tree, term = self._bound(outcome.lower_bound), outcome.tree, self.original.term
        status, stopped_by = outcome.status, outcome.stopped_by
        if tree is not None and isinstance(term, ErrorCosts):
            tree = recounted(self.original.dataset, tree, term.predicted_class)
        if tree is not None and self.rounded:
            tree = without_rounded_gains(self.original, tree)
            cost = cost_of_found(self.original, tree)
            bound = min(bound, cost, key=as_tuple)
            stats["rounding"] = float(self.above + self.below)
            if status is Status.OPTIMAL and bound != cost:
                status, stopped_by = Status.FEASIBLE, stopped_by or ROUNDED
        if "progress" in stats:
            stats["progress"] = [self._lifted(moment, cost) for moment in stats["progress"]]
        if stats.get("first_incumbent") is not None and self._is_errors(0):
            first = stats["first_incumbent"] * self.unit + self.constant
            stats["first_incumbent"] = plain(first)
        return replace(
            outcome,
            status=status,
            cost=cost,
            lower_bound=bound,
            tree=tree,
            stats=stats,
            stopped_by=stopped_by,
        )

    @property
    def rounded(self) -> bool:
        """Whether weights were rounded."""
        return self.above > 0

    def _lifted(self, progress: Progress, final_cost: Cost | None = None) -> Progress:
        """Return the progress at a moment; rounded costs are raised to at least the final cost."""
        bound = self._bound(progress.lower_bound)
        if progress.cost is None:
            return replace(progress, lower_bound=bound)
        cost = self._cost(progress.cost)
        if final_cost is not None:
            cost = max(cost, final_cost, key=as_tuple)
        return replace(progress, cost=cost, lower_bound=min(bound, cost, key=as_tuple))

    def _cost(self, cost: Cost) -> Cost:
        """Convert a cost to the original problem, up to rounding."""
        return self._in_original(cost, Fraction(0))

    def _bound(self, lower_bound: Cost) -> Cost:
        """Return a lower bound on exact costs; quantities after rounded errors have the bound 0.

        Trees with equal exact errors may have different rounded errors, so the minimum of a later
        quantity over the trees that the search calls best proves nothing.
        """
        bound = self._in_original(lower_bound, self.above)
        if not (self.rounded and isinstance(bound, tuple)):
            return bound
        kept = self.original.quantities.index(self.original.error_term) + 1
        return (*bound[:kept], *(0 for _ in bound[kept:]))

    def _in_original(self, cost: Cost, reduction: Fraction) -> Cost:
        """Convert the errors of a cost, reduced by an amount, to the original problem."""
        numbers = tuple(
            plain(max(Fraction(number) * self.unit - reduction, Fraction(0)) + self.constant)
            if self._is_errors(index)
            else number
            for index, number in enumerate(as_tuple(cost))
        )
        return numbers if isinstance(self.original.minimize, tuple) else numbers[0]

    def _is_errors(self, index: int) -> bool:
        return self.original.quantities[index] == self.original.error_term


def in_plain_errors(problem: Problem) -> InPlainErrors | None:
    """Express a problem with class costs by plain errors; None if that is impossible.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    term, dataset = problem.term, problem.dataset
    if not isinstance(term, ErrorCosts):
        return None
    totals = weight_by_class(dataset)
    factors = _factors(term.costs, totals)
    if factors is None:
        return None
    weighted_total = sum((f * total for f, total in zip(factors, totals, strict=True)), Fraction(0))
    # The price of a leaf stays the same, but the total weight changes.
    penalty = problem.exact_leaf_price / weighted_total
    parameter = "minimize" if problem.costs is None else "cost_matrix"
    denominator, unit = penalty.denominator if penalty else None, Fraction(1)
    multiple = integer_scale(dataset, factors)
    scaled_total = weighted_total * multiple / dataset.weight_scale
    if scaled_total < total_limit(denominator, len(dataset.weights)):
        factors, unit = [factor * multiple for factor in factors], 1 / multiple
    weighed = with_factors(dataset, factors, denominator, parameter)
    prices = problem.feature_constraints.prices.values()
    if prices and weighed.weight_rounding > dataset.weight_rounding:
        # Rounded weights leave room for the prices of features.
        denominator = lcm(penalty.denominator, *(price.denominator for price in prices))
        weighed = with_factors(dataset, factors, denominator, parameter)
    constant = sum(row[label] * totals[label] for label, row in enumerate(term.costs))
    limits = problem.limits
    if problem.quantities[0] != problem.error_term:
        limits = replace(limits, max_errors=Fraction(weighed.total_weight, weighed.weight_scale))
    plain_problem = problem.with_plain_errors(weighed, penalty, limits)
    if reason_to_refuse(plain_problem) is not None:
        return None
    above = below = Fraction(0)
    if weighed.weight_rounding > dataset.weight_rounding:
        above, below = rounding_of_errors(weighed)
        # The price of a leaf is a share of the total weight, which is also rounded.
        price = penalty * Fraction(weighed.total_weight, weighed.weight_scale)
        more = price - problem.exact_leaf_price / dataset.weight_scale / unit
        above += max(more, Fraction(0)) * problem.max_leaves
        below += max(-more, Fraction(0)) * problem.max_leaves
    return InPlainErrors(
        problem,
        plain_problem,
        unit,
        constant=Fraction(constant) / dataset.weight_scale,
        factors=tuple(factors),
        above=above * unit,
        below=below * unit,
    )


def _factors(costs: Costs, totals: list[int]) -> list[Fraction] | None:
    """Return the extra cost of an error by class, if it does not depend on the predicted class."""
    factors = []
    for label, row in enumerate(costs):
        extra = {cost - row[label] for predicted, cost in enumerate(row) if predicted != label}
        if not totals[label]:
            factors.append(Fraction(1))
        elif len(extra) > 1 or any(cost <= 0 for cost in extra):
            return None
        else:
            factors.append(extra.pop() if extra else Fraction(1))
    return factors
