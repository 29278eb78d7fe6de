"""plot_regions: the predictions of a model in the plane of two features."""

import re
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import exactree as xt
from exactree.export import plot_regions
from exactree.rules import Hypersurfaces
from exactree.trees import Ensemble, Tree

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    pytest.importorskip("matplotlib.pyplot").close("all")


def test_regions_are_the_predictions_of_the_tree() -> None:
    X = np.array([[0.0, 0.0], [2, 0], [0, 2], [2, 2], [1, 1], [1.1, 0.9]])
    y = np.array(["$out$"] * 4 + ["in"] * 2)
    problem = xt.Problem(X, y, rules=Hypersurfaces(2), limits=xt.Limits(max_depth=1))
    tree = xt.solve(problem).tree
    assert (tree.predict(X) == y).all()
    ax = plot_regions(tree, X, y)
    shown = np.asarray(ax.collections[0].get_array()).ravel()
    assert set(shown.tolist()) == {0, 1}
    assert shown[150 * 300 + 150] == 1, "the middle of 300 by 300 places"
    assert shown[0] == 0
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$out$", "in"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")
    low, high = ax.get_xlim()
    assert low < 0 < 2 < high


def test_the_border_of_a_region_is_the_curve() -> None:
    """The class of each cell of the picture is that of its middle, unless it is on the curve."""
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
    off_the_curve = np.abs(value - tree.threshold[0]) > 1e-9
    shown = np.asarray(mesh.get_array()).ravel()
    assert off_the_curve.sum() > 0.99 * len(shown)
    assert (shown[off_the_curve] == tree.prediction[leaf[off_the_curve]]).all()
    assert 0.1 < (shown == 0).mean() < 0.5


def test_examples_without_labels_and_given_axes() -> None:
    import matplotlib.pyplot as plt

    tree = xt.solve(xt.Problem([[0, 5], [1, 5]], [0, 1])).tree
    ax = plt.subplots()[1]
    assert plot_regions(tree, [[0, 5], [1, 5]], ax=ax) is ax
    assert names(ax) == ["0", "1"], "the regions have names"


