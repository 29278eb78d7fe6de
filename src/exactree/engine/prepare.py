"""A problem in columns, within the limits of the search: the clock, `on_progress` and Ctrl-C.

To list all surfaces takes longer than to search them at times. A tree without a proof is looked
for first where the list is long, so that there is an answer when it is stopped.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from exactree.engine.all_rules import bytes_of
from exactree.engine.large import known, nothing_proved
from exactree.engine.linear_trees import linear_tree, one_leaf
from exactree.engine.surface_memory import refuse_many_surfaces
from exactree.engine.timer import Timer
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.columns import InColumns, in_columns
from exactree.problem.cost import Cost
from exactree.problem.recount import cost_of_found, keeps_limits
from exactree.rules import Hypersurfaces, families_of
from exactree.stopping import Stopped
from exactree.trees import Ensemble, Tree
from exactree.trees.arrays import grow

__all__ = ["a_tree", "columns_in_time", "timer_of"]

# A listing of so many bytes takes tenths of a second.
_SHORT = 2_000_000
# The share of the time until which a tree is looked for.
_TREE = 0.1
# Seconds for a tree where the time is over and there is none.
_GRACE = 0.2


def timer_of(
    problem: Problem,
    time_limit: float | None,
    on_progress: Callable[[Progress], object] | None,
) -> Timer:
    """Return the clock of a search that has not begun.

    Parameters
    ----------
    problem : Problem
        What is asked.
    time_limit : float or None
        Seconds.
    on_progress : callable or None
        Called with a `Progress` that has no incumbent and the trivial lower bound.
    """
    if on_progress is None:
        return Timer(time_limit)
    trivial = nothing_proved(problem)
    return Timer(time_limit, lambda seconds: on_progress(Progress(None, trivial, seconds)))


def columns_in_time(
    problem: Problem, timer: Timer, memory_limit: int | None, *, pairs: bool = False
) -> InColumns | Outcome:
    """Return a problem in columns, or what is known if that was stopped.

    Parameters
    ----------
    problem : Problem
        What is asked.
    timer : Timer
        The clock of the whole search.
    memory_limit, pairs
        As in `refuse_many_surfaces`.

    Raises
    ------
    MethodRefused
        If the columns would take too much memory.
    """
    refuse_many_surfaces(problem, memory_limit, pairs=pairs)
    tree = None
    surfaces = any(isinstance(family, Hypersurfaces) for family in families_of(problem.rules))
    linear = surfaces and problem.n_trees == 1 and not problem.regression
    try:
        if linear and bytes_of(problem)[0] > _SHORT:
            tree = linear_tree(problem, partial(timer.within, _TREE))
        return in_columns(problem, check=timer.check)
    except Stopped as stopped:
        by = stopped.by
    bound = nothing_proved(problem)
    if problem.n_trees > 1:
        outcome = _alone(problem, bound, by)
    else:
        outcome = known(problem, tree or a_tree(problem), bound, by)
    return replace(outcome, stats={"seconds": timer.seconds()})


def a_tree(problem: Problem) -> Tree | None:
    """Return a tree within the limits for an answer to a search that was stopped, if one is found.

    Parameters
    ----------
    problem : Problem
        What is asked, of one tree.
    """
    if problem.regression:  # linear models are of classes
        return one_leaf(problem)
    grace = Timer(_GRACE)
    return linear_tree(problem, lambda: grace.left() != 0.0)


def _alone(problem: Problem, bound: Cost, by: str) -> Outcome:
    """Return the ensemble of one tree and leaves that cancel out, if it is within the limits."""
    tree = a_tree(problem.with_trees(1))
    if tree is not None:
        classes = len(problem.dataset.classes)
        leaf = [(-1, 0.0, 0.0, -1, -1)]
        last = (classes - 1 - place % classes for place in range(problem.n_trees - 1))
        leaves = (grow(problem.dataset, leaf, [label]) for label in last)
        ensemble = Ensemble((tree, *leaves))
        if keeps_limits(problem, ensemble):
            cost = cost_of_found(problem, ensemble)
            return Outcome(Status.FEASIBLE, cost, bound, None, {}, by, ensemble=ensemble)
    return Outcome(Status.STOPPED, None, bound, None, {}, by)
