"""The features that trees use, and the examples whose paths split on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from exactree.export.axes import (
    BAR,
    bars_from_above,
    chart_axes,
    height_of_bars,
    in_lines,
    room_for_labels,
)
from exactree.export.model import Model, fitted
from exactree.export.wording import counted, one_line, trees_of
from exactree.trees.ensemble import Ensemble

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactree.trees import Tree

__all__ = ["FeatureUse", "feature_use", "plot_feature_use"]


@dataclass(frozen=True)
class FeatureUse:
    """The use of a feature.

    Attributes
    ----------
    name : str
        The feature.
    nodes : int
        Number of nodes that split on it, alone or in a weighted sum.
    examples : int
        Number of training examples whose path splits on it, each counted once per tree; all of them
        if the root does.
    """

    name: str
    nodes: int
    examples: int


def feature_use(model: Tree | Ensemble) -> list[FeatureUse]:
    """Return the use of each feature with at least one node, most examples first.

    Parameters
    ----------
    model : Tree or Ensemble
        The model; for an ensemble the nodes and examples of all its trees are added.
    """
    trees = trees_of(model)
    nodes = np.zeros(trees[0].n_features, dtype=np.int64)
    examples = np.zeros(trees[0].n_features, dtype=np.int64)
    for tree in trees:
        tree.check_counted("the examples that use features")
        # Features of the nodes above each node; parents come before their children.
        above: dict[int, frozenset[int]] = {0: frozenset()}
        for node in np.flatnonzero(tree.children_left >= 0).tolist():
            features = tree.features_of_operand(int(tree.feature[node]))
            for feature in features:
                nodes[feature] += 1
                if feature not in above[node]:
                    examples[feature] += tree.n_node_samples[node]
            for child in (int(tree.children_left[node]), int(tree.children_right[node])):
                above[child] = above[node].union(features)
    names = trees[0].feature_names
    order = sorted(np.flatnonzero(nodes).tolist(), key=lambda f: (-examples[f], f))
    return [FeatureUse(names[f], int(nodes[f]), int(examples[f])) for f in order]


def plot_feature_use(model: Model, ax: Axes | None = None) -> Axes:
    """Draw a bar for each feature that is used: the training examples whose path splits on it.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model to draw.
    ax : matplotlib.axes.Axes, optional
        The axes to draw in; by default those of a new figure. Colours follow the figure's
        background.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    found = fitted(model)
    used = feature_use(found)
    ax, palette = chart_axes(ax, height=height_of_bars(len(used)))
    places = range(len(used))
    bars = ax.barh(places, [use.examples for use in used], color=palette.line, height=BAR)
    labels = [f"{counted(use.examples, 'example')}, {counted(use.nodes, 'node')}" for use in used]
    # Texts are not parsed as formulas: a name may contain dollar signs.
    for text in ax.bar_label(bars, labels, padding=4, color=palette.ink):
        text.set_parse_math(False)
    for tick in ax.set_yticks(places, [in_lines(one_line(use.name)) for use in used]):
        tick.label1.set_parse_math(False)
    bars_from_above(ax, len(used))
    room_for_labels(ax, [use.examples for use in used], labels)
    several = isinstance(found, Ensemble) and len(found.trees) > 1
    ax.set_xlabel("examples split on the feature" + (", added over the trees" if several else ""))
    return ax
