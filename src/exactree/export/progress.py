"""The progress of a search: the incumbent and the lower bound over time."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import TYPE_CHECKING

from exactree.export.axes import chart_axes, chart_legend
from exactree.export.model import Model, outcome_in
from exactree.problem.quantities import as_tuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactree.problem import Progress

__all__ = ["plot_progress", "progress_steps"]

Steps = list[tuple[float, float]]


def progress_steps(progress: Model | Iterable[Progress]) -> tuple[Steps, Steps]:
    """Return the times and values of incumbents and lower bounds of a search.

    Parameters
    ----------
    progress : Outcome, fitted estimator, Pipeline or iterable of Progress
        A model with the progress of its search, or the reports to ``on_progress``. Of tuples only
        the first component is shown.

    Returns
    -------
    tuple of two lists of (seconds, value)
        The costs of incumbents, and the lower bounds.
    """
    outcome = outcome_in(progress)
    if outcome is not None:
        moments: list[Progress] = list(outcome.stats.get("progress", []))
    elif isinstance(progress, Iterable):
        moments = list(progress)
    else:
        raise TypeError(
            "progress must be an Outcome, a model fitted by a search, or a list of Progress, got "
            f"{type(progress).__name__}, which does not record its search."
        )
    if not moments:
        raise ValueError(
            "the search recorded no progress; native searches for one tree do, and on_progress "
            "receives it."
        )
    costs = [(m.seconds, float(as_tuple(m.cost)[0])) for m in moments if m.cost is not None]
    bounds = [(m.seconds, float(as_tuple(m.lower_bound)[0])) for m in moments]
    return costs, [(seconds, bound) for seconds, bound in bounds if bound > -inf]


def plot_progress(progress: Model | Iterable[Progress], ax: Axes | None = None) -> Axes:
    """Draw the incumbent and the lower bound of a search over time.

    Parameters
    ----------
    progress : Outcome, fitted estimator, Pipeline or iterable of Progress
        A model with the progress of its search, or a list of the reports to ``on_progress``.
    ax : matplotlib.axes.Axes, optional
        The axes to draw in; by default those of a new figure. Colours follow the figure's
        background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    costs, bounds = progress_steps(progress)
    ax, palette = chart_axes(ax)
    lines = ((costs, "-", 0, "best tree so far"), (bounds, "--", 1, "lower bound"))
    for steps, style, index, label in lines:
        # The last value holds until the end.
        steps = [*steps, (bounds[-1][0], steps[-1][1])] if steps else steps
        seconds, values = [s for s, _ in steps], [v for _, v in steps]
        colour = palette.classes[index]
        ax.step(seconds, values, style, where="post", color=colour, label=label, linewidth=2)
        ax.plot(seconds[-1:], values[-1:], "os"[index], color=colour)
    ax.set(xlabel="seconds", ylabel="cost", ylim=(0, None), xlim=(0, None))
    chart_legend(ax, palette)
    return ax
