"""Workers of a Dask cluster.

Every worker, also one that joins later, receives the request once, as a worker plugin; a task
contains only the root rules to try. All workers receive the cost of the incumbent when it improves.
Dask repeats a task if its worker dies, and fails the task if that happens often.
"""

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from queue import Queue
from time import monotonic, sleep
from typing import Any

from distributed import Client, Future, KilledWorker, Security, Worker, WorkerPlugin, get_worker

from exactree.distributed.pool import (
    ClusterGone,
    LostTask,
    Pool,
    check_versions,
    error_clause,
    wait_for_items,
)
from exactree.distributed.worker import Assignment, TaskResult, TaskRunner, version
from exactree.engine.native.root_request import RootRequest
from exactree.errors import InternalError

__all__ = ["DaskCluster", "connected"]

# Seconds to wait for an answer of a scheduler; minimum seconds between two queries of the number of
# threads of all workers.
_TIMEOUT = 10
_QUERY_INTERVAL = 1.0
# Share of the memory of a worker for a search, of which its caches take at most half.
_SEARCH_SHARE = 0.4
# Copies of a table on a worker that receives it: as serialized bytes, as arrays, and prepared for
# the search.
_COPIES = 3


class _RequestPlugin(WorkerPlugin):
    """The request and the task runner on a worker."""

    def __init__(self, request: RootRequest[Any, Any], name: str) -> None:
        self.request, self.name = request, name

    def setup(self, worker: Worker) -> None:
        limit = worker.memory_manager.memory_limit
        self.runner = TaskRunner(self.request, int(limit * _SEARCH_SHARE) if limit else None)

    def teardown(self, worker: Worker) -> None:
        self.runner.close()


def _do(name: str, assignment: Assignment) -> TaskResult:
    worker = get_worker()
    # The client receives this event: a task that starts twice was lost the first time.
    worker.log_event(name, assignment.task.number)
    plugin = worker.plugins[name]
    result: TaskResult = plugin.runner.run(assignment)
    return result


def _has_request(name: str, dask_worker: Worker) -> bool:
    return name in dask_worker.plugins


async def _broadcast(name: str, cost: int, dask_worker: Worker) -> None:
    plugin = dask_worker.plugins.get(name)
    if plugin is not None:
        plugin.runner.broadcast(cost)


class DaskCluster:
    """The workers of a Dask client, which may join and leave at any time.

    Parameters
    ----------
    client : Client
        A connected client; its security settings are used unchanged.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        if client.status != "running":
            raise ValueError(
                f"cluster: the client is not connected, its status is {client.status}."
            )
        if client.asynchronous:
            raise ValueError("cluster: an asynchronous client cannot be waited for.")
        if not client.nthreads():
            raise ValueError("cluster: the scheduler has no workers.")
        found = client.run(version, on_error="return")
        # The scheduler lists dead workers until it detects them; other workers do their tasks.
        dead = {address: error for address, error in found.items() if isinstance(error, OSError)}
        if len(dead) == len(found):
            errors = "; ".join(f"{worker}: {error_clause(error)}" for worker, error in dead.items())
            raise ValueError(f"cluster: no worker answers ({errors}).")
        check_versions({address: found[address] for address in found if address not in dead})

    @contextmanager
    def opened(self, request: RootRequest[Any, Any]) -> Iterator[Pool]:
        """Send a request to the workers, and return them as a pool."""
        self._check_memory(request)
        name = f"exactree-{uuid.uuid4().hex}"
        self._send(request, name)
        pool = _DaskPool(self._client, name)
        try:
            yield pool
        finally:
            pool.close()

    def call_on_one_worker(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function on one worker and return its result."""
        future = self._client.submit(function, *arguments, pure=False)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise
        except (KilledWorker, CancelledError, OSError) as error:
            raise RuntimeError(f"cluster: the worker is lost ({error_clause(error)}).") from error

    def _send(self, request: RootRequest[Any, Any], name: str) -> None:
        """Send a request to all workers; dead workers that are still listed do not receive it."""
        try:
            self._client.register_plugin(_RequestPlugin(request, name), name=name)
        except OSError as error:
            # The scheduler has the request, for workers that join; wait until a live worker has it.
            deadline = monotonic() + _TIMEOUT
            while not any(self._client.run(_has_request, name, on_error="ignore").values()):
                if monotonic() >= deadline:
                    raise ClusterGone(
                        f"no worker takes the table ({error_clause(error)})"
                    ) from error
                sleep(_QUERY_INTERVAL / 4)

    def _check_memory(self, request: RootRequest[Any, Any]) -> None:
        needed = _COPIES * request.table_bytes
        for address, worker in self._client.scheduler_info()["workers"].items():
            limit = worker["memory_limit"]
            if limit and needed > limit:
                raise ValueError(
                    f"cluster: the table takes {needed / 1e9:.3g} GB on a worker, but {address} "
                    f"has {limit / 1e9:.3g} GB."
                )


