"""plot_tree: draws into axes, shows every node, and keeps its text inside its boxes."""

from collections.abc import Iterator
from typing import Any

import pytest

from exactree.export import plot_tree
from exactree.export.palette import DARK, LIGHT
from exactree.trees import Tree

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_rules_labels_and_counts_are_drawn(small_tree: Tree) -> None:
    ax = plot_tree(small_tree)
    assert isinstance(ax, matplotlib.axes.Axes)
    for expected in ("length ≤ 2.5", "width ≤ 1.75", "round", "2 examples", "1 error", "yes", "no"):
        assert expected in words(ax)


def test_text_stays_inside_its_box(small_tree: Tree) -> None:
    ax = plot_tree(small_tree)
    ax.figure.canvas.draw()
    boxes = [p.get_window_extent() for p in ax.patches if "FancyBbox" in type(p).__name__]
    assert len(boxes) == small_tree.node_count
    for text in ax.texts:
        if text.get_text() in ("yes", "no"):
            continue
        extent = text.get_window_extent()
        assert any(
            (box.x0 <= extent.x0 and extent.x1 <= box.x1)
            and (box.y0 <= extent.y0 and extent.y1 <= box.y1)
            for box in boxes
        ), text.get_text()


@pytest.mark.filterwarnings("ignore:the letters of this tree")
def test_given_axes_are_used(small_tree: Tree) -> None:
    _, (left, right) = plt.subplots(1, 2, figsize=(6, 2))
    assert plot_tree(small_tree, ax=left) is left
    assert plot_tree(small_tree, ax=right, fontsize=5) is right
    assert min(text.get_fontsize() for text in left.texts) < 9
    assert max(text.get_fontsize() for text in right.texts) == 5
    assert len(plt.get_fignums()) == 1


def test_the_colour_of_text_follows_the_background(small_tree: Tree) -> None:
    assert plot_tree(small_tree).texts[0].get_color() == LIGHT.ink
    with plt.style.context("dark_background"):
        assert plot_tree(small_tree).texts[0].get_color() == DARK.ink


def test_a_single_leaf_has_its_label_and_counts(single_leaf: Tree) -> None:
    assert words(plot_tree(single_leaf)) == ["9", "3 examples", "weight 2.25", "0.5 errors"]


@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_are_text(hostile_tree: Tree, tmp_path: Any) -> None:
    """Text between dollars is not a formula."""
    ax = plot_tree(hostile_tree)
    ax.figure.savefig(tmp_path / "tree.png", dpi=20)
    ax.figure.savefig(tmp_path / "tree.svg")
    assert any("$x_1$" in text for text in words(ax))
