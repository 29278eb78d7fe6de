"""Trees as a standalone SVG picture: no fonts, scripts or style sheets from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from exactree.export.calls import TEXT, answers_file_names
from exactree.export.layout import BAR, DETAIL, LINE, MARGIN, PAD, Layout, NodeBox, side_by_side
from exactree.export.model import Model, fitted
from exactree.export.palette import DARK, LIGHT, bar_of, leaf_colour
from exactree.export.wording import counts, counts_by_class, predicted, rule, trees_of

if TYPE_CHECKING:
    from exactree.trees import Tree

EM = 14.0  # pixels

# The names of CSS classes contain the package's name because pages may embed the picture.
# Attributes and plain rules have the light colours, for converters without media queries; the dark
# colour of a class is a property of its element.
STYLE = f"""\
.exactree-tree{{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,"DejaVu Sans",\
sans-serif}}
.exactree-background{{fill:{LIGHT.background}}}
.exactree-node{{fill:{LIGHT.box};stroke:{LIGHT.line};stroke-width:1}}
.exactree-leaf{{fill:{LIGHT.background};stroke-width:2}}
.exactree-edge{{fill:none;stroke:{LIGHT.line};stroke-width:1.3}}
.exactree-text{{fill:{LIGHT.ink};text-anchor:middle}}
.exactree-detail{{fill:{LIGHT.detail};text-anchor:middle}}
@media (prefers-color-scheme:dark){{
.exactree-background{{fill:{DARK.background}}}
.exactree-node{{fill:{DARK.box};stroke:{DARK.line}}}
.exactree-leaf{{fill:{DARK.background};stroke:var(--dark)}}
.exactree-share{{fill:var(--dark)}}
.exactree-edge{{stroke:{DARK.line}}}
.exactree-text{{fill:{DARK.ink}}}
.exactree-detail{{fill:{DARK.detail}}}
}}
"""


@answers_file_names(TEXT)
def to_svg(model: Model) -> str:
    """Return the tree as an SVG picture, legible in light and dark surroundings.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The model. The trees of an ensemble are drawn side by side.

    Returns
    -------
    str
        One ``<svg>`` element, complete as a file and embeddable in HTML.
    """
    trees = trees_of(fitted(model))
    layouts = side_by_side(trees)
    width, height = layouts[-1].width * EM, max(layout.height for layout in layouts) * EM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="exactree-tree" role="img" '
        f'aria-label="{_described(trees)}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.1f} {height:.1f}">',
        f"<style>\n{STYLE}</style>",
        f'<rect class="exactree-background" width="{width:.1f}" height="{height:.1f}"/>',
    ]
    for member, layout in zip(trees, layouts, strict=True):
        parts += _tree(member, layout)
    return "\n".join([*parts, "</svg>\n"])


def _described(trees: tuple[Tree, ...]) -> str:
    """Return the description of the picture for screen readers."""
    if len(trees) == 1:
        return f"decision tree with {trees[0].leaves} leaves and depth {trees[0].depth}"
    leaves = ", ".join(str(tree.leaves) for tree in trees)
    return f"{len(trees)} decision trees that vote, with {leaves} leaves"


def _tree(tree: Tree, layout: Layout) -> list[str]:
    """Draw the edges of a tree, its boxes over them, and its title."""
    parts = []
    for box in layout.boxes:
        if not tree.is_leaf(box.node):
            left = layout.boxes[tree.children_left[box.node]]
            right = layout.boxes[tree.children_right[box.node]]
            parts += [_edge(box, left, "yes"), _edge(box, right, "no")]
    parts += [_box(tree, box) for box in layout.boxes]
    if layout.title is not None:
        root = layout.boxes[0]
        parts.append(
            _text(layout.title, root.x * EM, (MARGIN + LINE) * EM, 1, "exactree-text", True)
        )
    return parts


def _edge(parent: NodeBox, child: NodeBox, answer: str) -> str:
    """Draw the edge to a child, down to the floor of the level and then across, with its answer."""
    x0, x1, y1 = parent.x * EM, child.x * EM, child.top * EM
    bottom, floor = (parent.top + parent.height) * EM, parent.floor * EM
    middle = (floor + y1) / 2
    path = f"M{x0:.1f} {bottom:.1f}V{floor:.1f}C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} "
    x = (x0 + x1) / 2
    return (
        f'<path class="exactree-edge" d="{path}{x1:.1f} {y1:.1f}"/>\n'
        f'<rect class="exactree-background" x="{x - EM:.1f}" y="{middle - 0.55 * EM:.1f}" '
        f'width="{2 * EM:.1f}" height="{1.1 * EM:.1f}"/>\n'
        + _text(answer, x, middle + 0.3 * EM, DETAIL, "exactree-detail")
    )


def _box(tree: Tree, box: NodeBox) -> str:
    """Draw a node with its text, and its full text as a tooltip."""
    node, leaf = box.node, tree.is_leaf(box.node)
    left, top = (box.x - box.width / 2) * EM, box.top * EM
    title = predicted(tree, node) if leaf else rule(tree, node, "≤")
    tooltip = title
    if counted := ", ".join(counts(tree, node)):
        shares = counts_by_class(tree, node)
        tooltip += f": {counted} ({shares})" if shares else f": {counted}"
    edge = ""
    if leaf:
        dark = leaf_colour(tree, node, DARK)
        edge = f' stroke="{leaf_colour(tree, node)}" style="--dark:{dark}"'
    parts = [
        f"<g><title>{escape(tooltip)}</title>",
        f'<rect class="exactree-{"leaf" if leaf else "node"}"{edge} x="{left:.1f}" '
        f'y="{top:.1f}" width="{box.width * EM:.1f}" height="{box.height * EM:.1f}" rx="6"/>',
    ]
    y = box.top + PAD
    for line in box.lines:
        y += LINE * line.size
        kind = "exactree-detail" if line.size < 1 else "exactree-text"
        baseline = (y - 0.35 * line.size) * EM
        parts.append(_text(line.text, box.x * EM, baseline, line.size, kind, line.bold))
    parts.append(_shares(tree, box, y))
    return "\n".join([*parts, "</g>"])


def _shares(tree: Tree, box: NodeBox, y: float) -> str:
    """Draw the bar of a node: the shares of its classes, or the position of its number."""
    parts = []
    x, full_width = box.x - box.width / 2 + PAD, box.width - 2 * PAD
    bars = zip(bar_of(tree, box.node), bar_of(tree, box.node, DARK), strict=True)
    for (colour, share), (dark, _) in bars:
        width = full_width * share
        if width > 0:
            parts.append(
                f'<rect class="exactree-share" fill="{colour}" style="--dark:{dark}" '
                f'x="{x * EM:.1f}" y="{(y + 0.1) * EM:.1f}" '
                f'width="{width * EM:.2f}" height="{BAR * EM:.1f}"/>'
            )
        x += width
    return "\n".join(parts)


def _text(text: str, x: float, y: float, size: float, kind: str, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" font-size="{size * EM:.1f}"{weight}>'
        f"{escape(text)}</text>"
    )
