"""Early stops of a call: Ctrl-C and the time limit.

*Ctrl-C.* A public call in the main thread handles the signal while it runs: the previous handler is
still called, but the `KeyboardInterrupt` that it raises becomes a flag. No step is interrupted in
the middle: searches, decoding, the recount and lazy imports poll the flag (native searches about
fifty times a second, and before they start), stop when they hold a tree and a lower bound, and
start nothing more. When the call ends, either the outcome reports "interrupt", or
`KeyboardInterrupt` is raised, once. Work that has no result to lose and does not poll
(specifications, joblib, clusters) is interrupted immediately, like any Python code.

Other threads have no handler and never see the flag of the main thread, except threads that a call
has started itself and that have `joined` it.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = [
    "Call",
    "Deadline",
    "Interruptible",
    "Stopped",
    "current_call",
    "immediate_interrupts",
    "interrupted",
    "joined",
]


class Call:
    """A public call, with a flag for Ctrl-C.

    Attributes
    ----------
    interrupted : bool
        Whether the call should end.
    """

    def __init__(self) -> None:
        self.interrupted = False

    def __reduce__(self) -> tuple[type["Call"], tuple[()]]:
        """Pickle as a new call, because another process has its own signals."""
        return Call, ()


class _Here(threading.local):
    """The current call of a thread; `deferring` says whether Ctrl-C only sets its flag."""

    call: Call | None = None
    deferring: bool = False


_here = _Here()


def current_call() -> Call | None:
    """Return the current call of this thread, None outside a call."""
    return _here.call


def interrupted() -> bool:
    """Return whether the current call of this thread should end because of Ctrl-C."""
    call = _here.call
    return call is not None and call.interrupted


class Interruptible:
    """Context of a public call or one of its stages: Ctrl-C sets a flag and is not lost.

    Calls may be nested. An inner call leaves the interrupt to the outer call, which ends at the
    next check of `interrupted` or at the next search. The outermost call raises `KeyboardInterrupt`
    when it ends, unless its outcome reports the interrupt.

    Attributes
    ----------
    answered : bool
        Whether the result of the call reports "interrupt". The call sets it.
    """

    def __init__(self) -> None:
        self.answered = False
        self._handlers: tuple[Any, Any] = (None, None)  # our own, and the previous handler

    def __enter__(self) -> Self:
        """Begin a call, or a stage of the current call."""
        self._deferred = _here.deferring
        self._outermost = _here.call is None
        # The handler cannot raise before its call is current, so `__exit__` always restores the
        # previous handler.
        self._call = _here.call or self._begin()
        _here.deferring = True
        _here.call = self._call
        return self

    def _begin(self) -> Call:
        """Begin a call that handles the signal in the main thread, if Python handles it."""
        call, previous = Call(), signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(previous):
            return call

        def handler(number: int, frame: FrameType | None) -> None:
            try:
                previous(number, frame)
            except KeyboardInterrupt:
                call.interrupted = True
                if _here.call is call and not _here.deferring:
                    raise

        self._handlers = (handler, previous)
        signal.signal(signal.SIGINT, handler)
        return call

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the call; raise KeyboardInterrupt unless the result reports the interrupt."""
        if self._outermost:
            _here.call = None
        _here.deferring = self._deferred
        own, previous = self._handlers
        # A handler that was set in the meantime stays.
        if own is not None and signal.getsignal(signal.SIGINT) is own:
            signal.signal(signal.SIGINT, previous)
        unanswered = self._call.interrupted and not self._deferred and not self.answered
        if unanswered and not isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt from error


@contextmanager
def immediate_interrupts() -> Iterator[None]:
    """Context in which Ctrl-C raises immediately, for work that does not poll and may be lost."""
    deferred, _here.deferring = _here.deferring, False
    try:
        if deferred and interrupted():
            raise KeyboardInterrupt
        yield
    finally:
        _here.deferring = deferred


@contextmanager
def joined(call: Call | None) -> Iterator[None]:
    """Context in which another thread belongs to the call that has started it.

    Parameters
    ----------
    call : Call or None
        The `current_call` of the thread in which the call runs.
    """
    before = _here.call
    _here.call = before or call
    try:
        yield
    finally:
        _here.call = before


class Stopped(Exception):
    """Raised to end a call.

    Parameters
    ----------
    by : str
        "interrupt", "time limit" or "callback", as in `Outcome.stopped_by`.
    """

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by


class Deadline:
    """The deadline of a call, shared by all its searches.

    Parameters
    ----------
    seconds : float or None
        Seconds from now; None for no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self.started = monotonic()
        self.limit = seconds

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return monotonic() - self.started

    def left(self) -> float | None:
        """Return the seconds that are left, 0 after Ctrl-C; None without a limit."""
        if interrupted():
            return 0.0
        return None if self.limit is None else max(self.limit - self.seconds(), 0.0)

    def stopped_by(self) -> str | None:
        """Return the reason to start nothing more, as in `Outcome.stopped_by`; None without one."""
        if interrupted():
            return "interrupt"
        return "time limit" if self.left() == 0.0 else None

    def stopped(self) -> bool:
        """Return whether the call has to end."""
        return self.stopped_by() is not None

    def check(self) -> None:
        """Raise `Stopped` if the call has to end."""
        by = self.stopped_by()
        if by is not None:
            raise Stopped(by)
