"""The layout of pictures of trees; lengths are in em, the height of the letters."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from exactree.export.wording import (
    CENTRE,
    counted,
    errors,
    feature_name,
    only_missing,
    predicted,
    quantity,
    threshold_or_code,
)
from exactree.trees.regression_tree import RegressionTree
from exactree.trees.routing import AT_MOST, node_depths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exactree.trees import Tree

LINE = 1.35  # height of a line
PAD = 0.7  # between text and border
BAR = 0.45  # height of the bar of class shares
GAP = 1.1  # between neighbouring boxes
RISE = 2.6  # between levels, room for "yes" and "no"
MARGIN = 1.0  # around everything
WIDEST = 15.0  # widest line of text
LONGEST = 72  # longest name in full, in characters
TITLE = 2 * LINE  # room above every tree of an ensemble for its number
DETAIL = 0.85  # size of the counts relative to the rule

# Widths of the characters from space to tilde in thousandths of an em, in DejaVu Sans: as wide
# as common fonts get, and the font matplotlib draws with. Bold is up to a seventh wider.
_WIDTHS = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
)  # fmt: skip
BOLDER = 1.15


@dataclass(frozen=True)
class Line:
    """A line of text in a box."""

    text: str
    size: float = 1.0
    bold: bool = False

    @property
    def width(self) -> float:
        """Width of the text in em."""
        return text_width(self.text) * self.size * (BOLDER if self.bold else 1.0)


@dataclass(frozen=True)
class NodeBox:
    """A node in the picture: its position, size and text."""

    node: int
    x: float  # of the centre
    top: float
    width: float
    height: float
    floor: float  # bottom of the level, below all boxes beside this one
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Layout:
    """All boxes of a tree, by node, and the width and height of the picture."""

    boxes: tuple[NodeBox, ...]
    width: float
    height: float
    title: str | None = None  # in the middle above the root


def text_width(text: str) -> float:
    """Return an upper estimate of the width of a text, in em."""
    return sum(_character_width(sign) for sign in text)


def _character_width(sign: str) -> float:
    if " " <= sign <= "~":
        return _WIDTHS[ord(sign) - 32] / 1000
    if unicodedata.combining(sign):
        return 0.0
    wide = unicodedata.east_asian_width(sign) in "WF" or not sign.isalpha()
    return 1.1 if wide or sign.isupper() else 0.8


def wrapped(text: str) -> list[str]:
    """Break a text into lines of limited width, after a space or punctuation if possible."""
    lines, start, break_at, width = [], 0, 0, 0.0
    for index, sign in enumerate(text):
        width += _character_width(sign)
        if width > WIDEST and index > start:
            # A break near the start would leave a very short line.
            early = text_width(text[start:break_at]) < WIDEST / 3
            end = index if early else break_at
            lines.append(text[start:end].rstrip())
            start = end
            width = text_width(text[start : index + 1])
        in_a_number = sign in ".," and text[index + 1 : index + 2].isdigit()
        if sign in " _-/.,:;|" and not in_a_number:
            break_at = index + 1
    return [*lines, text[start:]]


def shortened(text: str) -> str:
    """Replace the middle of a very long name by an ellipsis."""
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST * 2 // 3]}…{text[-LONGEST // 3 + 1 :]}"


def node_lines(tree: Tree, node: int) -> tuple[Line, ...]:
    """Return the lines of a node's box: the rule or the class, then the counts."""
    count, weight = int(tree.n_node_samples[node]), float(tree.weighted_n_node_samples[node])
    details = [counted(count, "example")]
    if weight != count:
        details.append(f"weight {quantity(weight)}")
    if tree.is_leaf(node):
        details.append(errors(tree, node))
    details = details if tree.counts_rows else []
    if tree.is_leaf(node):
        title = wrapped(shortened(predicted(tree, node)))
        if isinstance(tree, RegressionTree):
            title[0] = f"{CENTRE[tree.error_term]} {title[0]}"
    else:
        title = wrapped(shortened(feature_name(tree, node)))
        sign = "≤" if tree.comparison[node] == AT_MOST else tree.comparison[node]
        operand = threshold_or_code(tree, node)
        comparison = operand if only_missing(tree, node) else f"{sign} {operand}"
        if text_width(f"{title[-1]} {comparison}") <= WIDEST:
            title[-1] += f" {comparison}"
        else:
            title.append(comparison)
    heading = (Line(text, bold=tree.is_leaf(node)) for text in title)
    return (*heading, *(Line(text, DETAIL) for text in details))


