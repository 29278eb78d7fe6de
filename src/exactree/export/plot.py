"""Trees drawn with matplotlib, which is imported on first use."""

from __future__ import annotations

import warnings
from math import ceil
from typing import TYPE_CHECKING, Any

from exactree.data.parameters import is_number, shown
from exactree.errors import level_of_user
from exactree.export.axes import background_of, palette_of, pyplot
from exactree.export.calls import answers_file_names
from exactree.export.layout import BAR, DETAIL, LINE, MARGIN, PAD, Layout, NodeBox, side_by_side
from exactree.export.model import Model, fitted
from exactree.export.palette import bar_of, leaf_colour
from exactree.export.wording import trees_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactree.trees import Tree

POINTS = 9.0  # size of the letters in a new figure
LEGIBLE = 6.0  # points; smaller letters are hard to read on paper and screens
POINTS_PER_INCH = 72.0
_MAX_POINTS = 1000  # points; matplotlib refuses pictures of larger letters
WIDEST_FIGURE = 200.0  # inches; matplotlib refuses pictures of 2^16 pixels


@answers_file_names("returns axes and writes no file: export.{0}(model).figure.savefig({1})")
def plot_tree(model: Model, ax: Axes | None = None, fontsize: float | None = None) -> Axes:
    """Draw the tree with matplotlib.

    A figure of the default size with no other axes is enlarged if the letters would be too small to
    read.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model. The trees of an ensemble are drawn side by side.
    ax : matplotlib.axes.Axes, optional
        The axes to draw in; by default those of a new figure of the size of the tree. Colours
        follow the axes' background.
    fontsize : float, optional
        Size of the letters in points; by default about 9, less in small axes or a very wide figure,
        and more in large axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Warns
    -----
    UserWarning
        If the letters in the given axes are too small to read, with the size of a figure in which
        they are not; not if `fontsize` is given.
    """
    if fontsize is not None and not (is_number(fontsize) and 0 < fontsize <= _MAX_POINTS):
        raise ValueError(
            f"fontsize must be None or a positive number up to {_MAX_POINTS}, got "
            f"{shown(fontsize)}."
        )
    trees = trees_of(fitted(model))
    layouts = side_by_side(trees)
    width, height = layouts[-1].width, max(layout.height for layout in layouts)
    if ax is None:
        fontsize = fontsize or min(POINTS, WIDEST_FIGURE * POINTS_PER_INCH / width)
        ax = _own_axes(width, height, fontsize)
    elif fontsize is None:
        fontsize = _fitting_size(ax, width, height)
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    for member, layout in zip(trees, layouts, strict=True):
        _draw_tree(ax, member, layout, fontsize)
    return ax


def _draw_tree(ax: Axes, tree: Tree, layout: Layout, fontsize: float) -> None:
    """Draw the edges of a tree, its boxes over them, and its title."""
    for box in layout.boxes:
        if not tree.is_leaf(box.node):
            _draw_edge(ax, box, layout.boxes[tree.children_left[box.node]], "yes", fontsize)
            _draw_edge(ax, box, layout.boxes[tree.children_right[box.node]], "no", fontsize)
    for box in layout.boxes:
        _draw_box(ax, tree, box, fontsize)
    if layout.title is not None:
        place = (layout.boxes[0].x, MARGIN + LINE / 2)
        size = {"fontsize": fontsize, "fontweight": "bold"}
        ink = palette_of(ax).ink
        ax.text(*place, layout.title, size, color=ink, ha="center", va="center")


def _own_axes(width: float, height: float, fontsize: float) -> Axes:
    """Return axes that fill a new figure of the size that the letters need."""
    inches = fontsize / POINTS_PER_INCH
    figure = pyplot().figure(figsize=(width * inches, height * inches))
    ax: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    return ax


def _fitting_size(ax: Axes, width: float, height: float) -> float:
    """Return the size of the letters with which a tree of this size in em fills the axes."""
    extent = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    fontsize = POINTS_PER_INCH * min(extent.width / width, extent.height / height)
    if fontsize >= LEGIBLE:
        return min(fontsize, 1.5 * POINTS)
    figure: Any = ax.figure.figure  # also of axes in a part of a figure
    # The axes keep their share of the figure.
    size = figure.get_size_inches()
    share = (extent.width / size[0], extent.height / size[1])
    inches = POINTS / POINTS_PER_INCH
    needed = (
        max(size[0], width * inches / share[0]),
        max(size[1], height * inches / share[1]),
    )
    untouched = len(figure.axes) == 1 and size.tolist() == pyplot().rcParams["figure.figsize"]
    if untouched and max(needed) <= WIDEST_FIGURE:
        figure.set_size_inches(needed)
        return POINTS
    warnings.warn(
        f"the letters of this tree have {fontsize:.1f} points in these axes; a figure of "
        f"{ceil(needed[0])} by {ceil(needed[1])} inches has room for letters of {POINTS:.0f} "
        "points (figsize=), and plot_tree without ax makes one.",
        UserWarning,
        stacklevel=level_of_user(),
    )
    return fontsize


def _draw_edge(ax: Axes, parent: NodeBox, child: NodeBox, answer: str, fontsize: float) -> None:
    """Draw the edge to a child, down to the floor of the level and then across, with its answer."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    palette = palette_of(ax)
    middle = (parent.floor + child.top) / 2
    path = Path(
        [
            (parent.x, parent.top + parent.height),
            (parent.x, parent.floor),
            (parent.x, middle),
            (child.x, middle),
            (child.x, child.top),
        ],
        [Path.MOVETO, Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
    )
    ax.add_patch(
        PathPatch(path, fill=False, edgecolor=palette.line, linewidth=fontsize / 10, zorder=1)
    )
    ax.text(
        (parent.x + child.x) / 2,
        middle,
        answer,
        fontsize=fontsize * DETAIL,
        color=palette.ink,
        ha="center",
        va="center",
        bbox={"facecolor": background_of(ax), "edgecolor": "none", "pad": fontsize / 8},
        zorder=2,
    )


def _draw_box(ax: Axes, tree: Tree, box: NodeBox, fontsize: float) -> None:
    """Draw a node with its text and the bar of its class shares."""
    from matplotlib.patches import FancyBboxPatch

    palette = palette_of(ax)
    leaf = tree.is_leaf(box.node)
    ax.add_patch(
        FancyBboxPatch(
            (box.x - box.width / 2, box.top),
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=0.4",
            facecolor=background_of(ax) if leaf else palette.box,
            edgecolor=leaf_colour(tree, box.node, palette) if leaf else palette.line,
            linewidth=fontsize / (6 if leaf else 12),
            zorder=3,
        )
    )
    y = box.top + PAD
    for text in box.lines:
        ax.text(
            box.x,
            y + LINE * text.size / 2,
            text.text,
            fontsize=fontsize * text.size,
            fontweight="bold" if text.bold else "normal",
            color=palette.ink,
            ha="center",
            va="center",
            parse_math=False,  # a dollar sign in a name is literal
            zorder=4,
        )
        y += LINE * text.size
    _draw_shares(ax, tree, box, y)


def _draw_shares(ax: Axes, tree: Tree, box: NodeBox, y: float) -> None:
    """Draw the bar of a node: the shares of its classes, or the position of its number."""
    from matplotlib.patches import Rectangle

    x, full_width = box.x - box.width / 2 + PAD, box.width - 2 * PAD
    for colour, share in bar_of(tree, box.node, palette_of(ax)):
        width = full_width * share
        ax.add_patch(Rectangle((x, y + 0.1), width, BAR, facecolor=colour, linewidth=0, zorder=4))
        x += width
