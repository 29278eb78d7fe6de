"""Workers for tests in this process, one task after another, with arbitrary failures."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from exactree.distributed.plan import Task
from exactree.distributed.pool import ClusterGone, LostTask, Pool
from exactree.distributed.request import SearchRequest
from exactree.distributed.worker import Assignment, TaskResult, TaskRunner


class HereCluster:
    """Does tasks on request answers, as a random source decides.

    Attributes
    ----------
    assignments : list
        All tasks, in order.
    """

    def __init__(
        self,
        workers: int = 3,
        mishap: Callable[[Assignment], str | None] = lambda assignment: None,
        rules: int = 10,
    ) -> None:
        self.count, self.mishap, self.rules = workers, mishap, rules
        self.assignments: list[Assignment] = []
        self.control: list[int] = []
        self.closed = False

    @contextmanager
    def opened(self, request: SearchRequest) -> Iterator[Pool]:
        self.runner = TaskRunner(request)
        self.waiting: list[Assignment] = []
        yield self
        self.closed = True

    def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    def workers(self) -> int:
        return self.count

    def submit(self, assignment: Assignment) -> None:
        self.assignments.append(assignment)
        self.waiting.append(assignment)

    def back(self, seconds: float) -> list[TaskResult | LostTask]:
        if not self.waiting:
            return []
        assignment = self.waiting.pop(0)
        match self.mishap(assignment):
            case "lost":
                return [LostTask(assignment.task.number, "it died")]
            case "late":
                self.waiting.append(assignment)
                return []
            case "gone":
                raise ClusterGone("nobody is there")
            case "interrupt":
                raise KeyboardInterrupt
            case "twice":
                return [self._done(assignment), self._done(assignment)]
            case "lost but done":
                return [LostTask(assignment.task.number, "it was slow"), self._done(assignment)]
            case _:
                return [self._done(assignment)]

    def _done(self, assignment: Assignment) -> TaskResult:
        """Do some rules of a task and give back the others."""
        first, *rest = assignment.task.roots
        if len(first) > self.rules:
            first, more = first.divided(self.rules)
            rest.append(more)
        done = self.runner.do(replace(assignment, task=Task(assignment.task.number, (first,))))
        return replace(done, report=replace(done.report, open=(*done.report.open, *rest)))

    def broadcast(self, cost: int) -> None:
        self.control.append(cost)
        self.runner.broadcast(cost)
