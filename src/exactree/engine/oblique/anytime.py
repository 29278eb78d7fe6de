"""Better trees of surfaces, and lower bounds, for as long as there is time.

The first tree is the best one with thresholds that is found in time (`threshold_trees.py`), so no
answer costs more. Then a tree of linear models is grown (`linear_trees.py`), and a local search
improves trees (`local_search.py`) in turn with lower bounds by subsets (`large_tables.py`), until
cost and bound are equal or the search is stopped.

Only trees whose splits are the same in real numbers as in floating point are taken: a split that is
due to rounding belongs to no family, and its tree might cost less than a lower bound.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from exactree.engine.oblique.large_tables import (
    MAX_LISTED,
    bound_by_subsets,
    fewer_rules,
    stopped_outcome,
    trivial_bound,
)
from exactree.engine.oblique.linear_trees import linear_tree, one_leaf
from exactree.engine.oblique.local_search import LocalSearch
from exactree.engine.oblique.surface_points import SurfacePoints, best_split, steps_of
from exactree.engine.oblique.threshold_trees import Solve, threshold_tree
from exactree.engine.prepare import Timer
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.advice import time_advice
from exactree.problem.encoding.incumbent import splits_tree_exactly
from exactree.problem.quantities import Cost, as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.rules import Hypersurfaces, SurfaceRule
from exactree.stopping import Stopped
from exactree.trees import Tree

__all__ = ["Anytime"]

# Shares of the time limit after which the searches for the first trees end.
_THRESHOLDS_SHARE, _LINEAR_SHARE = 0.3, 0.4
# Seconds of the first turns of the local search and of the lower bound; each is twice the last.
_FIRST_TURN, _LONGEST_TURN = 0.25, 60.0
# The maximum number of steps, and of seconds, of the exact search for one surface at a node.
_STEPS_AT_NODE, _SECONDS_AT_NODE = 5_000_000, 1.0
# The maximum number of dichotomies of a subset of the last lower bounds: seconds to list.
_MOST_LISTED = 4_000_000


@dataclass
class Anytime:
    """The best tree and lower bound so far of a problem with surfaces.

    Attributes
    ----------
    problem : Problem
        The problem to solve, of one tree and plain errors.
    time_limit : float or None
        Seconds.
    stop_at_gap : float
        Stop when the gap is at most this.
    on_progress : callable or None
        As in `solve`.
    tree, cost
        The best tree so far, and its cost.
    bound : int, Fraction or tuple
        The greatest lower bound so far.
    stopped_by : str or None
        The reason if the search has to end.
    """

    problem: Problem
    time_limit: float | None
    stop_at_gap: float = 0.0
    on_progress: Listener | None = None
    tree: Tree | None = None
    cost: Cost | None = None
    bound: Cost = 0
    stopped_by: str | None = None
    _search: LocalSearch | None = field(default=None, repr=False)
    _target: Problem | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.timer = Timer(self.time_limit, None if self.on_progress is None else self._report)
        self.bound = trivial_bound(self.problem)

    def _report(self, seconds: float) -> object:
        assert self.on_progress is not None
        return self.on_progress(Progress(self.cost, self.bound, seconds))

    @property
    def proved(self) -> bool:
        """Whether the best tree is optimal."""
        return self.cost is not None and as_tuple(self.bound) >= as_tuple(self.cost)

    def take(self, tree: Tree | None) -> None:
        """Take a tree within the limits if it is cheaper, and splits exactly.

        Parameters
        ----------
        tree : Tree or None
            The tree.
        """
        if tree is None or not splits_tree_exactly(tree, self.problem.dataset.X):
            return
        cost = cost_of_found(self.problem, tree)
        if self.cost is None or as_tuple(cost) < as_tuple(self.cost):
            self.tree, self.cost = tree, cost
            self._check_gap()

    def _raise_bound(self, bound: Cost) -> None:
        self.bound = max(self.bound, bound, key=as_tuple)
        self._check_gap()

    def _check_gap(self) -> None:
        if self.stop_at_gap > 0 and self.cost is not None and not self.proved:
            outcome = Outcome(Status.FEASIBLE, self.cost, self.bound, None, {}, "gap")
            if outcome.gap <= self.stop_at_gap:
                self.stopped_by = "gap"

    def running(self) -> bool:
        """Return whether the search goes on, and note why not."""
        if self.stopped_by is None and not self.proved:
            try:
                self.timer.check()
            except Stopped as stopped:
                self.stopped_by = stopped.by
        return self.stopped_by is None and not self.proved

    def running_until(self, seconds: float) -> Callable[[], bool]:
        """Return a function that returns whether the search goes on until a time.

        Parameters
        ----------
        seconds : float
            Seconds since its start.
        """
        return lambda: self.running() and self.timer.seconds() < seconds

    def first_trees(self, solve: Solve, memory_limit: int | None, n_jobs: int) -> None:
        """Find the optimal tree with thresholds in place of surfaces, and a tree of linear models.

        Parameters
        ----------
        solve, memory_limit, n_jobs
            As in `threshold_tree`.
        """
        left = self.timer.left_of_share(_THRESHOLDS_SHARE)
        self.take(threshold_tree(self.problem, left, memory_limit, n_jobs, solve))
        if self.running():
            share = self.timer.left_of_share(_LINEAR_SHARE) + self.timer.seconds()
            self.take(linear_tree(self.problem, self.running_until(share)))
        if self.tree is None:
            self.take(one_leaf(self.problem))

    def improve(self, seconds: float) -> None:
        """Search locally for a better tree.

        Parameters
        ----------
        seconds : float
            Until this many seconds since the start.
        """
        running = self.running_until(seconds)
        while running():
            if self._search is None:
                problem = self._problem_of_errors()
                if problem.max_leaves < 2:
                    return
                first = self.tree if self._by_errors else None
                self._search = LocalSearch(problem, first, self._take_of_search, self._one_surface)
            self._search.run(self._running_same(running))

    def _one_surface(
        self,
        family: Hypersurfaces,
        rows: NDArray[np.int64],
        classes: NDArray[np.float64],
        below: int,
    ) -> list[SurfaceRule] | None:
        """Return rules of the best surface for some rows, None if the search takes too long."""
        X = self.problem.dataset.X[rows]
        if steps_of(family, len(rows), X.shape[1]) > _STEPS_AT_NODE:
            return None
        left = self.timer.left()
        seconds = _SECONDS_AT_NODE if left is None else min(_SECONDS_AT_NODE, left)
        rule = best_split(SurfacePoints.of(family, X), classes, below, seconds)
        return [] if rule is None else [rule, rule.opposite]

    def _running_same(self, running: Callable[[], bool]) -> Callable[[], bool]:
        """Return whether there is time, and the local search is not replaced by another."""
        search = self._search
        return lambda: self._search is search and running()

    @property
    def _by_errors(self) -> bool:
        return self.problem.quantities[0] == "errors"

    def _take_of_search(self, tree: Tree) -> None:
        before = self.cost
        self.take(tree)
        if self.cost != before and not self._by_errors:
            self._search = None  # the next search is for a smaller tree

    def _problem_of_errors(self) -> Problem:
        """Return the problem of the local search: few errors, in a smaller tree than the best."""
        if self._by_errors:
            return self.problem
        quantity = self.problem.quantities[0]
        problem = self.problem.with_errors_alone()
        if self.tree is None:
            return problem
        smaller = max(getattr(self.tree, quantity) - 1, 0)
        return problem.within(replace(problem.limits, **{f"max_{quantity}": smaller}))

    def raise_bound(self, seconds: float, max_listed: int = MAX_LISTED) -> bool:
        """Raise the lower bound by subsets; return whether all subsets were solved in time.

        Parameters
        ----------
        seconds : float
            Until this many seconds since the start.
        max_listed : int
            As in `bound_by_subsets`.
        """
        running = self.running_until(seconds)

        def left() -> float:
            return max(seconds - self.timer.seconds(), 0.0) if running() else 0.0

        self._raise_bound(bound_by_subsets(self.problem, left, max_listed))
        return left() > 0.0

    def run(self) -> Outcome:
        """Search until the search is stopped or cost and bound are equal."""
        turn, max_listed = _FIRST_TURN, MAX_LISTED
        self.raise_bound(self.timer.seconds() + turn)
        while self.running():
            self.improve(self.timer.seconds() + turn)
            complete = self.raise_bound(self.timer.seconds() + turn, max_listed)
            if complete:
                max_listed = min(4 * max_listed, _MOST_LISTED)
            turn = min(2 * turn, _LONGEST_TURN)
        return self.outcome(self.stopped_by)

    def outcome(self, stopped_by: str | None) -> Outcome:
        """Return the outcome of the search.

        Parameters
        ----------
        stopped_by : str or None
            The reason why it ended; None if cost and bound are equal.
        """
        found = stopped_outcome(self.problem, self.tree, self.bound, stopped_by)
        stats = {"seconds": self.timer.seconds()}
        if found.status is Status.OPTIMAL or stopped_by != "time limit":
            return replace(found, stats=stats)
        advice = (time_advice(self.time_limit), *fewer_rules(self.problem))
        return replace(found, stats=stats, advice=advice)
