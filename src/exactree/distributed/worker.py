"""Tasks for workers, their execution, and their results; all can be pickled."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from exactree.distributed.plan import Report, RootInterval, Task
from exactree.engine.native.border import Nodes, RootsResult, RootsRow, SearchResult, SearchStats
from exactree.engine.native.root_request import RootRequest
from exactree.engine.native.root_search import PreparedRoots, SearchControl
from exactree.stopping import Deadline, Stopped

__all__ = [
    "CLUSTER_STATS",
    "Assignment",
    "TaskResult",
    "TaskRunner",
    "add_stats",
    "best_tree",
    "report_of",
    "root_rows",
    "run_task",
    "version",
]


@dataclass(frozen=True)
class Assignment:
    """A task with its upper bound and time limits.

    Attributes
    ----------
    task : Task
        The root rules to search.
    below : int
        Cost of the incumbent: only trees that cost less count.
    seconds : float
        Seconds after which the search returns its open rules, once the current rule is done.
    time_limit : float or None
        Seconds after which the search stops.
    """

    task: Task
    below: int
    seconds: float
    time_limit: float | None


@dataclass(frozen=True)
class TaskResult:
    """The result of a task.

    Attributes
    ----------
    report : Report
        The proved bounds and the tree.
    stats : SearchStats
        Statistics of the search.
    seconds : float
        Duration of the task.
    stopped_by : str or None
        The reason for an early end, as in `minimum_errors`.
    """

    report: Report[Nodes]
    stats: SearchStats
    seconds: float
    stopped_by: str | None = None


class TaskRunner:
    """State of one worker for one request: the prepared table and the latest upper bound.

    Parameters
    ----------
    request : RootRequest
        The problem to solve.
    memory_limit : int or None
        Bytes that the search may hold, if the request has no limit.
    """

    def __init__(self, request: RootRequest[Any, Any], memory_limit: int | None = None) -> None:
        self._request = request
        self._memory_limit = memory_limit
        self._prepared: PreparedRoots | None = None
        self._lock = threading.Lock()
        self._upper: int | None = None
        self._running: set[SearchControl] = set()
        self._closed = False

    def run(self, assignment: Assignment) -> TaskResult:
        """Execute a task.

        Parameters
        ----------
        assignment : Assignment
            The task, with its limits.
        """
        deadline = Deadline(assignment.time_limit)
        try:
            prepared = self._prepare(deadline)
        except Stopped:
            return TaskResult(
                Report(assignment.task.number, None, assignment.task.roots), {}, deadline.seconds()
            )
        control = prepared.control()
        with self._lock:
            self._running.add(control)
            if self._upper is not None:
                control.tighten_upper_bound(self._upper)

        def callback(cost: int | None, lower_bound: int, seconds: float) -> bool:
            # A better tree is returned immediately, so that all workers get its cost.
            if seconds >= assignment.seconds or (cost is not None and cost < assignment.below):
                control.return_open()
            return self._closed

        roots = root_rows(assignment.task)
        try:
            found = prepared.search(
                roots, assignment.below, control, time_limit=deadline.left(), callback=callback
            )
        finally:
            with self._lock:
                self._running.discard(control)
        report = report_of(assignment.task, found)
        return TaskResult(report, found.stats, deadline.seconds(), found.stopped_by)

    def broadcast(self, cost: int) -> None:
        """Tighten the upper bound to a cost that another worker has found.

        Parameters
        ----------
        cost : int
            Cost of the incumbent; only trees that cost less are still useful.
        """
        with self._lock:
            self._upper = cost if self._upper is None else min(self._upper, cost)
            for control in self._running:
                control.tighten_upper_bound(cost)

    def close(self) -> None:
        """Stop all running searches; their results are no longer needed."""
        self._closed = True

    def _prepare(self, deadline: Deadline) -> PreparedRoots:
        """Prepare the table for the first task; raises `Stopped` at the deadline."""
        with self._lock:
            if self._prepared is None:
                self._prepared = self._request.prepare(self._memory_limit, deadline.left())
            return self._prepared


def run_task(request: RootRequest[Any, Any], assignment: Assignment) -> TaskResult:
    """Run one task from scratch, for workers without state.

    Parameters
    ----------
    request : RootRequest
        The problem to solve.
    assignment : Assignment
        The task.
    """
    return TaskRunner(request).run(assignment)


def root_rows(task: Task) -> list[RootsRow]:
    """Return the root rules of a task in the format of the native search.

    Parameters
    ----------
    task : Task
        The task.
    """
    return [
        (
            roots.feature,
            roots.first,
            roots.last,
            int(roots.lower_bound),
            int(roots.left),
            int(roots.right),
        )
        for roots in task.roots
    ]


def best_tree(found: RootsResult | SearchResult[Nodes]) -> tuple[int, Nodes] | None:
    """Return cost and nodes of the tree that a search has found, if any.

    Parameters
    ----------
    found : RootsResult or SearchResult
        The result of the search.
    """
    if found.nodes is None or found.cost is None:
        return None
    return found.cost, found.nodes


def report_of(task: Task, found: RootsResult) -> Report[Nodes]:
    """Return the result of a search as the report on a task.

    Parameters
    ----------
    task : Task
        The task.
    found : RootsResult
        The result of the search over its root rules.
    """
    open_rules = tuple(RootInterval(*row) for row in found.open)
    return Report(task.number, best_tree(found), open_rules)


# Statistics of searches that are added up.
_SUMMED_COUNTS = (
    "nodes",
    "choices",
    "roots",
    "depth_two_calls",
    "stump_evaluations",
    "cache_lookups",
    "cache_hits",
    "cache_evicted",
)
# Statistics of a cluster: counts, the maximum number of workers, and faults in words.
_CLUSTER_COUNTS = ("tasks", "tasks_lost", "task_seconds")
CLUSTER_STATS = (*_CLUSTER_COUNTS, "workers", "cluster", "not_saved")


def add_stats(totals: dict[str, Any], stats: Mapping[str, Any]) -> None:
    """Add the statistics of a search; sizes of caches and clusters are maxima, not sums.

    Parameters
    ----------
    totals : dict
        Statistics of earlier searches, which are updated.
    stats : mapping
        Statistics of the search.
    """
    for name, value in stats.items():
        if name in ("cache_entries", "cache_bytes", "workers"):
            totals[name] = max(value, totals.get(name, 0))
        elif name == "pruned":
            earlier = totals.get(name, {})
            totals[name] = {bound: count + earlier.get(bound, 0) for bound, count in value.items()}
        elif name in _SUMMED_COUNTS or name in _CLUSTER_COUNTS:
            totals[name] = value + totals.get(name, 0)
        elif name != "progress":
            totals.setdefault(name, value)


def version() -> tuple[str, str]:
    """Return the versions that must be equal: of exactree, and the major version of numpy."""
    from exactree import __version__

    return __version__, numpy.__version__.split(".")[0]
