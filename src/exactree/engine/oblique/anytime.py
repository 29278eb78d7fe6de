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

from exactree.engine.native.request import SearchOptions
from exactree.engine.oblique.large_tables import (
    MAX_LISTED,
    bound_by_subsets,
    fewer_rules,
    improved_outcome,
    stopped_outcome,
    trivial_bound,
)
from exactree.engine.oblique.linear_trees import linear_tree, one_leaf
from exactree.engine.oblique.local_search import LocalSearch
from exactree.engine.oblique.memory import pairs_of_columns, refuse_many_surfaces
from exactree.engine.oblique.rule_list import SHORT_LIST_BYTES, bytes_of
from exactree.engine.oblique.surface_points import SurfacePoints, best_split, steps_of
from exactree.engine.oblique.threshold_trees import Solve, threshold_tree
from exactree.engine.prepare import Timer
from exactree.errors import MethodRefused
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.advice import time_advice
from exactree.problem.encoding.incumbent import Incumbent, splits_tree_exactly
from exactree.problem.quantities import Cost, as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.rules import Hypersurfaces, SurfaceRule, of_surfaces
from exactree.stopping import Stopped
from exactree.trees import Tree

__all__ = ["Anytime", "has_many_surfaces", "search_of_many_surfaces"]

# Shares of the time limit after which the searches for the first trees end.
_THRESHOLDS_SHARE, _LINEAR_SHARE = 0.3, 0.4
# Seconds of the first turns of the local search and of the lower bound; each is twice the last.
_FIRST_TURN, _LONGEST_TURN = 0.25, 60.0
# The maximum number of steps, and of seconds, of the exact search for one surface at a node.
_STEPS_AT_NODE, _SECONDS_AT_NODE = 5_000_000, 1.0
# The same number for the first lower bounds of other costs than errors, whose searches take longer.
_FEW_LISTED = 2_000
# Ordered pairs of columns for which the search for squared errors takes a second.
_PAIRS_IN_A_SECOND = 10_000_000
# The maximum number of dichotomies of a subset of the last lower bounds: seconds to list.
_MOST_LISTED = 4_000_000


