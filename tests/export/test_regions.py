"""The picture of what a tree predicts in the plane."""

import matplotlib as mpl
import numpy as np
import pytest

import exactree as xt
from exactree.export import plot_regions
from exactree.rules import Hypersurfaces

mpl.use("Agg")


def test_regions_are_what_the_tree_predicts() -> None:
    X = np.array([[0.0, 0.0], [2, 0], [0, 2], [2, 2], [1, 1], [1.1, 0.9]])
    y = np.array(["$out$"] * 4 + ["in"] * 2)
    problem = xt.Problem(X, y, rules=Hypersurfaces(2), limits=xt.Limits(max_depth=1))
    tree = xt.solve(problem).tree
    assert (tree.predict(X) == y).all()
    ax = plot_regions(tree, X, y)
    shown = np.asarray(ax.collections[0].get_array()).ravel()
    assert set(shown.tolist()) == {0, 1}
    assert shown[150 * 300 + 150] == 1, "the middle"
    assert shown[0] == 0
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$out$", "in"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")
    low, high = ax.get_xlim()
    assert low < 0 < 2 < high


def test_the_border_of_a_region_is_the_curve() -> None:
    """The colour of each place is the side of the surface on which its middle lies."""
    rng = np.random.default_rng(7)
    X = rng.uniform(-2, 2, size=(14, 2))
    y = np.where(np.hypot(*X.T) < 1.2, "in", "out")
    problem = xt.Problem(X, y, rules=Hypersurfaces(2), limits=xt.Limits(max_depth=1))
    tree = xt.solve(problem).tree
    mesh = plot_regions(tree, X, y).collections[0]
    corners = np.asarray(mesh.get_coordinates())
    middles = (corners[1:, 1:] + corners[:-1, :-1]) / 2
    x0, x1 = middles.reshape(-1, 2).T
    a, b, c, d, e = tree.surfaces.weights[0]
    value = a * x0 + b * x1 + c * x0 * x0 + d * x0 * x1 + e * x1 * x1
    leaf = np.where(value <= tree.threshold[0], 1, 2)
    clear = np.abs(value - tree.threshold[0]) > 1e-9
    shown = np.asarray(mesh.get_array()).ravel()
    assert clear.sum() > 0.99 * len(shown)
    assert (shown[clear] == tree.prediction[leaf[clear]]).all()
    assert 0.1 < (shown == 0).mean() < 0.5


def test_examples_without_labels_and_given_axes() -> None:
    import matplotlib.pyplot as plt

    tree = xt.solve(xt.Problem([[0, 5], [1, 5]], [0, 1])).tree
    ax = plt.subplots()[1]
    assert plot_regions(tree, [[0, 5], [1, 5]], ax=ax) is ax
    assert ax.get_legend() is None


def test_other_numbers_of_features_are_refused() -> None:
    tree = xt.solve(xt.Problem([[0], [1]], [0, 1])).tree
    with pytest.raises(ValueError, match="two features, this one has 1"):
        plot_regions(tree, [[0], [1]])
