"""Status line on the terminal during work that reports no progress."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def working(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Show what is being done until it is done; nothing where standard error is no terminal.

    Parameters
    ----------
    what : str
        For example "reading raisin.csv".
    quiet : bool
        Whether to show nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield
        return
    with Console(stderr=True).status(f"{what} ..."):
        yield
