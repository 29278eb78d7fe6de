"""The best tree of at most one surface, where leaves have other costs than plain errors.

As in `one_surface.py`, the native search finds which examples go left, without a list of all
splits; a rule in floating point is computed for this split alone, and a split without a rule is
not allowed. Thresholds, codes and given rules that are mixed in are searched as columns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from exactree.engine.native.one_surface import Left
from exactree.engine.native.request import SearchOptions
from exactree.engine.oblique.large_tables import improved_outcome
from exactree.engine.oblique.rule_list import tree_of
from exactree.engine.oblique.surface_points import (
    MAX_POINTS,
    MAX_TERMS,
    SurfacePoints,
    steps_of,
)
from exactree.problem import Outcome, Problem, Status
from exactree.problem.quantities import as_tuple
from exactree.rules import Hypersurfaces, Mixed, SurfaceColumn, families_of
from exactree.trees import Tree

__all__ = ["Excluded", "SurfaceSearch", "TreeOfSplit", "one_surface_tree", "takes_one_surface"]

# The maximum number of steps of the native search without a time limit: hours.
_MOST_STEPS = 10**12

Excluded = list[NDArray[np.bool_]]
# Returns the tree whose root sends some points left, a single leaf without such points.
TreeOfSplit = Callable[[Left], Tree]
# Searches the surfaces of some points. Its arguments are the points, the splits that are not
# allowed, the limits, and the function that makes trees.
SurfaceSearch = Callable[[SurfacePoints, Excluded, SearchOptions, TreeOfSplit], Outcome]


class _NoRule(Exception):
    """A split for which no rule in floating point was found.

    Parameters
    ----------
    left : ndarray of bool
        Which points go left.
    """

    def __init__(self, left: NDArray[np.bool_]) -> None:
        super().__init__(left)
        self.left = left


def takes_one_surface(problem: Problem, time_limit: float | None) -> bool:
    """Return whether a problem is solved without a list of its splits.

    Parameters
    ----------
    problem : Problem
        A problem of one tree without constraints.
    time_limit : float or None
        Seconds of the search.
    """
    families = families_of(problem.rules)
    surfaces = [family for family in families if isinstance(family, Hypersurfaces)]
    if not surfaces or problem.max_leaves != 2 or problem.constrained:
        return False
    X = problem.dataset.X
    steps = sum(steps_of(family, *X.shape) for family in surfaces)
    terms = [family.number_of_monomials(X.shape[1]) for family in surfaces]
    is_constant = [
        bool((X[0] == X)[:, family.features_of(X.shape[1])].all()) for family in surfaces
    ]
    if len(X) >= MAX_POINTS or max(terms) > MAX_TERMS or any(is_constant):
        return False
    return steps <= _MOST_STEPS or time_limit is not None


@dataclass
class _Found:
    """What the searches of the families of a problem found."""

    problem: Problem
    outcomes: list[Outcome] = field(default_factory=list)
    begin: float = field(default_factory=monotonic)
    left_out: int = 0

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return monotonic() - self.begin

    def outcome(self) -> Outcome:
        """Return the outcome of all searches together."""
        with_tree = [outcome for outcome in self.outcomes if outcome.tree is not None]
        stats = {**self.outcomes[-1].stats, "seconds": self.seconds()}
        stats["surfaces_left_out"] = self.left_out
        if not with_tree:
            return replace(self.outcomes[-1], stats=stats)
        best = min(with_tree, key=lambda outcome: as_tuple(outcome.cost or 0))
        for outcome in self.outcomes:
            if outcome.status not in (Status.OPTIMAL, Status.INFEASIBLE):
                bound = min((o.lower_bound for o in self.outcomes), key=as_tuple)
                stopped = replace(outcome, lower_bound=bound, stats=stats)
                return improved_outcome(self.problem, stopped, best.tree, bound)
        return replace(best, stats=stats)


def one_surface_tree(
    problem: Problem,
    options: SearchOptions,
    search: SurfaceSearch,
    search_others: Callable[..., Outcome],
) -> Outcome:
    """Return the best tree of at most one node.

    Parameters
    ----------
    problem : Problem
        The problem to solve, which `takes_one_surface` accepts.
    options : SearchOptions
        Limits of the search.
    search : callable
        The native search of the surfaces of one family.
    search_others : callable
        The search of a problem without surfaces, with the parameters of `regression_tree`.
    """
    found = _Found(problem)
    families, X = families_of(problem.rules), problem.dataset.X
    others = tuple(family for family in families if not isinstance(family, Hypersurfaces))
    if others:
        outcome = search_others(
            problem.with_rules(Mixed(others)),
            time_limit=options.time_limit,
            memory_limit=options.memory_limit,
            n_jobs=options.threads,
            switches=options.switches,
        )
        found.outcomes.append(outcome)
    for family in families:
        if not isinstance(family, Hypersurfaces):
            continue
        points = SurfacePoints.of(family, X)
        excluded: Excluded = []
        make = _tree_maker(problem, points)
        while True:
            remaining = options.after(found.seconds())
            try:
                found.outcomes.append(search(points, excluded, remaining, make))
                break
            except _NoRule as none:
                excluded.append(none.left)
                found.left_out += 1
    return found.outcome()


def _tree_maker(problem: Problem, points: SurfacePoints) -> TreeOfSplit:
    """Return a function from the points that go left to a tree."""

    def make(left: Sequence[bool] | None) -> Tree:
        if left is None:
            return tree_of(problem, [None], [(-1, -1)])
        split = np.array(left, dtype=np.bool_)
        rule = points.rule(split)
        if rule is None:
            raise _NoRule(split)
        root = SurfaceColumn(rule), split[points.inverse]
        return tree_of(problem, [root, None, None], [(1, 2), (-1, -1), (-1, -1)])

    return make
