"""A cluster for tests: workers in this process that run one task after another, with faults."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any

from exactree.distributed.plan import Task
from exactree.distributed.pool import ClusterGone, LostTask, Pool
from exactree.distributed.scheduler import MAX_LOST
from exactree.distributed.worker import Assignment, TaskResult, TaskRunner
from exactree.engine.native.root_request import RootRequest


def random_faults(
    chance: Random,
    kinds: Sequence[str | None] = (None, None, "late", "lost", "twice", "lost but done"),
) -> Callable[[Assignment], str | None]:
    """Return a random fault for every task.

    No more tasks are lost one after the other than a search survives: after those it would end with
    the best tree so far.
    """
    losses = 0

    def fault(_: Assignment) -> str | None:
        nonlocal losses
        kind = chance.choice(kinds) if losses < MAX_LOST else None
        if kind != "late":
            losses = losses + 1 if kind == "lost" else 0
        return kind

    return fault


class FaultyCluster:
    """A cluster whose workers run a task when results are requested.

    Parameters
    ----------
    workers : int
        Number of workers that the scheduler sees.
    fault : callable
        Returns the fault of a task, one of those in `results`, or None.
    rules : int
        Number of rules that are searched per task; the others stay open.

    Attributes
    ----------
    assignments : list
        All submitted tasks, in order.
    broadcasts : list of int
        All costs sent to the workers, in order.
    """

    def __init__(
        self,
        workers: int = 3,
        fault: Callable[[Assignment], str | None] = lambda assignment: None,
        rules: int = 10,
    ) -> None:
        self.count, self.fault, self.rules = workers, fault, rules
        self.assignments: list[Assignment] = []
        self.broadcasts: list[int] = []

    @contextmanager
    def opened(self, request: RootRequest[Any, Any]) -> Iterator[Pool]:
        self.runner = TaskRunner(request)
        self.waiting: list[Assignment] = []
        yield self

    def call_on_one_worker(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    def workers(self) -> int:
        return self.count

    def submit(self, assignment: Assignment) -> None:
        self.assignments.append(assignment)
        self.waiting.append(assignment)

    def results(self, seconds: float) -> list[TaskResult | LostTask]:
        if not self.waiting:
            return []
        assignment = self.waiting.pop(0)
        match self.fault(assignment):
            case "lost":
                return [LostTask(assignment.task.number, "it died")]
            case "late":
                self.waiting.append(assignment)
                return []
            case "gone":
                raise ClusterGone("no worker is left")
            case "interrupt":
                raise KeyboardInterrupt
            case "twice":
                return [self._done(assignment), self._done(assignment)]
            case "lost but done":
                return [LostTask(assignment.task.number, "it was slow"), self._done(assignment)]
            case _:
                return [self._done(assignment)]

    def _done(self, assignment: Assignment) -> TaskResult:
        """Search some rules of a task, and return the others as open rules."""
        first, *rest = assignment.task.roots
        if len(first) > self.rules:
            first, more = first.divided(self.rules)
            rest.append(more)
        result = self.runner.run(replace(assignment, task=Task(assignment.task.number, (first,))))
        report = replace(result.report, open=(*result.report.open, *rest))
        return replace(result, report=report)

    def broadcast(self, cost: int) -> None:
        self.broadcasts.append(cost)
        self.runner.broadcast(cost)