def names(ax: Any) -> list[str]:
    """Return the entries of the legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_without_exactly_two_features_the_call_is_refused() -> None:
    tree = xt.solve(xt.Problem([[0], [1]], [0, 1])).tree
    with pytest.raises(ValueError, match="the model has 1 and uses 1: name two"):
        plot_regions(tree, [[0], [1]])
    tree = xt.solve(xt.Problem(*cube())).tree
    with pytest.raises(ValueError, match="the model has 3 and uses 3: name two"):
        plot_regions(tree, cube()[0])
    for wrong, message in (
        ([0, 0], "two different"),
        ([0], "two"),
        (["?", 0], "names '?'"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            plot_regions(tree, cube()[0], features=wrong)


def cube() -> tuple[Any, Any]:
    """Return all rows of three bits, labelled by parity."""
    X = np.array([[a, b, c] for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)])
    return X, X.sum(axis=1) % 2 == 1


def regions_of(ax: Any) -> Any:
    """Return the drawn predictions by row and column; gaps are masked."""
    mesh = ax.collections[0]
    rows, columns = (length - 1 for length in mesh.get_coordinates().shape[:2])
    return mesh.get_array().reshape(rows, columns)


@pytest.mark.parametrize("third", [0.0, 1.0])
def test_features_outside_the_plane_have_the_given_values(third: float) -> None:
    X, y = cube()
    tree = xt.solve(xt.Problem(X, y)).tree
    regions = regions_of(plot_regions(tree, X, y, features=["x2", 0], at=[9.0, third, 9.0]))
    corners = [regions[0, 0], regions[0, -1], regions[-1, 0], regions[-1, -1]]
    assert corners == [third, 1 - third, 1 - third, third]


def test_a_slice_names_the_other_features_and_counts_the_nodes_outside() -> None:
    X, y = cube()
    tree = xt.solve(xt.Problem(X, y)).tree
    given = plot_regions(tree, X, y, features=["x2", 0], at=[9.0, 1.0, 9.0]).get_xlabel()
    name, note, hidden = given.split("\n")
    assert (name, note) == ("x2", "slice at x1 = 1 (given value)")
    assert re.fullmatch(r"[1-9]\d* nodes of the tree not in the slice", hidden)
    medians = plot_regions(tree, X, y, features=[0, 1]).get_xlabel()
    assert "slice at x2 = 0.5 (median or most frequent value)" in medians


def test_by_default_the_plane_is_that_of_the_only_two_features_in_the_tree() -> None:
    X, y = cube()
    tree = xt.solve(xt.Problem(X, (X[:, 0] == 1) & (X[:, 2] == 1))).tree
    ax = plot_regions(tree, X, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x2")


def test_categories_and_missing_values_have_strips() -> None:
    pandas = pytest.importorskip("pandas")
    nan = float("nan")
    X = pandas.DataFrame(
        {
            "colour": ["red", "red", "blue", "green", "blue", "green", None, None],
            "length": [1.0, nan, 1.0, 2.0, nan, 3.0, 1.0, nan],
        }
    )
    y = ["a", "a", "b", "b", "c", "c", "b", "a"]
    tree = xt.solve(xt.Problem(X, y)).tree
    assert tree.predict(X).tolist() == y
    ax = plot_regions(tree, X, y)
    regions = regions_of(ax)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["missing", "blue", "green", "red"]
    assert [tick.get_text() for tick in ax.get_yticklabels(minor=True)] == ["missing"]
    assert regions.mask[1].all(), "a gap keeps the strips of missing values apart"
    assert regions.mask[:, 1].all()
    # Across: missing, gap, blue, green, red. Up: missing, gap, then lengths.
    assert [regions[0, place] for place in (0, 2, 4)] == [0, 2, 0]
    assert [regions[2, place] for place in (2, 4)] == [1, 0]
    places = np.concatenate([drawn.get_offsets() for drawn in ax.collections[1:]])
    assert len(places) == 8
    assert not np.isnan(places).any()


def test_unseen_levels_have_a_strip_of_their_own() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"colour": ["red", "blue"], "length": [1.0, 1.0]})
    tree = xt.solve(xt.Problem(X, [0, 1])).tree
    ax = plot_regions(tree, pandas.DataFrame({"colour": ["pink"], "length": [1.0]}))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["other", "blue", "red"]


def test_strips_of_codes_are_labelled_by_their_numbers(tree_of_codes: Tree) -> None:
    ax = plot_regions(tree_of_codes, [[3, 1.0], [1, 3.0], [2, 4.0]])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "3"]
    assert regions_of(ax)[-1].tolist() == [0, 0, 1]


def test_regions_of_an_ensemble_are_its_votes(three_trees: Ensemble) -> None:
    X = np.array([[1.0, 0.1], [5.0, 2.5]])
    mesh = plot_regions(three_trees, X).collections[0]
    corners = np.asarray(mesh.get_coordinates())
    middles = (corners[1:, 1:] + corners[:-1, :-1]) / 2
    predicted = three_trees.predict_index(middles.reshape(-1, 2))
    assert np.asarray(mesh.get_array()).ravel().tolist() == predicted.tolist()


def test_targets_and_predictions_of_a_regression_share_one_scale() -> None:
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    y = np.array([1.0, 1, 3, 9])
    problem = xt.Problem(X, y, minimize="squared_error", limits=xt.Limits(max_size=1))
    ax = plot_regions(xt.solve(problem).tree, X, y)
    assert set(regions_of(ax).ravel().tolist()) == {1.0, 6.0}
    assert ax.collections[1].get_array().tolist() == y.tolist()
    assert ax.collections[0].get_clim() == ax.collections[1].get_clim() == (1.0, 9.0)


@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_are_text(hostile_tree: Tree, tmp_path: Any) -> None:
    X = np.zeros((1, hostile_tree.n_features))
    y = [hostile_tree.classes[0]]
    ax = plot_regions(hostile_tree, X, y, features=[6, 0])
    ax.figure.set_size_inches(12, 9)
    ax.figure.savefig(tmp_path / "regions.png", dpi=20)
    assert "$x_1$" in ax.get_xlabel()
