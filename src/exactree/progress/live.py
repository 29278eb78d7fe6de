"""`live_progress`: the display of a running call, updated by any of its threads.

The search only stores its state. A thread draws it a few times a second, so that the elapsed time
is current in stages that report nothing, and drawing never delays a search. When the call ends, by
a result, an exception or Ctrl-C, the thread ends first and then the display is removed.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from time import monotonic
from typing import Any

from exactree.problem import Listener, Problem, Progress
from exactree.progress.displays import Display, State, chosen_display
from exactree.progress.wording import state_in_words

__all__ = ["Live", "live_progress"]

_SECONDS_BETWEEN_DRAWINGS = 0.25
_OF_A_CLOSED_STREAM = (OSError, ValueError)


class Live:
    """What is shown of a running call.

    Parameters
    ----------
    display : Display or None
        Where it is shown; None for nowhere.
    time_limit : float or None
        The time limit of the call in seconds.
    clock : callable
        Returns seconds; tests replace it.
    text : str
        The first text.
    """

    def __init__(
        self,
        display: Display | None,
        time_limit: float | None = None,
        clock: Callable[[], float] = monotonic,
        text: str = "searching",
    ) -> None:
        self.last_sentence: str | None = None
        self._display, self._limit, self._clock = display, time_limit, clock
        self._started, self._text = clock(), text
        self._steps: tuple[int, int] | None = None
        self._lock = threading.Lock()  # of the steps, which several threads count

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as nothing to show: another process cannot draw here."""
        return Live, (None,)

    def listener(
        self, problem: Problem | None, on_progress: Listener | None = None, stage: str = ""
    ) -> Listener | None:
        """Return the ``on_progress`` of a search whose progress is shown.

        Parameters
        ----------
        problem : Problem or None
            The problem, for the units of its costs.
        on_progress : callable, optional
            The user's own callback, which is called too and whose result is returned.
        stage : str
            Which search of several this is, such as "fold 2 of 5".
        """
        if self._display is None:
            return on_progress
        beginning = f"{stage}: " if stage else ""

        def listen(progress: Progress) -> object:
            self._text = beginning + state_in_words(progress, problem)
            return None if on_progress is None else on_progress(progress)

        if stage:
            self._text = stage
        return listen

    def say(self, text: str) -> None:
        """Show a text, such as the name of a stage that reports no progress.

        Parameters
        ----------
        text : str
            The text.
        """
        self._text = text

    def begin_steps(self, number: int) -> None:
        """Begin steps of about the same length, which the bar counts.

        Parameters
        ----------
        number : int
            The number of steps.
        """
        self._steps = (0, number)

    def end_step(self) -> None:
        """Count a step as finished; from any thread."""
        with self._lock:
            if self._steps is not None:
                self._steps = (self._steps[0] + 1, self._steps[1])

    def draw(self) -> None:
        """Draw the current state."""
        if self._display is not None:
            seconds = self._clock() - self._started
            self._display.draw(State(seconds, self._text, self._limit, self._steps))

    def close(self) -> None:
        """Remove the display, and show the last sentence."""
        if self._display is not None:
            with suppress(*_OF_A_CLOSED_STREAM):
                self._display.close(self.last_sentence)


@contextmanager
def live_progress(
    shown: object, time_limit: float | None = None, text: str = "searching"
) -> Iterator[Live]:
    """Show the progress of a call on standard error, or in the notebook, while it runs.

    Parameters
    ----------
    shown : object
        Whether to show anything: the user's `verbose`.
    time_limit : float, optional
        The time limit of the whole call in seconds.
    text : str
        What is done, until a search reports its progress.

    Yields
    ------
    Live
        Takes the progress, and the sentence to leave at the end.
    """
    display = chosen_display() if shown else None
    live = Live(display, time_limit, text=text)
    if display is None:
        yield live
        return
    ended = threading.Event()
    # In a notebook the context says to which cell an output belongs.
    drawing = threading.Thread(target=copy_context().run, args=(_draw_until, live, ended))
    drawing.daemon = True
    drawing.start()
    try:
        yield live
    finally:
        ended.set()
        try:
            drawing.join()
        finally:
            live.close()


def _draw_until(live: Live, ended: threading.Event) -> None:
    """Draw again and again; a standard error that is closed ends the drawing, not the search."""
    with suppress(*_OF_A_CLOSED_STREAM):
        live.draw()
        while not ended.wait(_SECONDS_BETWEEN_DRAWINGS):
            live.draw()
