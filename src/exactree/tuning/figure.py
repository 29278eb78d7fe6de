"""Plot of a choice: the held-out score and the errors of each tree of the front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.axes import chart_axes, chart_legend, right_axis
from exactree.export.model import estimator_in
from exactree.problem.quantities import as_tuple
from exactree.tuning.front import LIMITED_QUANTITY_OF, size_or_depth

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tuning"]


def plot_tuning(model: Any, ax: Axes | None = None) -> Axes:
    """Plot the front of all examples and the scores on held-out examples with matplotlib.

    Parameters
    ----------
    model : OptimalTreeClassifierCV, OptimalTreeRegressorCV or Pipeline
        A fitted model, or a pipeline that ends in one.
    ax : matplotlib.axes.Axes, optional
        The axes to draw in; by default those of a new figure. Errors have a second axis at the
        right. Colours follow the figure's background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the scores.
    """
    model = estimator_in(model)
    if not hasattr(model, "tried_"):
        raise TypeError(
            "model must be a fitted OptimalTreeClassifierCV or OptimalTreeRegressorCV, got "
            f"{type(model).__name__}."
        )
    ax, palette = chart_axes(ax)
    first, second = palette.classes[:2]
    quantity = LIMITED_QUANTITY_OF[model.along]
    results = model.cv_results_
    tried_sizes = [size_or_depth(outcome, quantity) for outcome in model.tried_]
    means, spread = results["mean_test_score"], results["std_test_score"]
    lines: list[Any] = [
        ax.errorbar(
            tried_sizes, means, spread, fmt="o-", color=first, capsize=3, label="held-out score"
        )
    ]
    best = model.best_index_
    lines += ax.plot(tried_sizes[best], means[best], "o", markersize=12, mfc="none", color=first)
    lines[-1].set_label("chosen")
    sizes = [size_or_depth(outcome, quantity) for outcome in model.front_]
    ax.set(xlabel="nodes" if quantity == "size" else "depth", ylabel="held-out score", xticks=sizes)
    right = right_axis(ax, palette)
    errors = [float(as_tuple(outcome.cost)[0]) for outcome in model.front_]
    lines += right.plot(sizes, errors, "s--", color=second, label="training errors")
    right.set(ylabel="training errors", ylim=(0, max(np.max(errors), 1e-300) * 1.05))
    chart_legend(ax, palette, lines)
    return ax
