"""The clock of what is prepared in Python before a native search begins."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

__all__ = ["StoppedEarly", "Timer"]

# Seconds between two reports.
_PAUSE = 0.1


class StoppedEarly(Exception):
    """Work was stopped before the native search began.

    Parameters
    ----------
    by : str
        "time limit" or "callback".
    """

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by


@dataclass
class Timer:
    """What is left of a time limit, and a callback that is told that work goes on.

    Attributes
    ----------
    limit : float or None
        Seconds.
    report : callable or None
        Told the seconds about ten times a second; returning True stops.
    started : float
        When.
    """

    limit: float | None
    report: Callable[[float], object] | None = None
    started: float = field(default_factory=monotonic)
    _reported: float = 0.0

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return monotonic() - self.started

    def left(self) -> float | None:
        """Return the seconds that are left."""
        return None if self.limit is None else max(self.limit - self.seconds(), 0.0)

    def of_share(self, share: float) -> float:
        """Return the seconds that are left of a share of the time; without a limit, of a minute."""
        whole = 60.0 if self.limit is None else self.limit
        return max(share * whole - self.seconds(), 0.0)

    def within(self, share: float) -> bool:
        """Return whether less than a share of the time is used."""
        return self.of_share(share) > 0

    def check(self) -> None:
        """Raise `StoppedEarly` when no time is left, or the callback wants no more."""
        if self.left() == 0.0:
            raise StoppedEarly("time limit")
        if self.report is not None and self.seconds() - self._reported >= _PAUSE:
            self._reported = self.seconds()
            if self.report(self._reported):
                raise StoppedEarly("callback")
