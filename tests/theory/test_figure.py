"""Figure 3 of source 003: the bounds on VC dimensions of small shapes, and their picture."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

from exactree.theory import draw_vc_bounds, vc_bounds

PUBLISHED = runpy.run_path(str(Path(__file__).with_name("published.py")))
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("n_features", [1, 2, 10])
def test_the_figure_has_the_published_numbers(n_features: int) -> None:
    expected = zip(PUBLISHED["SHAPES"], PUBLISHED["VC_DIMENSION"][n_features], strict=True)
    found = {b.shape.code: (b.lower, b.upper) for b in vc_bounds(3, n_features)}
    assert found == dict(expected)


def test_the_picture_shows_every_bound_and_every_leaf() -> None:
    bounds = vc_bounds()
    assert len(bounds) == 11
    root = ElementTree.fromstring(draw_vc_bounds(bounds))
    texts: dict[str, list[str]] = {}
    for text in root.iter(f"{SVG}text"):
        texts.setdefault(text.attrib["class"], []).append(text.text or "")
    numbers = [str(number) for bound in bounds for number in (bound.lower, bound.upper)]
    assert texts.pop("bound") == numbers
    assert texts == {
        "title": ["VC dimension"],
        "legend": ["upper bound", "lower bound"],
        "tick": ["0", "10", "20", "30", "40", "50"],
    }
    assert len(list(root.iter(f"{SVG}polygon"))) == sum(b.shape.leaves for b in bounds)
    assert len(list(root.iter(f"{SVG}circle"))) == sum(b.shape.size for b in bounds)


def test_nothing_is_drawn_outside_the_picture() -> None:
    for depth in range(5):
        picture = draw_vc_bounds(vc_bounds(depth))
        width, height = (
            float(re.findall(rf' {side}="(\d+)"', picture)[0]) for side in ("width", "height")
        )
        assert all(0 <= float(x) <= width for x in re.findall(r' c?x[12]?="([^"]+)"', picture))
        assert all(0 <= float(y) <= height for y in re.findall(r' c?y[12]?="([^"]+)"', picture))


def test_bars_agree_with_the_axis() -> None:
    root = ElementTree.fromstring(draw_vc_bounds(vc_bounds()))
    ticks = {
        int(text.text or ""): float(text.attrib["y"]) - 4
        for text in root.iter(f"{SVG}text")
        if text.attrib["class"] == "tick"
    }
    unit = (ticks[0] - ticks[50]) / 50
    bars = [line for line in root.iter(f"{SVG}line") if line.get("class") == "bar"]
    for bar, bound in zip(bars, vc_bounds(), strict=True):
        ends = [(ticks[0] - float(bar.attrib[end])) / unit for end in ("y1", "y2")]
        assert ends == pytest.approx([bound.lower, bound.upper], abs=0.05)


def test_a_large_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="depth must be at most 4, found 5"):
        vc_bounds(5)


def test_the_page_on_the_paper_has_the_numbers_of_the_figure() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/papers/003-partitions.md").read_text(
        encoding="utf-8"
    )
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    expected = [(b.shape.leaves, b.shape.depth, b.lower, b.upper) for b in vc_bounds()]
    assert [tuple(map(int, row)) for row in rows] == expected
