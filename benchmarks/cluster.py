"""How a shared search would scale: its plan, done by any number of workers in their own time.

`python -m benchmarks.cluster --workers 1,2,16,100,1000,10000` plays the run with one process: each
task is really done, one after the other, and the CPU seconds it takes are the time of the worker
that has it. Workers that did nothing before remember nothing (so does each task of a large
cluster here, which is too pessimistic). The scheduler takes a millisecond for each task.
"""

import argparse
import heapq
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import exactree as xt
from exactree.distributed.pace import Pace
from exactree.distributed.plan import Plan, Report, Roots, Task
from exactree.distributed.work import Nodes, rows
from exactree.engine.asked import Caps, How
from exactree.engine.roots import Laid, Question, Told, laid_out, question_of

# Seconds that a task costs the scheduler, and one way between it and a worker; as docs of Dask say.
SCHEDULED, ON_THE_WAY = 1e-3, 5e-3
# Seconds that the client searches alone.
ALONE = 0.5
# Workers that are remembered one by one.
MOST_KEPT = 32


@dataclass(frozen=True)
class Played:
    """A run that was played.

    Attributes
    ----------
    workers, tasks : int
        How many.
    seconds, busy : float
        Until the proof; that all workers together were at work.
    longest : float
        The longest task.
    """

    workers: int
    tasks: int
    seconds: float
    busy: float
    longest: float


def played(question: Question, first: Laid, workers: int) -> Played:
    """Play the run of a question with so many workers."""
    pace = Pace()
    begun, clock = _alone(first, pace)
    kept = [laid_out(question) for _ in range(workers if workers <= MOST_KEPT else 0)]
    free, ends = list(range(workers)), list[tuple[float, Task, float, int, Report[Nodes]]]()
    tasks, busy, longest, scheduler = 0, clock, 0.0, clock
    while not begun.done:
        while free and begun.open:
            task = begun.take(pace.share(len(free), begun.open_rules))
            assert task is not None
            worker = free.pop()
            laid = kept[worker] if kept else laid_out(question)
            most = pace.task(clock, workers)
            report, seconds = _done(laid, task, int(begun.best[0]), most)
            scheduler = max(scheduler, clock) + SCHEDULED
            until = scheduler + seconds + 2 * ON_THE_WAY
            heapq.heappush(ends, (until, task, seconds, worker, report))
            tasks, busy, longest = tasks + 1, busy + seconds, max(longest, seconds)
        clock, task, seconds, worker, report = heapq.heappop(ends)
        pace.note(task.rules - report.open_rules, seconds)
        free.append(worker)
        begun.enter(report)
    return Played(workers, tasks, clock, busy, longest)


def _alone(laid: Laid, pace: Pace) -> tuple[Plan[Nodes], float]:
    """Begin as the client does; returns what it knows and what it took."""
    started = time.process_time()
    found = laid.search([], None, Told(), begin=True)
    plan = Plan((found["cost"], found["nodes"]), [Roots(*row) for row in laid.roots()])
    task = plan.take(1)
    assert task is not None
    report, seconds = _done(laid, task, found["cost"], ALONE)
    pace.note(task.rules - report.open_rules, seconds)
    plan.enter(report)
    return plan, time.process_time() - started


def _done(laid: Laid, task: Task, below: int, seconds: float) -> tuple[Report[Nodes], float]:
    """Do a task for so many CPU seconds, and the rule that is being tried to its end."""
    told, started = Told(), time.process_time()

    def heard(cost: int | None, lower_bound: int, _: float) -> bool:
        if time.process_time() - started >= seconds or (cost is not None and cost < below):
            told.give_back()
        return False

    found = laid.search(rows(task), below, told, heard=heard)
    tree = None if found["nodes"] is None else (found["cost"], found["nodes"])
    report = Report(task.number, tree, tuple(Roots(*row) for row in found["open"]))
    return report, time.process_time() - started


def planted(examples: int, features: int, depth: int) -> Question:
    """Return a table with noise, which takes a while."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(examples, features)).round(2)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(examples) < 0.2)).astype(int)
    problem = xt.Problem(X, y, limits=xt.Limits(max_depth=depth))
    return question_of(problem, Caps(depth, None, None), How.within(None))


def runs(question: Question, counts: list[int]) -> Iterator[Played]:
    """Play a run for each number of workers."""
    for workers in counts:
        yield played(question, laid_out(question), workers)


def table(played_runs: list[Played]) -> str:
    """Return the runs as a table of a page."""
    lines = [
        "| workers | tasks | seconds | faster | at work (s) | longest task (s) | in use |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for run in played_runs:
        faster = played_runs[0].seconds / run.seconds
        use = run.busy / run.seconds / run.workers
        lines.append(
            f"| {run.workers:,} | {run.tasks:,} | {run.seconds:.2f} | {faster:.1f} | "
            f"{run.busy:.1f} | {run.longest:.2f} | {use:.1%} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Play the runs, print the table, and write a record if a file is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=3000)
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--workers", default="1,2,16,100,1000,10000")
    parser.add_argument("--record", type=Path)
    asked = parser.parse_args()
    question = planted(asked.examples, asked.features, asked.depth)
    done = []
    for run in runs(question, [int(word) for word in asked.workers.split(",")]):
        done.append(run)
        print(table(done).splitlines()[-1], flush=True)
    if asked.record is not None:
        settings = {name: value for name, value in vars(asked).items() if name != "record"}
        runs_ = [asdict(run) for run in done]
        asked.record.write_text(json.dumps(settings | {"runs": runs_}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
