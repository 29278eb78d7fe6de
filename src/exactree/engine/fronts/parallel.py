"""Independent problems, solved in parallel by the user's joblib backend.

By default one problem is solved at a time. All problems share one deadline; after a stop no further
search begins.
"""

from collections.abc import Callable, Sequence

from exactree.problem import Outcome, Problem, Status
from exactree.problem.outcome import ROUNDED
from exactree.stopping import Call, Deadline, current_call, immediate_interrupts, joined

__all__ = ["ParallelSolver"]


class ParallelSolver:
    """Solver of several problems within one time limit.

    Parameters
    ----------
    solve : callable
        Takes a problem and a time limit.
    time_limit : float or None
        Seconds of wall-clock time.
    one_by_one : bool
        Whether problems are solved one at a time whatever the backend.
    cancelled_after : callable
        Called with each outcome; after it returns True, no further search begins.
    """

    def __init__(
        self,
        solve: Callable[..., Outcome],
        time_limit: float | None,
        one_by_one: bool = False,
        cancelled_after: Callable[[Outcome], bool] = lambda outcome: False,
    ) -> None:
        from joblib import effective_n_jobs  # loaded late: a first import of exactree is light

        self._solve, self._deadline, self._begun = solve, Deadline(time_limit), False
        self._cancelled_after, self._cancelled = cancelled_after, False
        # None stands for the backend that the user has set, or one job; joblib's own default would
        # be all cores.
        self.jobs = 1 if one_by_one else int(effective_n_jobs(None))

    def __call__(self, problems: Sequence[Problem]) -> list[Outcome]:
        """Return the outcomes of problems, up to the first that was stopped.

        Parameters
        ----------
        problems : sequence of Problem
            The problems to solve.
        """
        found: list[Outcome] = []
        for start in range(0, len(problems), self.jobs):
            for outcome in self._solve_batch(problems[start : start + self.jobs]):
                found.append(outcome)
                self._cancelled = self._cancelled_after(outcome) or self._cancelled
                if outcome.stopped_by not in (None, ROUNDED):
                    return found
        return found

    def _solve_batch(self, problems: Sequence[Problem]) -> list[Outcome]:
        """Solve a batch of at most `jobs` problems."""
        stopped_by = "callback" if self._cancelled else self._deadline.stopped_by()
        if stopped_by is not None and self._begun:
            return [_not_searched(problems[0], stopped_by)]
        self._begun, left = True, self._deadline.left()
        if len(problems) == 1:
            return [self._solve(problems[0], time_limit=left)]
        from joblib import Parallel, delayed

        call, solve_one = current_call(), delayed(_in_call)
        try:
            with immediate_interrupts():
                outcomes: list[Outcome] = Parallel()(
                    solve_one(call, self._solve, problem, left) for problem in problems
                )
        except KeyboardInterrupt:
            return [_not_searched(problems[0], "interrupt")]
        return outcomes


def _in_call(
    call: Call | None, solve: Callable[..., Outcome], problem: Problem, left: float | None
) -> Outcome:
    """Solve a problem on behalf of the call that started it, in any thread or process."""
    with joined(call):
        return solve(problem, time_limit=left)


def _not_searched(problem: Problem, stopped_by: str) -> Outcome:
    """Return the outcome of a problem without a search."""
    zeros = [0] * problem.n_trees
    return Outcome(Status.STOPPED, None, problem.cost_of(0, zeros, zeros), None, {}, stopped_by)
