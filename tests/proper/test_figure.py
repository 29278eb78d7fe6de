"""Figure 10 agrees with the paper, and the documents contain this figure."""

import re
from pathlib import Path
from xml.etree import ElementTree

from exactree.proper import draw_partition, figure_10, segments, size, smallest_partition

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "papers"
DRAWN = FOLDER / "004-figure-10.svg"
SVG = "{http://www.w3.org/2000/svg}"


def test_figure_10() -> None:
    """Five trees in order; thirty of binary features, three of them in no list partition."""
    picture = ElementTree.fromstring(figure_10())
    trees = picture.findall(f"{SVG}g")
    assert len(trees) == 5 + 30
    assert sum("#d55e00" in ElementTree.tostring(tree, "unicode") for tree in trees) == 3
    for tree in trees:
        assert sorted(name.text for name in tree.findall(f"{SVG}text")) == ["r1", "r2", "r3"]
        assert len(tree.findall(f"{SVG}rect")) == 4


def test_everything_is_inside_the_picture() -> None:
    picture = ElementTree.fromstring(figure_10())
    width, height = float(picture.get("width")), float(picture.get("height"))
    corners = set()
    for tree in picture.findall(f"{SVG}g"):
        x, y = map(float, re.findall(r"[\d.]+", tree.get("transform")))
        assert (x, y) not in corners
        corners.add((x, y))
        for circle in tree.findall(f"{SVG}circle"):
            assert 10 <= x + float(circle.get("cx")) <= width - 10
            assert 10 <= y + float(circle.get("cy")) <= height - 10


def test_the_documents_show_it() -> None:
    """Write it again: exactree.proper.figure_10()."""
    assert DRAWN.read_text(encoding="utf-8") == figure_10()


SCENE = [
    ((0, 0), (4, 1)),
    ((5, -2), (6, 3)),
    ((1, 3), (5, 4)),
    ((2, -3), (3, -1)),
    ((7, 0), (9, 5)),
]


def test_a_line_through_the_corners_of_the_picture_is_drawn() -> None:
    picture = draw_partition(smallest_partition(segments([((0, 0), (1, 1))])))
    # The diagonal of the square of 420 pixels.
    assert '<line x1="0.0" y1="420.0" x2="420.0" y2="0.0"' in picture


def test_a_partition_is_drawn_with_all_its_pieces_and_lines() -> None:
    tree = smallest_partition(segments(SCENE))
    picture = ElementTree.fromstring(draw_partition(tree))
    lines = picture.findall(f"{SVG}line")
    pieces = [line for line in lines if line.get("stroke-width") == "4"]
    assert len(pieces) == size(tree)
    assert len(lines) == 2 * size(tree), "the line of every node, within its region"
    for line in lines:
        assert all(-0.1 <= float(line.get(name)) <= 420.1 for name in ("x1", "y1", "x2", "y2"))
    # The documents show it: exactree.proper.draw_partition writes it again.
    assert (FOLDER / "004-partition.svg").read_text(encoding="utf-8") == draw_partition(tree)
