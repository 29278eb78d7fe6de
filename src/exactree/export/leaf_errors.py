"""The examples of each leaf, and the errors among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.axes import chart_axes, chart_legend, in_lines
from exactree.export.held_out import features_of, truth_of, unit_of, wrong_by
from exactree.export.model import Model, unwrap
from exactree.export.wording import predicted, trees_of
from exactree.trees import RegressionTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactree.trees import Ensemble, Tree

__all__ = ["LeafErrors", "leaf_errors", "plot_leaf_errors"]


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
    """

    tree: int
    leaf: int
    predicted: str
    examples: float
    errors: float


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
        examples, errors = tree.weighted_n_node_samples, tree.errors
        if X is not None:
            leaves = tree.leaf_index(features_of(tree, X))
            wrong = wrong_by(tree, tree.prediction[leaves], truth_of(tree, y, len(leaves)))
            examples = np.bincount(leaves, minlength=tree.node_count).astype(np.float64)
            errors = np.bincount(leaves, wrong, tree.node_count).astype(np.float64)
        for leaf in np.flatnonzero(tree.children_left < 0).tolist():
            prediction = predicted(tree, leaf)
            found.append(
                LeafErrors(number, leaf, prediction, float(examples[leaf]), float(errors[leaf]))
            )
    return found


def plot_leaf_errors(model: Model, X: Any = None, y: Any = None, ax: Axes | None = None) -> Axes:
    """Draw a bar for each leaf: the numbers of correct and of wrong predictions.

    In a regression the bar is the mean error of the leaf's examples.

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
    ax, palette = chart_axes(ax, height=max(1.8, 1.0 + 0.36 * len(leaves)))
    positions = range(len(leaves))
    right, wrong = palette.classes[0], palette.classes[1]
    style: dict[str, Any] = {"height": 0.7, "edgecolor": palette.background}
    if isinstance(trees[0], RegressionTree):
        means = [leaf.errors / leaf.examples if leaf.examples else 0.0 for leaf in leaves]
        ax.barh(positions, means, color=right, **style)
        ax.set_xlabel(unit_of(trees[0]))
    else:
        correct = [leaf.examples - leaf.errors for leaf in leaves]
        ax.barh(positions, correct, color=right, label="right", **style)
        errors = [leaf.errors for leaf in leaves]
        ax.barh(positions, errors, left=correct, color=wrong, label="wrong", hatch="//", **style)
        ax.set_xlabel("examples")
        chart_legend(ax, palette)
    several = len(trees) > 1
    names = [
        in_lines(leaf.predicted) + f" ({f'tree {leaf.tree}, ' if several else ''}leaf {leaf.leaf})"
        for leaf in leaves
    ]
    for tick in ax.set_yticks(positions, names):
        tick.label1.set_parse_math(False)
    ax.invert_yaxis()
    return ax
