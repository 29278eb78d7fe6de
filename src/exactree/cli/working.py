"""Status line on the terminal during work that reports no progress."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def working(activity: str, *, quiet: bool = False) -> Iterator[None]:
    """Show a status line during some work, unless standard error is not a terminal.

    Parameters
    ----------
    activity : str
        For example "reading raisin.csv".
    quiet : bool
        Whether to show nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(f"{activity} ..."):
        yield
