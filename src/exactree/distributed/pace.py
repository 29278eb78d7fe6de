"""Size and duration of tasks, adapted to the measured speed.

Small tasks cause overhead in the scheduler; large tasks leave other workers without work.
"""

from dataclasses import dataclass

__all__ = ["Pace"]

# Minimum and maximum seconds of a task; between them, a share of the duration of the run so far.
_SHORTEST, _LONGEST, _SHARE = 0.5, 60.0, 1 / 20
# A task takes at least this many seconds for each worker of the cluster, so that the scheduler
# handles at most 200 tasks per second.
_PER_WORKER = 0.005
# Minimum expected seconds of a task, which determine its minimum number of rules.
_WORTHWHILE = 0.2


@dataclass
class Pace:
    """Measured speed of the workers.

    Attributes
    ----------
    rules : int
        Number of rules that were tried or pruned.
    seconds : float
        Total seconds of work.
    """

    rules: int = 0
    seconds: float = 0.0

    def note(self, rules: int, seconds: float) -> None:
        """Add the result of a task.

        Parameters
        ----------
        rules : int
            Number of rules that were tried or pruned.
        seconds : float
            Seconds of work of one worker.
        """
        self.rules += rules
        self.seconds += seconds

    def sharers(self, workers: int, rules: int) -> int:
        """Return the number of idle workers among which to divide the open rules.

        Parameters
        ----------
        workers : int
            Number of idle workers, at least 1.
        rules : int
            Number of open rules.
        """
        min_rules = self.rules / self.seconds * _WORTHWHILE if self.seconds > 0 else 0.0
        return max(min(workers, int(rules / max(min_rules, 1.0))), 1)

    @staticmethod
    def task_seconds(run: float, workers: int) -> float:
        """Return the seconds after which a task returns its open rules.

        Parameters
        ----------
        run : float
            Seconds since the start of the run.
        workers : int
            Number of workers.
        """
        longest = max(_LONGEST, _PER_WORKER * workers)
        return min(max(_SHORTEST, _SHARE * run, _PER_WORKER * workers), longest)
