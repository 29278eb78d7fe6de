"""Predictions of a tree or an ensemble in the plane of two features, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.dataset import make_features
from exactree.export.axes import chart_axes, chart_legend, in_lines
from exactree.export.model import Model, unwrap
from exactree.export.palette import Palette, class_colour
from exactree.export.plane import AxisCells, axes_to_draw, cells_of, fixed_values, slice_note
from exactree.export.wording import one_line
from exactree.trees.regression_tree import RegressionTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray


# Marks of examples by class, which distinguish them without colours.
MARKS = "osD^vPX*"


def plot_regions(
    model: Model,
    X: ArrayLike,
    y: ArrayLike | None = None,
    ax: Axes | None = None,
    features: Sequence[str | int] | None = None,
    at: ArrayLike | None = None,
) -> Axes:
    """Draw examples in the plane of two features, over the predicted classes or numbers.

    If nodes use other features, the picture is a slice: a line below it gives their values there,
    and the number of nodes that are on no path within the slice.

    Levels and codes of categories are drawn side by side in their order; missing values have a
    separate strip at the lower end.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model. Features of a pipeline are the columns that its steps return.
    X : array or data frame, shape (n, d)
        Examples; they determine the range of the axes.
    y : array, optional
        Their labels, for their colours and marks.
    ax : matplotlib.axes.Axes, optional
        The axes to draw in; by default those of a new figure. Colours follow the figure's
        background.
    features : sequence of two str or int, optional
        The features to draw; by default the only two features, or the only two that nodes use.
    at : array-like, shape (d,), optional
        An example with the values of all other features; by default medians and most frequent
        levels of X. If nodes use other features, examples may be drawn in the region of another
        prediction.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ValueError
        If `features` are not two different features, or if they are not given and neither the table
        nor the nodes have exactly two.
    """
    unwrapped = unwrap(model)
    tree = unwrapped.model
    across, up = axes_to_draw(tree, features)
    table_form = (tree.feature_names, tree.named, tree.complete_features, tree.levels)
    examples = make_features(unwrapped.table(X), *table_form)
    if at is None:
        fixed = fixed_values(tree, examples)
    else:
        example = unwrapped.table(np.asarray(at, dtype=object).reshape(1, -1))
        fixed = make_features(example, *table_form)[0]
    cells = (cells_of(tree, across, examples[:, across]), cells_of(tree, up, examples[:, up]))
    grid = np.tile(fixed, (len(cells[0].values) * len(cells[1].values), 1))
    meshed = np.meshgrid(cells[0].values, cells[1].values)
    grid[:, across], grid[:, up] = (values.ravel() for values in meshed)
    positions = [cells[0].positions(examples[:, across]), cells[1].positions(examples[:, up])]
    gap = cells[1].is_gap[:, None] | cells[0].is_gap[None, :]
    ax, palette = chart_axes(ax)
    if isinstance(tree, RegressionTree):
        predicted = np.ma.array(tree.predict(grid).reshape(gap.shape), mask=gap)
        _draw_numbers(ax, palette, cells, predicted, positions, y)
    else:
        regions = np.ma.array(tree.predict_index(grid).reshape(gap.shape), mask=gap)
        _draw_classes(ax, palette, cells, regions, positions, y, tree.classes)
    for feature, axis_cells, axis in ((across, cells[0], ax.xaxis), (up, cells[1], ax.yaxis)):
        _name(axis, tree.feature_names[feature], axis_cells)
    if note := slice_note(tree, (across, up), fixed, typical=at is None):
        ax.xaxis.set_label_text(f"{ax.get_xlabel()}\n{note}", parse_math=False)
    return ax


def _draw_classes(
    ax: Axes,
    palette: Palette,
    cells: tuple[AxisCells, AxisCells],
    regions: NDArray[Any],
    positions: list[NDArray[np.float64]],
    y: ArrayLike | None,
    classes: NDArray[Any],
) -> None:
    """Draw the regions of the classes in pale colours, and their examples in full colour."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    colours = [class_colour(k, palette) for k in range(len(classes))]
    scale: dict[str, Any] = {
        "cmap": ListedColormap(colours),
        "vmin": -0.5,
        "vmax": len(colours) - 0.5,
    }
    ax.pcolormesh(cells[0].edges, cells[1].edges, regions, alpha=0.3, **scale)
    names = [in_lines(one_line(label)) for label in classes]
    style: dict[str, Any] = {"s": 22, "edgecolors": palette.background, "linewidths": 0.6}
    if y is None:
        ax.scatter(positions[0], positions[1], color=palette.line, **style)
        handles: list[Any] = [
            Patch(color=colour, alpha=0.3, label=name)
            for colour, name in zip(colours, names, strict=True)
        ]
    else:
        labels = np.asarray(y)
        handles = [
            ax.scatter(
                positions[0][labels == label],
                positions[1][labels == label],
                color=colours[k],
                marker=MARKS[k % len(MARKS)],
                label=names[k],
                **style,
            )
            for k, label in enumerate(classes)
        ]
    chart_legend(ax, palette, handles)


def _draw_numbers(
    ax: Axes,
    palette: Palette,
    cells: tuple[AxisCells, AxisCells],
    predicted: NDArray[Any],
    positions: list[NDArray[np.float64]],
    y: ArrayLike | None,
) -> None:
    """Draw the predicted numbers and those of the examples on one colour scale."""
    from matplotlib.colors import LinearSegmentedColormap

    numbers = None if y is None else np.asarray(y, dtype=np.float64)
    visible: NDArray[Any] = np.ma.compressed(predicted)
    all_numbers = visible if numbers is None else np.concatenate([visible, numbers])
    colours = LinearSegmentedColormap.from_list("exactree", [palette.smallest, palette.greatest])
    scale: dict[str, Any] = {"cmap": colours, "vmin": all_numbers.min(), "vmax": all_numbers.max()}
    drawn = ax.pcolormesh(cells[0].edges, cells[1].edges, predicted, alpha=0.6, **scale)
    style: dict[str, Any] = {"s": 22, "edgecolors": palette.background, "linewidths": 0.6}
    if numbers is None:
        ax.scatter(positions[0], positions[1], color=palette.line, **style)
    else:
        ax.scatter(positions[0], positions[1], c=numbers, **style, **scale)
    bar = ax.figure.colorbar(drawn, ax=ax)
    bar.ax.tick_params(colors=palette.ink)


def _name(axis: Any, name: str, cells: AxisCells) -> None:
    """Write the name of a feature along an axis, and the names of its codes."""
    axis.set_label_text(in_lines(one_line(name)), parse_math=False)
    if cells.discrete:
        axis.set_ticks([at for at, _ in cells.ticks], [in_lines(text) for _, text in cells.ticks])
        for tick in axis.get_major_ticks():
            tick.label1.set_parse_math(False)
    elif cells.ticks:
        # Ticks of numbers must not reach into the strip of missing values. The strip lies between
        # edges 0 and 1, the gap between edges 1 and 2.
        low, high = cells.edges[2], cells.edges[-1]
        axis.set_ticks([at for at in axis.get_majorticklocs() if low <= at <= high])
        position, text = cells.ticks[0]  # the strip
        axis.set_ticks([position], [text], minor=True)
