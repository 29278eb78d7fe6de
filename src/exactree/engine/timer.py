"""The deadline of what is prepared in Python before a native search begins, and its progress."""

from collections.abc import Callable

from exactree.stopping import Deadline, Stopped

__all__ = ["Timer"]

# Seconds between two reports.
_PAUSE = 0.1


class Timer(Deadline):
    """A deadline, and a callback that reports that work goes on.

    Parameters
    ----------
    seconds : float or None
        From now on; None for no limit.
    report : callable or None
        Told the seconds about ten times a second; returning True stops.
    """

    def __init__(
        self, seconds: float | None, report: Callable[[float], object] | None = None
    ) -> None:
        super().__init__(seconds)
        self._report, self._reported = report, 0.0

    def of_share(self, share: float) -> float:
        """Return the seconds that are left of a share of the time; without a limit, of a minute."""
        whole = 60.0 if self.limit is None else self.limit
        return 0.0 if self.left() == 0.0 else max(share * whole - self.seconds(), 0.0)

    def within(self, share: float) -> bool:
        """Return whether less than a share of the time is used."""
        return self.of_share(share) > 0

    def check(self) -> None:
        """Raise `Stopped` after Ctrl-C, without time, or when the callback wants no more."""
        super().check()
        if self._report is not None and self.seconds() - self._reported >= _PAUSE:
            self._reported = self.seconds()
            if self._report(self._reported):
                raise Stopped("callback")
