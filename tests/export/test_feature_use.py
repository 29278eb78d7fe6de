"""plot_feature_use: bars are the examples split on each feature, compared with their paths."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactree as xt
from exactree.export import plot_feature_use
from exactree.export.feature_use import FeatureUse, feature_use
from exactree.trees import Ensemble, Tree

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def test_bars_are_the_examples_split_on_a_feature(small_tree: Tree) -> None:
    assert feature_use(small_tree) == [FeatureUse("length", 1, 5), FeatureUse("width", 1, 3)]
    ax = plot_feature_use(small_tree)
    assert [bar.get_width() for bar in ax.patches] == [5, 3]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["length", "width"]
    assert [text.get_text() for text in ax.texts] == ["5 examples, 1 node", "3 examples, 1 node"]


def test_examples_of_all_trees_of_an_ensemble_are_added(three_trees: Ensemble) -> None:
    used = {use.name: use for use in feature_use(three_trees)}
    assert used["width"] == FeatureUse("width", 2, 8)
    assert used["length"] == FeatureUse("length", 1, 5)


@given(data=st.data())
def test_an_example_counts_once_for_each_feature_on_its_path(fitted_table: Any, data: Any) -> None:
    case = data.draw(fitted_table())
    tree, dataset = case.tree, case.dataset
    on_path = tree.decision_path(dataset.X).toarray().astype(bool)
    splits = np.flatnonzero(tree.children_left >= 0)
    expected = {
        tree.feature_names[feature]: int(
            on_path[:, splits[tree.feature[splits] == feature]].any(axis=1).sum()
        )
        for feature in np.unique(tree.feature[splits])
    }
    assert {use.name: use.examples for use in feature_use(tree)} == expected


def test_a_weighted_sum_uses_all_its_features() -> None:
    X = np.array([[0.0, 0], [1, 1], [1, 0], [0, 1], [2, 2]])
    problem = xt.Problem(X, X.sum(axis=1) > 1.5, rules=xt.rules.Hyperplanes())
    assert [use.nodes for use in feature_use(xt.solve(problem).tree)] == [1, 1]


def test_a_leaf_uses_nothing(single_leaf: Tree) -> None:
    assert feature_use(single_leaf) == []
    assert not plot_feature_use(single_leaf).patches


@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_are_text(hostile_tree: Tree, tmp_path: Any) -> None:
    ax = plot_feature_use(hostile_tree)
    ax.figure.savefig(tmp_path / "features.png", dpi=20)
    assert any("$x_1$" in label.get_text() for label in ax.get_yticklabels())
