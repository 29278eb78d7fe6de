"""The front of sizes and errors, on the training examples and on held-out examples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.axes import chart_axes, chart_legend
from exactree.export.held_out import mean_error, unit_of
from exactree.problem import Status
from exactree.problem.quantities import as_tuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactree.problem import Outcome

__all__ = ["FrontEntry", "front_entries", "plot_front"]


@dataclass(frozen=True)
class FrontEntry:
    """A point of a front.

    Attributes
    ----------
    size : int
        The first quantity of the front: nodes of the tree, of all trees of an ensemble, or of the
        largest of them.
    error : float
        Its training error divided by the weight of the examples: the error rate, or the mean error
        of a regression, including the leaf penalty if there is one.
    lower_bound : float
        A lower bound on the error of this size; equal to `error` if that is proved.
    held_out : float or None
        The error on held-out examples, with equal weights.
    proved : bool
        Whether the point is proved optimal.
    """

    size: int
    error: float
    lower_bound: float
    held_out: float | None
    proved: bool


def front_entries(
    front: Iterable[Outcome], held_out: tuple[Any, Any] | None = None
) -> list[FrontEntry]:
    """Return the points of a front for a plot.

    Parameters
    ----------
    front : iterable of Outcome
        The result of `pareto_front` for a size and any kind of errors.
    held_out : tuple of (X, y), optional
        Examples that were not used in the search, and their labels.

    Returns
    -------
    list of FrontEntry
        One for each outcome with a tree.
    """
    entries = []
    for outcome in _outcomes(front):
        if outcome.cost is None:
            continue
        cost, lower_bound = as_tuple(outcome.cost), as_tuple(outcome.lower_bound)
        if not _is_of_sizes(outcome, cost):
            raise ValueError(
                "a front to draw is that of a size and errors, such as pareto_front(problem, "
                f'("size", "errors")); the costs of this one are like {outcome.cost}.'
            )
        weight = float(outcome.trees[0].weighted_n_node_samples[0])
        model = outcome.trees[0] if outcome.ensemble is None else outcome.ensemble
        entries.append(
            FrontEntry(
                size=int(cost[0]),
                error=float(cost[1]) / weight,
                # A search that was stopped may have a bound on the size only.
                lower_bound=float(lower_bound[1]) / weight if lower_bound[0] == cost[0] else 0.0,
                held_out=None if held_out is None else mean_error(model, *held_out),
                proved=outcome.status is Status.OPTIMAL,
            )
        )
    return entries


def _is_of_sizes(outcome: Outcome, cost: tuple[Any, ...]) -> bool:
    """Return whether the quantities of an outcome are a size and a kind of errors."""
    if not outcome.cost_names:  # an outcome that was made by hand
        sizes = [tree.size for tree in outcome.trees]
        return len(cost) == 2 and cost[0] in (sum(sizes), max(sizes))
    if len(outcome.cost_names) != 2:
        return False
    first, second = outcome.cost_names
    return first.endswith("size") and not second.endswith(("size", "depth"))


def _outcomes(front: Any) -> list[Outcome]:
    """Return the outcomes of a front; refuse a single model."""
    if not isinstance(front, Iterable):
        raise TypeError(
            'a front is a list of outcomes, such as pareto_front(problem, ("size", "errors")), got '
            f"{type(front).__name__}."
        )
    return list(front)


def plot_front(
    front: Iterable[Outcome], held_out: tuple[Any, Any] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the minimum errors by size, and the errors of the same trees on held-out examples.

    A tree that is not proved optimal is a hollow mark, with a line down to its lower bound.

    Parameters
    ----------
    front : iterable of Outcome
        The result of `pareto_front` for a size and any kind of errors, of trees or ensembles.
    held_out : tuple of (X, y), optional
        Examples that were not used in the search, and their labels.
    ax : matplotlib.axes.Axes, optional
        The axes to draw in; by default those of a new figure. Colours follow the figure's
        background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    outcomes = _outcomes(front)
    entries = front_entries(outcomes, held_out)
    ax, palette = chart_axes(ax)
    train, new = palette.classes[0], palette.classes[1]
    sizes = [entry.size for entry in entries]
    ax.plot(sizes, [entry.error for entry in entries], "o-", color=train, label="training")
    for entry in entries:
        if not entry.proved:
            ax.vlines(entry.size, entry.lower_bound, entry.error, color=train, linestyle=":")
            label = "not proved, and its bound"
            (mark,) = ax.plot([entry.size], [entry.error], "o", color=train, label=label)
            mark.set_markerfacecolor(palette.background)
    if held_out is not None:
        held_out_errors = [
            np.nan if entry.held_out is None else entry.held_out for entry in entries
        ]
        ax.plot(sizes, held_out_errors, "s--", color=new, label="held out")
    trees = [tree for outcome in outcomes for tree in outcome.trees]
    ax.set(xlabel="nodes", ylabel=unit_of(trees[0]) if trees else "error", ylim=(0, None))
    ax.locator_params(axis="x", integer=True)
    chart_legend(ax, palette)
    return ax