class _DaskPool:
    def __init__(self, client: Client, name: str) -> None:
        self._client, self._name = client, name
        self._running: dict[Any, int] = {}
        self._ready: Queue[Any] = Queue()
        self._counted_at, self._count = -_QUERY_INTERVAL, 1
        self._started: set[int] = set()
        client.subscribe_topic(name, self._note_start)

    def _note_start(self, event: tuple[float, int]) -> None:
        """Note that a worker has started a task; called in a thread of the Dask client."""
        number = event[1]
        if number in self._started:
            self._ready.put(LostTask(number, "its worker died", repeated=True))
        self._started.add(number)

    def workers(self) -> int:
        """Return the number of tasks that run at the same time: one per thread of a Dask worker."""
        if monotonic() - self._counted_at >= _QUERY_INTERVAL:
            self._check()
            try:
                self._count = sum(self._client.nthreads().values())
            except (OSError, RuntimeError, ValueError) as error:
                raise ClusterGone(f"the scheduler is lost ({error_clause(error)})") from error
            self._counted_at = monotonic()
        return self._count

    def submit(self, assignment: Assignment) -> None:
        self._check()
        # A key of its own for each task: Dask repeats a lost task under the same key.
        key = f"{self._name}-{assignment.task.number}"
        future: Future[TaskResult] = self._client.submit(
            _do, self._name, assignment, key=key, pure=False
        )
        self._running[future] = assignment.task.number
        future.add_done_callback(self._ready.put)

    def results(self, seconds: float) -> list[TaskResult | LostTask]:
        return [self._result(future) for future in wait_for_items(self._ready, seconds)]

    def _result(self, future: "Future[TaskResult] | LostTask") -> TaskResult | LostTask:
        if isinstance(future, LostTask):
            return future
        number = self._running.pop(future)
        try:
            result: TaskResult = future.result(timeout=_TIMEOUT)
            return result
        except InternalError:
            raise
        except Exception as error:
            return LostTask(number, error_clause(error))

    def broadcast(self, cost: int) -> None:
        self._client.run(_broadcast, self._name, cost, wait=False, on_error="ignore")

    def close(self) -> None:
        """Stop all running tasks, unless the cluster is lost."""
        if self._client.status != "running":
            return
        # The search is over; errors of the cleanup do not matter.
        with suppress(OSError, RuntimeError, ValueError):
            if self._running:
                self._client.cancel(list(self._running), force=True)
            self._client.unsubscribe_topic(self._name)
            self._client.unregister_worker_plugin(self._name)

    def _check(self) -> None:
        if self._client.status != "running":
            raise ClusterGone("the connection to the scheduler is lost")


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """Connect to the scheduler at an address.

    Parameters
    ----------
    address : str
        Such as "tcp://10.0.0.7:8786".

    Raises
    ------
    ValueError
        If no scheduler answers, or if the connection is encrypted and Dask's configuration has no
        certificates.
    """
    encrypted = address.startswith("tls://")
    if encrypted and Security().get_connection_args("client").get("ssl_context") is None:
        raise ValueError(
            f"cluster: {address!r} is encrypted, but Dask's configuration has no certificates for "
            "it; give a connected Client, or set distributed.comm.tls."
        )
    try:
        client = Client(address, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"cluster: no scheduler answers at {address!r} ({error_clause(error)})."
        ) from error
    with client:
        yield client
