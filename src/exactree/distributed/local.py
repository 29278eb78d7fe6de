"""A cluster of one: a worker of this process, for searches that are kept in a file.

It is one thread with one prepared table and one cache, so what a task proves helps the next. The
main thread waits for results and for Ctrl-C; then it tells the worker to stop, which does so within
a moment.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import Queue
from typing import Any

from exactree.distributed.pool import LostTask, Pool, waited
from exactree.distributed.request import SearchRequest
from exactree.distributed.worker import Assignment, TaskResult, TaskRunner

__all__ = ["LocalCluster"]


class LocalCluster:
    """One worker, here."""

    @contextmanager
    def opened(self, request: SearchRequest) -> Iterator[Pool]:
        """Give the worker a question."""
        runner = TaskRunner(request)
        with ThreadPoolExecutor(max_workers=1) as executor:
            try:
                yield _LocalPool(runner, executor)
            finally:
                runner.close()

    def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function and return its result."""
        return function(*arguments)


class _LocalPool:
    def __init__(self, runner: TaskRunner, executor: ThreadPoolExecutor) -> None:
        self._runner, self._executor = runner, executor
        self._ready: Queue[Future[TaskResult]] = Queue()

    def workers(self) -> int:
        return 1

    def submit(self, assignment: Assignment) -> None:
        self._executor.submit(self._runner.do, assignment).add_done_callback(self._ready.put)

    def back(self, seconds: float) -> list[TaskResult | LostTask]:
        # Nothing can be lost on the way: a failure is one of the search, and is raised.
        return [future.result() for future in waited(self._ready, seconds)]

    def broadcast(self, cost: int) -> None:
        self._runner.broadcast(cost)
