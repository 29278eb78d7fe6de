"""The colours of all pictures, distinct for colour-blind readers, on light and dark backgrounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactree.trees.regression_tree import RegressionTree

if TYPE_CHECKING:
    from exactree.trees import Tree

__all__ = ["DARK", "LIGHT", "Palette", "bar_of", "class_colour", "leaf_colour", "palette_on"]

MARK = 0.12  # width of the mark of a number relative to its bar


@dataclass(frozen=True)
class Palette:
    """The colours of pictures on one background.

    Attributes
    ----------
    background, box : str
        Background of the picture, and of nodes.
    ink, detail : str
        Colours of text, and of secondary text.
    line : str
        Colour of edges, borders and axes.
    classes : tuple of str
        Colours of classes, and of the lines and bars of charts. They repeat from the ninth class
        on; a picture also names every class.
    smallest, greatest : str
        Colours of the smallest and the greatest number that a tree predicts.
    track : str
        Colour of the line along which a mark shows the position of a number.
    """

    background: str
    box: str
    ink: str
    detail: str
    line: str
    classes: tuple[str, ...]
    smallest: str
    greatest: str
    track: str


# The classes' colours were found by a search: each has a contrast of at least 3:1 with the
# background (WCAG 2.2, 1.4.11), and every two differ by at least 14 in CIEDE2000 for people with
# normal vision and for those who lack one kind of cone (after Machado, Oliveira and Fernandes,
# 2009). tests/export/test_palette.py computes both. Okabe and Ito's well-known palette has yellow
# and sky blue, which are too pale for lines on white.
LIGHT = Palette(
    background="#ffffff",
    box="#f3f5f7",
    ink="#1b1f24",
    detail="#4f5861",
    line="#6e7781",
    classes=(
        "#03388e", "#945c02", "#669e84", "#de5ec7", "#6e1c16", "#24717b", "#93983f", "#454647",
    ),
    smallest="#03388e",
    greatest="#c9760f",
    track="#d3d9df",
)  # fmt: skip
DARK = Palette(
    background="#15191e",
    box="#262c33",
    ink="#e9edf1",
    detail="#b3bcc6",
    line="#8b949e",
    classes=(
        "#4b76f1", "#c84b00", "#bdf8c9", "#82597b", "#c69479", "#60b9ed", "#f6de5b", "#b2b2b6",
    ),
    smallest="#4b76f1",
    greatest="#f6de5b",
    track="#434c56",
)  # fmt: skip


def palette_on(red: float, green: float, blue: float) -> Palette:
    """Return the palette for a background.

    Parameters
    ----------
    red, green, blue : float
        The background colour, each channel in [0, 1].
    """
    return DARK if red + green + blue < 1.5 else LIGHT


def class_colour(index: int, palette: Palette = LIGHT) -> str:
    """Return the colour of a class."""
    return palette.classes[index % len(palette.classes)]


def leaf_colour(tree: Tree, leaf: int, palette: Palette = LIGHT) -> str:
    """Return the colour of a leaf: that of its class, or of its number among all leaves."""
    if isinstance(tree, RegressionTree):
        return _between(_relative_position(tree, leaf), palette)
    return class_colour(int(tree.prediction[leaf]), palette)


def bar_of(tree: Tree, node: int, palette: Palette = LIGHT) -> list[tuple[str, float]]:
    """Return the colours of the bar in a node, each with its share of the bar.

    These are the shares of the classes; in a regression a mark at the position of the node's number
    between the smallest and the greatest number of all leaves.
    """
    if isinstance(tree, RegressionTree):
        before = (1 - MARK) * _relative_position(tree, node)
        mark = leaf_colour(tree, node, palette)
        return [(palette.track, before), (mark, MARK), (palette.track, 1 - MARK - before)]
    if not tree.counts_rows:
        return [(leaf_colour(tree, node, palette) if tree.is_leaf(node) else palette.track, 1.0)]
    weight = float(tree.weighted_n_node_samples[node])
    shares = tree.value[node].tolist()
    return [(class_colour(k, palette), share / weight) for k, share in enumerate(shares)]


def _relative_position(tree: RegressionTree, node: int) -> float:
    """Return the position of a node's number between the smallest, 0, and the greatest, 1."""
    numbers = tree.value[tree.children_left < 0, 0]
    smallest, greatest = float(numbers.min()), float(numbers.max())
    if smallest == greatest:
        return 0.5
    return float((tree.value[node, 0] - smallest) / (greatest - smallest))


def _between(share: float, palette: Palette) -> str:
    """Return the mixture of the two end colours."""
    ends = zip(_channels(palette.smallest), _channels(palette.greatest), strict=True)
    return "#" + "".join(f"{round((1 - share) * a + share * b):02x}" for a, b in ends)


def _channels(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
