"""The front: the nondominated trees or ensembles by two or more quantities.

Source      The problem itself, as for `exactree.spec.definition`.
Theorem     None is used.
Time        The time of the definition.
Symbols     None.
The idea    The definition lists the trees that are nondominated in errors, size and depth, and the
            ensembles of such trees. Of their costs in the given quantities the nondominated costs
            are kept. Under constraints all trees that satisfy them are listed. Costs are compared
            as reported: errors of a regression are floats.
Departures  None.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from exactree.problem import Outcome, Problem, Status
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.problem.quantities import Number, as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.spec import (
    constrained,
    constrained_ensemble,
    definition,
    definition_ensemble,
    definition_rates,
    elections,
)
from exactree.spec.effort import refuse_large, refuse_large_ensemble
from exactree.spec.table import fitted_tree
from exactree.spec.trees import SpecTree
from exactree.trees import Ensemble, Tree

__all__ = ["front"]

# The cost, followed by the key that decides between equal costs; and the trees.
Candidate = tuple[tuple[Any, ...], Sequence[SpecTree]]


def front(problem: Problem) -> list[Outcome]:
    """Return one outcome for each nondominated cost.

    Parameters
    ----------
    problem : Problem
        A problem whose `minimize` is the tuple of quantities.

    Returns
    -------
    list of Outcome
        By increasing cost in lexicographic order; empty if nothing meets the limits.
    """
    if infeasible_without_search(problem) is not None:
        return []
    best: dict[tuple[Number, ...], Candidate] = {}
    for rank, trees in candidates(problem):
        cost = as_tuple(problem.reported_cost(rank[0]))
        if cost not in best or rank < best[cost][0]:
            best[cost] = (rank, trees)
    return [outcome(problem, best[cost][1]) for cost in sorted(nondominated(list(best)))]


def candidates(problem: Problem) -> Iterator[Candidate]:
    """List the trees or ensembles of the definition that keep all limits."""
    if problem.n_trees == 1:
        if problem.constrained:
            for feasible in constrained.feasible_trees(problem):
                yield constrained.order(problem, feasible), [feasible]
            return
        if problem.rate is not None:
            for ranked, tree in definition_rates.ranked(problem):
                yield ranked, [tree]
            return
        refuse_large(problem)
        for numbers, tree in definition.all_trees(problem).items():
            if problem.max_error_weight is None or numbers[0] <= problem.max_error_weight:
                yield definition.order(problem, numbers), [tree]
        return
    if problem.feature_constraints:
        yield from constrained_ensemble.ranked(problem)
        return
    refuse_large_ensemble(problem)
    for choice in definition_ensemble.ensembles(problem):
        labelings = [labeling for labeling, _, _ in choice]
        errors = elections.errors_of(problem, labelings)
        if elections.allowed(problem, labelings):
            numbers_of_trees = [numbers for _, numbers, _ in choice]
            rank = elections.order(problem, numbers_of_trees, errors)
            yield rank, [tree for _, _, tree in choice]


def nondominated(costs: list[tuple[Number, ...]]) -> list[tuple[Number, ...]]:
    """Return the costs that no other cost dominates."""
    return [
        cost
        for cost in costs
        if not any(
            other != cost and all(a <= b for a, b in zip(other, cost, strict=True))
            for other in costs
        )
    ]


def outcome(problem: Problem, trees: Sequence[SpecTree]) -> Outcome:
    """Return trees as an outcome with a recounted cost."""
    fitted = constrained.fitted_within_constraints if problem.constrained else fitted_tree
    fitted_trees = tuple(fitted(problem, tree) for tree in trees)
    found: Tree | Ensemble = fitted_trees[0] if problem.n_trees == 1 else Ensemble(fitted_trees)
    cost = cost_of_found(problem, found)
    if isinstance(found, Tree):
        return Outcome(Status.OPTIMAL, cost, cost, found)
    return Outcome(Status.OPTIMAL, cost, cost, None, ensemble=found)
