"""The command `exactree`: fit, predict and show; its face is one function."""

from exactree.cli.commands import main

__all__ = ["main"]
