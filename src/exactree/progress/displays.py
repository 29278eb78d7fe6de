"""Displays of a running call: a line of a terminal, an output of a notebook, lines of a log.

All of them write to standard error, never to standard output; a notebook has no such streams, and
shows the same line as rich text. rich and IPython are loaded only if their display is used.
"""

import multiprocessing
import sys
import threading
from dataclasses import dataclass
from typing import Any, Protocol

from exactree.progress.wording import duration

__all__ = ["Display", "Log", "Notebook", "State", "Terminal", "chosen_display"]

# Blue is legible on light and on dark; the default of rich is near red, the colour of errors.
_BAR, _BAR_REST = "#4c8dcc", "grey50"
_BAR_WIDTH = 16
_NARROW = 60  # columns of a terminal that leave no room for the bar
# Seconds to the first line of a log; every further line comes after twice the time of the last,
# and at the latest after ten minutes.
_FIRST_LINE = 5.0
_LONGEST_WAIT = 600.0


@dataclass(frozen=True)
class State:
    """What is shown.

    Attributes
    ----------
    seconds : float
        Time since the start of the call.
    text : str
        The state of the call in words.
    limit : float or None
        The time limit of the call in seconds.
    steps : tuple of int or None
        The number of finished steps, and of all steps.
    """

    seconds: float
    text: str
    limit: float | None = None
    steps: tuple[int, int] | None = None

    @property
    def line(self) -> str:
        """Elapsed time and state in one line."""
        of_limit = "" if self.limit is None else f" of {duration(self.limit, '.3g')}"
        return f"{duration(self.seconds)}{of_limit}: {self.text}"

    @property
    def share(self) -> float | None:
        """The share of the steps or of the time that has passed; None if there is no end."""
        if self.steps is not None:
            return self.steps[0] / self.steps[1]
        return None if self.limit is None else min(self.seconds / self.limit, 1.0)


class Display(Protocol):
    """A place where states are shown, one after the other, and at the end a last sentence."""

    def draw(self, state: State) -> None:
        """Show a state in place of the last one."""

    def close(self, text: str | None) -> None:
        """Remove the state, and show the last sentence, if there is one."""


def chosen_display() -> "Display | None":
    """Return the display that suits this process; None without a standard error."""
    stream = sys.stderr
    if "IPython" in sys.modules:
        from rich.console import Console

        if Console(stderr=True).is_jupyter:
            return Notebook()
    if stream is None:
        return None
    # Lines of several processes would overwrite each other.
    in_main_process = multiprocessing.current_process().name == "MainProcess"
    if stream.isatty() and in_main_process and _one_live_line.acquire(blocking=False):
        return Terminal()
    return Log()


# A terminal has one line that is updated in place, whatever number of threads searches.
_one_live_line = threading.Lock()


class Terminal:
    """A line of the terminal that is updated in place, by rich; it disappears at the end."""

    def __init__(self) -> None:
        self._live: Any = None

    def draw(self, state: State) -> None:
        """Show a state; the first one starts the line."""
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            # What is printed in the meantime appears above the line, if it goes to a terminal.
            self._live = Live(
                console=Console(stderr=True),
                auto_refresh=False,
                transient=True,
                redirect_stdout=sys.stdout.isatty(),
            )
            self._live.start()
        narrow = self._live.console.width < _NARROW
        self._live.update(_row(state, with_bar=not narrow), refresh=True)

    def close(self, text: str | None) -> None:
        """Remove the line, and write the last sentence."""
        try:
            if self._live is not None:
                self._live.stop()
        finally:
            _one_live_line.release()
        _write(text)


class Notebook:
    """An output of a notebook cell, as rich text; the last sentence replaces it."""

    def __init__(self) -> None:
        self._handle: Any = None

    def draw(self, state: State) -> None:
        """Show a state; the first one makes the output."""
        self._show(_row(state, with_bar=True))

    def close(self, text: str | None) -> None:
        """Replace the state by the last sentence."""
        if text is not None or self._handle is not None:
            from rich.text import Text

            self._show(Text(text or ""))

    def _show(self, thing: Any) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(thing, display_id=True)
        else:
            self._handle.update(thing)


class Log:
    """Lines at growing intervals, for pipes and files."""

    def __init__(self) -> None:
        self._next = _FIRST_LINE

    def draw(self, state: State) -> None:
        """Write a state if its line is due."""
        if state.seconds >= self._next:
            _write(f"exactree: {state.line}")
            self._next = state.seconds + min(state.seconds, _LONGEST_WAIT)

    def close(self, text: str | None) -> None:
        """Write the last sentence."""
        _write(text)


def _write(text: str | None) -> None:
    if text is not None and sys.stderr is not None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def _row(state: State, *, with_bar: bool) -> Any:
    """Return a state as one line of rich: a bar if there is an end, and the text."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    text = Text(state.line, no_wrap=True, overflow="ellipsis")
    if state.share is None or not with_bar:
        return text
    bar = ProgressBar(
        total=1.0,
        completed=state.share,
        width=_BAR_WIDTH,
        style=_BAR_REST,
        complete_style=_BAR,
        finished_style=_BAR,
    )
    row = Table.grid(padding=(0, 1))
    row.add_row(bar, text)
    return row
