"""The report in headless Chromium: folding, searching, paths of examples, layout, hostile names.

Skipped where no Chromium is installed (Debian: `apt-get install chromium`).
"""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree.data.dataset import make_features
from exactree.export import report
from exactree.export.palette import DARK, LIGHT
from exactree.export.wording import one_line
from exactree.trees import Ensemble, Tree

from .reported import KINDS

pytest.importorskip("jinja2")

contrast = runpy.run_path(str(Path(__file__).parent / "test_palette.py"))["contrast"]


def page_of(kind: str, **arguments: Any) -> str:
    return report(*KINDS[kind](), **({"front_seconds": 0} | arguments))


def test_nodes_fold_and_unfold(opened: Any) -> None:
    found = opened(page_of("classes"))
    page = found.page
    children = "#t0n1 > ul"
    assert found.seen(children)
    button = page.locator("#t0n1 > .box > .folder")
    button.click()
    assert not found.seen(children)
    assert button.get_attribute("aria-expanded") == "false"
    button.press("Enter")
    assert found.seen(children)
    page.click("#fold")
    assert not found.seen(children)
    assert found.seen("#t0n1"), "children of the root stay"
    page.click("#unfold")
    assert found.seen(children)


def test_searching_marks_and_unfolds_nodes(opened: Any) -> None:
    found = opened(page_of("classes"))
    page = found.page
    page.click("#fold")
    page.fill("#search", "HIGH")
    leaves = page.evaluate("document.querySelectorAll('.hit').length")
    assert leaves == sum("high" in text for text in page.locator(".leaf .text").all_inner_texts())
    assert page.inner_text("#hits") == f"{leaves} of 7 nodes"
    assert found.seen(".hit > .box")
    page.press("#search", "Enter")
    assert "predicts high" in page.inner_text("#node-text")
    page.fill("#search", "no such text")
    assert page.inner_text("#hits") == "0 of 7 nodes"


def test_pointing_at_a_node_shows_its_conditions_and_examples(opened: Any) -> None:
    found = opened(page_of("classes"))
    found.page.hover("#t0n2 > .box .text")
    model, _, _ = KINDS["classes"]()
    text = found.page.inner_text("#node-text")
    assert text.startswith("Here x")
    assert f"{model.tree_.n_node_samples[2]} example" in text
    marked = found.page.evaluate("[...document.querySelectorAll('.near')].map((item) => item.id)")
    assert marked == ["t0n0", "t0n1", "t0n2"]


@pytest.mark.parametrize("kind", KINDS)
def test_examples_go_where_the_tree_sends_them(opened: Any, kind: str) -> None:
    model, X, y = KINDS[kind]()
    page = opened(report(model, X, y, front_seconds=0)).page
    # For each example the marked nodes, and the last sentence on its path.
    ways = page.evaluate(
        """() => [...document.getElementById("example").options].slice(1).map((option) => {
            document.getElementById("example").value = option.value;
            document.getElementById("example").dispatchEvent(new Event("change"));
            return [[...document.querySelectorAll(".on-way")].map((item) => item.id),
                    document.getElementById("way").lastChild.textContent];
        })"""
    )
    for attribute in ("tree_", "ensemble_", "tree"):  # of estimators, and of an outcome
        model = getattr(model, attribute, model)
    trees = model.trees if isinstance(model, Ensemble) else (model,)
    paths = [tree.decision_path(X).toarray() for tree in trees]
    predicted = model.predict(X)
    assert len(ways) == len(y)
    for row, (way, shown) in enumerate(ways):
        expected = [
            f"t{number}n{node}"
            for number, path in enumerate(paths)
            for node in np.flatnonzero(path[row])
        ]
        assert way == expected
        text = f"{predicted[row]:.6g}" if kind == "regression" else one_line(predicted[row])
        assert f" {text}" in shown


def test_buttons_step_through_the_examples(opened: Any) -> None:
    found = opened(page_of("classes"))
    page = found.page
    assert found.on_way() == []
    page.click("#next")
    assert page.input_value("#example") == "0"
    first = found.on_way()
    assert first[0] == "t0n0"
    page.click("#previous")
    assert page.input_value("#example") == "59", "the last of 60"
    page.click("#clear")
    assert found.on_way() == []
    assert page.inner_text("#way") == ""


