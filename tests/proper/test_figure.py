"""The pictures show all trees, rules, pieces and lines, and equal those in the documents."""

import re
from pathlib import Path
from xml.etree import ElementTree

from exactree.proper import draw_partition, figure_10, segments, size, smallest_partition

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "papers"
SVG = "{http://www.w3.org/2000/svg}"


def test_figure_10_has_all_trees_of_the_three_models() -> None:
    """Five trees keep the three rules in order; there are thirty if rules can be on both sides.

    Of the thirty, the list-partition model (`not_proper.splits_lists`) has all but three, which
    have another colour.
    """
    picture = ElementTree.fromstring(figure_10())
    trees = picture.findall(f"{SVG}g")
    assert len(trees) == 5 + 30
    coloured = [tree for tree in trees if "#d55e00" in ElementTree.tostring(tree, "unicode")]
    assert len(coloured) == 3
    for tree in trees:
        assert sorted(rule.text for rule in tree.findall(f"{SVG}text")) == ["r1", "r2", "r3"]
        assert len(tree.findall(f"{SVG}rect")) == 4  # leaves


def test_all_nodes_are_inside_the_picture_at_different_places() -> None:
    picture = ElementTree.fromstring(figure_10())
    width, height = float(picture.get("width")), float(picture.get("height"))
    positions = set()
    for tree in picture.findall(f"{SVG}g"):
        x, y = map(float, re.findall(r"[\d.]+", tree.get("transform")))
        assert (x, y) not in positions
        positions.add((x, y))
        for circle in tree.findall(f"{SVG}circle"):  # their radius is 10
            assert 10 <= x + float(circle.get("cx")) <= width - 10
            assert 10 <= y + float(circle.get("cy")) <= height - 10


def test_the_documents_show_the_current_figure_10() -> None:
    """If this fails, write the file again with `exactree.proper.figure_10()`."""
    assert (FOLDER / "004-figure-10.svg").read_text(encoding="utf-8") == figure_10()


SCENE = [
    ((0, 0), (4, 1)),
    ((5, -2), (6, 3)),
    ((1, 3), (5, 4)),
    ((2, -3), (3, -1)),
    ((7, 0), (9, 5)),
]


def test_a_partition_is_drawn_with_all_pieces_and_lines_and_shown_in_the_documents() -> None:
    """If the last line fails, write the file again with `exactree.proper.draw_partition`."""
    tree = smallest_partition(segments(SCENE))
    picture = ElementTree.fromstring(draw_partition(tree))
    lines = picture.findall(f"{SVG}line")
    pieces = [line for line in lines if line.get("stroke-width") == "4"]
    assert len(pieces) == size(tree)
    assert len(lines) == 2 * size(tree)  # for every node also its line, within its region
    for line in lines:
        # The picture has 420 pixels; coordinates are rounded to one decimal.
        assert all(-0.1 <= float(line.get(name)) <= 420.1 for name in ("x1", "y1", "x2", "y2"))
    assert (FOLDER / "004-partition.svg").read_text(encoding="utf-8") == draw_partition(tree)
