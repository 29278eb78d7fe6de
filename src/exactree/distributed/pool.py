"""Who does tasks: what any engine has to offer, and executors of the standard library's kind.

A `Cluster` is checked once, then opened for each question. An engine of its own needs these two
protocols in one file, as `dask.py` has them. Losing a task is an answer like any other.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from queue import Empty, Queue
from typing import Any, Protocol

from exactree.distributed.request import SearchRequest
from exactree.distributed.worker import Assignment, TaskResult, do, version
from exactree.errors import InternalError

__all__ = [
    "Cluster",
    "ClusterGone",
    "ExecutorCluster",
    "LostTask",
    "Pool",
    "WorkerCount",
    "check_versions",
]


@dataclass(frozen=True)
class LostTask:
    """A task that did not come back.

    Attributes
    ----------
    number : int
        The task.
    why : str
        What happened, in a clause.
    again : bool
        Whether the engine gives it to another worker by itself, so that its answer still comes.
    """

    number: int
    why: str
    again: bool = False


class ClusterGone(Exception):
    """No worker is left; the message names the lost component."""


class Pool(Protocol):
    """Workers that hold the request of a search."""

    def workers(self) -> int:
        """Return how many tasks can run at the same time, now."""

    def submit(self, assignment: Assignment) -> None:
        """Hand out a task; raise `ClusterGone` if there is nobody to take it."""

    def back(self, seconds: float) -> list[TaskResult | LostTask]:
        """Wait at most so long for answers, and return those that came."""

    def broadcast(self, cost: int) -> None:
        """Let all workers know the cost of the incumbent, sooner or later, or never."""


class Cluster(Protocol):
    """Where workers come from."""

    def opened(self, request: SearchRequest) -> AbstractContextManager[Pool]:
        """Give the workers a question; at the end they stop whatever they do with it."""

    def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function on one worker and return its result."""


class ExecutorCluster:
    """An executor of the kind of `concurrent.futures`.

    Each task takes the table along, and workers receive nothing while a task runs; so this is for
    one machine, or for clusters of which nothing more is known.

    Parameters
    ----------
    executor : Executor
        Anything with `submit(function, *arguments)` that returns futures.
    workers : int
        How many tasks it runs at the same time.
    """

    def __init__(self, executor: Executor, workers: int) -> None:
        self._executor, self._workers = executor, workers
        check_versions({"a worker of the executor": self.alone(version)})

    @contextmanager
    def opened(self, request: SearchRequest) -> Iterator[Pool]:
        """Give the workers a question."""
        pool = _ExecutorPool(self._executor, self._workers, request)
        try:
            yield pool
        finally:
            pool.cancel()

    def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function on one worker and return its result."""
        return self._executor.submit(function, *arguments).result()


class _ExecutorPool:
    def __init__(self, executor: Executor, workers: int, request: SearchRequest) -> None:
        self._executor, self._workers, self._request = executor, workers, request
        self._running: dict[Future[TaskResult], int] = {}
        self._ready: Queue[Future[TaskResult]] = Queue()

    def workers(self) -> int:
        return self._workers

    def submit(self, assignment: Assignment) -> None:
        try:
            future = self._executor.submit(do, self._request, assignment)
        except RuntimeError as error:  # it was shut down, or its processes died
            raise ClusterGone(f"the executor takes no more tasks ({error})") from error
        self._running[future] = assignment.task.number
        future.add_done_callback(self._ready.put)

    def back(self, seconds: float) -> list[TaskResult | LostTask]:
        return [self._answer(future) for future in waited(self._ready, seconds)]

    def _answer(self, future: Future[TaskResult]) -> TaskResult | LostTask:
        number = self._running.pop(future)
        try:
            return future.result()
        except InternalError:
            raise
        except Exception as error:
            return LostTask(number, error_clause(error))

    def broadcast(self, cost: int) -> None:
        """Tasks learn it when they begin."""

    def cancel(self) -> None:
        for future in self._running:
            future.cancel()


def waited(ready: "Queue[Any]", seconds: float) -> list[Any]:
    """Return what is in a queue, and wait at most so long for the first of it.

    Parameters
    ----------
    ready : Queue
        The queue.
    seconds : float
        How long.
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
    """Refuse workers that would prove something else, or could not read what they are sent.

    Parameters
    ----------
    found : dict
        By worker what `version` returns there, or an exception.

    Raises
    ------
    ValueError
        If a worker has no exactree, or another one, or another numpy.
    """
    ours = version()
    for worker, theirs in found.items():
        if isinstance(theirs, BaseException):
            raise ValueError(
                f"cluster: {worker} cannot run exactree {ours[0]}: {error_clause(theirs)}. "
                f"Install the "
                "same version on every worker."
            )
        for name, mine, other in zip(("exactree", "numpy"), ours, theirs, strict=True):
            if mine != other:
                raise ValueError(
                    f"cluster: {worker} has {name} {other}, here it is {mine}. Install the same "
                    "version on every worker."
                )


@dataclass
class WorkerCount:
    """How many workers there are, for whoever shows it.

    Attributes
    ----------
    workers : int or None
        None before the first task is handed out.
    """

    workers: int | None = None
