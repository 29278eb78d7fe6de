"""A picture of a partition of the plane: the segments, and the lines that separate them."""

from collections.abc import Iterator

from exactree.proper.pieces import Segment
from exactree.proper.tree import BTree, Node, level_order

_SIDE, _RIM = 420, 30  # pixels: of the picture, and around the segments
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")

_Point = tuple[float, float]


def draw_partition(tree: BTree[Segment]) -> str:
    """Return a partition of the plane as SVG, with one colour for all pieces of a segment.

    Parameters
    ----------
    tree : Leaf or Node
        A partition of at least one segment.
    """
    ends = [
        (float(place[0]), float(place[1]))
        for piece in level_order(tree)
        for place in (piece.start, piece.end)
    ]
    low = min(x for x, _ in ends), min(y for _, y in ends)
    span = max(max(x - low[0], y - low[1]) for x, y in ends)
    scale = (_SIDE - 2 * _RIM) / span

    def at(place: _Point) -> _Point:
        return _RIM + (place[0] - low[0]) * scale, _SIDE - _RIM - (place[1] - low[1]) * scale

    rim = _RIM / scale
    left, right = low[0] - rim, low[0] + span + rim
    bottom, top = low[1] - rim, low[1] + span + rim
    cell = [(left, bottom), (right, bottom), (right, top), (left, top)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_SIDE}" height="{_SIDE}" '
        f'viewBox="0 0 {_SIDE} {_SIDE}" aria-label="Segments and the lines that separate them">',
        f'<rect width="{_SIDE}" height="{_SIDE}" fill="#ffffff"/>',
        *(_line(at(a), at(b), "#6e7781", 1) for a, b in _lines(tree, cell)),
    ]
    for piece, (a, b) in zip(
        level_order(tree), zip(ends[::2], ends[1::2], strict=True), strict=True
    ):
        parts.append(_line(at(a), at(b), _COLOURS[piece.source % len(_COLOURS)], 4))
    return "\n".join([*parts, "</svg>\n"])


def _lines(tree: BTree[Segment], cell: list[_Point]) -> Iterator[tuple[_Point, _Point]]:
    """Yield for each node the part of its line that lies in its region."""
    if isinstance(tree, Node):
        left, right, on = _divided(tree.rule, cell)
        if len(on) == 2:
            yield on[0], on[1]
        yield from _lines(tree.left, left)
        yield from _lines(tree.right, right)


def _divided(rule: Segment, cell: list[_Point]) -> tuple[list[_Point], list[_Point], list[_Point]]:
    """Return the two sides of a convex region, and the points where the line meets its border."""
    (ax, ay), (bx, by) = ((float(v) for v in end) for end in (rule.start, rule.end))
    heights = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in cell]
    left: list[_Point] = []
    right: list[_Point] = []
    on: list[_Point] = []
    for i, (x, y) in enumerate(cell):
        k = (i + 1) % len(cell)
        if heights[i] >= 0:
            left.append((x, y))
        if heights[i] <= 0:
            right.append((x, y))
        if heights[i] == 0:
            on.append((x, y))
        if heights[i] * heights[k] < 0:
            share = heights[i] / (heights[i] - heights[k])
            crossing = x + share * (cell[k][0] - x), y + share * (cell[k][1] - y)
            for side in (left, right, on):
                side.append(crossing)
    return left, right, on


def _line(a: _Point, b: _Point, colour: str, width: int) -> str:
    return (
        f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" '
        f'stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/>'
    )