def test_entered_values_are_sent_to_their_leaf(opened: Any) -> None:
    model, X, y = KINDS["missing_and_categories"]()
    found = opened(report(model, X, y, front_seconds=0))
    page, tree = found.page, model.tree
    fields = page.locator("#values label")
    names = [text.strip().split("\n")[0].split(" ")[0] for text in fields.all_inner_texts()]
    for name, value in (("colour", "red"), ("length", "0.25"), ("code", "")):
        if name in names:
            entry = fields.nth(names.index(name)).locator("input,select")
            entry.select_option(label=value) if name == "colour" else entry.fill(value)
    row = make_features(
        [["red", 0.25, float("nan")]], tree.feature_names, named=True, levels=tree.levels
    )
    leaf = int(tree.leaf_index(row)[0])
    assert found.on_way()[-1] == f"t0n{leaf}"
    assert page.input_value("#example") == ""
    assert "The label" not in page.inner_text("#way")


def test_without_examples_values_can_be_entered(opened: Any) -> None:
    found = opened(page_of("regression", examples=0))
    assert found.page.locator("#next").is_disabled()
    found.page.locator("#values input").first.fill("99")
    assert len(found.on_way()) > 1


def test_weighted_sums_need_all_values(opened: Any) -> None:
    found = opened(page_of("surfaces"))
    found.page.click("#next")
    assert found.on_way()
    assert found.page.inner_text("#way").startswith("the sum is ")
    found.page.locator("#values input").first.fill("")
    assert found.on_way() == []
    assert "none may be missing" in found.page.inner_text("#way")


def test_trees_are_shown_as_pictures_and_as_lists(opened: Any) -> None:
    page = opened(page_of("classes")).page
    # The two children of the root.
    tops = "['t0n1', 't0n4'].map((id) => document.getElementById(id).getBoundingClientRect().top)"
    left, right = page.evaluate(tops)
    assert left == right, "side by side"
    page.click("#view")
    left, right = page.evaluate(tops)
    assert left < right, "below each other"


@pytest.mark.parametrize("form", ["picture", "list"])
def test_nodes_do_not_overlap_and_contain_their_text(opened: Any, form: str) -> None:
    page = opened(page_of("missing_and_categories")).page
    if form == "list":
        page.click("#view")
    boxes = page.evaluate(
        """[...document.querySelectorAll(".box")].map((box) => {
            const { left, right, top, bottom } = box.getBoundingClientRect();
            const inside = [...box.querySelectorAll("span")].every((text) => {
              const place = text.getBoundingClientRect();
              const across = left <= place.left && place.right <= right;
              return across && top <= place.top && place.bottom <= bottom;
            });
            return [left, right, top, bottom, inside];
        })"""
    )
    for number, (left, right, top, bottom, inside) in enumerate(boxes):
        assert inside, "a text leaves its box"
        for other_left, other_right, other_top, other_bottom, _ in boxes[:number]:
            beside = left >= other_right or other_left >= right
            assert beside or top >= other_bottom or other_top >= bottom


@pytest.mark.parametrize("kind", ["missing_and_categories", "ensemble"])
def test_narrow_pages_do_not_overflow(opened: Any, kind: str) -> None:
    for width in (360, 1280):
        page = opened(page_of(kind, front_seconds=2), width=width).page
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0
        narrowest = "Math.min(...[...document.querySelectorAll('th')].map((th) => th.clientWidth))"
        assert page.evaluate(narrowest) >= 30, "no heading is broken into letters"


@pytest.mark.parametrize(("width", "verb"), [(390, "Tap a"), (1280, "Point at a")])
def test_the_hint_on_phones_is_to_tap(opened: Any, width: int, verb: str) -> None:
    page = opened(page_of("classes"), width=width).page
    assert page.inner_text("#node-text").startswith(verb)


