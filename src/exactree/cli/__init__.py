"""The command-line interface `exactree`; its entry point is one function."""

from exactree.cli.commands import main

__all__ = ["main"]
