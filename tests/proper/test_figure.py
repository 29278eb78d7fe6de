"""Figure 10 shows what the paper says, and the documents show this figure."""

import re
from pathlib import Path
from xml.etree import ElementTree

from exactree.proper import figure_10

DRAWN = Path(__file__).resolve().parents[2] / "docs" / "papers" / "004-figure-10.svg"
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
    """Write it anew: exactree.proper.figure_10()."""
    assert DRAWN.read_text(encoding="utf-8") == figure_10()
