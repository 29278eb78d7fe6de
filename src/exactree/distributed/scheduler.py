"""The scheduler of a distributed search: it hands out tasks and decides when the search ends.

First the client searches alone for half a second, which suffices for most problems. Then workers
receive tasks of root rules. After some time (`pace.py`) a worker returns its open rules, which are
divided among the idle workers. This time increases with the duration of the run: returning open
rules too often causes overhead, and returning them too late leaves other workers idle.
"""

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, cast

from exactree.distributed.checkpoint import (
    Checkpoint,
    CheckpointFile,
    check_cost,
    write_checkpoint,
)
from exactree.distributed.pace import Pace
from exactree.distributed.plan import Plan, RootInterval
from exactree.distributed.pool import Cluster, ClusterGone, LostTask, Pool, WorkerCount
from exactree.distributed.worker import (
    Assignment,
    TaskResult,
    add_stats,
    best_tree,
    report_of,
    root_rows,
)
from exactree.engine.native.border import RootsResult, RootsRow, SearchResult, SearchStats
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.root_request import RootRequest
from exactree.engine.native.root_search import PreparedRoots
from exactree.problem.quantities import Number
from exactree.stopping import Stopped, immediate_interrupts, interrupted

__all__ = ["MAX_LOST", "SharedResult", "shared"]

# Seconds that the client searches alone, about the time to submit a few hundred tasks.
_CLIENT_SECONDS = 0.5
# Maximum number of consecutive lost tasks.
MAX_LOST = 5
# Maximum seconds without any worker; seconds to wait for late results after the time limit.
_MAX_SECONDS_WITHOUT_WORKERS, _GRACE = 60.0, 2.0
# Minimum seconds between two checks of limits, and between two checkpoints; the latter also as a
# share of the duration of the run.
_CHECK_INTERVAL, _SAVE_INTERVAL, _SAVE_SHARE = 0.1, 5.0, 1 / 100
# Larger than the cost of any tree.
_UNBOUNDED = 1 << 62

GONE = "loss of the cluster"


@dataclass(frozen=True)
class SharedResult:
    """The result of a run.

    Attributes
    ----------
    found : SearchResult
        The result, in integers of the search, with nodes as the search returns them.
    prepared : PreparedRoots or None
        The prepared table, with the conversion of costs; None if the run was stopped before, so
        that the result is that of its checkpoint.
    stopped_by : str or None
        The reason of a stop.
    """

    found: SearchResult[Any]
    prepared: PreparedRoots | None
    stopped_by: str | None


def shared(
    request: RootRequest[Any, Any],
    options: SearchOptions,
    below: int | None,
    cluster: Cluster,
    resume: CheckpointFile | None,
    worker_count: WorkerCount,
) -> SharedResult:
    """Search for the tree of minimum cost, with all workers.

    Parameters
    ----------
    request : RootRequest
        The problem to solve.
    options : SearchOptions
        Limits of the search.
    below : int or None
        Upper bound: only trees that cost less count.
    cluster : Cluster
        The cluster that provides the workers.
    resume : CheckpointFile or None
        The checkpoint file, from which the search resumes and which it updates.
    worker_count : WorkerCount
        Updated with the number of workers.

    Raises
    ------
    Stopped
        If the run is stopped before it has any result.
    """
    checkpoint = Checkpoint() if resume is None else resume.read(request)
    run = _Run(request, options, resume, worker_count)
    try:
        run.begin(checkpoint, _UNBOUNDED if below is None else below)
        relaxed = request.relaxed()
        if run.continues and relaxed is not None:
            # Its upper bound is not the incumbent, so that its saved state holds in any other run.
            arguments = (run.options_of_relaxed(), below, cluster, resume, worker_count)
            run.enter_relaxed(shared(relaxed, *arguments))
        if run.continues:
            run.search_alone()
        if run.continues:
            with ExitStack() as stack:
                with immediate_interrupts():
                    pool = stack.enter_context(cluster.opened(request))
                run.share(pool)
    except KeyboardInterrupt:
        run.stopped_by = "interrupt"
    except ClusterGone as gone:
        run.stopped_by, run.stats["cluster"] = GONE, str(gone)
    except Stopped as stopped:  # before the relaxed search had any result
        if run.prepared is None:
            raise
        run.stopped_by = stopped.by
    run.save(monotonic())
    return SharedResult(run.result(), run.prepared, run.stopped_by)


