"""The scheduler of a distributed search: it hands out tasks and decides when the search ends.

First the client searches alone for half a second, which suffices for most problems. Then workers
get tasks of root rules. After some time a worker returns its open rules, which are divided among
the idle workers. This time increases with the duration of the run: returning open rules too often
causes overhead, and returning them too late leaves other workers idle.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import Any, cast

from exactree.distributed.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from exactree.distributed.pace import Pace
from exactree.distributed.plan import Plan, Report, RootInterval
from exactree.distributed.pool import Cluster, ClusterGone, LostTask, Pool, WorkerCount
from exactree.distributed.request import SearchRequest
from exactree.distributed.worker import Assignment, Nodes, TaskResult, rows
from exactree.engine.native import minimum_errors
from exactree.engine.native.border import RootsResult, SearchResult, SearchStats
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.root_search import errors_request
from exactree.problem import Problem
from exactree.problem.quantities import Number
from exactree.stopping import Stopped, immediate_interrupts, interrupted
from exactree.trees.arrays import ArrayNode

__all__ = ["is_deep", "shared_errors"]

# Seconds that the client searches alone, about the time to hand out a few hundred tasks.
_ALONE = 0.5
# Maximum number of consecutive lost tasks.
_MAX_LOST = 5
# Maximum seconds without any worker; seconds after the time limit to wait for late results.
_WITHOUT, _GRACE = 60.0, 2.0
# Seconds between two checks of limits, and between two checkpoints, as a minimum and as a share
# of the duration of the run.
_LOOK, _SAVE, _SAVE_SHARE = 0.1, 5.0, 1 / 100
# Larger than the cost of any tree.
_UNBOUNDED = 1 << 62

GONE = "loss of the cluster"


def is_deep(caps: Caps) -> bool:
    """Return whether trees within caps may have more than two levels; others are not shared.

    Parameters
    ----------
    caps : Caps
        The limits.
    """
    return all(limit is None or limit > 2 for limit in (caps.depth, caps.size))


def shared_errors(
    problem: Problem,
    caps: Caps,
    options: SearchOptions,
    *,
    cluster: Cluster,
    resume: Path | None,
    worker_count: WorkerCount,
) -> SearchResult[list[ArrayNode]]:
    """Search for the tree of minimum errors plus leaf prices within caps, with many workers.

    Parameters
    ----------
    problem, caps, options
        As in `exactree.engine.native.minimum_errors`.
    cluster : Cluster
        The cluster that provides the workers.
    resume : Path or None
        The file with the state of the run.
    worker_count : WorkerCount
        Updated with the number of workers.

    Returns
    -------
    dict
        As returned by `minimum_errors`.
    """
    if not is_deep(caps):
        return minimum_errors(problem, caps, options)
    request = errors_request(problem, caps, replace(options, stop_at_gap=0.0))
    below = request.settings["upper_bound"]
    try:
        return shared(
            request, options, below=below, cluster=cluster, resume=resume, worker_count=worker_count
        )
    except Stopped:
        return minimum_errors(
            problem, caps, replace(options, time_limit=0.0)
        )  # returns bounds without a search


def shared(
    request: SearchRequest,
    options: SearchOptions,
    *,
    below: int | None,
    cluster: Cluster,
    resume: Path | None,
    worker_count: WorkerCount,
) -> SearchResult[list[ArrayNode]]:
    """Search for the tree of minimum cost, with many workers.

    Parameters
    ----------
    request : SearchRequest
        The problem to solve.
    options : SearchOptions
        Limits of the search.
    below : int or None
        Upper bound: only trees that cost less count.
    cluster, resume, worker_count
        As in `shared_errors`.

    Returns
    -------
    dict
        As returned by `minimum_errors`.

    Raises
    ------
    Stopped
        If the run is stopped before it has any result.
    """
    checkpoint = Checkpoint() if resume is None else read_checkpoint(resume, request)
    run = _Run(request, options, resume, worker_count)
    try:
        run.begin(checkpoint, _UNBOUNDED if below is None else below)
        if run.goes_on:
            with ExitStack() as stack:
                with immediate_interrupts():
                    pool = stack.enter_context(cluster.opened(request))
                run.share(pool)
    except KeyboardInterrupt:
        run.stopped_by = "interrupt"
    except ClusterGone as gone:
        run.stopped_by, run.stats["cluster"] = GONE, str(gone)
    run.save(monotonic())
    return run.found()


@dataclass
class _Run:
    """State of a run."""

    request: SearchRequest
    options: SearchOptions
    resume: Path | None
    worker_count: WorkerCount
    plan: Plan[Nodes] = field(default_factory=lambda: Plan((_UNBOUNDED, None), []))
    started: float = field(default_factory=monotonic)
    stopped_by: str | None = None
    stats: dict[str, Any] = field(default_factory=dict)
    curve: list[tuple[int | None, int, float]] = field(default_factory=list)
    pace: Pace = field(default_factory=Pace)
    lost_in_a_row: int = 0
    peopled: float = field(default_factory=monotonic)
    looked: float = 0.0
    checkpoint: float = field(default_factory=monotonic)

    @property
    def goes_on(self) -> bool:
        """Whether the search is neither complete nor stopped."""
        return self.stopped_by is None and not self.plan.done

    @property
    def left(self) -> float | None:
        """Remaining seconds, or None without a time limit."""
        limit = self.options.time_limit
        return None if limit is None else max(limit - (monotonic() - self.started), 0.0)

    def begin(self, checkpoint: Checkpoint, below: int) -> None:
        """Restore the saved state, find a first tree, and search alone for a short time."""
        no_tree = (below, None)
        try:
            prepared = self.request.prepare(time_limit=self.left)
        except Stopped as stopped:
            if checkpoint.open is None:
                raise
            self.plan, self.stopped_by = (
                Plan(checkpoint.best or no_tree, checkpoint.open),
                stopped.by,
            )
            return
        roots = (
            [RootInterval(*row) for row in prepared.roots()]
            if checkpoint.open is None
            else checkpoint.open
        )
        self.plan = Plan(checkpoint.best or no_tree, roots)
        self._alone(
            prepared.search([], below, prepared.control(), **self._within(None), begin=True)
        )
        self._mind_gap()
        if self.goes_on and (task := self.plan.take(1)) is not None:
            best = int(self.plan.best[0])
            found = self._alone(
                prepared.search(rows(task), best, prepared.control(), **self._within(_ALONE))
            )
            open_ = tuple(RootInterval(*row) for row in found["open"])
            report = Report(task.number, _tree(found), open_)
            self.pace.note(task.rules - report.open_rules, found["stats"]["seconds"])
            self.plan.enter(report)
            self._note(monotonic())
        left = self.left
        if self.stopped_by is None and left is not None and left <= 0 and not self.plan.done:
            self.stopped_by = "time limit"

    def _within(self, seconds: float | None) -> dict[str, Any]:
        limits = [limit for limit in (seconds, self.left) if limit is not None]
        return {"time_limit": min(limits, default=None), "callback": self._on_progress}

    def _on_progress(self, cost: int | None, lower_bound: int, seconds: float) -> bool:
        return self._reports(self.plan.best[0] if cost is None else min(cost, self.plan.best[0]))

    def _alone(self, found: RootsResult) -> RootsResult:
        """Enter the result of a search by the client itself."""
        self._count(found["stats"])
        self.plan.better(_tree(found))
        self._note(monotonic())
        if found["stopped_by"] in ("interrupt", "callback", "memory limit"):
            self.stopped_by = found["stopped_by"]
        return found

    def share(self, pool: Pool) -> None:
        """Let workers search the open rules until the search is complete or stopped."""
        self.stats |= {"tasks": 0, "tasks_lost": 0, "task_seconds": 0.0, "workers": 0}
        while self.goes_on:
            self._hand_out(pool)
            for result in pool.back(_LOOK):
                self._enter(pool, result)
            self._look(monotonic())
        ends = monotonic() + _GRACE
        while self.stopped_by == "time limit" and self.plan.running and monotonic() < ends:
            for result in pool.back(_LOOK):
                self._enter(pool, result)
        self._note(monotonic())

    def _hand_out(self, pool: Pool) -> None:
        now, workers = monotonic(), pool.workers()
        self.worker_count.workers = workers
        self.stats["workers"] = max(workers, self.stats["workers"])
        if workers:
            self.peopled = now
        elif now - self.peopled > _WITHOUT:
            raise ClusterGone(f"there has been no worker for {_WITHOUT:.0f} seconds")
        seconds = self.pace.task(now - self.started, workers)
        free = workers - len(self.plan.running)
        while free > 0 and self.plan.open:
            task = self.plan.take(self.pace.share(free, self.plan.open_rules))
            assert task is not None
            pool.submit(Assignment(task, int(self.plan.best[0]), seconds, self.left))
            free -= 1

    def _enter(self, pool: Pool, answer: TaskResult | LostTask) -> None:
        if isinstance(answer, LostTask):
            self.stats["tasks_lost"] += 1
            if answer.again:
                return
            self.plan.lost(answer.number)
            self.lost_in_a_row += 1
            if self.lost_in_a_row > _MAX_LOST:
                raise ClusterGone(
                    f"{self.lost_in_a_row} tasks were lost one after the other, the last one by "
                    f"{answer.why}"
                )
            return
        self.lost_in_a_row = 0
        before = self.plan.best[0]
        task = self.plan.running.get(answer.report.number)
        if task is not None:
            done = task.rules - answer.report.open_rules
            self.pace.note(done, answer.seconds)
            if done == 0 and answer.stopped_by == "memory limit":
                # Another worker with the same memory would make no progress either.
                self.stopped_by = self.stopped_by or "memory limit"
        self.plan.enter(answer.report)
        self._count(answer.stats)
        self.stats["tasks"] += 1
        self.stats["task_seconds"] += answer.seconds
        if self.plan.best[0] < before:
            pool.broadcast(int(self.plan.best[0]))

    def _look(self, now: float) -> None:
        """Check for interrupts, the callback, the time limit, the gap and the next checkpoint."""
        if now - self.looked < _LOOK or not self.goes_on:
            return
        self.looked = now
        self._note(now)
        if interrupted():
            self.stopped_by = "interrupt"
        elif self._reports(self.plan.best[0]):
            self.stopped_by = "callback"
        elif self.left is not None and self.left <= 0:
            self.stopped_by = "time limit"
        else:
            self._mind_gap()
        if now - self.checkpoint >= max(_SAVE, _SAVE_SHARE * (now - self.started)):
            self.save(now)

    def _mind_gap(self) -> None:
        if self.options.stop_at_gap > 0 and self._gap() <= self.options.stop_at_gap:
            self.stopped_by = self.stopped_by or "gap"

    def _reports(self, best: Number) -> bool:
        """Report progress; return whether the callback stops the run."""
        if self.options.callback is None:
            return False
        cost = None if best >= _UNBOUNDED or self._without_tree(best) else int(best)
        lower = min(self.plan.lower_bound, best)
        return bool(self.options.callback(cost, int(lower), monotonic() - self.started))

    def _without_tree(self, best: Number) -> bool:
        return self.plan.best[1] is None and best == self.plan.best[0]

    def _gap(self) -> float:
        cost, tree = self.plan.best
        if tree is None:
            return float("inf")
        return float((cost - self.plan.lower_bound) / max(cost, 1))

    def _note(self, now: float) -> None:
        """Record the time if the incumbent or the lower bound has improved."""
        best, tree = self.plan.best
        known = (None if tree is None else int(best), int(self.plan.lower_bound))
        if not self.curve or self.curve[-1][:2] != known:
            self.curve.append((*known, now - self.started))

    def _count(self, stats: Mapping[str, Any]) -> None:
        """Add the counts of a search; for cache sizes and rounding errors keep the maximum."""
        for name, value in stats.items():
            if name in ("cache_entries", "cache_bytes", "rounding"):
                self.stats[name] = max(value, self.stats.get(name, 0))
            elif name == "pruned":
                known = self.stats.get(name, {})
                self.stats[name] = {rule: n + known.get(rule, 0) for rule, n in value.items()}
            elif name in _ADDED:
                self.stats[name] = value + self.stats.get(name, 0)
            elif name != "progress":
                self.stats.setdefault(name, value)

    def save(self, now: float) -> None:
        """Write a checkpoint, if the run has a file for it."""
        self.checkpoint = now
        if self.resume is None:
            return
        running = (roots for task in self.plan.running.values() for roots in task.roots)
        state = Checkpoint(self.plan.best, [*self.plan.open, *running])
        try:
            write_checkpoint(self.resume, self.request, state)
        except (OSError, ValueError) as error:  # a full disk or a bad file must not end the run
            why = error.strerror if isinstance(error, OSError) else error
            self.stats["not_saved"] = f"{self.resume}: {why}"

    def found(self) -> SearchResult[list[ArrayNode]]:
        """Return the result in the form of the native search."""
        cost, tree = self.plan.best
        lower = int(min(self.plan.lower_bound, cost))
        if tree is None:
            status = "infeasible" if lower >= cost else "stopped"
        else:
            status = "optimal" if lower == cost else "feasible"
        proved = status in ("optimal", "infeasible")
        seconds = monotonic() - self.started
        stats = self.stats | {"progress": self.curve, "seconds": seconds}
        return {
            "status": status,
            "cost": None if tree is None else int(cost),
            "lower_bound": lower,
            "nodes": tree,
            # An interrupt is reported even if the proof is complete.
            "stopped_by": self.stopped_by if not proved or self.stopped_by == "interrupt" else None,
            "stats": cast(SearchStats, stats),  # and counts of the run
        }


_ADDED = (
    "nodes",
    "depth_two_calls",
    "stump_evaluations",
    "cache_lookups",
    "cache_hits",
    "cache_evicted",
)


def _tree(found: RootsResult) -> tuple[int, Nodes] | None:
    if found["nodes"] is None or found["cost"] is None:
        return None
    return found["cost"], found["nodes"]
