"""The command `python -m benchmarks.versions`: two builds of exactree on the same problems."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.quick import PROBLEMS, available
from benchmarks.suites import SUITES
from benchmarks.tables import tiny_table
from benchmarks.versions import Times

import exactree


def test_a_build_is_compared_with_itself(tmp_path: Path, run: Any) -> None:
    (tmp_path / "continuous").mkdir()
    path = tmp_path / "continuous" / "contree_raisin_train.csv.gz"
    rows = np.column_stack(tiny_table())
    np.savetxt(path, rows, delimiter=",", header="a,b,target", comments="")
    build = str(Path(exactree.__file__).parents[1])
    arguments = (build, build, "--problems", "Gini", "--runs", "1")
    answer = run(*arguments, data=tmp_path, module="benchmarks.versions")
    assert answer.returncode == 0, answer.stderr
    assert "geometric mean" in answer.stdout


def test_a_build_is_compared_with_itself_on_a_suite(tmp_path: Path, run: Any) -> None:
    (tmp_path / "regression").mkdir()
    rows = np.column_stack(tiny_table())
    for name in SUITES["regression"].groups[-1].tables:
        path = tmp_path / "regression" / f"{name}.csv.gz"
        np.savetxt(path, rows, delimiter=",", header="a,b,target", comments="")
    build = str(Path(exactree.__file__).parents[1])
    suite = ("--suite", "regression", "--groups", "many numbers", "--runs", "1")
    answer = run(build, build, *suite, data=tmp_path, module="benchmarks.versions")
    assert answer.returncode == 0, answer.stderr
    assert "geometric mean of 1" in answer.stdout


def test_a_build_that_fails_is_named(tmp_path: Path, run: Any) -> None:
    arguments = (str(tmp_path), str(tmp_path), "--problems", "Gini", "--runs", "1")
    answer = run(*arguments, data=tmp_path, module="benchmarks.versions")
    assert f"Gini failed in {tmp_path}" in str(answer.returncode)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ((1.0, 1.1, 1.2), (1.3, 1.4, 1.5), "slower"),
        ((1.3, 1.4, 1.5), (1.0, 1.1, 1.2), "faster"),
        ((1.0, 1.1, 1.4), (1.3, 1.4, 1.5), ""),
        ((1.0, 1.001), (1.002, 1.003), ""),
    ],
)
def test_only_runs_that_do_not_overlap_are_a_change(
    before: tuple[float, ...], after: tuple[float, ...], change: str
) -> None:
    assert Times("a row", before, after, agree=True).change == change


def test_without_tables_the_planted_problems_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXACTREE_DATA", raising=False)
    names = available()
    assert len(names) == 5
    shapes = [tuple(map(np.shape, PROBLEMS[name].read())) for name in names]
    assert all(len(X) == 2 and X[:1] == y for X, y in shapes)
