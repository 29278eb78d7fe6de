"""Figure 3 of Leboeuf et al.: bounds on the VC dimension of all shapes up to a depth."""

from dataclasses import dataclass

from exactree.data.parameters import checked_integer, shown
from exactree.theory.enumerate_shapes import enumerate_shapes_within
from exactree.theory.features import Features
from exactree.theory.shape import TreeShape
from exactree.theory.vc_dimension import vc_dimension_lower_bound, vc_dimension_upper_bound

# Pixels: the width of a leaf and the height of a level of a tree; the room above the axis, its
# height, the room at its left; and the width of the legend.
_LEAF, _LEVEL = 12, 26
_TOP, _RULER, _AXIS, _LEGEND = 50, 220, 56, 240
_LOWER, _UPPER, _INK = "#0072b2", "#d55e00", "#57606a"


@dataclass(frozen=True)
class VCBounds:
    """A shape with lower and upper bounds on its VC dimension.

    Attributes
    ----------
    shape : TreeShape
        The shape.
    lower, upper : int
        The bounds.
    """

    shape: TreeShape
    lower: int
    upper: int


def vc_bounds(depth: int = 3, n_features: int | Features = 10) -> list[VCBounds]:
    """Return bounds on the VC dimension of every shape of limited depth; Figure 3 by default.

    Parameters
    ----------
    depth : int
        At most 4; there are 1, 2, 4, 11, 67 shapes of depth at most 0, 1, 2, 3, 4.
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    """
    if checked_integer("depth", depth, 0) > 4:
        raise ValueError(
            f"depth must be at most 4, found {shown(depth)}: 2,279 shapes have depth at most 5."
        )
    return [
        VCBounds(
            shape,
            vc_dimension_lower_bound(shape, n_features),
            vc_dimension_upper_bound(shape, n_features),
        )
        for shape in enumerate_shapes_within(depth)
    ]


def draw_vc_bounds(bounds: list[VCBounds]) -> str:
    """Return a picture of bounds as SVG: a bar for each shape, and the shape below it.

    Parameters
    ----------
    bounds : list of VCBounds
        The result of `vc_bounds`.
    """
    highest = max(bound.upper for bound in bounds)
    column = _LEAF * (2 + max(bound.shape.leaves for bound in bounds))
    width = _AXIS + max(column * len(bounds), _LEGEND)
    height = _TOP + _RULER + 50 + _LEVEL * max(bound.shape.depth for bound in bounds)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13" '
        'aria-label="Bounds on the VC dimension of tree shapes">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *_axis(highest, width),
        *_legend(),
    ]
    for number, bound in enumerate(bounds):
        middle = _AXIS + column * (number + 0.5)
        low, high = _level(bound.lower, highest), _level(bound.upper, highest)
        parts += [
            f'<line class="bar" x1="{middle}" y1="{low:.1f}" x2="{middle}" y2="{high:.1f}" '
            'stroke="#56b4e9" stroke-width="6"/>',
            _mark(middle, low, _LOWER) + _number(middle, low + 16, bound.lower, _LOWER),
            _mark(middle, high, _UPPER) + _number(middle, high - 8, bound.upper, _UPPER),
        ]
        left = middle - _LEAF * (bound.shape.leaves - 1) / 2
        parts += _tree(bound.shape, left, _TOP + _RULER + 35)[1]
    return "\n".join([*parts, "</svg>\n"])


def _level(number: int, highest: int) -> float:
    """Return the vertical position of a number of the axis."""
    return _TOP + _RULER * (1 - number / highest)


def _axis(highest: int, width: int) -> list[str]:
    """Return the axis, with a horizontal line for each of at most seven round numbers."""
    steps = (d * 10**e for e in range(highest) for d in (1, 2, 5))
    step = next(s for s in steps if highest / s <= 6)
    middle = _TOP + _RULER / 2
    parts = [
        f'<text class="title" x="16" y="{middle}" text-anchor="middle" fill="{_INK}" '
        f'transform="rotate(-90 16 {middle})">VC dimension</text>'
    ]
    for number in range(0, highest + 1, step):
        y = _level(number, highest)
        parts.append(
            f'<line x1="{_AXIS}" y1="{y:.1f}" x2="{width}" y2="{y:.1f}" stroke="#d8dee4"/>'
            f'<text class="tick" x="{_AXIS - 6}" y="{y + 4:.1f}" text-anchor="end" '
            f'fill="{_INK}">{number}</text>'
        )
    return parts


def _legend() -> list[str]:
    """Return the legend of the two ends of a bar, above the axis."""
    named = ((_AXIS + 12, "upper bound", _UPPER), (_AXIS + 132, "lower bound", _LOWER))
    return [
        _mark(x, 14, colour)
        + f'<text class="legend" x="{x + 15}" y="18" fill="{_INK}">{name}</text>'
        for x, name, colour in named
    ]


def _mark(x: float, y: float, colour: str) -> str:
    """Return one end of a bar."""
    return (
        f'<line x1="{x - 9}" y1="{y:.1f}" x2="{x + 9}" y2="{y:.1f}" stroke="{colour}" '
        'stroke-width="3"/>'
    )


def _number(x: float, y: float, number: int, colour: str) -> str:
    """Return the number at one end of a bar, legible over a line of the axis."""
    return (
        f'<text class="bound" x="{x}" y="{y:.1f}" text-anchor="middle" fill="{colour}" '
        'stroke="#ffffff" stroke-width="4" paint-order="stroke">'
        f"{number}</text>"
    )


def _tree(shape: TreeShape, left: float, y: float) -> tuple[float, list[str]]:
    """Return the x coordinate of the root of a shape, and its picture; leaves are diamonds."""
    if shape.children is None:
        corners = f"{left},{y - 5} {left + 5},{y} {left},{y + 5} {left - 5},{y}"
        return left, [f'<polygon class="leaf" points="{corners}" fill="#009e73"/>']
    below, positions = [], []
    for child in shape.children:
        position, picture = _tree(child, left, y + _LEVEL)
        left += _LEAF * child.leaves
        positions.append(position)
        below += picture
    x = sum(positions) / 2
    edges = [
        f'<line x1="{x}" y1="{y}" x2="{position}" y2="{y + _LEVEL}" stroke="#6e7781"/>'
        for position in positions
    ]
    return x, [*edges, *below, f'<circle cx="{x}" cy="{y}" r="5" fill="#6e7781"/>']