@dataclass
class Anytime:
    """The best tree and lower bound so far of a problem with surfaces.

    Attributes
    ----------
    problem : Problem
        The problem to solve, of one tree.
    time_limit : float or None
        Seconds.
    stop_at_gap : float
        Stop when the gap is at most this.
    on_progress : callable or None
        As in `solve`.
    solve : callable, optional
        Solves problems of other costs than plain errors.
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
    solve: Solve | None = None
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

    def later_listener(self) -> Listener | None:
        """Return a listener for a search that follows: it hears the seconds of both."""
        listen, begin = self.on_progress, self.timer.seconds()
        if listen is None:
            return None

        def report(moment: Progress) -> object:
            costs = [cost for cost in (self.cost, moment.cost) if cost is not None]
            bound = max(self.bound, moment.lower_bound, key=as_tuple)
            cost = min(costs, key=as_tuple, default=None)
            return listen(Progress(cost, bound, begin + moment.seconds))

        return report

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
        if self.running() and self.problem.plain_errors:
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
                first = self.tree if self._by_leaves else None
                exact = self._one_surface, self._two_leaves
                self._search = LocalSearch(problem, first, self._take_of_search, *exact)
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

    def _two_leaves(
        self, family: Hypersurfaces, rows: NDArray[np.int64]
    ) -> list[SurfaceRule] | None:
        """Return the rule of the best surface between two leaves, None if it takes too long."""
        X = self.problem.dataset.X[rows]
        if self.solve is None or steps_of(family, len(rows), X.shape[1]) > _STEPS_AT_NODE:
            return None
        if (X[0] == X)[:, family.features_of(X.shape[1])].all():
            return []
        left = self.timer.left()
        seconds = _SECONDS_AT_NODE if left is None else min(_SECONDS_AT_NODE, left)
        subset = self.problem.relaxed_to_examples(rows).with_rules(family)
        tree = self.solve(subset.within(replace(subset.limits, max_depth=1)), seconds).tree
        if tree is None or not tree.size:
            return []
        return [tree.surfaces.rule(int(tree.feature[0]) - X.shape[1], float(tree.threshold[0]))]

    def _running_same(self, running: Callable[[], bool]) -> Callable[[], bool]:
        """Return whether there is time, and the local search is not replaced by another."""
        search = self._search
        return lambda: self._search is search and running()

    @property
    def _by_leaves(self) -> bool:
        return self.problem.quantities[0] == self.problem.error_term

    def _take_of_search(self, tree: Tree) -> None:
        before = self.cost
        self.take(tree)
        if self.cost != before and not self._by_leaves:
            self._search = None  # the next search is for a smaller tree

    def _problem_of_errors(self) -> Problem:
        """Return the problem of the local search: few errors, in a smaller tree than the best."""
        if self._by_leaves:
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

        self._raise_bound(bound_by_subsets(self.problem, left, max_listed, self.solve))
        return left() > 0.0

    def run(self) -> Outcome:
        """Search until the search is stopped or cost and bound are equal."""
        turn, max_listed = _FIRST_TURN, MAX_LISTED if self.solve is None else _FEW_LISTED
        self.raise_bound(self.timer.seconds() + turn, max_listed)
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
        fewer = fewer_rules(self.problem) if self.solve is None else ()
        advice = (time_advice(self.time_limit), *fewer)
        return replace(found, stats=stats, advice=advice)


def has_many_surfaces(problem: Problem, memory_limit: int | None) -> bool:
    """Return whether listing the surfaces of a problem takes long or too much memory.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of other costs than plain errors.
    memory_limit : int or None
        As in `solve`.
    """
    if not of_surfaces(problem.rules):
        return False
    return bytes_of(problem)[0] > SHORT_LIST_BYTES or bool(_too_many(problem, memory_limit))


def _too_many(problem: Problem, memory_limit: int | None) -> str | None:
    try:
        refuse_many_surfaces(problem, memory_limit, pairs=True)
    except MethodRefused as refused:
        return str(refused)
    return None


def _lists_in_time(problem: Problem, seconds: float | None) -> bool:
    """Return whether the pairs of all columns are likely to be summed in some seconds.

    Until they are, that search has neither a better tree nor a lower bound.
    """
    pairs = pairs_of_columns(problem) if problem.error_term == "squared_error" else 0
    return seconds is None or pairs <= seconds * _PAIRS_IN_A_SECOND


def search_of_many_surfaces(
    best: Anytime,
    options: SearchOptions,
    incumbent: Incumbent | None,
    listed: Callable[[float | None, Listener | None, Incumbent | None], Outcome],
) -> Outcome:
    """Return the best tree of surfaces that are many, for other costs than plain errors.

    Parameters
    ----------
    best : Anytime
        The search of the problem, which has not begun; it solves problems of these costs.
    options : SearchOptions
        The limits.
    incumbent : Incumbent or None
        A tree to start from.
    listed : callable
        Searches all surfaces, given seconds, a listener and a tree to start from.

    Raises
    ------
    MethodRefused
        If there are too many surfaces to list, and no time limit.
    """
    problem, timer = best.problem, best.timer
    refusal = _too_many(problem, options.memory_limit)
    if refusal is not None and options.time_limit is None:
        raise MethodRefused(f"{refusal} Or give a time_limit, for a tree not proved best.")
    assert best.solve is not None
    if incumbent is not None and incumbent.exact:
        best.take(incumbent.tree)
    best.first_trees(best.solve, options.memory_limit, options.threads)
    if refusal is not None or not _lists_in_time(problem, timer.left()):
        return best.run()
    if not best.running():
        return best.outcome(best.stopped_by)
    start = Incumbent(best.tree) if incumbent is None and best.tree is not None else incumbent
    outcome = listed(timer.left(), best.later_listener(), start)
    if outcome.stopped_by is None or outcome.status in (Status.OPTIMAL, Status.INFEASIBLE):
        return outcome
    return improved_outcome(problem, outcome, best.tree, best.bound)
