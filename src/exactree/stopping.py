"""What ends a call before its search has ended: Ctrl-C, and the time limit.

*Ctrl-C.* While a public call runs in the main thread, it owns the signal: the handler that was
there is still called, but the `KeyboardInterrupt` that it raises becomes a flag. Nothing is torn in
the middle: searches, decoding, the recount and lazy imports poll the flag (native searches
do so about fifty times a second, and before they begin), stop where they hold a tree and a lower
bound, and begin nothing more. When the call ends, the interrupt has either been answered by an
outcome that says "interrupt", or `KeyboardInterrupt` is raised, once. Work that has nothing to lose
and does not poll (specifications, joblib, clusters) is interrupted at once, as any Python code.

Other threads have no handler, and never see the flag of the main thread, except those that a call
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
    """One call of the user's, and whether Ctrl-C was pressed since it began.

    Attributes
    ----------
    interrupted : bool
        Whether the call should end.
    """

    def __init__(self) -> None:
        self.interrupted = False

    def __reduce__(self) -> tuple[type["Call"], tuple[()]]:
        """Be another call in another process, which has signals of its own."""
        return Call, ()


class _Here(threading.local):
    """What a thread is at, and whether an interrupt is a flag there; else it is raised at once."""

    call: Call | None = None
    deferring: bool = False


_here = _Here()


def current_call() -> Call | None:
    """Return the call that this thread is at, None outside of any."""
    return _here.call


def interrupted() -> bool:
    """Return whether the call that this thread is at should end because of Ctrl-C."""
    call = _here.call
    return call is not None and call.interrupted


class Interruptible:
    """A public call, or a stage of one: Ctrl-C is a flag in it, and is not lost at its end.

    Calls may be nested. An inner one leaves the interrupt to the outer one, which ends as soon as
    it asks `interrupted`, or searches again. The outermost one raises `KeyboardInterrupt` when it
    ends, unless the interrupt was answered.

    Attributes
    ----------
    answered : bool
        Whether the call returns something that says "interrupt". To be set by the call.
    """

    def __init__(self) -> None:
        self.answered = False
        self._handlers: tuple[Any, Any] = (None, None)  # our own, and the one before

    def __enter__(self) -> Self:
        """Begin the call, or a stage of the one that has begun."""
        self._deferred = _here.deferring
        self._outermost = _here.call is None
        # A handler raises nothing before its call stands here, so it is always put back.
        self._call = _here.call or self._begun()
        _here.deferring = True
        _here.call = self._call
        return self

    def _begun(self) -> Call:
        """Begin a call that owns the signal in the main thread, if Python handles it."""
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
        """End the call; raise an interrupt that nothing has answered."""
        if self._outermost:
            _here.call = None
        _here.deferring = self._deferred
        own, previous = self._handlers
        # A handler that was set meanwhile stays.
        if own is not None and signal.getsignal(signal.SIGINT) is own:
            signal.signal(signal.SIGINT, previous)
        unanswered = self._call.interrupted and not self._deferred and not self.answered
        if unanswered and not isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt from error


@contextmanager
def immediate_interrupts() -> Iterator[None]:
    """Let Ctrl-C raise at once: around work that does not poll, and has nothing to lose."""
    deferred, _here.deferring = _here.deferring, False
    try:
        if deferred and interrupted():
            raise KeyboardInterrupt
        yield
    finally:
        _here.deferring = deferred


@contextmanager
def joined(call: Call | None) -> Iterator[None]:
    """Let another thread take part in a call that has started it.

    Parameters
    ----------
    call : Call or None
        What `current_call` returned where the call runs.
    """
    before = _here.call
    _here.call = before or call
    try:
        yield
    finally:
        _here.call = before


class Stopped(Exception):
    """A call is to end.

    Parameters
    ----------
    by : str
        "interrupt" or "time limit", as an outcome says it.
    """

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by


class Deadline:
    """When a call has to end: one for all its searches.

    Parameters
    ----------
    seconds : float or None
        From now on; None for no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self.started = monotonic()
        self.limit = seconds

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return monotonic() - self.started

    def left(self) -> float | None:
        """Return the seconds that are left, none after Ctrl-C; None without a limit."""
        if interrupted():
            return 0.0
        return None if self.limit is None else max(self.limit - self.seconds(), 0.0)

    def stopped_by(self) -> str | None:
        """Return why nothing more is to begin, as an outcome says it; None if nothing forbids."""
        if interrupted():
            return "interrupt"
        return "time limit" if self.left() == 0.0 else None

    def stopped(self) -> bool:
        """Return whether nothing more is to begin."""
        return self.stopped_by() is not None

    def check(self) -> None:
        """Raise `Stopped` if nothing more is to begin."""
        by = self.stopped_by()
        if by is not None:
            raise Stopped(by)
