"""The colours of predictions: told apart by colour-blind people, on white and on black."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactree.trees.regression_tree import RegressionTree

if TYPE_CHECKING:
    from exactree.trees import Tree

# Okabe and Ito's palette (https://jfly.uni-koeln.de/color/) without black. A picture also names
# every class, so that the colours of a ninth and later class may repeat.
CLASS_COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#d55e00",
    "#56b4e9",
    "#f0e442",
    "#999999",
)
# The colours of the least and the greatest number that a tree predicts.
_LEAST, _GREATEST = "#0072b2", "#e69f00"


def class_colour(index: int) -> str:
    """Return the colour of a class."""
    return CLASS_COLOURS[index % len(CLASS_COLOURS)]


def leaf_colour(tree: Tree, leaf: int) -> str:
    """Return the colour of a leaf: that of its class, or of its number between those of others."""
    if isinstance(tree, RegressionTree):
        return _between(_place(tree, leaf))
    return class_colour(int(tree.prediction[leaf]))


def bar_of(tree: Tree, leaf: int) -> list[tuple[str, float]]:
    """Return the colours of the bar in a leaf, each with the part of the bar that it takes.

    That are the shares of the classes; in a regression the bar is as long as the leaf's number is
    great among those of all leaves.
    """
    if isinstance(tree, RegressionTree):
        return [(leaf_colour(tree, leaf), _place(tree, leaf))]
    weight = float(tree.weighted_n_node_samples[leaf])
    return [(class_colour(k), share / weight) for k, share in enumerate(tree.value[leaf].tolist())]


def _place(tree: RegressionTree, leaf: int) -> float:
    """Return where a leaf's number lies between the least, 0, and the greatest of all, 1."""
    numbers = tree.value[tree.children_left < 0, 0]
    least, greatest = float(numbers.min()), float(numbers.max())
    if least == greatest:
        return 1.0
    return float((tree.value[leaf, 0] - least) / (greatest - least))


def _between(place: float) -> str:
    """Mix the two ends, channel by channel."""
    channels = (
        round((1 - place) * int(_LEAST[k : k + 2], 16) + place * int(_GREATEST[k : k + 2], 16))
        for k in (1, 3, 5)
    )
    return "#" + "".join(f"{channel:02x}" for channel in channels)
