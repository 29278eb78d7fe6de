"""Selection of the tables of a run: listed, existing and named tables."""

from pathlib import Path

import pytest
from benchmarks.suites import SUITES, Group, Suite


def folder(tmp_path: Path, **examples: int) -> Path:
    """Write tables with that many examples each."""
    for name, rows in examples.items():
        path = tmp_path / "tables" / f"pre_{name}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text("a,target\n" + "1,0\n" * rows + "\n", encoding="utf-8")
    return tmp_path


FOUND = Group("found", "tables/pre_*.csv", ("exactree",), 1.0, "size", most_examples=3)
LISTED = Group("listed", "tables/pre_*.csv", ("exactree",), 1.0, tables=("a", "b"), depths=(2, 3))


def chosen_questions(suite: Suite, data: Path, **chosen: list) -> list[tuple]:
    return [(q.group.name, q.table, q.depth) for q in suite.questions(data, **chosen)]


def test_all_small_tables_that_are_there(tmp_path: Path) -> None:
    data = folder(tmp_path, b=3, a=2, large=4)
    suite = Suite("s", (FOUND,))
    assert chosen_questions(suite, data) == [("found", "a", None), ("found", "b", None)]
    assert chosen_questions(suite, data, tables=["large"]) == [("found", "large", None)]


def test_depth_by_depth_where_there_are_depths(tmp_path: Path) -> None:
    data = folder(tmp_path, a=1, b=1)
    suite = Suite("s", (LISTED, FOUND))
    listed = [("listed", table, depth) for depth in (2, 3) for table in "ab"]
    found = [("found", table, None) for table in "ab"]
    assert chosen_questions(suite, data) == listed + found
    assert chosen_questions(suite, data, groups=["found"]) == found
    only = [("listed", "b", 5), ("found", "b", None)]
    assert chosen_questions(suite, data, tables=["b"], depths=[5]) == only


def test_penalty_by_penalty_where_leaves_cost_something(tmp_path: Path) -> None:
    priced = Group(
        "p", "tables/pre_*.csv", ("exactree",), 1.0, tables=("a", "b"), penalties=("0.1", "0.01")
    )
    questions = Suite("s", (priced,)).questions(folder(tmp_path, a=1, b=1))
    asked_of = [(q.leaf_penalty, q.table, q.depth) for q in questions]
    assert asked_of == [(p, table, None) for p in ("0.1", "0.01") for table in "ab"]


def test_absent_tables_are_named_before_anything_is_requested(tmp_path: Path) -> None:
    data = folder(tmp_path, a=1)
    with pytest.raises(FileNotFoundError, match=r"^tables/pre_b.csv$"):
        next(Suite("s", (LISTED,)).questions(data))
    with pytest.raises(FileNotFoundError, match=r"^tables/pre_\*.csv$"):
        next(Suite("s", (FOUND,)).questions(tmp_path / "nowhere"))


def test_names_of_suites_and_groups_are_unique() -> None:
    for name, suite in SUITES.items():
        assert suite.name == name
        assert len({group.name for group in suite.groups}) == len(suite.groups)
        for group in suite.groups:
            assert "exactree" in group.peers
            assert group.pattern.count("*") == 1
