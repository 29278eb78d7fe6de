"""What a tree predicts in the plane of its two features, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exactree.data.dataset import make_features
from exactree.export.palette import class_colour
from exactree.export.wording import one_line
from exactree.trees.regression_tree import RegressionTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from exactree.trees import Tree

STEPS = 300  # places along each side of the picture


def plot_regions(
    tree: Tree, X: ArrayLike, y: ArrayLike | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what a tree of two features predicts, classes or numbers, and examples over it.

    Parameters
    ----------
    tree : Tree
        With two features.
    X : array or data frame, shape (n, 2)
        Examples; the picture is as large as they need.
    y : array, optional
        Their labels, for their colours.
    ax : matplotlib.axes.Axes, optional
        The axes to draw in; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    ValueError
        If the tree has another number of features.
    """
    import matplotlib.pyplot as plt
    from matplotlib.colors import ListedColormap

    names = tree.feature_names
    if len(names) != 2:
        raise ValueError(f"plot_regions draws trees of two features, this one has {len(names)}.")
    if tree.levels:
        raise ValueError("plot_regions draws numbers; this tree asks for levels of a category.")
    features = make_features(X, names, tree.named, "an example without a value has no place")
    low, high = features.min(axis=0), features.max(axis=0)
    rim = np.where(high > low, 0.06 * (high - low), 1.0)
    sides = [np.linspace(a, b, STEPS) for a, b in zip(low - rim, high + rim, strict=True)]
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*sides)], axis=1)
    if isinstance(tree, RegressionTree):
        ax = plt.subplots()[1] if ax is None else ax
        return _draw_numbers(tree, sides, grid, features, y, ax)
    regions = tree.predict_index(grid).reshape(STEPS, STEPS)
    colours = [class_colour(k) for k in range(len(tree.classes))]
    ax = plt.subplots()[1] if ax is None else ax
    last = len(colours) - 0.5
    ax.pcolormesh(*sides, regions, cmap=ListedColormap(colours), vmin=-0.5, vmax=last, alpha=0.3)
    if y is None:
        ax.scatter(features[:, 0], features[:, 1], color="#6e7781", s=16)
    else:
        for k, label in enumerate(tree.classes):
            chosen = features[np.asarray(y) == label]
            name = one_line(label)
            ax.scatter(chosen[:, 0], chosen[:, 1], color=colours[k], s=16, label=name)
        ax.legend()
    return _named(ax, tree)


def _draw_numbers(
    tree: RegressionTree,
    sides: list[NDArray[np.float64]],
    grid: NDArray[np.float64],
    features: NDArray[np.float64],
    y: ArrayLike | None,
    ax: Axes,
) -> Axes:
    """Draw the numbers that a tree predicts, and those of the examples, on one scale of colours."""
    told = tree.predict(grid).reshape(STEPS, STEPS)
    numbers = None if y is None else np.asarray(y, dtype=np.float64)
    every = told.ravel() if numbers is None else np.concatenate([told.ravel(), numbers])
    scale = {"cmap": "cividis", "vmin": every.min(), "vmax": every.max()}
    drawn = ax.pcolormesh(*sides, told, alpha=0.6, **scale)
    if numbers is None:
        ax.scatter(features[:, 0], features[:, 1], color="#6e7781", s=16)
    else:
        ax.scatter(features[:, 0], features[:, 1], c=numbers, s=16, edgecolors="#6e7781", **scale)
    ax.figure.colorbar(drawn, ax=ax)
    return _named(ax, tree)


def _named(ax: Axes, tree: Tree) -> Axes:
    """Write the names of the features along the sides."""
    ax.set_xlabel(one_line(tree.feature_names[0]))
    ax.set_ylabel(one_line(tree.feature_names[1]))
    return ax
