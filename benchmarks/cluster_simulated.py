"""Simulation of a search on a cluster with any number of workers.

A run is simulated in one process with the plan and the pace of a real cluster. The tasks are run
one after another, and the CPU seconds of a task count as the time of its worker. A new worker has
an empty cache; in a simulation of a large cluster every task starts with an empty cache, which is
pessimistic. The times of the scheduler and of messages are constants.
"""

import heapq
import time
from dataclasses import dataclass

from exactree.distributed.pace import Pace
from exactree.distributed.plan import Plan, Report, RootInterval, Task
from exactree.distributed.worker import report_of, root_rows
from exactree.engine.native.border import Nodes
from exactree.engine.native.root_request import ErrorsRequest
from exactree.engine.native.root_search import PreparedRoots

__all__ = ["SimulatedRun", "simulated_run"]

# Seconds of the scheduler for each task, and of a message between it and a worker, from the
# documentation of Dask.
SCHEDULER_SECONDS, MESSAGE_SECONDS = 1e-3, 5e-3
# Seconds that the client searches alone.
ALONE_SECONDS = 0.5
# Number of workers of the largest cluster in which workers keep their caches from task to task.
MAX_CACHING_WORKERS = 32


@dataclass(frozen=True)
class SimulatedRun:
    """A simulated run.

    Attributes
    ----------
    workers, tasks : int
        Numbers of workers and of tasks, without the client's.
    seconds : float
        Seconds until the proof.
    busy, longest : float
        Seconds of the client's search alone and of all tasks together; of the longest task.
    """

    workers: int
    tasks: int
    seconds: float
    busy: float
    longest: float


def simulated_run(request: ErrorsRequest, first: PreparedRoots, workers: int) -> SimulatedRun:
    """Simulate the search for a request; `first` is the prepared table of the client."""
    pace = Pace()
    plan, clock = _alone(first, pace)
    keeps_caches = workers <= MAX_CACHING_WORKERS
    prepared_by_worker = [request.prepare() for _ in range(workers if keeps_caches else 0)]
    free = list(range(workers))
    # Heap of the running tasks, ordered by their ends: end, task, its seconds, worker, report.
    running: list[tuple[float, Task, float, int, Report[Nodes]]] = []
    tasks, busy, longest, scheduler = 0, clock, 0.0, clock
    while not plan.done:
        while free and plan.open:
            task = plan.take(pace.sharers(len(free), plan.open_rules))
            assert task is not None
            worker = free.pop()
            prepared = prepared_by_worker[worker] if keeps_caches else request.prepare()
            limit = pace.task_seconds(clock, workers)
            report, seconds = _run_task(prepared, task, int(plan.best[0]), limit)
            scheduler = max(scheduler, clock) + SCHEDULER_SECONDS
            end = scheduler + seconds + 2 * MESSAGE_SECONDS
            heapq.heappush(running, (end, task, seconds, worker, report))
            tasks, busy, longest = tasks + 1, busy + seconds, max(longest, seconds)
        clock, task, seconds, worker, report = heapq.heappop(running)
        pace.note(task.rules - report.open_rules, seconds)
        free.append(worker)
        plan.enter(report)
    return SimulatedRun(workers, tasks, clock, busy, longest)


def _alone(prepared: PreparedRoots, pace: Pace) -> tuple[Plan[Nodes], float]:
    """Search without workers, as the client does first; return the plan and the CPU seconds."""
    started = time.process_time()
    found = prepared.search([], None, prepared.control(), begin=True)
    assert found.cost is not None
    plan: Plan[Nodes] = Plan(
        (found.cost, found.nodes), [RootInterval(*row) for row in prepared.roots()]
    )
    task = plan.take(1)
    assert task is not None
    report, seconds = _run_task(prepared, task, found.cost, ALONE_SECONDS)
    pace.note(task.rules - report.open_rules, seconds)
    plan.enter(report)
    return plan, time.process_time() - started


def _run_task(
    prepared: PreparedRoots, task: Task, below: int, seconds: float
) -> tuple[Report[Nodes], float]:
    """Run a task for the given CPU seconds, and until the end of the rule that it tries then.

    Returns the report and the CPU seconds. The task also ends when it finds a tree that costs less
    than `below`.
    """
    control, started = prepared.control(), time.process_time()

    def callback(cost: int | None, lower_bound: int, _: float) -> bool:
        if time.process_time() - started >= seconds or (cost is not None and cost < below):
            control.return_open()
        return False

    found = prepared.search(root_rows(task), below, control, callback=callback)
    return report_of(task, found), time.process_time() - started
