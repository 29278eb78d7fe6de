"""to_text: one line per node, legible, and safe to print."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree import Problem, export, solve
from exactree.data.dataset import make_dataset
from exactree.export import to_text
from exactree.export.sentences import leaf_sentences
from exactree.export.wording import number, one_line, quantity
from exactree.trees import Tree, grow

GOLDEN = Path(__file__).parent / "golden"


def test_the_text_of_a_small_tree(small_tree: Tree) -> None:
    assert to_text(small_tree) + "\n" == (GOLDEN / "small.txt").read_text(encoding="utf-8")
    assert str(small_tree) == to_text(small_tree)


def test_codes_are_written_with_all_digits() -> None:
    dataset = make_dataset([[3.0, 0.5], [16777217.0, 0.5], [-7.0, 0.7]], ["a", "b", "a"])
    leaf = (-1, 0.0, 0.0, -1, -1)
    tree = grow(dataset, [(0, 16777217.0, None, 1, 2), leaf, (0, 3.0, None, 3, 4), leaf, leaf])
    lines = to_text(tree).split("\n")
    assert lines[0] == "x0 == 16777217"
    assert lines[2] == "└─ no:  x0 == 3"


def test_a_single_leaf_reports_its_weight(single_leaf: Tree) -> None:
    assert to_text(single_leaf) == "9   3 examples of weight 2.25, 0.5 errors"


@given(data=st.data())
def test_one_printable_line_per_node(fitted_table: Any, data: Any) -> None:
    tree = data.draw(fitted_table()).tree
    lines = to_text(tree).split("\n")
    assert len(lines) == tree.node_count
    assert all(line.isprintable() for line in lines)
    leaf_lines = [line for line in lines if line.endswith(("errors", "1 error"))]
    assert len(leaf_lines) >= tree.leaves


def test_hostile_names_stay_on_their_line(hostile_tree: Tree) -> None:
    lines = to_text(hostile_tree).split("\n")
    assert len(lines) == hostile_tree.node_count
    assert all(line.replace("\u200d", "").isprintable() for line in lines)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a\nb", "a\\nb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202etxt", "\\u202etxt"),
        ("\ud800", "\\ud800"),
        ("", "''"),
        (" a", "' a'"),
        ("Größe 😀 한국어", "Größe 😀 한국어"),
        (7, "7"),
        (None, "None"),
        (("a", 1), "('a', 1)"),
    ],
)
def test_names_become_one_printable_line(name: Any, line: str) -> None:
    assert one_line(name) == line


@given(st.text())
def test_every_name_becomes_printable(name: str) -> None:
    text = one_line(name)
    assert text.replace("\u200c", "").replace("\u200d", "").isprintable()
    assert text.strip()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_digits_of_a_threshold_identify_it(threshold: float) -> None:
    assert float(number(threshold)) == threshold


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float(np.float32(2.45)), "2.450000047683716"),
        (0.5, "0.5"),
        (755.0, "755"),
        (-0.0, "-0"),
        (1e300, "1e+300"),
        (1 + 2**-52, "1.0000000000000002"),
    ],
)
def test_thresholds_have_the_fewest_digits_that_identify_them(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (3.0, "3"), (2.5, "2.5"), (0.1 + 0.2, "0.3"), (1e-9, "1e-09"),
        (1e300, "1e+300"), (123456789.0, "123456789"),
    ],
)  # fmt: skip
def test_quantities_are_rounded_to_few_digits(value: float, text: str) -> None:
    assert quantity(value) == text


def test_counts_are_aligned_after_wide_letters() -> None:
    dataset = make_dataset([[0.0], [1.0]], ["한국어", "abc"])
    leaf = (-1, 0.0, 0.0, -1, -1)
    lines = to_text(grow(dataset, [(0, 0.0, 1.0, 1, 2), leaf, leaf])).split("\n")
    assert lines[1] == "├─ yes: 한국어   1 example, 0 errors"
    assert lines[2] == "└─ no:  abc      1 example, 0 errors"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(2.44, 2.46, "2.45"), (0.1, 0.2, "0.15"), (299.0, 301.0, "300"), (-1e-7, -1e-9, "-5e-08")],
)
def test_all_formats_write_the_same_threshold(low: float, high: float, text: str) -> None:
    """Languages may add ".0" or an exponent of 0, which change neither digits nor value."""
    tree = solve(Problem([[low], [high]], ["a", "b"])).tree
    written = {
        name: getattr(export, name)(tree)
        for name in (
            "to_c", "to_dot", "to_html", "to_javascript", "to_json", "to_pmml", "to_python",
            "to_rules", "to_spreadsheet", "to_sql_expression", "to_svg", "to_text",
        )
    }  # fmt: skip
    written["explain"] = str(export.explain(tree, [low]))
    written["sentences"] = leaf_sentences(tree)[0].text
    number = re.escape(text).replace("e", "[eE]")
    for name, content in written.items():
        found = re.search(rf"(?<![\d.]){number}(\.0)?([eE]0)?(?![\d]|\.\d)", content)
        assert found, f"{name}: {content}"
    assert repr(float(tree.threshold[0])).removesuffix(".0") == text
