"""to_html: a self-contained element of a page."""

from html.parser import HTMLParser
from typing import Any

import pytest

from exactree.export import html, to_html, to_svg
from exactree.trees import Tree


class Elements(HTMLParser):
    """Collects the elements, and checks that they close and load or run nothing."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)
        self.open.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_small_tree_is_a_picture(small_tree: Tree) -> None:
    assert to_svg(small_tree) in to_html(small_tree)
    assert Elements(to_html(small_tree)).seen >= {"div", "svg", "text"}


def test_a_large_tree_is_text(small_tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "MAX_LEAVES", 2)
    assert "length &lt;= 2.5\n" in to_html(small_tree)
    assert Elements(to_html(small_tree)).seen == {"div", "pre"}


def test_a_table_is_for_the_report(small_tree: Tree) -> None:
    call: Any = to_html
    for table, named in (([[[1.0]], ["a"]], {}), ([], {"X": [[1.0]], "y": ["a"]})):
        with pytest.raises(
            TypeError, match=r"the page with a table is export\.report\(model, X, y\)"
        ):
            call(small_tree, *table, **named)


@pytest.mark.parametrize("max_leaves", [1, 64])
def test_hostile_names_are_text(
    hostile_tree: Tree, max_leaves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "MAX_LEAVES", max_leaves)
    seen = Elements(to_html(hostile_tree)).seen
    assert seen <= {"div", "pre", "svg", "style", "rect", "path", "text", "g", "title"}
