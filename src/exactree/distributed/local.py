"""A cluster of one: a worker of this process, for searches that are kept in a file.

It is one thread with one bench, so what a task has proved of parts helps the next. The main thread
waits, and hears Ctrl-C; then the worker is told to stop and does so within a moment.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import Queue
from typing import Any

from exactree.distributed.pool import Lost, Pool, waited
from exactree.distributed.question import Question
from exactree.distributed.work import Ask, Bench, Done

__all__ = ["LocalCluster"]


class LocalCluster:
    """One worker, here."""

    @contextmanager
    def opened(self, question: Question) -> Iterator[Pool]:
        """Give the worker a question."""
        bench = Bench(question)
        with ThreadPoolExecutor(max_workers=1) as executor:
            try:
                yield _LocalPool(bench, executor)
            finally:
                bench.close()

    def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function and return its result."""
        return function(*arguments)


class _LocalPool:
    def __init__(self, bench: Bench, executor: ThreadPoolExecutor) -> None:
        self._bench, self._executor = bench, executor
        self._ready: Queue[Future[Done]] = Queue()

    def workers(self) -> int:
        return 1

    def submit(self, ask: Ask) -> None:
        self._executor.submit(self._bench.do, ask).add_done_callback(self._ready.put)

    def back(self, seconds: float) -> list[Done | Lost]:
        # Nothing can be lost on the way: a failure is one of the search, and is raised.
        return [future.result() for future in waited(self._ready, seconds)]

    def tell(self, cost: int) -> None:
        self._bench.tell(cost)
