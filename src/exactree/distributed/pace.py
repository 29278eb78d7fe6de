"""Size and duration of tasks, adapted to the measured speed.

Small tasks cause overhead in the scheduler; long tasks keep other workers waiting.
"""

from dataclasses import dataclass

__all__ = ["Pace"]

# Minimum and maximum seconds of a task, and its share of the duration of the run so far.
_SHORTEST, _LONGEST, _SHARE = 0.5, 60.0, 1 / 20
# Minimum seconds of a task per worker: limits the scheduler to 200 tasks per second.
_PER_WORKER = 0.005
# Expected minimum seconds of a task, given the measured speed.
_WORTH = 0.2


@dataclass
class Pace:
    """Measured speed at which rules were settled.

    Attributes
    ----------
    rules : int
        Number of settled rules.
    seconds : float
        Total seconds of work.
    """

    rules: int = 0
    seconds: float = 0.0

    def note(self, rules: int, seconds: float) -> None:
        """Add some settled rules and the seconds of work for them.

        Parameters
        ----------
        rules : int
            Number of rules that were tried or pruned.
        seconds : float
            Seconds of work of one worker.
        """
        self.rules += rules
        self.seconds += seconds

    def share(self, workers: int, rules: int) -> int:
        """Return the number of workers among which to divide the open rules.

        Parameters
        ----------
        workers : int
            Number of idle workers, at least 1.
        rules : int
            Number of open rules.
        """
        worth = self.rules / self.seconds * _WORTH if self.seconds > 0 else 0.0
        return max(min(workers, int(rules / max(worth, 1.0))), 1)

    @staticmethod
    def task(run: float, workers: int) -> float:
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
