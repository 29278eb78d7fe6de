"""Preparation of a search: its clock, the encoding in columns, and a first tree without a proof.

Listing all surfaces can take longer than searching over them. If the list is long, a tree without
a proof is searched first, so that there is a solution if the listing is stopped.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from exactree.engine.oblique.large_tables import stopped_outcome, trivial_bound
from exactree.engine.oblique.linear_trees import linear_tree, one_leaf
from exactree.engine.oblique.memory import refuse_many_surfaces
from exactree.engine.oblique.rule_list import SHORT_LIST_BYTES, bytes_of
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.encoding.columns import EncodedProblem, in_columns
from exactree.problem.quantities import Cost
from exactree.problem.verification.recount import cost_of_found, keeps_limits
from exactree.rules import Hypersurfaces, families_of
from exactree.stopping import Deadline, Stopped
from exactree.trees import Ensemble, Tree
from exactree.trees.arrays import grow

__all__ = ["Timer", "encode_before_deadline", "fallback_tree", "timer_of"]


# Seconds between two reports.
_PAUSE = 0.1


class Timer(Deadline):
    """A deadline, with a callback that reports that work continues.

    Parameters
    ----------
    seconds : float or None
        Time from now on; None for no limit.
    report : callable or None
        Called with the seconds about ten times a second; returning True stops.
    """

    def __init__(
        self, seconds: float | None, report: Callable[[float], object] | None = None
    ) -> None:
        super().__init__(seconds)
        self._report, self._reported = report, 0.0

    def left_of_share(self, share: float) -> float:
        """Return the remaining seconds of a share of the limit, or of a minute without a limit."""
        limit = 60.0 if self.limit is None else self.limit
        return 0.0 if self.left() == 0.0 else max(share * limit - self.seconds(), 0.0)

    def within(self, share: float) -> bool:
        """Return whether less than a share of the time is used."""
        return self.left_of_share(share) > 0

    def check(self) -> None:
        """Raise `Stopped` on Ctrl-C, at the deadline, or when the callback returns True."""
        super().check()
        if self._report is not None and self.seconds() - self._reported >= _PAUSE:
            self._reported = self.seconds()
            if self._report(self._reported):
                raise Stopped("callback")


# The share of the time limit for the search of a first tree.
_FIRST_TREE_SHARE = 0.1
# Seconds to find some tree if the time is over and there is no tree.
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
        The problem to solve.
    time_limit : float or None
        Seconds.
    on_progress : callable or None
        Called with a `Progress` that has no incumbent and the trivial lower bound.
    """
    if on_progress is None:
        return Timer(time_limit)
    bound = trivial_bound(problem)
    return Timer(time_limit, lambda seconds: on_progress(Progress(None, bound, seconds)))


def encode_before_deadline(
    problem: Problem, timer: Timer, memory_limit: int | None, *, pairs: bool = False
) -> EncodedProblem | Outcome:
    """Return a problem in columns, or the outcome if the encoding was stopped.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    timer : Timer
        The clock of the whole search.
    memory_limit : int, optional
        As in `refuse_many_surfaces`.
    pairs : bool
        Whether the search holds the counts of pairs of columns, which take memory.

    Raises
    ------
    MethodRefused
        If the columns would take too much memory.
    """
    refuse_many_surfaces(problem, memory_limit, pairs=pairs)
    tree = None
    surfaces = any(isinstance(family, Hypersurfaces) for family in families_of(problem.rules))
    has_linear_tree = surfaces and problem.n_trees == 1 and not problem.regression
    try:
        if has_linear_tree and bytes_of(problem)[0] > SHORT_LIST_BYTES:
            tree = linear_tree(problem, partial(timer.within, _FIRST_TREE_SHARE))
        return in_columns(problem, check=timer.check)
    except Stopped as stopped:
        stopped_by = stopped.by
    bound = trivial_bound(problem)
    if problem.n_trees > 1:
        outcome = _decided_by_one_tree(problem, bound, stopped_by)
    else:
        # Without surfaces a linear tree would list all columns again.
        tree = (tree or fallback_tree(problem)) if surfaces else one_leaf(problem)
        outcome = stopped_outcome(problem, tree, bound, stopped_by)
    return replace(outcome, stats={"seconds": timer.seconds()})


def fallback_tree(problem: Problem) -> Tree | None:
    """Return a tree within the limits for the outcome of a stopped search, if one is found.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of one tree.
    """
    if problem.regression:  # linear models support only classes
        return one_leaf(problem)
    grace = Timer(_GRACE)
    return linear_tree(problem, lambda: grace.left() != 0.0)


def _decided_by_one_tree(problem: Problem, bound: Cost, stopped_by: str) -> Outcome:
    """Return the ensemble of one tree and leaves whose votes cancel, if it is within the limits."""
    tree = fallback_tree(problem.with_trees(1))
    if tree is not None:
        classes = len(problem.dataset.classes)
        leaf = [(-1, 0.0, 0.0, -1, -1)]
        # The leaves vote for the classes in rotation, later classes first: ties go to earlier
        # classes.
        votes = (classes - 1 - index % classes for index in range(problem.n_trees - 1))
        leaves = (grow(problem.dataset, leaf, [label]) for label in votes)
        ensemble = Ensemble((tree, *leaves))
        if keeps_limits(problem, ensemble):
            cost = cost_of_found(problem, ensemble)
            return Outcome(Status.FEASIBLE, cost, bound, None, {}, stopped_by, ensemble=ensemble)
    return Outcome(Status.STOPPED, None, bound, None, {}, stopped_by)
