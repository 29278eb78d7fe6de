"""A cluster of one worker in this process, for searches with a checkpoint file.

The worker is a thread with one prepared table and one cache, which all tasks share. The main thread
waits for results and for Ctrl-C, upon which it stops the worker immediately.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import Queue
from typing import Any

from exactree.distributed.pool import LostTask, Pool, wait_for_items
from exactree.distributed.worker import Assignment, TaskResult, TaskRunner
from exactree.engine.native.root_request import RootRequest

__all__ = ["LocalCluster"]


class LocalCluster:
    """One worker in this process."""

    @contextmanager
    def opened(self, request: RootRequest[Any, Any]) -> Iterator[Pool]:
        """Start the worker with a request, and return it as a pool."""
        runner = TaskRunner(request)
        with ThreadPoolExecutor(max_workers=1) as executor:
            try:
                yield _LocalPool(runner, executor)
            finally:
                runner.close()

    def call_on_one_worker(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function and return its result."""
        return function(*arguments)


class _LocalPool:
    def __init__(self, runner: TaskRunner, executor: ThreadPoolExecutor) -> None:
        self._runner, self._executor = runner, executor
        self._ready: Queue[Future[TaskResult]] = Queue()

    def workers(self) -> int:
        return 1

    def submit(self, assignment: Assignment) -> None:
        self._executor.submit(self._runner.run, assignment).add_done_callback(self._ready.put)

    def results(self, seconds: float) -> list[TaskResult | LostTask]:
        # No task can be lost, so an exception comes from the search and is raised.
        return [future.result() for future in wait_for_items(self._ready, seconds)]

    def broadcast(self, cost: int) -> None:
        self._runner.broadcast(cost)
