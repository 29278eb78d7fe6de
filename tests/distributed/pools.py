"""Workers for tests: in this process, one task after the other, with any mishap one likes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from exactree.distributed.plan import Task
from exactree.distributed.pool import ClusterGone, Lost, Pool
from exactree.distributed.question import Question
from exactree.distributed.work import Ask, Bench, Done


class HereCluster:
    """Does tasks when it is asked for answers, as a random source decides.

    Attributes
    ----------
    asks : list
        All tasks, in order.
    """

    def __init__(
        self,
        workers: int = 3,
        mishap: Callable[[Ask], str | None] = lambda ask: None,
        rules: int = 10,
    ) -> None:
        self.count, self.mishap, self.rules = workers, mishap, rules
        self.asks: list[Ask] = []
        self.told: list[int] = []
        self.closed = False

    @contextmanager
    def opened(self, question: Question) -> Iterator[Pool]:
        self.bench = Bench(question)
        self.waiting: list[Ask] = []
        yield self
        self.closed = True

    def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    def workers(self) -> int:
        return self.count

    def submit(self, ask: Ask) -> None:
        self.asks.append(ask)
        self.waiting.append(ask)

    def back(self, seconds: float) -> list[Done | Lost]:
        if not self.waiting:
            return []
        ask = self.waiting.pop(0)
        match self.mishap(ask):
            case "lost":
                return [Lost(ask.task.number, "it died")]
            case "late":
                self.waiting.append(ask)
                return []
            case "gone":
                raise ClusterGone("nobody is there")
            case "interrupt":
                raise KeyboardInterrupt
            case "twice":
                return [self._done(ask), self._done(ask)]
            case "lost but done":
                return [Lost(ask.task.number, "it was slow"), self._done(ask)]
            case _:
                return [self._done(ask)]

    def _done(self, ask: Ask) -> Done:
        """Do some rules of a task and give back the others."""
        first, *rest = ask.task.roots
        if len(first) > self.rules:
            first, more = first.divided(self.rules)
            rest.append(more)
        done = self.bench.do(replace(ask, task=Task(ask.task.number, (first,))))
        return replace(done, report=replace(done.report, open=(*done.report.open, *rest)))

    def tell(self, cost: int) -> None:
        self.told.append(cost)
        self.bench.tell(cost)
