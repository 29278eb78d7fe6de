"""The features that trees use, and the mean number of evaluations of each for an example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from exactree.export.axes import chart_axes, in_lines
from exactree.export.model import Model, fitted
from exactree.export.wording import counted, one_line, trees_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactree.trees import Ensemble, Tree

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
    evaluations : float
        Mean number of nodes on the path of a training example that split on it, weighted by the
        examples' weights; 1 if only the root splits on it.
    """

    name: str
    nodes: int
    evaluations: float


def feature_use(model: Tree | Ensemble) -> list[FeatureUse]:
    """Return the use of each feature with at least one node, in decreasing order of evaluations.

    Parameters
    ----------
    model : Tree or Ensemble
        The model; for an ensemble the nodes of all its trees are counted.
    """
    trees = trees_of(model)
    nodes = np.zeros(trees[0].n_features, dtype=np.int64)
    evaluations = np.zeros(trees[0].n_features)
    for tree in trees:
        share_at = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
        for node in np.flatnonzero(tree.children_left >= 0).tolist():
            for feature in tree.features_of_operand(int(tree.feature[node])):
                nodes[feature] += 1
                evaluations[feature] += share_at[node]
    names = trees[0].feature_names
    order = sorted(np.flatnonzero(nodes).tolist(), key=lambda f: (-evaluations[f], f))
    return [FeatureUse(names[f], int(nodes[f]), float(evaluations[f])) for f in order]


def plot_feature_use(model: Model, ax: Axes | None = None) -> Axes:
    """Draw a bar for each feature that is used: the mean number of evaluations for an example.

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
    used = feature_use(fitted(model))
    ax, palette = chart_axes(ax, height=max(1.6, 0.7 + 0.36 * len(used)))
    places = range(len(used))
    bars = ax.barh(places, [use.evaluations for use in used], color=palette.classes[0], height=0.7)
    labels = [f"{use.evaluations:.2g} in {counted(use.nodes, 'node')}" for use in used]
    # Texts are not parsed as formulas: a name may contain dollar signs.
    for text in ax.bar_label(bars, labels, padding=4, color=palette.ink):
        text.set_parse_math(False)
    for tick in ax.set_yticks(places, [in_lines(one_line(use.name)) for use in used]):
        tick.label1.set_parse_math(False)
    ax.invert_yaxis()
    ax.margins(x=0.25)
    ax.set_xlabel("evaluations per example")
    return ax
