"""Measurement of a search on a cluster: two workers against one, one against the engine alone.

All run on this machine, which needs two idle cores. The three alternate; the least wall seconds of
each count, because other load only adds time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import exactree as xt
from exactree.distributed.dask import DaskCluster
from exactree.distributed.plan import RootInterval, Task
from exactree.distributed.worker import Assignment
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.root_search import ErrorsRequest, errors_request

__all__ = ["Call", "Overhead", "calls", "local_cluster", "overhead", "planted", "request"]

# Numbers of workers, of one thread each; 0 is the engine without a cluster.
ALONE = 0
NUMBERS_OF_WORKERS = (ALONE, 1, 2)
# Number of empty tasks by which the overhead of a task is measured.
EMPTY = 200


@dataclass(frozen=True)
class Call:
    """One call of `solve`.

    Attributes
    ----------
    workers : int
        0 for the engine without a cluster.
    seconds : float
        Wall time.
    tasks : int
        Number of finished tasks.
    at_work : float
        Seconds of work of all workers together.
    cost : int
        Errors of the best tree.
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
        Seconds from submitting a task to its result, if each waits for the previous result.
    together : float
        Seconds per task if many are submitted together.
    """

    one_by_one: float
    together: float


def planted(examples: int, features: int, depth: int) -> xt.Problem:
    """Return a problem on a planted table with noise."""
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
    """Yield a client of that many worker processes of one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def calls(problem: xt.Problem, rounds: int) -> Iterator[Call]:
    """Yield calls of the engine, one worker and two workers alternately, on fresh clusters."""
    for _ in range(rounds):
        for workers in NUMBERS_OF_WORKERS:
            if workers == ALONE:
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
    """Submit empty tasks: the incumbent costs nothing, so no rule is tried."""
    nothing = Assignment(Task(0, (RootInterval(0, 0, 0),)), 0, 1.0, None)
    with DaskCluster(client).opened(search_request) as pool:
        numbers = iter(range(2 * EMPTY + 1))

        def submit() -> None:
            task = Task(next(numbers), nothing.task.roots)
            pool.submit(Assignment(task, nothing.below, nothing.seconds, nothing.time_limit))

        def wait(tasks: int) -> None:
            while tasks > 0:
                tasks -= len(pool.results(1.0))

        submit()  # the first one reads the table
        wait(1)
        started = perf_counter()
        for _ in range(EMPTY):
            submit()
            wait(1)
        one_by_one = (perf_counter() - started) / EMPTY
        started = perf_counter()
        for _ in range(EMPTY):
            submit()
        wait(EMPTY)
        return Overhead(one_by_one, (perf_counter() - started) / EMPTY)
