"""Progress line on standard error, for `verbose=1` and the command line."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from exactree.data.features import count
from exactree.problem import Outcome, Progress
from exactree.problem.quantities import shown_cost

OnProgress = Callable[[Progress], bool | None]


def progress_text(progress: Progress) -> str:
    """Return a progress report as text.

    Parameters
    ----------
    progress : Progress
        Incumbent cost, lower bound and seconds.

    Returns
    -------
    str
        For example ``"12.3 s: cost 23, lower bound 17"``.
    """
    cost = "none yet" if progress.cost is None else shown_cost(progress.cost)
    text = f"{progress.seconds:.1f} s: cost {cost}, lower bound {shown_cost(progress.lower_bound)}"
    if progress.workers is None:
        return text
    return f"{text}, {count(progress.workers, 'worker')}"


@contextmanager
def progress_line(on_progress: OnProgress | None) -> Iterator[OnProgress]:
    """Show every progress report in one line that is updated in place.

    Parameters
    ----------
    on_progress : callable or None
        The user's own callback; it is called after the line is drawn, and its result is returned.

    Yields
    ------
    callable
        The ``on_progress`` of `solve`.
    """
    with _line() as show:

        def listener(progress: Progress) -> bool | None:
            show(progress_text(progress))
            return None if on_progress is None else on_progress(progress)

        yield listener


def write_outcome(outcome: Outcome) -> None:
    """Write the outcome's sentence to standard error.

    Parameters
    ----------
    outcome : Outcome
        The outcome of the search.
    """
    sys.stderr.write(f"{outcome}\n")
    sys.stderr.flush()


@contextmanager
def _line() -> Iterator[Callable[[str], object]]:
    """Yield a function that replaces the line; it does nothing unless stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.live import Live  # loaded only if the line is shown
    from rich.text import Text

    # Drawn in the callback, not by a thread of its own, and removed at the end.
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield lambda text: live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)
