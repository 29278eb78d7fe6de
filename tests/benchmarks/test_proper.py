"""The counts of proper trees that the page on the paper shows are those of its command."""

from math import factorial
from pathlib import Path
from random import Random

from benchmarks.proper import (
    DRAWS,
    different,
    hyperplanes,
    partition_row,
    polygon,
    record_of_marks,
    subproblems,
    trees,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "papers" / "004-proper-trees.md"


def test_the_page_shows_what_is_counted() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for k in (2, 3, 4):
        counts = [trees(k, d) / DRAWS for d in (1, 2, 3, 4)]
        cells = [f"{n:.3f} ({n / factorial(k):.4%})" for n in counts]
        assert f"| {k} | {' | '.join(cells)} |" in page
    for k in (3, 4, 5):
        rng = Random(k)
        lines = sum(subproblems(hyperplanes(k, 2, rng)) for _ in range(DRAWS)) / DRAWS
        sides = polygon(k)
        row = f"| {k} | {lines:.2f} | {subproblems(sides)} | {different(sides)} | {factorial(k)} |"
        assert row in page
    for n in (4, 5, 6):
        assert f"| {' | '.join(partition_row(n))} |" in page


def test_thresholds_of_one_feature_have_catalan_many_trees() -> None:
    assert [trees(k, 1, "thresholds", 3) for k in (2, 3, 4)] == [6, 15, 42]
    assert different(polygon(5)) == 2**5


def test_a_record_of_marks_has_what_both_methods_find() -> None:
    record = record_of_marks([(12, 2, 2)])
    assert record.count("| 12 | 2 | 2 | ") == 2
    assert "| 66 | " in record
    assert "- load_before: " in record
