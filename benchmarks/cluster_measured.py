"""A shared search on the clock: two workers against one, and one against the engine alone.

All on this machine, which needs two cores that do nothing else. The three take turns; the least
wall seconds of each count, as whatever else runs only adds time.
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

# Who searches: the engine without a cluster, or so many workers of one thread each.
ALONE = 0
CREWS = (ALONE, 1, 2)
# Tasks that have nothing to do, by which what a task costs is measured.
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
        How many were done.
    at_work : float
        Seconds that workers were at tasks, together.
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
    """What a task with nothing to do costs.

    Attributes
    ----------
    one_by_one : float
        Seconds from handing out a task to its answer, where each waits for the one before.
    together : float
        Seconds for each of many that are handed out at once.
    """

    one_by_one: float
    together: float


def planted(examples: int, features: int, depth: int) -> xt.Problem:
    """Return a table with noise, which takes a while."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(examples, features)).round(2)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(examples) < 0.2)).astype(int)
    return xt.Problem(X, y, limits=xt.Limits(max_depth=depth))


def request(problem: xt.Problem) -> ErrorsRequest:
    """Return what workers are reported of a problem."""
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
    """Let the engine, one worker and two workers take turns; each call has a fresh cluster."""
    for _ in range(rounds):
        for workers in CREWS:
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


def overhead(asked: ErrorsRequest, client: Any) -> Overhead:
    """Hand out tasks with nothing to do: the incumbent costs nothing, so no rule is tried."""
    nothing = Assignment(Task(0, (RootInterval(0, 0, 0),)), 0, 1.0, None)
    with DaskCluster(client).opened(asked) as pool:
        numbers = iter(range(2 * EMPTY + 1))

        def submit() -> None:
            task = Task(next(numbers), nothing.task.roots)
            pool.submit(Assignment(task, nothing.below, nothing.seconds, nothing.time_limit))

        def wait(tasks: int) -> None:
            while tasks > 0:
                tasks -= len(pool.back(1.0))

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
