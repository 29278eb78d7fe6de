"""The report: one page about a tree or an ensemble, its rules, and what is proved about it."""

from exactree.export.page.report import report

__all__ = ["report"]
