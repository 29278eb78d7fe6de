"""The report: a page about a tree or an ensemble, its rules, and the proof of optimality."""

from exactree.export.page.report import report

__all__ = ["report"]
