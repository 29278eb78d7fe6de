"""Tasks for workers, their execution, and their results; all can be pickled."""

import threading
from dataclasses import dataclass

import numpy

from exactree.distributed.plan import Report, RootInterval, Task
from exactree.distributed.request import PreparedSearch, SearchControl, SearchRequest
from exactree.engine.native.border import RootsRow, SearchStats
from exactree.stopping import Deadline, Stopped
from exactree.trees.arrays import ArrayNode

__all__ = ["Assignment", "Nodes", "TaskResult", "TaskRunner", "do", "rows", "version"]

# The nodes of a tree in the form of the native module.
Nodes = list[ArrayNode]


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
        Time after which the search returns its open rules, once the current rule is done.
    time_limit : float or None
        Time after which the search stops.
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
    request : SearchRequest
        The problem to solve.
    memory_limit : int or None
        Bytes of the cache, if the request has no limit.
    """

    def __init__(self, request: SearchRequest, memory_limit: int | None = None) -> None:
        self._request = request
        self._memory_limit = memory_limit
        self._prepared: PreparedSearch | None = None
        self._lock = threading.Lock()
        self._upper: int | None = None
        self._running: set[SearchControl] = set()
        self._closed = False

    def do(self, assignment: Assignment) -> TaskResult:
        """Execute a task.

        Parameters
        ----------
        assignment : Assignment
            The task.
        """
        deadline = Deadline(assignment.time_limit)
        try:
            prepared = self._ready(deadline)
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

        roots = rows(assignment.task)
        try:
            found = prepared.search(
                roots, assignment.below, control, time_limit=deadline.left(), callback=callback
            )
        finally:
            with self._lock:
                self._running.discard(control)
        tree = None
        if found["nodes"] is not None and found["cost"] is not None:
            tree = (found["cost"], found["nodes"])
        report = Report(
            assignment.task.number, tree, tuple(RootInterval(*row) for row in found["open"])
        )
        return TaskResult(report, found["stats"], deadline.seconds(), found["stopped_by"])

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

    def _ready(self, deadline: Deadline) -> PreparedSearch:
        with self._lock:
            if self._prepared is None:
                self._prepared = self._request.prepare(self._memory_limit, deadline.left())
            return self._prepared


def do(request: SearchRequest, assignment: Assignment) -> TaskResult:
    """Run one task from scratch, for workers without state.

    Parameters
    ----------
    request : SearchRequest
        The problem to solve.
    assignment : Assignment
        The task.
    """
    return TaskRunner(request).do(assignment)


def rows(task: Task) -> list[RootsRow]:
    """Return the roots of a task in the form of the native search.

    Parameters
    ----------
    task : Task
        The task.
    """
    bounds = [(int(r.lower_bound), int(r.left), int(r.right)) for r in task.roots]
    return [(r.feature, r.first, r.last, *b) for r, b in zip(task.roots, bounds, strict=True)]


def version() -> tuple[str, str]:
    """Return the versions that must match: of exactree, and the major version of numpy."""
    from exactree import __version__

    return __version__, numpy.__version__.split(".")[0]
