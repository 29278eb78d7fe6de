"""One line on a terminal that shows the search at work; nothing where there is no terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from exactree.problem import Cost, Progress


def shown(number: Cost | None) -> str:
    """Return a cost for people to read: integers in full, fractions to ten digits."""
    if isinstance(number, tuple):
        return f"({', '.join(shown(component) for component in number)})"
    if number is None:
        return "none"
    return str(number) if number == int(number) else f"{float(number):.10g}"


def line(progress: Progress) -> str:
    """Return a progress report as one line of text."""
    return (
        f"searching {progress.seconds:6.1f} s   "
        f"incumbent {shown(progress.cost)}   lower bound {shown(progress.lower_bound)}"
    )


@contextmanager
def live_line(wanted: bool) -> Iterator[Callable[[Progress], bool] | None]:
    """Give a progress callback that keeps one line of standard error up to date.

    The callback is None when the line is not wanted or standard error is no terminal. The line
    is drawn in the callback, not by a thread of its own, and is removed at the end.
    """
    console = Console(stderr=True)
    if not wanted or not console.is_terminal:
        yield None
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def draw(progress: Progress) -> bool:
            live.update(Text(line(progress), overflow="ellipsis", no_wrap=True), refresh=True)
            return False  # go on searching

        yield draw
