"""The examples of each leaf, and the errors among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.axes import (
    BAR,
    bars_from_above,
    chart_axes,
    chart_legend,
    height_of_bars,
    in_lines,
    room_for_labels,
)
from exactree.export.held_out import (
    features_of,
    is_weighted,
    truth_of,
    typical_error,
    wrong_by,
)
from exactree.export.model import Model, unwrap
from exactree.export.palette import Palette, class_colour
from exactree.export.sentences import conditions_of, parents_of, path_to
from exactree.export.wording import (
    DEVIATION,
    counted,
    errors,
    examples,
    one_line,
    predicted,
    trees_of,
    typical_deviation,
)
from exactree.trees import RegressionTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from exactree.trees import Ensemble, Tree

__all__ = ["LeafErrors", "leaf_errors", "plot_leaf_errors"]

HATCH = "////"  # of errors


@dataclass(frozen=True)
class LeafErrors:
    """The examples of a leaf.

    Attributes
    ----------
    tree : int
        The number of the tree, 0 unless there are several.
    leaf : int
        The node.
    predicted : str
        The prediction of the leaf.
    examples : float
        Number of examples that reach it; for training examples their weight.
    errors : float
        Number or weight of examples with another label; in a regression the sum of their squared or
        absolute errors.
    by_class : tuple of float
        Number or weight of the examples of each class, and last of those with a label that the tree
        does not know; empty in a regression.
    """

    tree: int
    leaf: int
    predicted: str
    examples: float
    errors: float
    by_class: tuple[float, ...]


def leaf_errors(model: Tree | Ensemble, X: Any = None, y: Any = None) -> list[LeafErrors]:
    """Return the examples of each leaf and their errors, leaves from left to right.

    Parameters
    ----------
    model : Tree or Ensemble
        Each tree of an ensemble is measured by its own predictions.
    X, y : array-like, optional
        Examples and labels to count; by default the training examples, as counted in the leaves.
    """
    found = []
    for number, tree in enumerate(trees_of(model)):
        if X is None:
            tree.check_counted("errors of leaves without a table")
        sizes, wrong_sums = tree.weighted_n_node_samples, tree.errors
        regression = isinstance(tree, RegressionTree)
        by_class = np.pad(tree.value, ((0, 0), (0, 1)))
        if X is not None:
            leaves = tree.leaf_index(features_of(tree, X))
            truth = truth_of(tree, y, len(leaves))
            wrong = wrong_by(tree, tree.prediction[leaves], truth)
            sizes = np.bincount(leaves, minlength=tree.node_count).astype(np.float64)
            wrong_sums = np.bincount(leaves, wrong, tree.node_count).astype(np.float64)
            by_class = np.zeros_like(by_class)
            if not regression:
                np.add.at(by_class, (leaves, truth), 1)  # an unknown label is -1, the last column
        found += [
            LeafErrors(
                tree=number,
                leaf=leaf,
                predicted=predicted(tree, leaf),
                examples=float(sizes[leaf]),
                errors=float(wrong_sums[leaf]),
                by_class=() if regression else tuple(by_class[leaf].tolist()),
            )
            for leaf in np.flatnonzero(tree.children_left < 0).tolist()
        ]
    return found


def plot_leaf_errors(model: Model, X: Any = None, y: Any = None, ax: Axes | None = None) -> Axes:
    """Draw a bar for each leaf: its examples by class as in `plot_tree`, errors hatched.

    In a regression the bar is the typical deviation of the leaf's examples from its number, in the
    unit of the target: the root of the mean squared error, or the mean absolute error.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model to draw, with the leaves of all trees of an ensemble.
    X, y : array-like, optional
        Examples and labels to count; by default the training examples.
    ax : matplotlib.axes.Axes, optional
        The axes to draw in; by default those of a new figure. Colours follow the figure's
        background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    unwrapped = unwrap(model)
    X = None if X is None else unwrapped.table(X)
    leaves, trees = leaf_errors(unwrapped.model, X, y), trees_of(unwrapped.model)
    names = [_name(trees, leaf) for leaf in leaves]
    lines = max(name.count("\n") + 1 for name in names)
    ax, palette = chart_axes(ax, width=7.6, height=height_of_bars(len(leaves), lines))
    if isinstance(trees[0], RegressionTree):
        unit = DEVIATION[trees[0].error_term] if X is None else typical_error(trees[0])
        ends = [_deviation(trees[0], leaf) for leaf in leaves]
        ax.barh(range(len(leaves)), ends, color=palette.line, height=BAR)
        ax.set_xlabel(unit)
    else:
        unit = "errors"
        ends = _draw_classes(ax, palette, trees, leaves)
        weighted = X is None and any(map(is_weighted, trees))
        ax.set_xlabel("weight of examples" if weighted else "examples")
    counts = [_counts(trees[leaf.tree], leaf, unit, X is not None) for leaf in leaves]
    for position, (end, text) in enumerate(zip(ends, counts, strict=True)):
        label = ax.annotate(
            text,
            xy=(end, position),
            xytext=(4, 0),
            textcoords="offset points",
            verticalalignment="center",
            color=palette.ink,
            fontsize="small",
        )
        label.set_parse_math(False)
    room_for_labels(ax, ends, counts)
    for tick in ax.set_yticks(range(len(leaves)), names, fontsize="small"):
        tick.label1.set_parse_math(False)
    bars_from_above(ax, len(leaves))
    return ax


