"""The command `python -m benchmarks.versions`: two builds of exactree on the same questions."""

from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.tables import tiny_table

import exactree


def test_a_build_costs_what_it_costs_itself(tmp_path: Path, run: Any) -> None:
    (tmp_path / "continuous").mkdir()
    path = tmp_path / "continuous" / "contree_raisin_train.csv.gz"
    rows = np.column_stack(tiny_table())
    np.savetxt(path, rows, delimiter=",", header="a,b,target", comments="")
    build = str(Path(exactree.__file__).parents[1])
    arguments = (build, build, "--questions", "Gini", "--runs", "1")
    answer = run(*arguments, data=tmp_path, module="benchmarks.versions")
    assert answer.returncode == 0, answer.stderr
    assert "geometric mean" in answer.stdout


def test_a_build_that_does_not_answer_is_named(tmp_path: Path, run: Any) -> None:
    arguments = (str(tmp_path), str(tmp_path), "--questions", "Gini", "--runs", "1")
    answer = run(*arguments, data=tmp_path, module="benchmarks.versions")
    assert f"Gini failed in {tmp_path}" in str(answer.returncode)
