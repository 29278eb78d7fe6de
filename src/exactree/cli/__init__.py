"""The command `exactree`: fit, predict, show, describe and generate; its face is one function."""

from exactree.cli.commands import main

__all__ = ["main"]
