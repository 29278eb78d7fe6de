"""plot_leaf_errors: the bars are the examples of each leaf, right and wrong."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.export import plot_leaf_errors
from exactree.export.leaf_errors import leaf_errors
from exactree.trees import Ensemble, Tree

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def leaf_rows(model: Any, *table: Any) -> list[tuple[str, float, float]]:
    return [(leaf.predicted, leaf.examples, leaf.errors) for leaf in leaf_errors(model, *table)]


def widths(ax: Any) -> list[float]:
    return [bar.get_width() for bar in ax.patches]


def test_bars_are_right_and_wrong_examples_of_each_leaf(small_tree: Tree) -> None:
    assert leaf_rows(small_tree) == [("round", 2, 0), ("long", 1, 0), ("flat", 2, 1)]
    ax = plot_leaf_errors(small_tree)
    assert widths(ax) == [2, 1, 1, 0, 0, 1], "right examples of all leaves, then wrong examples"
    assert [bar.get_x() for bar in ax.patches] == [0, 0, 0, 2, 1, 1], (
        "wrong begins where right ends"
    )
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["round (leaf 1)", "long (leaf 3)", "flat (leaf 4)"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["right", "wrong"]


def test_examples_of_another_table_are_counted(small_tree: Tree) -> None:
    X, y = [[0, 0], [1, 9], [3, 0], [3, 0]], ["round", "flat", "long", "no such class"]
    assert leaf_rows(small_tree, X, y) == [("round", 2, 1), ("long", 2, 1), ("flat", 0, 0)]
    assert widths(plot_leaf_errors(small_tree, X, y)) == [1, 1, 0, 1, 1, 0]


def test_the_examples_of_the_fit_are_counted_alike() -> None:
    X = np.random.default_rng(3).normal(size=(50, 2))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "yes", "no")
    tree = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=2))).tree
    assert leaf_rows(tree) == leaf_rows(tree, X, y)


def test_leaves_of_a_regression_have_their_mean_error() -> None:
    X, y = np.arange(4.0)[:, None], np.array([0.0, 2.0, 7.0, 7.0])
    problem = xt.Problem(X, y, minimize="squared_error", limits=xt.Limits(max_size=1))
    tree = xt.solve(problem).tree
    assert leaf_rows(tree) == leaf_rows(tree, X, y) == [("1", 2, 2), ("7", 2, 0)]
    ax = plot_leaf_errors(tree)
    assert widths(ax) == [1, 0]
    assert ax.get_xlabel() == "mean squared error"
    assert widths(plot_leaf_errors(tree, [[9.0]], [5.0])) == [0, 4]


def test_leaves_of_an_ensemble_name_their_tree(three_trees: Ensemble) -> None:
    names = [label.get_text() for label in plot_leaf_errors(three_trees).get_yticklabels()]
    assert names[0] == "round (tree 0, leaf 1)"
    assert names[-1] == "round (tree 2, leaf 0)"


@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_are_text(hostile_tree: Tree, tmp_path: Any) -> None:
    ax = plot_leaf_errors(hostile_tree)
    ax.figure.savefig(tmp_path / "leaves.png", dpi=20)
    assert any("$x_1$" in label.get_text() for label in ax.get_yticklabels())