def lay_out(tree: Tree) -> Layout:
    """Place the nodes: levels below each other, parents centred above their children."""
    lines = [node_lines(tree, node) for node in range(tree.node_count)]
    widths = [max(line.width for line in box) + 2 * PAD for box in lines]
    heights = [sum(LINE * line.size for line in box) + 2 * PAD + BAR for box in lines]
    depths = node_depths(tree.children_left, tree.children_right).tolist()
    tops, floors = _levels(depths, heights)
    centres = _centres(tree, widths)
    shift = MARGIN - min(x - width / 2 for x, width in zip(centres, widths, strict=True))
    boxes = tuple(
        NodeBox(
            node=node,
            x=centres[node] + shift,
            top=tops[depth],
            width=widths[node],
            height=heights[node],
            floor=floors[depth],
            lines=lines[node],
        )
        for node, depth in enumerate(depths)
    )
    right = max(box.x + box.width / 2 for box in boxes)
    return Layout(boxes, width=right + MARGIN, height=floors[-1] + MARGIN)


def side_by_side(trees: Sequence[Tree]) -> list[Layout]:
    """Place trees from left to right, their roots on one level, with titles if there are several.

    The last layout has the width of the whole picture, the highest layout its height.
    """
    if len(trees) == 1:
        return [lay_out(trees[0])]
    placed: list[Layout] = []
    left = 0.0
    for number, tree in enumerate(trees):
        layout = lay_out(tree)
        boxes = tuple(
            replace(box, x=box.x + left, top=box.top + TITLE, floor=box.floor + TITLE)
            for box in layout.boxes
        )
        left += layout.width
        placed.append(Layout(boxes, left, layout.height + TITLE, f"tree {number}"))
    return placed


def _levels(depths: list[int], heights: list[float]) -> tuple[list[float], list[float]]:
    """Return the top and the floor of each level, which has the height of its highest box."""
    highest = [0.0] * (max(depths) + 1)
    for depth, height in zip(depths, heights, strict=True):
        highest[depth] = max(highest[depth], height)
    tops, floors, top = [], [], MARGIN
    for height in highest:
        tops.append(top)
        floors.append(top + height)
        top += height + RISE
    return tops, floors


def _centres(tree: Tree, widths: list[float]) -> list[float]:
    """Return the horizontal centre of each node (Reingold and Tilford's tidy drawing).

    Subtrees are moved together until their outlines, the outermost borders of each level, are one
    gap apart; the parent is centred above them.
    """
    outlines: dict[int, tuple[list[float], list[float]]] = {}
    offset = [0.0] * tree.node_count  # of a node from its parent
    for node in range(tree.node_count - 1, -1, -1):
        half = widths[node] / 2
        if tree.is_leaf(node):
            outlines[node] = ([-half], [half])
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        (left_outer, left_inner), (right_inner, right_outer) = (
            outlines.pop(left),
            outlines.pop(right),
        )
        distance = max(a - b for a, b in zip(left_inner, right_inner, strict=False)) + GAP
        shift = distance / 2
        offset[left], offset[right] = -shift, shift
        # Below the shallower subtree, the outline is that of the deeper subtree.
        left_below = right_inner[len(left_outer) :]
        right_below = left_inner[len(right_outer) :]
        outlines[node] = (
            [-half, *(x - shift for x in left_outer), *(x + shift for x in left_below)],
            [half, *(x + shift for x in right_outer), *(x - shift for x in right_below)],
        )
    centres = [0.0] * tree.node_count
    for node in range(tree.node_count):
        if not tree.is_leaf(node):
            for child in (int(tree.children_left[node]), int(tree.children_right[node])):
                centres[child] = centres[node] + offset[child]
    return centres
