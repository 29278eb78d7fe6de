"""plot_leaf_errors: the bars are the examples of each leaf by class, errors hatched."""

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


def hatched(ax: Any) -> list[float]:
    return [bar.get_width() for bar in ax.patches if bar.get_hatch() and bar.get_width()]


def test_bars_are_the_examples_of_each_class_in_each_leaf(small_tree: Tree) -> None:
    assert leaf_rows(small_tree) == [("round", 2, 0), ("long", 1, 0), ("flat", 2, 1)]
    ax = plot_leaf_errors(small_tree)
    assert widths(ax) == [0, 0, 1, 0, 1, 1, 2, 0, 0], "flat, long, round of all leaves"
    assert [bar.get_x() for bar in ax.patches] == [0, 0, 0, 0, 0, 1, 0, 1, 2], (
        "each class begins where the last one ends"
    )
    assert hatched(ax) == [1], "the long example in the leaf of flat"
    names = [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]
    assert names == [
        "round length ≤ 2.5",
        "long length > 2.5 and width ≤ 1.75",
        "flat length > 2.5 and width > 1.75",
    ]
    counts = [text.get_text() for text in ax.texts]
    assert counts == ["2 examples, 0 errors", "1 example, 0 errors", "2 examples, 1 error"]
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["flat", "long", "round", "errors"]


def test_examples_of_another_table_are_counted(small_tree: Tree) -> None:
    X, y = [[0, 0], [1, 9], [3, 0], [3, 0]], ["round", "flat", "long", "no such class"]
    assert leaf_rows(small_tree, X, y) == [("round", 2, 1), ("long", 2, 1), ("flat", 0, 0)]
    ax = plot_leaf_errors(small_tree, X, y)
    of_class = [widths(ax)[k : k + 3] for k in range(0, 12, 3)]
    assert of_class == [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]]
    assert hatched(ax) == [1, 1], "flat in the leaf of round, and no such class in that of long"
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["flat", "long", "round", "another label", "errors"]


def test_the_examples_of_the_fit_are_counted_alike() -> None:
    X = np.random.default_rng(3).normal(size=(50, 2))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "yes", "no")
    tree = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=2))).tree
    assert leaf_rows(tree) == leaf_rows(tree, X, y)


def test_leaves_of_a_regression_have_their_deviation_in_the_unit_of_the_target() -> None:
    X, y = np.arange(4.0)[:, None], np.array([0.0, 2.0, 7.0, 7.0])
    problem = xt.Problem(X, y, minimize="squared_error", limits=xt.Limits(max_size=1))
    tree = xt.solve(problem).tree
    assert leaf_rows(tree) == leaf_rows(tree, X, y) == [("1", 2, 2), ("7", 2, 0)]
    ax = plot_leaf_errors(tree)
    assert widths(ax) == [1, 0]
    assert ax.get_xlabel() == "standard deviation"
    held_out = plot_leaf_errors(tree, [[9.0]], [5.0])
    assert widths(held_out) == [0, 2]
    assert held_out.get_xlabel() == "root mean squared error"


def test_leaves_of_an_ensemble_name_their_tree(three_trees: Ensemble) -> None:
    names = [label.get_text() for label in plot_leaf_errors(three_trees).get_yticklabels()]
    assert names[0] == "tree 0: round\nlength ≤ 2.5"
    assert names[-1] == "tree 2: round"


@pytest.mark.filterwarnings("ignore:Glyph", "ignore:constrained_layout not applied")
def test_hostile_names_are_text(hostile_tree: Tree, tmp_path: Any) -> None:
    ax = plot_leaf_errors(hostile_tree)
    ax.figure.savefig(tmp_path / "leaves.png", dpi=20)
    assert any("$x_1$" in label.get_text() for label in ax.get_yticklabels())