@dataclass
class _Run:
    """State of a distributed search; the first four attributes are as in `shared`."""

    request: RootRequest[Any, Any]
    options: SearchOptions
    resume: CheckpointFile | None
    worker_count: WorkerCount
    prepared: PreparedRoots | None = None
    plan: Plan[Any] = field(default_factory=lambda: Plan((_UNBOUNDED, None), []))
    started: float = field(default_factory=monotonic)
    stopped_by: str | None = None
    stats: dict[str, Any] = field(default_factory=dict)
    # Cost of the incumbent, lower bound and seconds, after each improvement.
    curve: list[tuple[int | None, int, float]] = field(default_factory=list)
    pace: Pace = field(default_factory=Pace)
    consecutive_losses: int = 0
    had_workers_at: float = field(default_factory=monotonic)
    checked_at: float = 0.0
    saved_at: float = field(default_factory=monotonic)

    @property
    def continues(self) -> bool:
        """Whether the search is neither complete nor stopped."""
        return self.stopped_by is None and not self.plan.done

    @property
    def seconds_left(self) -> float | None:
        """Remaining seconds, or None without a time limit."""
        limit = self.options.time_limit
        return None if limit is None else max(limit - (monotonic() - self.started), 0.0)

    @property
    def _out_of_time(self) -> bool:
        return self.seconds_left is not None and self.seconds_left <= 0

    def begin(self, checkpoint: Checkpoint, below: int) -> None:
        """Restore the saved state, and find a first tree."""
        no_tree = (below, None)
        try:
            prepared = self.request.prepare(time_limit=self.seconds_left)
        except Stopped as stopped:
            if checkpoint.open is None:
                raise
            self.plan = Plan(checkpoint.best or no_tree, checkpoint.open)
            self.stopped_by = stopped.by
            return
        self.prepared = prepared
        if checkpoint.best is not None and self.resume is not None:
            check_cost(self.resume.path, prepared, *checkpoint.best)
        roots = checkpoint.open
        if roots is None:
            roots = [RootInterval(*row) for row in prepared.roots()]
        self.plan = Plan(checkpoint.best or no_tree, roots)
        self._search_here(prepared, [], below, None, begin=True)
        self._check_gap()

    def options_of_relaxed(self) -> SearchOptions:
        """Return the options of a relaxed search; only its lower bounds are reported."""
        known = 0

        def on_progress(_: int | None, lower_bound: int, seconds: float) -> bool:
            nonlocal known
            if lower_bound > known:
                known = lower_bound
                self.plan.raise_to(known)
                self._check_gap()
            return not self.continues or self._stopped_by_callback(self.plan.best[0])

        limit = self.seconds_left
        return replace(self.options, time_limit=limit, stop_at_gap=0.0, callback=on_progress)

    def enter_relaxed(self, result: SharedResult) -> None:
        """Enter what a relaxed search proves, and what its tree becomes within all limits."""
        tree = best_tree(result.found)
        assert self.prepared is not None
        if tree is not None:
            self.plan.improve(self.prepared.adopted(tree[1], tree[0]))
        self.plan.raise_to(result.found.lower_bound)
        add_stats(self.stats, result.found.stats)
        self._record_progress(monotonic())
        if self.continues:
            self.stopped_by = result.stopped_by
            self._check_gap()

    def search_alone(self) -> None:
        """Search briefly without workers."""
        task = self.plan.take(1)
        if task is not None and self.prepared is not None:
            best = int(self.plan.best[0])
            found = self._search_here(self.prepared, root_rows(task), best, _CLIENT_SECONDS)
            report = report_of(task, found)
            self.pace.note(task.rules - report.open_rules, found.stats["seconds"])
            self.plan.enter(report)
            self._record_progress(monotonic())
        if self.continues and self._out_of_time:
            self.stopped_by = "time limit"

    def _on_progress(self, cost: int | None, lower_bound: int, seconds: float) -> bool:
        best = self.plan.best[0]
        return self._stopped_by_callback(best if cost is None else min(cost, best))

    def _search_here(
        self,
        prepared: PreparedRoots,
        roots: list[RootsRow],
        below: int,
        seconds: float | None,
        begin: bool = False,
    ) -> RootsResult:
        """Search in this process for a time, and enter the tree; return the result."""
        limits = [limit for limit in (seconds, self.seconds_left) if limit is not None]
        found = prepared.search(
            roots,
            below,
            prepared.control(),
            begin=begin,
            time_limit=min(limits, default=None),
            callback=self._on_progress,
        )
        add_stats(self.stats, found.stats)
        self.plan.improve(best_tree(found))
        self._record_progress(monotonic())
        if found.stopped_by in ("interrupt", "callback", "memory limit"):
            self.stopped_by = found.stopped_by
        return found

    def share(self, pool: Pool) -> None:
        """Let workers search the open rules until the search is complete or stopped."""
        self.stats = {"tasks": 0, "tasks_lost": 0, "task_seconds": 0.0, "workers": 0} | self.stats
        while self.continues:
            self._submit_tasks(pool)
            for result in pool.results(_CHECK_INTERVAL):
                self._enter(pool, result)
            self._check_limits(monotonic())
        deadline = monotonic() + _GRACE
        while self.stopped_by == "time limit" and self.plan.running and monotonic() < deadline:
            for result in pool.results(_CHECK_INTERVAL):
                self._enter(pool, result)
        self._record_progress(monotonic())

    def _submit_tasks(self, pool: Pool) -> None:
        now, workers = monotonic(), pool.workers()
        self.worker_count.workers = workers
        self.stats["workers"] = max(workers, self.stats["workers"])
        if workers:
            self.had_workers_at = now
        elif now - self.had_workers_at > _MAX_SECONDS_WITHOUT_WORKERS:
            raise ClusterGone(
                f"there has been no worker for {_MAX_SECONDS_WITHOUT_WORKERS:.0f} seconds"
            )
        seconds = self.pace.task_seconds(now - self.started, workers)
        free = workers - len(self.plan.running)
        while free > 0 and self.plan.open:
            task = self.plan.take(self.pace.sharers(free, self.plan.open_rules))
            assert task is not None
            pool.submit(Assignment(task, int(self.plan.best[0]), seconds, self.seconds_left))
            free -= 1

    def _enter(self, pool: Pool, result: TaskResult | LostTask) -> None:
        if isinstance(result, LostTask):
            self.stats["tasks_lost"] += 1
            if result.repeated:
                return
            self.plan.reopen(result.number)
            self.consecutive_losses += 1
            if self.consecutive_losses > MAX_LOST:
                raise ClusterGone(
                    f"{self.consecutive_losses} tasks were lost one after the other, the last one "
                    f"by {result.why}"
                )
            return
        self.consecutive_losses = 0
        before = self.plan.best[0]
        task = self.plan.running.get(result.report.number)
        if task is not None:
            done_rules = task.rules - result.report.open_rules
            self.pace.note(done_rules, result.seconds)
            if done_rules == 0 and result.stopped_by == "memory limit":
                # Another worker with the same memory would make no progress either.
                self.stopped_by = self.stopped_by or "memory limit"
        self.plan.enter(result.report)
        add_stats(self.stats, result.stats)
        self.stats["tasks"] += 1
        self.stats["task_seconds"] += result.seconds
        if self.plan.best[0] < before:
            pool.broadcast(int(self.plan.best[0]))

    def _check_limits(self, now: float) -> None:
        """Check for interrupts, the callback, the time limit, the gap and the next checkpoint."""
        if now - self.checked_at < _CHECK_INTERVAL or not self.continues:
            return
        self.checked_at = now
        self._record_progress(now)
        if interrupted():
            self.stopped_by = "interrupt"
        elif self._stopped_by_callback(self.plan.best[0]):
            self.stopped_by = "callback"
        elif self._out_of_time:
            self.stopped_by = "time limit"
        else:
            self._check_gap()
        if now - self.saved_at >= max(_SAVE_INTERVAL, _SAVE_SHARE * (now - self.started)):
            self.save(now)

    def _check_gap(self) -> None:
        if self.options.stop_at_gap > 0 and self._gap() <= self.options.stop_at_gap:
            self.stopped_by = self.stopped_by or "gap"

    def _stopped_by_callback(self, best: Number) -> bool:
        """Report progress, with `best` as the cost; return whether the callback stops the run."""
        if self.options.callback is None:
            return False
        # Without a tree, the cost in the plan is only an upper bound.
        no_tree = self.plan.best[1] is None and best == self.plan.best[0]
        in_units = int if self.prepared is None else self.prepared.in_user_units
        cost = None if best >= _UNBOUNDED or no_tree else in_units(int(best))
        lower = in_units(int(min(self.plan.lower_bound, best)))
        return bool(self.options.callback(cost, lower, monotonic() - self.started))

    def _gap(self) -> float:
        cost, tree = self.plan.best
        if tree is None or self.prepared is None:
            return float("inf")
        return self.prepared.gap(int(cost), int(self.plan.lower_bound))

    def _record_progress(self, now: float) -> None:
        """Append to the curve if the incumbent or the lower bound has improved."""
        best, tree = self.plan.best
        bounds = (None if tree is None else int(best), int(self.plan.lower_bound))
        if not self.curve or self.curve[-1][:2] != bounds:
            self.curve.append((*bounds, now - self.started))

    def save(self, now: float) -> None:
        """Write a checkpoint if the run has a checkpoint file."""
        self.saved_at = now
        if self.resume is None:
            return
        running = (roots for task in self.plan.running.values() for roots in task.roots)
        state = Checkpoint(self.plan.best, [*self.plan.open, *running])
        try:
            write_checkpoint(self.resume, self.request, state)
        except (OSError, ValueError) as error:  # a full disk or a bad file must not end the run
            why = error.strerror if isinstance(error, OSError) else error
            self.stats["not_saved"] = f"{self.resume.path}: {why}"

    def result(self) -> SearchResult[Any]:
        """Return the result in the format of the native search."""
        cost, tree = self.plan.best
        lower = int(min(self.plan.lower_bound, cost))
        if tree is None:
            status = "infeasible" if lower >= cost else "stopped"
        else:
            status = "optimal" if lower == cost else "feasible"
        proved = status in ("optimal", "infeasible")
        seconds = monotonic() - self.started
        stats = self.stats | {"progress": self.curve, "seconds": seconds}
        return SearchResult(
            status=status,
            cost=None if tree is None else int(cost),
            lower_bound=lower,
            nodes=tree,
            # An interrupt is reported even if the proof is complete.
            stopped_by=self.stopped_by if not proved or self.stopped_by == "interrupt" else None,
            stats=cast(SearchStats, stats),  # with statistics of the run
        )
