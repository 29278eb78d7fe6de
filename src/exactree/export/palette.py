"""The colours of all pictures, distinct for colour-blind people, on light and on dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactree.trees.regression_tree import RegressionTree

if TYPE_CHECKING:
    from exactree.trees import Tree

__all__ = ["DARK", "LIGHT", "Palette", "bar_of", "class_colour", "leaf_colour", "palette_on"]


@dataclass(frozen=True)
class Palette:
    """The colours of pictures on one ground.

    Attributes
    ----------
    ground, box : str
        Behind everything, and behind the text of nodes.
    ink, detail : str
        Of text, and of text that matters less.
    line : str
        Of edges, borders and axes.
    classes : tuple of str
        Of classes, and of the lines and bars of charts. A picture also names every class, so that
        the colours of a ninth and later class may repeat.
    least, greatest : str
        Of the least and the greatest number that a tree predicts.
    """

    ground: str
    box: str
    ink: str
    detail: str
    line: str
    classes: tuple[str, ...]
    least: str
    greatest: str


# The classes' colours were found by a search: each contrasts with the ground at least 3 to 1
# (WCAG 2.2, 1.4.11), and every two differ by at least 14 in CIEDE2000 for people with normal vision
# and for those who lack one kind of cone (after Machado, Oliveira and Fernandes, 2009).
# tests/export/test_palette.py computes both. Okabe and Ito's well-known palette has yellow and
# sky blue, which are too pale for lines on white.
LIGHT = Palette(
    ground="#ffffff",
    box="#f3f5f7",
    ink="#1b1f24",
    detail="#4f5861",
    line="#6e7781",
    classes=(
        "#03388e", "#945c02", "#669e84", "#de5ec7", "#6e1c16", "#24717b", "#93983f", "#454647",
    ),
    least="#03388e",
    greatest="#c9760f",
)  # fmt: skip
DARK = Palette(
    ground="#15191e",
    box="#262c33",
    ink="#e9edf1",
    detail="#b3bcc6",
    line="#8b949e",
    classes=(
        "#4b76f1", "#c84b00", "#bdf8c9", "#82597b", "#c69479", "#60b9ed", "#f6de5b", "#b2b2b6",
    ),
    least="#4b76f1",
    greatest="#f6de5b",
)  # fmt: skip


def palette_on(red: float, green: float, blue: float) -> Palette:
    """Return the palette for a ground.

    Parameters
    ----------
    red, green, blue : float
        The ground's colour, each in [0, 1].
    """
    return DARK if red + green + blue < 1.5 else LIGHT


def class_colour(index: int, palette: Palette = LIGHT) -> str:
    """Return the colour of a class."""
    return palette.classes[index % len(palette.classes)]


def leaf_colour(tree: Tree, leaf: int, palette: Palette = LIGHT) -> str:
    """Return the colour of a leaf: that of its class, or of its number between those of others."""
    if isinstance(tree, RegressionTree):
        return _between(_place(tree, leaf), palette)
    return class_colour(int(tree.prediction[leaf]), palette)


def bar_of(tree: Tree, leaf: int, palette: Palette = LIGHT) -> list[tuple[str, float]]:
    """Return the colours of the bar in a leaf, each with the part of the bar that it takes.

    That are the shares of the classes; in a regression the bar is as long as the leaf's number is
    great among those of all leaves.
    """
    if isinstance(tree, RegressionTree):
        return [(leaf_colour(tree, leaf, palette), _place(tree, leaf))]
    weight = float(tree.weighted_n_node_samples[leaf])
    shares = tree.value[leaf].tolist()
    return [(class_colour(k, palette), share / weight) for k, share in enumerate(shares)]


def _place(tree: RegressionTree, leaf: int) -> float:
    """Return where a leaf's number lies between the least, 0, and the greatest of all, 1."""
    numbers = tree.value[tree.children_left < 0, 0]
    least, greatest = float(numbers.min()), float(numbers.max())
    if least == greatest:
        return 1.0
    return float((tree.value[leaf, 0] - least) / (greatest - least))


def _between(place: float, palette: Palette) -> str:
    """Mix the two ends, channel by channel."""
    ends = zip(_channels(palette.least), _channels(palette.greatest), strict=True)
    return "#" + "".join(f"{round((1 - place) * a + place * b):02x}" for a, b in ends)


def _channels(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
