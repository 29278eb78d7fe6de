"""Figure 3 of Leboeuf et al.: bounds on the VC dimension of all shapes up to a depth."""

from dataclasses import dataclass

from exactree.theory.counts import whole
from exactree.theory.enumerate_shapes import enumerate_shapes_within
from exactree.theory.shape import TreeShape
from exactree.theory.vc_dimension import vc_dimension_lower_bound, vc_dimension_upper_bound

_LEAF, _LEVEL, _RULER = 12, 26, 240  # pixels: width of a leaf, height of a level, of the bars


@dataclass(frozen=True)
class VCBounds:
    """A shape between whose lower and upper bound its VC dimension lies.

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


def vc_bounds(depth: int = 3, n_features: int = 10) -> list[VCBounds]:
    """Return bounds on the VC dimension of every shape of at most a depth; Figure 3 by default.

    Parameters
    ----------
    depth : int
        At most 4; there are 1, 2, 4, 11, 67 shapes of depth at most 0, 1, 2, 3, 4.
    n_features : int
        The number of features of numbers, at least 1.
    """
    if whole("depth", depth, 0) > 4:
        raise ValueError(f"depth must be at most 4, found {depth}: 2,279 shapes have depth 5.")
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
        As `vc_bounds` returns them.
    """
    most = max(bound.upper for bound in bounds)
    column = _LEAF * (2 + max(bound.shape.leaves for bound in bounds))
    width = column * len(bounds)
    height = _RULER + 60 + _LEVEL * max(bound.shape.depth for bound in bounds)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13" '
        'aria-label="Bounds on the VC dimension of tree shapes">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for place, bound in enumerate(bounds):
        middle = column * (place + 0.5)
        low, high = (_RULER - (_RULER - 30) * n / most for n in (bound.lower, bound.upper))
        parts += [
            f'<line x1="{middle}" y1="{low:.1f}" x2="{middle}" y2="{high:.1f}" '
            'stroke="#56b4e9" stroke-width="6"/>',
            _mark(middle, low, bound.lower, 16, "#0072b2"),
            _mark(middle, high, bound.upper, -8, "#d55e00"),
        ]
        left = middle - _LEAF * (bound.shape.leaves - 1) / 2
        parts += _tree(bound.shape, left, _RULER + 40)[1]
    return "\n".join([*parts, "</svg>\n"])


def _mark(x: float, y: float, number: int, below: int, colour: str) -> str:
    """Return one end of a bar with its number."""
    return (
        f'<line x1="{x - 9}" y1="{y:.1f}" x2="{x + 9}" y2="{y:.1f}" stroke="{colour}" '
        f'stroke-width="3"/><text x="{x}" y="{y + below:.1f}" text-anchor="middle" '
        f'fill="{colour}">{number}</text>'
    )


def _tree(shape: TreeShape, left: float, y: float) -> tuple[float, list[str]]:
    """Return where the root of a shape is drawn, and its picture: leaves are diamonds."""
    if shape.children is None:
        corners = f"{left},{y - 5} {left + 5},{y} {left},{y + 5} {left - 5},{y}"
        return left, [f'<polygon class="leaf" points="{corners}" fill="#009e73"/>']
    below, places = [], []
    for child in shape.children:
        place, picture = _tree(child, left, y + _LEVEL)
        left += _LEAF * child.leaves
        places.append(place)
        below += picture
    x = sum(places) / 2
    edges = [
        f'<line x1="{x}" y1="{y}" x2="{place}" y2="{y + _LEVEL}" stroke="#6e7781"/>'
        for place in places
    ]
    return x, [*edges, *below, f'<circle cx="{x}" cy="{y}" r="5" fill="#6e7781"/>']
