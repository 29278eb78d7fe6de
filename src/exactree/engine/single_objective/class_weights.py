"""Cost matrices that are equivalent to plain errors with class weights, plus a constant.

Suppose all wrong predictions of a class cost the same, and more than the right one. The cost of a
tree is then the cost of all right predictions, a constant, plus its errors on a table whose rows
are weighted by the difference. So the search for plain errors finds the best tree, and its bounds
hold up to the constant. With two classes this covers every cost matrix in which errors have a
cost; the balanced error is also of this kind.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from exactree.engine.lexicographic.branch_and_bound import accepts, branch_and_bound
from exactree.objectives import ErrorCosts
from exactree.objectives.errors import class_weights
from exactree.objectives.objective import plain
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.class_weight import with_factors
from exactree.problem.cost_matrix import Costs
from exactree.problem.encoding.decoding import without_rounded_gains
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
        The same with plain errors on other weights.
    constant : Fraction
        The cost of every tree beyond these errors, in the user's unit.
    costs : tuple of tuple of Fraction
        The cost of a unit of weight in the original problem, by true and by predicted class.
    rounding : float
        The relative rounding of weights, if exact weights take more than 62 bits.
    """

    original: Problem
    problem: Problem
    constant: Fraction
    costs: Costs
    rounding: float

    def solve(
        self, on_progress: Callable[[Progress], object] | None = None, **options: Any
    ) -> Outcome:
        """Return the best tree by the search for plain errors; parameters as for that search."""

        def on_weighted_progress(progress: Progress) -> object:
            assert on_progress is not None
            return on_progress(self._lifted(progress))

        listener = None if on_progress is None else on_weighted_progress
        return self.lift(branch_and_bound(self.problem, on_progress=listener, **options))

    def lift(self, outcome: Outcome) -> Outcome:
        """Return the outcome of the problem with plain errors as one of the original problem.

        Parameters
        ----------
        outcome : Outcome
            The outcome of the search.
        """
        stats = dict(outcome.stats)
        if "progress" in stats:
            stats["progress"] = [self._lifted(moment) for moment in stats["progress"]]
        if stats.get("first_incumbent") is not None and self._is_errors(-1):
            stats["first_incumbent"] = plain(stats["first_incumbent"] + self.constant)
        cost = None if outcome.cost is None else self._original_cost(outcome.cost)
        bound, tree, term = (
            self._original_cost(outcome.lower_bound),
            outcome.tree,
            self.original.term,
        )
        if tree is not None and isinstance(term, ErrorCosts):
            tree = recounted(self.original.dataset, tree, term.predicted_class)
        if tree is not None and self.rounding:
            tree = without_rounded_gains(self.original, tree)
            cost = cost_of_found(self.original, tree)
            best = outcome.status is Status.OPTIMAL
            bound = cost if best else min(bound, cost, key=as_tuple)
            stats["rounding"] = self.rounding
        return replace(outcome, cost=cost, lower_bound=bound, tree=tree, stats=stats)

    def _lifted(self, progress: Progress) -> Progress:
        cost = None if progress.cost is None else self._original_cost(progress.cost)
        return replace(progress, cost=cost, lower_bound=self._original_cost(progress.lower_bound))

    def _original_cost(self, cost: Cost) -> Cost:
        """Add the constant to the errors of a cost, and allow for rounded weights."""
        numbers = tuple(
            plain(Fraction(number) / (1 + Fraction(self.rounding)) + self.constant)
            if self._is_errors(place)
            else number
            for place, number in enumerate(as_tuple(cost))
        )
        return numbers if isinstance(self.original.minimize, tuple) else numbers[0]

    def _is_errors(self, place: int) -> bool:
        return self.original.quantities[place] == self.original.error_term


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
    totals = class_weights(dataset)
    factors = _factors(term.costs, totals)
    if factors is None:
        return None
    whole = sum((f * total for f, total in zip(factors, totals, strict=True)), Fraction(0))
    # The price of a leaf stays the same, but the total weight changes.
    penalty = problem.exact_leaf_price / whole
    parameter = "minimize" if problem.costs is None else "cost_matrix"
    weighed = with_factors(dataset, factors, penalty.denominator if penalty else None, parameter)
    rounding = weighed.weight_rounding - dataset.weight_rounding
    constant = sum(row[label] * totals[label] for label, row in enumerate(term.costs))
    limits = problem.limits
    if problem.quantities[0] != problem.error_term:
        limits = replace(limits, max_errors=Fraction(weighed.total_weight, weighed.weight_scale))
    restated = problem.with_plain_errors(weighed, penalty, limits)
    if accepts(restated) is not None:
        return None
    whole_constant = Fraction(constant) / dataset.weight_scale
    return InPlainErrors(problem, restated, whole_constant, term.costs, rounding)


def _factors(costs: Costs, totals: list[int]) -> list[Fraction] | None:
    """Return the extra cost of an error by class, if it does not depend on the predicted class."""
    factors = []
    for label, row in enumerate(costs):
        more = {cost - row[label] for predicted, cost in enumerate(row) if predicted != label}
        if not totals[label]:
            factors.append(Fraction(1))
        elif len(more) > 1 or any(each <= 0 for each in more):
            return None
        else:
            factors.append(more.pop() if more else Fraction(1))
    return factors
