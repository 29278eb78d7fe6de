"""The minimum errors and the risk bound for each number of leaves, and their plot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exactree.export.axes import chart_axes, chart_legend, right_axis
from exactree.export.model import estimator_in, outcome_in

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactree.trees import Tree

__all__ = ["CurveEntry", "plot_curve"]


@dataclass(frozen=True)
class CurveEntry:
    """Bounds on the errors and the risk of trees with a given number of leaves.

    Attributes
    ----------
    leaves : int
        The number of leaves.
    errors : int or None
        The fewest errors found for trees with at most that many leaves; None if the search was
        skipped because even the unavoidable errors are too many.
    errors_lower_bound : int
        No tree with at most that many leaves has fewer errors; equal to `errors` if these are
        proved minimal.
    tree : Tree or None
        The tree with `errors`; it may have fewer leaves.
    risk_bound : float or None
        Its risk bound.
    risk_lower_bound : float
        No tree with exactly that many leaves has a smaller risk bound.
    """

    leaves: int
    errors: int | None
    errors_lower_bound: int
    tree: Tree | None
    risk_bound: float | None
    risk_lower_bound: float


def _entries_of(curve: Any) -> list[CurveEntry]:
    """Return the entries of a curve, or those that a model or an outcome has."""
    outcome = outcome_in(curve)
    stats = {} if outcome is None else outcome.stats
    entries = getattr(estimator_in(curve), "curve_", stats.get("curve", curve))
    if not isinstance(entries, Iterable):
        raise TypeError(
            "curve must be a fitted BoundOptimalTreeClassifier, its outcome_ or its curve_, got "
            f"{type(curve).__name__}."
        )
    return list(entries)


def plot_curve(curve: Any, ax: Axes | None = None) -> Axes:
    """Plot risk bounds and errors by the number of leaves with matplotlib.

    Parameters
    ----------
    curve : BoundOptimalTreeClassifier, Pipeline, Outcome or iterable of CurveEntry
        A fitted model, the outcome of its search, or their entries: ``classifier.curve_`` or
        ``outcome.stats["curve"]``.
    ax : matplotlib.axes.Axes, optional
        The axes to draw in; by default those of a new figure. Errors have a second axis at the
        right. Colours follow the figure's background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the risk bounds.
    """
    ax, palette = chart_axes(ax)
    entries = _entries_of(curve)
    # A tree that was found has errors and a risk bound.
    found = [(e.leaves, e.risk_bound or 0.0, e.errors or 0) for e in entries if e.tree is not None]
    leaves = [number for number, _, _ in found]
    all_leaves = [entry.leaves for entry in entries]
    lower = [entry.risk_lower_bound for entry in entries]
    first, second = palette.classes[:2]
    lines = ax.plot(leaves, [bound for _, bound, _ in found], "o-", color=first, label="risk bound")
    label = "lower bound"
    lines += ax.plot(all_leaves, lower, "_", markersize=16, color=first, label=label)
    ax.set(xlabel="leaves", ylabel="risk bound", xticks=all_leaves, ylim=(0, None))
    right = right_axis(ax, palette)
    errors = [number for _, _, number in found]
    lines += right.plot(leaves, errors, "s--", color=second, label="fewest errors found")
    right.set(ylabel="errors", ylim=(0, None))
    chart_legend(ax, palette, lines)
    return ax
