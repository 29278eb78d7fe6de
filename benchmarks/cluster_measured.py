"""Measurement of a search on a cluster: the engine alone, one worker, and two workers.

The clusters are on this machine, which needs two idle cores. The three searches alternate. For each
of them the minimum of its wall seconds counts, because other load only adds time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from time import perf_counter
from typing import Any

import numpy as np

import exactree as xt
from exactree.distributed.dask import DaskCluster
from exactree.distributed.plan import RootInterval, Task
from exactree.distributed.worker import Assignment
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.root_request import ErrorsRequest, errors_request

__all__ = ["Call", "Overhead", "calls", "local_cluster", "overhead", "planted", "request"]

# Numbers of workers with one thread each; 0 stands for the engine without a cluster.
WITHOUT_CLUSTER = 0
NUMBERS_OF_WORKERS = (WITHOUT_CLUSTER, 1, 2)
# Number of empty tasks in a measurement of the overhead of a task.
EMPTY_TASKS = 200


@dataclass(frozen=True)
class Call:
    """Measurement of one call of `solve`.

    Attributes
    ----------
    workers : int
        Number of workers, 0 for the engine without a cluster.
    seconds : float
        Wall seconds of the call.
    tasks : int
        Number of finished tasks.
    at_work : float
        Seconds of all tasks together, without the time in which workers waited.
    cost : int
        Errors of the returned tree.
    """

    workers: int
    seconds: float
    tasks: int
    at_work: float
    cost: int


@dataclass(frozen=True)
class Overhead:
    """Overhead of a task, measured with empty tasks.

    Attributes
    ----------
    one_by_one : float
        Mean seconds from the submission of a task to its result, if each task is submitted after
        the result of the one before.
    together : float
        Mean seconds per task if all tasks are submitted at once.
    """

    one_by_one: float
    together: float


def planted(examples: int, features: int, depth: int) -> xt.Problem:
    """Return a problem whose labels depend on three features; a fifth of the labels are wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(examples, features)).round(2)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(examples) < 0.2)).astype(int)
    return xt.Problem(X, y, limits=xt.Limits(max_depth=depth))


def request(problem: xt.Problem) -> ErrorsRequest:
    """Return the request that workers receive for a problem."""
    caps = Caps(problem.limits.max_depth, None, None)
    return errors_request(problem, caps, SearchOptions.within(None))


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """Yield a client of a new cluster of worker processes with one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def calls(problem: xt.Problem, rounds: int) -> Iterator[Call]:
    """Yield measured calls with each number of workers, several rounds; every cluster is new."""
    for _ in range(rounds):
        for workers in NUMBERS_OF_WORKERS:
            if workers == WITHOUT_CLUSTER:
                yield _call(problem, workers, None)
                continue
            with local_cluster(workers) as client:
                yield _call(problem, workers, client)


def _call(problem: xt.Problem, workers: int, client: Any) -> Call:
    started = perf_counter()
    outcome = xt.solve(problem, cluster=client)
    seconds = perf_counter() - started
    assert isinstance(outcome.cost, int)
    tasks, at_work = outcome.stats.get("tasks", 0), outcome.stats.get("task_seconds", 0.0)
    return Call(workers, seconds, tasks, at_work, outcome.cost)


def overhead(search_request: ErrorsRequest, client: Any) -> Overhead:
    """Measure the overhead of a task by empty tasks.

    Their incumbent has no errors (`below=0`), so their workers try no rule.
    """
    with DaskCluster(client).opened(search_request) as pool:
        numbers = count()

        def submit() -> None:
            task = Task(next(numbers), (RootInterval(0, 0, 0),))
            pool.submit(Assignment(task, below=0, seconds=1.0, time_limit=None))

        def wait(tasks: int) -> None:
            """Wait for a number of results."""
            while tasks > 0:
                tasks -= len(pool.results(1.0))

        submit()  # this task is not measured, because its worker prepares the table
        wait(1)
        started = perf_counter()
        for _ in range(EMPTY_TASKS):
            submit()
            wait(1)
        one_by_one = (perf_counter() - started) / EMPTY_TASKS
        started = perf_counter()
        for _ in range(EMPTY_TASKS):
            submit()
        wait(EMPTY_TASKS)
        return Overhead(one_by_one, (perf_counter() - started) / EMPTY_TASKS)
