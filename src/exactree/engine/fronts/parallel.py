"""Problems that do not depend on each other, solved at the same time by the user's joblib backend.

One at a time is the default. All share one deadline, and after a stop none begins.
"""

from collections.abc import Callable, Sequence

from exactree.problem import Outcome, Problem, Status
from exactree.problem.outcome import ROUNDED
from exactree.stopping import Call, Deadline, current_call, immediate_interrupts, joined

__all__ = ["ParallelSolver"]


class ParallelSolver:
    """What solves problems, within one time limit for all.

    Parameters
    ----------
    solve : callable
        Takes a problem and a time limit.
    time_limit : float or None
        Seconds, by the clock.
    """

    def __init__(self, solve: Callable[..., Outcome], time_limit: float | None) -> None:
        from joblib import effective_n_jobs  # loaded late: a first import of exactree is light

        self._solve, self._deadline, self._begun = solve, Deadline(time_limit), False
        # As many as a backend that the user has set: None is one, while the default is all cores.
        self.jobs = int(effective_n_jobs(None))

    def __call__(self, problems: Sequence[Problem]) -> list[Outcome]:
        """Return the outcomes of problems, up to the first that was stopped.

        Parameters
        ----------
        problems : sequence of Problem
            The problem to solve.
        """
        found: list[Outcome] = []
        for start in range(0, len(problems), self.jobs):
            for outcome in self._some(problems[start : start + self.jobs]):
                found.append(outcome)
                if outcome.stopped_by not in (None, ROUNDED):
                    return found
        return found

    def _some(self, problems: Sequence[Problem]) -> list[Outcome]:
        """Solve at most as many problems as can be solved at the same time."""
        by = self._deadline.stopped_by()
        if by is not None and self._begun:
            return [_not_searched(problems[0], by)]
        self._begun, left = True, self._deadline.left()
        if len(problems) == 1:
            return [self._solve(problems[0], time_limit=left)]
        from joblib import Parallel, delayed

        call, one = current_call(), delayed(_in_call)
        try:
            with immediate_interrupts():
                outcomes: list[Outcome] = Parallel()(
                    one(call, self._solve, problem, left) for problem in problems
                )
        except KeyboardInterrupt:
            return [_not_searched(problems[0], "interrupt")]
        return outcomes


def _in_call(
    call: Call | None, solve: Callable[..., Outcome], problem: Problem, left: float | None
) -> Outcome:
    """Solve a problem in the call that has asked for it, wherever that is."""
    with joined(call):
        return solve(problem, time_limit=left)


def _not_searched(problem: Problem, by: str) -> Outcome:
    """Return what is known of a problem without a search."""
    nothing = [0] * problem.n_trees
    return Outcome(Status.STOPPED, None, problem.cost_of(0, nothing, nothing), None, {}, by)