def test_wide_tables_scroll_within_their_box_on_phones(opened: Any) -> None:
    page = opened(page_of("classes", front_seconds=5), width=390).page
    outside = page.evaluate(
        """[...document.querySelectorAll("table")].filter((table) => !table.closest(".scroll"))"""
    )
    assert outside == []
    broken = "getComputedStyle(cell).whiteSpace !== 'nowrap'"
    cells = page.evaluate(f"[...document.querySelectorAll('td')].filter((cell) => {broken})")
    assert cells == [], "numbers are not broken into lines"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_contrasts_with_its_background(opened: Any, scheme: str) -> None:
    """WCAG 2.2 requires a contrast of 4.5."""
    page = opened(page_of("classes", front_seconds=5), scheme=scheme).page
    page.click("#next")
    pairs = page.evaluate(
        """() => {
            const clear = (colour) => /^rgba\\(.*, 0\\)$/.test(colour);
            const background = (at) => {
              while (at && clear(getComputedStyle(at).backgroundColor)) at = at.parentElement;
              return at ? getComputedStyle(at).backgroundColor : "none";
            };
            const text = (at) => [...at.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
            return [...document.body.querySelectorAll("*:not(script)")].filter(text).map((at) => {
              const style = getComputedStyle(at);
              const ink = at instanceof SVGElement ? style.fill : style.color;
              return [ink, background(at), at.outerHTML.slice(0, 80)];
            });
        }"""
    )
    assert len(pairs) > 50
    expected = {"light": LIGHT, "dark": DARK}[scheme]
    assert hexadecimal(pairs[0][1]) == expected.background
    for ink, background, element in pairs:
        assert contrast(hexadecimal(ink), hexadecimal(background)) >= 4.5, element


def hexadecimal(colour: str) -> str:
    """Return ``rgb(1, 2, 3)`` as ``#010203``."""
    parts = colour.removeprefix("rgb(").removesuffix(")").split(", ")
    return "#" + "".join(f"{int(part):02x}" for part in parts)


def test_a_printed_page_is_unfolded_and_light(opened: Any) -> None:
    found = opened(page_of("classes", front_seconds=5), scheme="dark")
    page = found.page
    page.click("#fold")
    page.emulate_media(media="print")
    assert found.seen("#t0n1 > ul"), "folded nodes are printed"
    assert not found.seen("#search")
    assert not found.seen(".folder")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert hexadecimal(background) == LIGHT.background
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.set_viewport_size({"width": 700, "height": 1000})
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0


def test_hostile_names_are_text(opened: Any, hostile_tree: Tree) -> None:
    tree = hostile_tree
    X = np.random.default_rng(0).normal(size=(20, tree.n_features))
    y = [tree.classes[k % len(tree.classes)] for k in range(20)]
    hostile = '</title></script><script>alert(1)</script>"><img src=x onerror=alert(2)>'
    page = opened(report(tree, X, y, title=hostile, front_seconds=0)).page
    assert page.title() == one_line(hostile)
    assert page.inner_text("h1") == one_line(hostile)
    shown = page.locator(".leaf .text").all_text_contents()
    leaves = np.flatnonzero(tree.children_left < 0)
    assert shown == [one_line(tree.classes[tree.prediction[leaf]]) for leaf in leaves]
    page.fill("#search", "<script>alert(1)</script>")
    page.click("#next")
    page.locator("#values input").first.fill("3")
    page.hover(f"#t0n{leaves[0]} > .box")
    assert page.evaluate("document.scripts.length") == 2
    assert (
        page.evaluate("document.querySelectorAll('img, b, i:not(.bar i, .legend i)').length") == 0
    )


def test_a_program_in_a_name_would_not_run(opened: Any) -> None:
    """If text escaped its element, it could do nothing: only the page's own program runs."""
    text = page_of("classes").replace("</h1>", "</h1><script>window.broken = 1</script>")
    found = opened(text)
    assert found.page.evaluate("window.broken") is None
    assert len(found.messages) == 1, "the browser reports that it refused the script"
    assert "Content Security Policy" in found.messages.pop()
