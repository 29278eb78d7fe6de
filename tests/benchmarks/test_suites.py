"""Selection of the problems of a run by lists, patterns and options."""

from pathlib import Path

import pytest
from benchmarks.suites import SUITES, Group, Suite


def folder(tmp_path: Path, **examples: int) -> Path:
    """Write tables with these numbers of examples into a data folder, and return it."""
    for name, rows in examples.items():
        path = tmp_path / "tables" / f"pre_{name}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text("a,target\n" + "1,0\n" * rows + "\n", encoding="utf-8")
    return tmp_path


FOUND = Group("found", "tables/pre_*.csv", ("exactree",), 1.0, "size", max_examples=3)
LISTED = Group("listed", "tables/pre_*.csv", ("exactree",), 1.0, tables=("a", "b"), depths=(2, 3))


def chosen_problems(suite: Suite, data: Path, **options: list) -> list[tuple]:
    """Return group, table and depth of the problems chosen by options."""
    problems = suite.problems(data, **options)
    return [(problem.group.name, problem.table, problem.depth) for problem in problems]


def test_a_group_without_a_list_has_all_small_tables(tmp_path: Path) -> None:
    data = folder(tmp_path, b=3, a=2, large=4)
    suite = Suite("s", (FOUND,))
    assert chosen_problems(suite, data) == [("found", "a", None), ("found", "b", None)]
    assert chosen_problems(suite, data, tables=["large"]) == [("found", "large", None)]


def test_problems_of_a_group_are_ordered_by_depth(tmp_path: Path) -> None:
    data = folder(tmp_path, a=1, b=1)
    suite = Suite("s", (LISTED, FOUND))
    listed = [("listed", table, depth) for depth in (2, 3) for table in "ab"]
    found = [("found", table, None) for table in "ab"]
    assert chosen_problems(suite, data) == listed + found
    assert chosen_problems(suite, data, groups=["found"]) == found
    expected = [("listed", "b", 5), ("found", "b", None)]
    assert chosen_problems(suite, data, tables=["b"], depths=[5]) == expected


def test_problems_with_leaf_penalties_are_ordered_by_penalty(tmp_path: Path) -> None:
    group = Group(
        "p", "tables/pre_*.csv", ("exactree",), 1.0, tables=("a", "b"), penalties=("0.1", "0.01")
    )
    problems = Suite("s", (group,)).problems(folder(tmp_path, a=1, b=1))
    keys = [(problem.leaf_penalty, problem.table, problem.depth) for problem in problems]
    assert keys == [(penalty, table, None) for penalty in ("0.1", "0.01") for table in "ab"]


def test_absent_tables_are_named_before_the_first_problem(tmp_path: Path) -> None:
    data = folder(tmp_path, a=1)
    with pytest.raises(FileNotFoundError, match=r"^tables/pre_b.csv$"):
        next(Suite("s", (LISTED,)).problems(data))
    with pytest.raises(FileNotFoundError, match=r"^tables/pre_\*.csv$"):
        next(Suite("s", (FOUND,)).problems(tmp_path / "nowhere"))


def test_names_of_suites_and_groups_are_unique() -> None:
    for name, suite in SUITES.items():
        assert suite.name == name
        assert len({group.name for group in suite.groups}) == len(suite.groups)
        for group in suite.groups:
            assert "exactree" in group.peers
            assert group.pattern.count("*") == 1
