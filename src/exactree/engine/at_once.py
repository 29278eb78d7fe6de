"""Problems that do not depend on each other, solved at the same time by the user's joblib backend.

One at a time, which is the default, they are solved here, where the search hears Ctrl-C.
"""

from collections.abc import Callable, Sequence

from exactree.problem import Outcome, Problem

__all__ = ["AtOnce"]


class AtOnce:
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

        self._solve, self._left = solve, time_limit
        self.jobs = int(effective_n_jobs())

    def __call__(self, problems: Sequence[Problem]) -> list[Outcome]:
        """Return the outcomes of problems, up to the first that was stopped.

        Parameters
        ----------
        problems : sequence of Problem
            What is asked.
        """
        found: list[Outcome] = []
        for start in range(0, len(problems), self.jobs):
            outcomes = self._some(problems[start : start + self.jobs])
            if self._left is not None:
                seconds = max(outcome.stats.get("seconds", 0.0) for outcome in outcomes)
                self._left = max(self._left - seconds, 0.0)
            for outcome in outcomes:
                found.append(outcome)
                if outcome.stopped_by is not None:
                    return found
        return found

    def _some(self, problems: Sequence[Problem]) -> list[Outcome]:
        """Solve at most as many problems as can be solved at the same time."""
        if len(problems) == 1:
            return [self._solve(problems[0], time_limit=self._left)]
        from joblib import Parallel, delayed

        one = delayed(self._solve)
        outcomes: list[Outcome] = Parallel()(one(p, time_limit=self._left) for p in problems)
        return outcomes
