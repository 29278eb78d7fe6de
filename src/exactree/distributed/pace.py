"""Size and duration of tasks, adapted to the measured speed.

Tasks that are too small cost the scheduler more than they save; tasks that run too long keep other
workers waiting.
"""

from dataclasses import dataclass

__all__ = ["Pace"]

# Seconds of a task at least and at most, and its share of the run so far.
_SHORTEST, _LONGEST, _SHARE = 0.5, 60.0, 1 / 20
# Seconds for each worker: so many tasks are handed out in a second at most, which a scheduler does.
_PER_WORKER = 0.005
# Seconds that what a worker is given should last, as far as one can tell.
_WORTH = 0.2


@dataclass
class Pace:
    """How fast rules were settled so far.

    Attributes
    ----------
    rules : int
        How many were settled.
    seconds : float
        By how much work.
    """

    rules: int = 0
    seconds: float = 0.0

    def note(self, rules: int, seconds: float) -> None:
        """Take in that so many rules were settled by so much work.

        Parameters
        ----------
        rules : int
            Tried, or pruned.
        seconds : float
            Of one worker.
        """
        self.rules += rules
        self.seconds += seconds

    def share(self, workers: int, rules: int) -> int:
        """Return among how many workers what is open is worth dividing.

        Parameters
        ----------
        workers : int
            That have nothing to do, at least 1.
        rules : int
            That are open.
        """
        worth = self.rules / self.seconds * _WORTH if self.seconds > 0 else 0.0
        return max(min(workers, int(rules / max(worth, 1.0))), 1)

    @staticmethod
    def task(run: float, workers: int) -> float:
        """Return the seconds after which a task gives back what is open.

        Parameters
        ----------
        run : float
            Seconds since the run began.
        workers : int
            How many there are.
        """
        long = max(_LONGEST, _PER_WORKER * workers)
        return min(max(_SHORTEST, _SHARE * run, _PER_WORKER * workers), long)
