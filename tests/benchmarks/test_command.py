"""The command `python -m benchmarks` on a tiny table: what it prints, writes and returns."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import exactree as xt

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, data: Path | None) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does, with or without a data folder."""
    env = {name: value for name, value in os.environ.items() if name != "EXACTREE_DATA"}
    if data is not None:
        env["EXACTREE_DATA"] = str(data)
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Write a tiny table into a data folder, and return its file."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(40, 3))
    y = np.where(X[:, 0] * X[:, 1] > 4, 7, rng.integers(3, 5, size=40))
    path = tmp_path / "continuous" / "contree_tiny_train.csv.gz"
    path.parent.mkdir()
    numbers = np.column_stack([X, y])
    np.savetxt(path, numbers, delimiter=",", header="a,b,c,target", comments="")
    return path


def test_without_data_it_says_so_and_stops() -> None:
    answer = run(data=None)
    assert answer.returncode == 0
    assert "EXACTREE_DATA is not set" in answer.stdout


def test_an_absent_table_is_named(tmp_path: Path) -> None:
    answer = run("--tables", "nowhere", data=tmp_path)
    assert answer.returncode == 1
    assert "continuous/contree_nowhere_train.csv.gz" in answer.stderr


def test_a_run_leaves_a_record(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    few = ["--tables", "tiny", "--depths", "2", "--peers", "exactree", "cart"]
    answer = run("continuous", *few, "--out", str(out), data=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "tiny, depth 2, exactree: proved" in answer.stdout

    (record,) = out.glob("*.json")
    text = record.read_text(encoding="utf-8")
    page = record.with_suffix(".md").read_text(encoding="utf-8")
    assert record.stem.endswith("-continuous")
    assert str(tmp_path) not in text + page
    assert str(ROOT) not in text + page

    entries = json.loads(text)
    assert entries["complete"]
    assert entries["wrong"] == []
    assert entries["machine"]["packages"]["exactree"] == xt.__version__
    (row,) = entries["rows"]
    assert (row["examples"], row["features"], row["classes"]) == (40, 3, 3)
    ours, cart = row["measurements"]["exactree"], row["measurements"]["cart"]
    assert ours["end"] == "proved"
    assert ours["errors"] == least_errors(table, depth=2)
    assert len(ours["cpu_seconds"]) == len(ours["wall_seconds"]) == 3
    assert cart["end"] == "greedy"
    assert cart["errors"] >= ours["errors"]
    assert f"/ {cart['errors']}*" in page


def least_errors(table: Path, depth: int) -> int:
    """Return what the specification finds."""
    numbers = np.loadtxt(table, delimiter=",", skiprows=1)
    problem = xt.Problem(numbers[:, :-1], numbers[:, -1], limits=xt.Limits(max_depth=depth))
    cost = xt.solve(problem, implementation="spec").cost
    assert isinstance(cost, int)
    return cost