def _draw_classes(
    ax: Axes, palette: Palette, trees: Sequence[Tree], leaves: list[LeafErrors]
) -> list[float]:
    """Draw the examples of each class, hatched where they are errors; return the bars' ends."""
    from matplotlib.patches import Patch

    names = [in_lines(one_line(label)) for label in trees[0].classes.tolist()]
    colours = [class_colour(k, palette) for k in range(len(names))]
    hatch: dict[str, Any] = {"hatch": HATCH, "edgecolor": palette.background}
    ends = [0.0] * len(leaves)
    handles = []
    for k, (name, colour) in enumerate(
        zip([*names, "another label"], [*colours, palette.line], strict=True)
    ):
        widths = [leaf.by_class[k] for leaf in leaves]
        if name not in names and not any(widths):
            continue
        handles.append(Patch(facecolor=colour, label=name))
        for position, leaf in enumerate(leaves):
            right = trees[leaf.tree].prediction[leaf.leaf] == k
            style = {"edgecolor": palette.background} if right else hatch
            ax.barh(position, widths[position], BAR, ends[position], color=colour, **style)
            ends[position] += widths[position]
    chart_legend(ax, palette, [*handles, Patch(facecolor=palette.line, label="errors", **hatch)])
    return ends


def _name(trees: Sequence[Tree], leaf: LeafErrors) -> str:
    """Return the prediction of a leaf and the conditions on its path."""
    tree = trees[leaf.tree]
    conditions = " and ".join(conditions_of(tree, path_to(parents_of(tree), leaf.leaf)))
    number = f"tree {leaf.tree}: " if len(trees) > 1 else ""
    return "\n".join(filter(None, (number + in_lines(leaf.predicted), in_lines(conditions))))


def _counts(tree: Tree, leaf: LeafErrors, unit: str, another_table: bool) -> str:
    """Return the counts of a leaf in the words of the picture of the tree."""
    if not another_table:
        return f"{examples(tree, leaf.leaf)}, {errors(tree, leaf.leaf)}"
    count = counted(leaf.examples, "example")
    if isinstance(tree, RegressionTree):
        return f"{count}, {unit} {_deviation(tree, leaf):.4g}" if leaf.examples else count
    return f"{count}, {counted(leaf.errors, 'error')}"


def _deviation(tree: RegressionTree, leaf: LeafErrors) -> float:
    """Return the typical deviation of a leaf's examples from its number, 0 without examples."""
    return typical_deviation(tree, leaf.errors, leaf.examples) if leaf.examples else 0.0
