"""Simulation of a search on a cluster: its plan, carried out by any number of workers.

A run is simulated with one process: the plan and the pace are the real ones, each task is really
done, one after the other, and its CPU seconds are the time of the worker that has it. A worker
without earlier tasks has an empty cache (so has each task of a large cluster here, which is too
pessimistic). The times of the scheduler and of messages are constants.
"""

import heapq
import time
from dataclasses import dataclass

from exactree.distributed.pace import Pace
from exactree.distributed.plan import Plan, Report, RootInterval, Task
from exactree.distributed.worker import Nodes, report_of, root_rows
from exactree.engine.native.root_search import ErrorsRequest, PreparedErrors

__all__ = ["SimulatedRun", "simulated_run"]

# Seconds of the scheduler for each task, and of a message between it and a worker, from the
# documentation of Dask.
SCHEDULED, ON_THE_WAY = 1e-3, 5e-3
# Seconds that the client searches alone.
ALONE = 0.5
# Largest cluster whose workers keep their caches from task to task.
MAX_CACHING = 32


@dataclass(frozen=True)
class SimulatedRun:
    """A simulated run.

    Attributes
    ----------
    workers, tasks : int
        Their numbers.
    seconds, busy : float
        Seconds until the proof; seconds of work of all workers together.
    longest : float
        Seconds of the longest task.
    """

    workers: int
    tasks: int
    seconds: float
    busy: float
    longest: float


def simulated_run(request: ErrorsRequest, first: PreparedErrors, workers: int) -> SimulatedRun:
    """Simulate the search for a request with that many workers."""
    pace = Pace()
    begun, clock = _alone(first, pace)
    kept = [request.prepare() for _ in range(workers if workers <= MAX_CACHING else 0)]
    free, ends = list(range(workers)), list[tuple[float, Task, float, int, Report[Nodes]]]()
    tasks, busy, longest, scheduler = 0, clock, 0.0, clock
    while not begun.done:
        while free and begun.open:
            task = begun.take(pace.share(len(free), begun.open_rules))
            assert task is not None
            worker = free.pop()
            prepared = kept[worker] if kept else request.prepare()
            most = pace.task_seconds(clock, workers)
            report, seconds = _done(prepared, task, int(begun.best[0]), most)
            scheduler = max(scheduler, clock) + SCHEDULED
            until = scheduler + seconds + 2 * ON_THE_WAY
            heapq.heappush(ends, (until, task, seconds, worker, report))
            tasks, busy, longest = tasks + 1, busy + seconds, max(longest, seconds)
        clock, task, seconds, worker, report = heapq.heappop(ends)
        pace.note(task.rules - report.open_rules, seconds)
        free.append(worker)
        begun.enter(report)
    return SimulatedRun(workers, tasks, clock, busy, longest)


def _alone(prepared: PreparedErrors, pace: Pace) -> tuple[Plan[Nodes], float]:
    """Search alone first, as the client does; return the plan and the CPU seconds."""
    started = time.process_time()
    found = prepared.search([], None, prepared.control(), begin=True)
    assert found["cost"] is not None
    plan: Plan[Nodes] = Plan(
        (found["cost"], found["nodes"]), [RootInterval(*row) for row in prepared.roots()]
    )
    task = plan.take(1)
    assert task is not None
    report, seconds = _done(prepared, task, found["cost"], ALONE)
    pace.note(task.rules - report.open_rules, seconds)
    plan.enter(report)
    return plan, time.process_time() - started


def _done(
    prepared: PreparedErrors, task: Task, below: int, seconds: float
) -> tuple[Report[Nodes], float]:
    """Do a task for that many CPU seconds, and then finish the rule being tried."""
    control, started = prepared.control(), time.process_time()

    def callback(cost: int | None, lower_bound: int, _: float) -> bool:
        if time.process_time() - started >= seconds or (cost is not None and cost < below):
            control.return_open()
        return False

    found = prepared.search(root_rows(task), below, control, callback=callback)
    return report_of(task, found), time.process_time() - started
