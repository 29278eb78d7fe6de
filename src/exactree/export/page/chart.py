"""A line chart as SVG for the page, coloured by the page's styles."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

__all__ = ["Series", "line_chart"]

WIDTH, HEIGHT = 640.0, 320.0  # pixels
LEFT, RIGHT, TOP, BOTTOM = 64.0, 16.0, 34.0, 46.0  # margins around the plotting area
TICKS = 6  # approximate number along an axis


@dataclass(frozen=True)
class Series:
    """A line of a chart.

    Attributes
    ----------
    name : str
        Its name in the legend.
    places : tuple of (float, float)
        Its points; for steps each value holds from its position on.
    steps : bool
        Whether each value holds until the next point.
    hollow : tuple of bool
        Whether each mark is hollow; steps have no marks.
    """

    name: str
    places: tuple[tuple[float, float], ...]
    steps: bool = False
    hollow: tuple[bool, ...] = ()


def line_chart(series: list[Series], across: str, up: str, whole: bool = False) -> str:
    """Return a chart of lines as one ``<svg>`` element; both axes begin at zero.

    Parameters
    ----------
    series : list of Series
        The lines, at most three.
    across, up : str
        Labels of the axes.
    whole : bool
        Whether the horizontal axis has only integers.
    """
    max_x = max((x for line in series for x, _ in line.places), default=0.0) or 1.0
    max_y = max((y for line in series for _, y in line.places), default=0.0) or 1.0
    ticks_x, ticks_y = ticks(max_x, whole), ticks(max_y)
    end_x, end_y = max(max_x, ticks_x[-1] if whole else 0.0), max(max_y, ticks_y[-1])

    def at(x: float, y: float) -> tuple[float, float]:
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        return LEFT + (right - LEFT) * x / end_x, bottom - (bottom - TOP) * y / end_y

    parts = [
        f'<svg class="chart" role="img" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" '
        f'aria-label="{escape(f"{up} by {across}")}">'
    ]
    for tick in ticks_y:
        (x0, y), (x1, _) = at(0, tick), at(end_x, tick)
        parts.append(f'<path class="grid" d="M{x0:.1f} {y:.1f}H{x1:.1f}"/>')
        parts.append(_text(f"{tick:,.10g}", x0 - 8, y + 4, "end"))
    for tick in ticks_x:
        x, y = at(tick, 0)
        parts.append(f'<path class="axis" d="M{x:.1f} {y:.1f}v5"/>')
        parts.append(_text(f"{tick:,.10g}", x, y + 20, "middle"))
    (x0, y0), (x1, _) = at(0, 0), at(end_x, 0)
    parts.append(f'<path class="axis" d="M{x0:.1f} {y0:.1f}H{x1:.1f}"/>')
    parts.append(_text(across, (x0 + x1) / 2, HEIGHT - 6, "middle", "label"))
    parts.append(_text(up, 4, 14, "start", "label"))
    for index, line in enumerate(series):
        corners = [at(x, y) for x, y in line.places]
        parts += _line(line, corners, index) + _entry(line, index)
    return "\n".join([*parts, "</svg>"])


def ticks(maximum: float, whole: bool = False) -> list[float]:
    """Return multiples of a round step from zero to the first that is at least the maximum.

    Parameters
    ----------
    maximum : float
        The greatest value, positive.
    whole : bool
        Whether to return only integers; then the last is at most the maximum.
    """
    rough = maximum / (TICKS - 1)
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    if whole:
        step = 1.0 if maximum <= 2 * TICKS else step
        return [step * k for k in range(floor(maximum / step + 1e-9) + 1)]
    return [round(step * k, 12) for k in range(ceil(maximum / step - 1e-9) + 1)]


def _line(series: Series, corners: list[tuple[float, float]], index: int) -> list[str]:
    """Draw a line and its marks, whose shapes distinguish the lines without colours."""
    if not corners:
        return []
    (x, y), *others = corners
    if series.steps:
        path = f"M{x:.1f} {y:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in others)
    else:
        path = f"M{x:.1f} {y:.1f}" + "".join(f"L{x:.1f} {y:.1f}" for x, y in others)
    parts = [f'<path class="line s{index}" d="{path}"/>']
    if not series.steps:
        hollow = series.hollow or (False,) * len(corners)
        parts += [_mark(x, y, index, empty) for (x, y), empty in zip(corners, hollow, strict=True)]
    return parts


def _mark(x: float, y: float, index: int, hollow: bool = False) -> str:
    kind = f"mark s{index}{' hollow' if hollow else ''}"
    if index:
        return f'<rect class="{kind}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'


def _entry(series: Series, index: int) -> list[str]:
    """Draw the entry of a line in the legend above the chart."""
    x = 190.0 + 150.0 * index  # after the label of the vertical axis, visible on phones
    key = f'<path class="line s{index}" d="M{x:.1f} 10h26"/>'
    mark = [] if series.steps else [_mark(x + 13, 10, index)]
    return [key, *mark, _text(series.name, x + 34, 14, "start")]


def _text(text: str, x: float, y: float, anchor: str, kind: str = "tick") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    )
