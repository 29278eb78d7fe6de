"""The definition of ensembles under constraints: all choices of trees, checked one by one.

`monotonic_cst` and `only_below` hold in every tree, so that the votes for each class are monotone.
Features are used by the ensemble as a whole: those that are required, limited in number or priced
are those that some tree uses.

All trees are listed (`exactree.spec.constrained`). Those that give the same classes to all rows,
have the same size, depth and leaves of limited classes, and use the same counted features are of
one kind: the votes, limits and costs of an ensemble depend on the kinds of its trees only. So all
choices of kinds are compared. For one best ensemble, or a front, a kind is left out if another of
the same classes and features is no larger, no deeper and has no more leaves of a limited class.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np

from exactree.errors import MethodRefused
from exactree.problem import Outcome, Problem, Status
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.problem.quantities import within_slack
from exactree.problem.verification.recount import cost_of_found
from exactree.spec import constrained, elections
from exactree.spec.definition import Numbers, nondominated
from exactree.spec.effort import MAX_ENSEMBLES
from exactree.spec.enumerate_constrained import identity
from exactree.spec.trees import SpecTree, depth, leaves, size
from exactree.trees import Ensemble

__all__ = ["fitted", "optimal_ensembles", "ranked", "reason_to_refuse", "solve"]

# The classes of all rows, the numbers of a tree as in `exactree.spec.elections`, and the features.
TreeKind = tuple[elections.RowLabeling, Numbers, frozenset[int]]
# The key of the rank of an ensemble, and the kinds of its trees.
RankedChoice = tuple[tuple[Any, ...], tuple[TreeKind, ...]]


def reason_to_refuse(problem: Problem) -> str | None:
    """Return None: ensembles of any number of trees are accepted."""
    return None


def solve(problem: Problem) -> Outcome:
    """Return an ensemble of minimum cost that satisfies all constraints, or that there is none.

    Parameters
    ----------
    problem : Problem
        A problem with two or more trees, constraints and a very small table.

    Raises
    ------
    MethodRefused
        If there are too many trees or ensembles to list.
    """
    infeasible_outcome = infeasible_without_search(problem)
    if infeasible_outcome is not None:
        return infeasible_outcome
    best = min(ranked(problem), key=lambda pair: pair[0], default=None)
    if best is None:
        return infeasible(problem)
    ensemble = fitted(problem, best[1])
    cost = cost_of_found(problem, ensemble)
    return Outcome(Status.OPTIMAL, cost, cost, None, ensemble=ensemble)


def ranked(problem: Problem) -> Iterator[tuple[tuple[Any, ...], list[SpecTree]]]:
    """List ensembles that keep all limits and constraints, each with the key of its rank.

    Every ensemble costs as much as one of them, or more.

    Parameters
    ----------
    problem : Problem
        As in `solve`.
    """
    found: dict[Any, dict[Numbers, SpecTree]] = {}
    for (labeling, numbers, features), trees in kinds(problem, lambda: None).items():
        found.setdefault((labeling, features), {})[numbers] = trees[0]
    single = {
        (labeling, numbers, features): tree
        for (labeling, features), trees in found.items()
        for numbers, tree in nondominated(trees).items()
    }
    for rank, choice in choices(problem, [*single], lambda: None):
        yield rank, [single[kind] for kind in choice]


def optimal_ensembles(
    problem: Problem, slack: Sequence[Fraction], check: Callable[[], None]
) -> Iterator[list[SpecTree]]:
    """Yield every ensemble of minimum cost that satisfies all constraints once, by cost.

    Parameters
    ----------
    problem : Problem
        As in `solve`.
    slack, check
        As in `exactree.spec.enumerate.optimal_trees`.
    """
    if infeasible_without_search(problem) is not None:
        return
    trees = kinds(problem, check)
    best: list[RankedChoice] = sorted(
        choices(problem, [*trees], check), key=lambda pair: (pair[0], repr(pair[1]))
    )
    for rank, choice in best:
        if within_slack(rank[0], best[0][0][0], slack):
            for listed in product(
                *(
                    combinations_with_replacement(trees[kind], times)
                    for kind, times in Counter(choice).items()
                )
            ):
                check()
                yield [tree for some in listed for tree in some]


def kinds(problem: Problem, check: Callable[[], None]) -> dict[TreeKind, list[SpecTree]]:
    """Return the trees that an ensemble may have, by kind; each once."""
    everything = np.arange(len(problem.dataset.X))
    found: dict[TreeKind, dict[Any, SpecTree]] = {}
    for tree in constrained.single_trees(problem, check):
        labeling = frozenset(
            (row, leaf.label)
            for leaf, subset in zip(leaves(tree), constrained.subsets(problem, tree), strict=True)
            for row in subset.tolist()
        )
        numbers = (size(tree), depth(tree), *constrained.leaves_counted(problem, tree))
        kind = labeling, numbers, constrained.features_counted(problem, tree)
        found.setdefault(kind, {}).setdefault(identity(problem, tree, everything), tree)
    return {kind: [*trees.values()] for kind, trees in found.items()}


def choices(
    problem: Problem, single: list[TreeKind], check: Callable[[], None]
) -> Iterator[RankedChoice]:
    """List the choices of trees of some kinds that keep all limits and constraints."""
    if comb(len(single) + problem.n_trees - 1, problem.n_trees) > MAX_ENSEMBLES:
        raise MethodRefused(
            f"The definition enumerates all ensembles of {problem.n_trees} trees, here more than "
            f"{MAX_ENSEMBLES:,}; lower max_depth, or use fewer rows."
        )
    constraints = problem.feature_constraints
    for choice in combinations_with_replacement(single, problem.n_trees):
        check()
        of_trees = [labeling for labeling, _, _ in choice]
        numbers = [numbers for _, numbers, _ in choice]
        features = frozenset[int]().union(*(features for _, _, features in choice))
        if (
            constrained.keeps_budgets(problem, features)
            and elections.keeps_limits_together(problem, numbers)
            and elections.allowed(problem, of_trees)
        ):
            price = constraints.price_of(features) * problem.price_unit
            errors = elections.errors_of(problem, of_trees) + price
            yield elections.order(problem, numbers, errors), choice


def fitted(problem: Problem, trees: Sequence[SpecTree]) -> Ensemble:
    """Return trees as an ensemble whose thresholds keep it monotone.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    trees : sequence of SpecTree
        The trees.
    """
    return Ensemble(tuple(constrained.fitted_within_constraints(problem, tree) for tree in trees))
