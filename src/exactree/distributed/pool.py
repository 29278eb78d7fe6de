"""Protocols of clusters and worker pools; executors of `concurrent.futures`, a local worker.

A `Cluster` is checked once, then opened for each request, which yields a `Pool`. Support for
another library needs only these two protocols, as in `dask.py`. A lost task is a regular result.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from queue import Empty, Queue
from typing import Any, Protocol

from exactree.distributed.worker import Assignment, TaskResult, TaskRunner, run_task, version
from exactree.engine.native.root_request import RootRequest
from exactree.errors import InternalError

__all__ = [
    "Cluster",
    "ClusterGone",
    "ExecutorCluster",
    "LocalCluster",
    "LostTask",
    "Pool",
    "WorkerCount",
    "check_versions",
]


@dataclass(frozen=True)
class LostTask:
    """A task without a result.

    Attributes
    ----------
    number : int
        Number of the task.
    why : str
        The reason, in a clause.
    repeated : bool
        Whether the cluster repeats the task by itself, so that a result is still to be expected.
    """

    number: int
    why: str
    repeated: bool = False


class ClusterGone(Exception):
    """Raised if no worker is left; the message names the lost component."""


class Pool(Protocol):
    """Workers that hold the request of a search."""

    def workers(self) -> int:
        """Return the number of tasks that can now run at the same time.

        A Dask worker counts once per thread.
        """

    def submit(self, assignment: Assignment) -> None:
        """Submit a task; raise `ClusterGone` if no worker can accept it."""

    def results(self, seconds: float) -> list[TaskResult | LostTask]:
        """Wait at most that many seconds for results, and return all that have arrived."""

    def broadcast(self, cost: int) -> None:
        """Send the cost of the incumbent to all workers, without any guarantee of delivery."""


class Cluster(Protocol):
    """A provider of workers."""

    def opened(self, request: RootRequest[Any, Any]) -> AbstractContextManager[Pool]:
        """Send a request to the workers; the end of the context stops their tasks."""

    def call_on_one_worker(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function on one worker and return its result."""


class ExecutorCluster:
    """A cluster on top of an executor as in `concurrent.futures`.

    Each task contains the table, and workers receive nothing while a task runs; so this is intended
    for one machine, or for clusters without a better interface.

    Parameters
    ----------
    executor : Executor
        An object with a method `submit(function, *arguments)` that returns futures.
    workers : int
        Number of tasks that the executor runs at the same time.
    """

    def __init__(self, executor: Executor, workers: int) -> None:
        self._executor, self._workers = executor, workers
        check_versions({"a worker of the executor": self.call_on_one_worker(version)})

    @contextmanager
    def opened(self, request: RootRequest[Any, Any]) -> Iterator[Pool]:
        """Return a pool for a request, which each task carries."""
        pool = _ExecutorPool(self._executor, self._workers, request)
        try:
            yield pool
        finally:
            pool.cancel()

    def call_on_one_worker(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function on one worker and return its result."""
        return self._executor.submit(function, *arguments).result()


class _ExecutorPool:
    def __init__(self, executor: Executor, workers: int, request: RootRequest[Any, Any]) -> None:
        self._executor, self._workers, self._request = executor, workers, request
        self._running: dict[Future[TaskResult], int] = {}
        self._ready: Queue[Future[TaskResult]] = Queue()

    def workers(self) -> int:
        return self._workers

    def submit(self, assignment: Assignment) -> None:
        try:
            future = self._executor.submit(run_task, self._request, assignment)
        except RuntimeError as error:  # the executor was shut down, or its processes died
            raise ClusterGone(f"the executor takes no more tasks ({error})") from error
        self._running[future] = assignment.task.number
        future.add_done_callback(self._ready.put)

    def results(self, seconds: float) -> list[TaskResult | LostTask]:
        return [self._result(future) for future in wait_for_items(self._ready, seconds)]

    def _result(self, future: Future[TaskResult]) -> TaskResult | LostTask:
        number = self._running.pop(future)
        try:
            return future.result()
        except InternalError:
            raise
        except Exception as error:
            return LostTask(number, error_clause(error))

    def broadcast(self, cost: int) -> None:
        """Do nothing: tasks receive the cost when they start."""

    def cancel(self) -> None:
        for future in self._running:
            future.cancel()


def wait_for_items(ready: "Queue[Any]", seconds: float) -> list[Any]:
    """Wait for the first item of a queue, and return all items that are in it.

    Parameters
    ----------
    ready : Queue
        The queue.
    seconds : float
        Maximum seconds to wait.
    """
    found: list[Any] = []
    try:
        found.append(ready.get(timeout=seconds))
        while True:
            found.append(ready.get_nowait())
    except Empty:
        return found


def error_clause(error: BaseException) -> str:
    """Return an exception as a clause.

    Parameters
    ----------
    error : BaseException
        The exception.
    """
    first = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def check_versions(found: dict[str, Any]) -> None:
    """Refuse workers with other versions, which could search or unpickle differently.

    Parameters
    ----------
    found : dict
        The result of `version` on each worker, or an exception.

    Raises
    ------
    ValueError
        If a worker has no exactree, another version of it, or another major version of numpy.
    """
    ours = version()
    for worker, theirs in found.items():
        if isinstance(theirs, BaseException):
            raise ValueError(
                f"cluster: {worker} cannot run exactree {ours[0]}: {error_clause(theirs)}. "
                "Install the same version on every worker."
            )
        for name, mine, other in zip(("exactree", "numpy"), ours, theirs, strict=True):
            if mine != other:
                raise ValueError(
                    f"cluster: {worker} has {name} {other}, here it is {mine}. Install the same "
                    "version on every worker."
                )


@dataclass
class WorkerCount:
    """Current number of workers, for progress reports.

    Attributes
    ----------
    workers : int or None
        Number of workers; None before the first task.
    """

    workers: int | None = None


class LocalCluster:
    """One worker in this process, for searches with a checkpoint file.

    The worker is a thread with one prepared table and one cache, which all tasks share. The main
    thread waits for results and for Ctrl-C, upon which it stops the worker immediately.
    """

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
