"""Pictures of trees side by side, as in Figure 10 of the paper."""

from collections.abc import Collection, Sequence
from typing import Any, TypeVar

from exactree.proper.generators import gen_bts
from exactree.proper.not_proper import splits_bf, splits_catalan, splits_lists
from exactree.proper.space import Space
from exactree.proper.tree import BTree, DTree, Leaf, size

R = TypeVar("R")
_STEP, _LEVEL, _MARGIN = 17, 30, 24  # pixels between neighbours, levels, and trees


def figure_10(rules: Sequence[str] = ("r1", "r2", "r3")) -> str:
    """Return Figure 10 as SVG: the trees of three models of section 6.

    The first row has the trees that keep the order of the rules (genCatalans), the rows below all
    trees of the rules (genDTBFs); trees that the list-partition model does not have are red.

    Parameters
    ----------
    rules : sequence of str
        Names of the rules.
    """
    rs = tuple(rules)
    in_order, unrestricted, lists = (
        gen_bts(Space(splits, _nothing), rs) for splits in (splits_catalan, splits_bf, splits_lists)
    )
    rows = [in_order, *(unrestricted[i : i + 10] for i in range(0, len(unrestricted), 10))]
    return draw_trees(rows, red=set(unrestricted) - set(lists))


def _nothing(_: str, data: None) -> tuple[None, None]:
    return data, data


def draw_trees(rows: Sequence[Sequence[BTree[Any]]], red: Collection[BTree[Any]] = ()) -> str:
    """Return rows of trees as SVG.

    Parameters
    ----------
    rows : sequence of sequence of Leaf or Node
        The trees, from left to right.
    red : collection of Leaf or Node
        The trees that are drawn in red.
    """
    largest = max(size(tree) for row in rows for tree in row)
    tree_width, tree_height = _STEP * (largest + 1) + _MARGIN, _LEVEL * (largest + 1) + _MARGIN
    width, height = tree_width * max(map(len, rows)), tree_height * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" '
        'text-anchor="middle" aria-label="Trees side by side">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for i, row in enumerate(rows):
        for k, tree in enumerate(row):
            colour = "#d55e00" if tree in red else "#0072b2"
            x, y = tree_width * k + _MARGIN / 2, tree_height * i + 16
            parts.append(f'<g transform="translate({x},{y})">')
            parts += [*_drawn(tree, 0, 0, colour)[1], "</g>"]
    return "\n".join([*parts, "</svg>\n"])


def _drawn(tree: DTree[R, None], left: float, y: float, colour: str) -> tuple[float, list[str]]:
    """Return the x coordinate of the root of a tree, and its picture; leaves are small squares."""
    if isinstance(tree, Leaf):
        x = left + _STEP / 2
        return x, [f'<rect x="{x - 3}" y="{y - 3}" width="6" height="6" fill="#6e7781"/>']
    x_left, first = _drawn(tree.left, left, y + _LEVEL, colour)
    middle = left + _STEP * (size(tree.left) + 1)
    x_right, second = _drawn(tree.right, middle, y + _LEVEL, colour)
    x = (x_left + x_right) / 2
    edges = [
        f'<line x1="{x}" y1="{y}" x2="{x_child}" y2="{y + _LEVEL}" stroke="#6e7781"/>'
        for x_child in (x_left, x_right)
    ]
    node = f'<circle cx="{x}" cy="{y}" r="10" fill="#ffffff" stroke="{colour}" stroke-width="2"/>'
    name = f'<text x="{x}" y="{y + 4}" fill="{colour}">{tree.rule}</text>'
    return x, [*edges, *first, *second, node, name]
