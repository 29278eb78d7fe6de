"""The searches of a front: each as `solve` would run it, all within one call.

They share a deadline, a callback, the workers of a cluster, a checkpoint file and an incumbent.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactree.any_class_limit import best_over_classes
from exactree.methods import NATIVE, MethodForm
from exactree.problem import Listener, Outcome, Problem, Progress
from exactree.progress import Live, limits_in_words
from exactree.search_on_workers import is_divided, run_on_workers
from exactree.solve import start_from
from exactree.stopping import immediate_interrupts

if TYPE_CHECKING:
    from exactree.distributed.pool import Cluster
    from exactree.engine import PairsFound, ParallelSolver

__all__ = ["FrontSearches"]


@dataclass
class FrontSearches:
    """How the searches of a front run.

    Attributes
    ----------
    time_limit : float or None
        Seconds for the whole front.
    options : dict
        memory_limit, n_jobs and stop_at_gap of every search.
    live : Live
        Shows the progress.
    on_progress : callable or None
        The user's callback.
    workers : Cluster or None
        The workers of a cluster; None without a cluster.
    checkpoint : Path or None
        The file of all searches that can be divided.
    incumbent : Tree, fitted estimator or None
        A tree from which searches start if it can be pruned to their limits.
    cancelled : bool
        Whether the callback has returned True.
    """

    time_limit: float | None
    options: dict[str, Any]
    live: Live
    on_progress: Listener | None = None
    workers: "Cluster | None" = None
    checkpoint: Path | None = None
    incumbent: Any = None
    cancelled: bool = False

    def solver(self, solve_one: Callable[..., Outcome]) -> "ParallelSolver":
        """Return the solver of all problems of a front.

        Parameters
        ----------
        solve_one : callable
            Solves a problem within a time limit.
        """
        from exactree.engine import ParallelSolver

        # Workers and a file are used by one search at a time.
        one_by_one = self.workers is not None or self.checkpoint is not None
        return ParallelSolver(solve_one, self.time_limit, one_by_one, self._cancelled_after)

    def solver_of(self, form_of: Callable[[Problem], MethodForm]) -> "ParallelSolver":
        """Return the solver of all problems of a front by one method.

        Parameters
        ----------
        form_of : callable
            Returns the method for a problem.
        """
        return self.solver(partial(self._run, form_of))

    def pairs_of_errors(self, problem: Problem) -> "PairsFound":
        """Return what `front_of_pairs` of the engine returns for a problem.

        Parameters
        ----------
        problem : Problem
            The problem, which minimizes a rate.
        """
        from exactree.distributed import shared_front_of_pairs
        from exactree.engine import front_of_pairs

        def listener(progress: Progress) -> bool:
            return self._reported(replace(progress, cost=None, lower_bound=(0, 0)))

        form = NATIVE["branch-and-bound"](problem)
        options = {name: self.options[name] for name in ("memory_limit", "n_jobs")}
        options |= {"time_limit": self.time_limit}
        if self.incumbent is not None:
            options["incumbent"] = start_from(problem, self.incumbent, form)
        workers, on_progress = self._workers_for(problem, form), self.on_progress and listener
        if workers is None:
            return front_of_pairs(problem, **options, on_progress=on_progress)
        if is_divided(problem, form):
            options |= {"resume": self.checkpoint, "on_progress": on_progress}
            return shared_front_of_pairs(problem, workers, **options)
        with immediate_interrupts():
            search = partial(front_of_pairs, **options)
            found: PairsFound = workers.call_on_one_worker(search, problem)
        return found

    def listener(self, problem: Problem, stage: str) -> Listener | None:
        """Return the callback of a search.

        Parameters
        ----------
        problem : Problem
            The problem of the search.
        stage : str
            Which search of the front this is.
        """
        return self.live.listener(problem, self._reported if self.on_progress else None, stage)

    def _run(
        self,
        form_of: Callable[[Problem], MethodForm],
        problem: Problem,
        *,
        time_limit: float | None,
    ) -> Outcome:
        """Run a search, from the incumbent if it can be pruned to the limits of this search."""
        if problem.limits_any_class:
            return best_over_classes(
                problem,
                lambda one, time_limit, incumbent: self._run(form_of, one, time_limit=time_limit),
                time_limit,
            )
        form = form_of(problem)
        listener = self.listener(problem, limits_in_words(problem))
        options = {**self.options, "time_limit": time_limit, "on_progress": listener}
        if self.incumbent is not None and problem.infeasible_reason is None:
            try:
                start = start_from(problem, self.incumbent, form)
                searched, more = start.problem_and_options(problem)
                outcome = self._run_in_form(searched, form, options | more)
            except ValueError:
                return self._run_in_form(problem, form, options)
            return outcome if form.prunes_incumbent else start.unless_proved(problem, outcome)
        return self._run_in_form(problem, form, options)

    def _run_in_form(self, problem: Problem, form: MethodForm, options: dict[str, Any]) -> Outcome:
        """Run a search on workers, or here if there is nobody to share it with."""
        workers = self._workers_for(problem, form)
        if workers is None:
            return form.run(problem, **options)
        return run_on_workers(workers, self.checkpoint, problem, form, options)

    def _workers_for(self, problem: Problem, form: MethodForm) -> "Cluster | None":
        """Return the workers of a search; None if it runs here, without a file."""
        if self.workers is not None or self.checkpoint is None or not is_divided(problem, form):
            return self.workers
        from exactree.distributed.pool import LocalCluster

        return LocalCluster()

    def _reported(self, progress: Progress) -> bool:
        """Call the user's callback; return whether the front is to end."""
        assert self.on_progress is not None
        self.cancelled = bool(self.on_progress(progress)) or self.cancelled
        return self.cancelled

    def _cancelled_after(self, outcome: Outcome) -> bool:
        """Report the end of a search, because short ones report nothing before."""
        if self.on_progress is None or outcome.stopped_by is not None:
            return self.cancelled
        seconds = outcome.stats.get("seconds", 0.0)
        return self._reported(Progress(outcome.cost, outcome.lower_bound, seconds))
