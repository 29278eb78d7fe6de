"""to_svg: well-formed, self-contained, complete, and without overlaps."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactree.export import to_svg
from exactree.export.layout import (
    LINE,
    LONGEST,
    MARGIN,
    WIDEST,
    lay_out,
    shortened,
    side_by_side,
    text_width,
    wrapped,
)
from exactree.export.palette import DARK, LIGHT
from exactree.export.svg import EM
from exactree.export.wording import one_line, predicted, rule
from exactree.trees import Ensemble, Tree

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {SVG + name for name in ("svg", "style", "rect", "path", "text", "g", "title")}
ATTRIBUTES = {"class", "role", "aria-label", "width", "height", "viewBox", "x", "y", "rx", "d"}
ATTRIBUTES |= {"fill", "stroke", "font-size", "font-weight", "style"}


def check(tree: Tree) -> ET.Element:
    """Return the parsed picture, whose elements are allowed, load nothing, and name every node."""
    picture = to_svg(tree)
    root = ET.fromstring(picture)
    assert {element.tag for element in root.iter()} <= ALLOWED
    for element in root.iter():
        assert set(element.attrib) <= ATTRIBUTES
        assert "url(" not in "".join(element.attrib.values())
        assert re.fullmatch(r"--dark:#[0-9a-f]{6}|", element.get("style", ""))
    (style,) = root.iter(SVG + "style")
    assert not re.search(r"url|@import|</", style.text or "")
    assert not re.search(r"<!|<\?", picture)
    titles = [title.text for title in root.iter(SVG + "title")]
    assert len(titles) == tree.node_count
    for node, title in enumerate(titles):
        words = predicted(tree, node) if tree.is_leaf(node) else rule(tree, node, "≤")
        assert title is not None
        assert title.startswith(words + ": ")
    return root


def test_the_picture_of_a_small_tree_is_the_stored_picture(small_tree: Tree) -> None:
    check(small_tree)
    assert to_svg(small_tree) == (GOLDEN / "small.svg").read_text(encoding="utf-8")


def test_names_counts_and_errors_are_shown(small_tree: Tree) -> None:
    words = [text.text for text in check(small_tree).iter(SVG + "text")]
    for expected in ("length ≤ 2.5", "width ≤ 1.75", "round", "long", "2 examples", "1 error"):
        assert expected in words
    assert (words.count("yes"), words.count("no")) == (2, 2)


def test_a_picture_has_colours_for_light_and_for_dark_backgrounds(small_tree: Tree) -> None:
    """Leaves and bars of shares have the colours of their classes for both backgrounds."""
    picture = to_svg(small_tree)
    light, dark = picture.split("@media (prefers-color-scheme:dark)")
    assert f".exactree-background{{fill:{LIGHT.background}}}" in light
    assert f".exactree-background{{fill:{DARK.background}}}" in dark
    assert ".exactree-share{fill:var(--dark)}" in dark
    coloured = re.findall(r'(?:fill|stroke)="(#\w+)" style="--dark:(#\w+)"', picture)
    assert set(coloured) == set(zip(LIGHT.classes[:3], DARK.classes[:3], strict=True))


def test_a_single_leaf_is_a_well_formed_picture(single_leaf: Tree) -> None:
    check(single_leaf)


@given(data=st.data())
def test_random_trees_are_well_formed_pictures(fitted_table: Any, data: Any) -> None:
    check(data.draw(fitted_table()).tree)


class Tags(HTMLParser):
    """Collects the elements that an HTML parser finds; none of them may listen to events."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]


def test_hostile_names_are_text(hostile_tree: Tree) -> None:
    check(hostile_tree)
    tags = Tags()
    tags.feed(to_svg(hostile_tree))
    assert tags.seen <= {tag.removeprefix(SVG) for tag in ALLOWED}


def assert_no_overlap(tree: Tree) -> None:
    layout = lay_out(tree)
    for box in layout.boxes:
        assert box.x - box.width / 2 >= 0
        assert box.x + box.width / 2 <= layout.width
        assert 0 <= box.top < box.top + box.height <= box.floor + 1e-9 <= layout.height
        assert all(line.width <= box.width for line in box.lines)
        for other in layout.boxes[: box.node]:
            beside = abs(box.x - other.x) >= (box.width + other.width) / 2
            below = box.top >= other.floor or other.top >= box.floor
            assert beside or below


def test_trees_of_an_ensemble_stand_side_by_side(three_trees: Ensemble) -> None:
    ends = [0.0]
    layouts = side_by_side(three_trees.trees)
    for layout in layouts:
        assert min(box.x - box.width / 2 for box in layout.boxes) >= ends[-1]
        ends.append(max(box.x + box.width / 2 for box in layout.boxes))
        assert layout.boxes[0].top == layouts[0].boxes[0].top >= MARGIN + LINE, "room for a title"
    text = to_svg(three_trees)
    width, height = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)[0]
    assert ends[-1] * EM < float(width)
    assert max(box.floor for layout in layouts for box in layout.boxes) * EM < float(height)
    assert text.count("<g>") == sum(tree.node_count for tree in three_trees.trees)
    assert "3 decision trees that vote, with 3, 2, 1 leaves" in text


@given(data=st.data())
def test_boxes_do_not_overlap(fitted_table: Any, data: Any) -> None:
    assert_no_overlap(data.draw(fitted_table()).tree)


def test_long_names_do_not_overlap(hostile_tree: Tree) -> None:
    assert_no_overlap(hostile_tree)


@given(st.text(max_size=200))
@example("_0\x1e\x08\x9f¡ßß\U0001eebc")  # may be wrapped after its first character
def test_wrapping_keeps_the_text(name: str) -> None:
    text = one_line(name)
    lines = wrapped(text)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(text_width(line) <= WIDEST for line in lines)


@pytest.mark.parametrize("length", [1, 72, 73, 500])
def test_very_long_names_lose_their_middle(length: int) -> None:
    name = "".join(chr(97 + i % 26) for i in range(length))
    short = shortened(name)
    assert len(short) <= LONGEST
    if length <= LONGEST:
        assert short == name
    else:
        start, end = short.split("…")
        assert len(start) > len(end) > LONGEST / 4
        assert name.startswith(start)
        assert name.endswith(end)
