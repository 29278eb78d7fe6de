"""Axes of matplotlib plots, with colours that follow the background."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exactree.errors import matplotlib_import_error
from exactree.export.layout import shortened, wrapped
from exactree.export.palette import Palette, palette_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

BAR = 0.6  # height of a bar of a chart; bars are one apart
CHARACTER = 0.0155  # width of a character of a label, as a share of the width of a chart
SHORTEST_BARS = 0.25  # minimum share of the width of a chart for the bars

__all__ = [
    "BAR",
    "background_of",
    "bars_from_above",
    "chart_axes",
    "chart_legend",
    "height_of_bars",
    "in_lines",
    "new_axes",
    "palette_of",
    "pyplot",
    "right_axis",
    "room_for_labels",
]


def new_axes(width: float = 6.4, height: float = 4.0) -> Axes:
    """Return the axes of a new figure.

    Parameters
    ----------
    width, height : float
        Size of the figure in inches.
    """
    ax: Axes = pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    return ax


def pyplot() -> Any:
    """Return matplotlib.pyplot, which is imported when a plot is drawn.

    Raises
    ------
    ImportError
        Without matplotlib: ``pip install 'exactree[plot]'``.
    """
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise matplotlib_import_error() from None
    return plt


def background_of(ax: Axes) -> tuple[float, float, float, float]:
    """Return the background colour of the axes: the figure's colour, white if it has none."""
    from matplotlib.colors import to_rgba

    red, green, blue, opaque = to_rgba(ax.figure.get_facecolor())
    return (red, green, blue, 1.0) if opaque else (1.0, 1.0, 1.0, 1.0)


def palette_of(ax: Axes) -> Palette:
    """Return the palette for the background of the axes."""
    red, green, blue, _ = background_of(ax)
    return palette_on(red, green, blue)


def in_lines(name: str) -> str:
    """Wrap a name into lines for the margin of a plot; the middle of a long name is left out."""
    return "\n".join(wrapped(shortened(name)))


def chart_axes(ax: Axes | None, width: float = 6.4, height: float = 4.0) -> tuple[Axes, Palette]:
    """Return axes in the style of the package, and their palette.

    Parameters
    ----------
    ax : matplotlib.axes.Axes or None
        The user's axes; None for the axes of a new figure.
    width, height : float
        Size of a new figure in inches.
    """
    ax = new_axes(width, height) if ax is None else ax
    palette = palette_of(ax)
    ax.set_facecolor(background_of(ax))
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(palette.line)
    ax.tick_params(colors=palette.ink)
    for label in (ax.xaxis.label, ax.yaxis.label, ax.title):
        label.set_color(palette.ink)
    return ax, palette


def right_axis(ax: Axes, palette: Palette) -> Axes:
    """Return a second axis on the right, in the same style, for a curve in another unit.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    palette : Palette
        Their palette.
    """
    right: Axes = ax.twinx()
    for side, spine in right.spines.items():
        spine.set_visible(side == "right")
        spine.set_color(palette.line)
    right.tick_params(colors=palette.ink)
    right.yaxis.label.set_color(palette.ink)
    return right


def height_of_bars(count: int, lines: int = 1) -> float:
    """Return the height in inches of a figure with `count` bars, whose names take `lines` lines."""
    return max(1.8, 1.2 + (0.26 + 0.16 * lines) * count)


def room_for_labels(ax: Axes, ends: Sequence[float], labels: Sequence[str]) -> None:
    """Extend the x-axis so that labels fit at the ends of horizontal bars."""
    width = CHARACTER * max(map(len, labels), default=0)
    ax.set_xlim(0, max(ends, default=0.0) / max(1 - width, SHORTEST_BARS) or 1.0)


def bars_from_above(ax: Axes, count: int) -> None:
    """Order horizontal bars at 0, 1, ... from the top; a single bar stays narrow."""
    ax.set_ylim(max(count, 2) - 0.4, -0.6)


def chart_legend(ax: Axes, palette: Palette, handles: Sequence[Any] | None = None) -> None:
    """Draw the legend above the axes, where it covers nothing.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    palette : Palette
        Their palette.
    handles : sequence, optional
        The entries of the legend; by default everything with a label.
    """
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    named = {handle.get_label(): handle for handle in handles}  # each label once
    legend = ax.legend(
        handles=list(named.values()),
        ncols=min(4, len(named)),
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        labelcolor=palette.ink,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
