"""The first incumbent over surfaces: the optimal tree with thresholds in their place.

A threshold on a feature is a surface of every family that may use the feature: the weighted sum
with weight 1 for the feature and 0 for all other products, computed without any rounding. So the
tree with thresholds is a tree of the family with the same cost, and the engine finds it in a small
part of the time that a search over surfaces takes.
"""

from collections.abc import Callable
from functools import partial

from exactree.engine.lexicographic.branch_and_bound import branch_and_bound, reason_to_refuse
from exactree.problem import Outcome, Problem
from exactree.problem.encoding.incumbent import as_incumbent
from exactree.rules import (
    AxisParallel,
    Hypersurfaces,
    Mixed,
    RuleFamily,
    ThresholdsWithMissing,
    families_of,
)
from exactree.trees import Tree

__all__ = ["problem_of_thresholds", "threshold_tree"]

# Solves a problem without surfaces.
Solve = Callable[[Problem, float | None], Outcome]


def problem_of_thresholds(problem: Problem) -> Problem:
    """Return a problem with thresholds on their features in place of its surfaces.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    d = problem.dataset.X.shape[1]
    features: set[int] = set()
    others: list[RuleFamily] = []
    for family in families_of(problem.rules):
        if isinstance(family, Hypersurfaces):
            features |= set(family.features_of(d))
        elif isinstance(family, AxisParallel):
            features |= {column.feature for column in family.columns(problem.dataset.X)}
        else:
            others.append(family)
    known = {
        f for family in others if isinstance(family, ThresholdsWithMissing) for f in family.features
    }
    features -= known
    families = [AxisParallel(sorted(features)), *others] if features else others
    if not others and len(features) == d:
        return problem.with_rules(AxisParallel())
    return problem.with_rules(families[0] if len(families) == 1 else Mixed(tuple(families)))


def threshold_tree(
    problem: Problem, seconds: float | None, memory_limit: int | None, n_jobs: int, solve: Solve
) -> Tree | None:
    """Return the optimal tree with thresholds in place of surfaces, as a tree of the problem.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of one tree and plain errors.
    seconds : float or None
        The time limit; the tree is the best one found within it.
    memory_limit, n_jobs
        As in `solve`.
    solve : callable
        Solves the problems that branch and bound refuses.

    Returns
    -------
    Tree or None
        None if no tree was found.
    """
    thresholds = problem_of_thresholds(problem)
    search: Solve = solve
    if reason_to_refuse(thresholds) is None:
        search = partial(_branch_and_bound, memory_limit, n_jobs)
    found = search(thresholds, seconds).tree
    if found is None:
        return None
    try:
        start = as_incumbent(problem, found)
    except ValueError:  # a limit on leaves that pruning the tree breaks
        return None
    return start.tree if start.exact else None


def _branch_and_bound(
    memory_limit: int | None, n_jobs: int, problem: Problem, seconds: float | None
) -> Outcome:
    return branch_and_bound(problem, time_limit=seconds, memory_limit=memory_limit, n_jobs=n_jobs)
