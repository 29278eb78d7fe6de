"""The command `python -m benchmarks` on a tiny table: output, files and exit codes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree as xt

ROOT = Path(__file__).resolve().parents[2]


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


def test_without_data_the_command_prints_a_message_and_ends(run: Any) -> None:
    answer = run(data=None)
    assert answer.returncode == 0
    assert "EXACTREE_DATA is not set" in answer.stdout


def test_an_absent_table_is_named(tmp_path: Path, run: Any) -> None:
    answer = run("--tables", "nowhere", data=tmp_path)
    assert answer.returncode == 1
    assert "continuous/contree_nowhere_train.csv.gz" in answer.stderr


def test_a_run_leaves_a_record(table: Path, tmp_path: Path, run: Any) -> None:
    out = tmp_path / "out"
    options = ["--tables", "tiny", "--depths", "2", "--peers", "exactree", "cart"]
    answer = run("continuous", *options, "--out", str(out), data=tmp_path)
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
    assert ours["errors"] == minimum_of_spec(table, depth=2)
    assert len(ours["cpu_seconds"]) == len(ours["wall_seconds"]) == 3
    assert cart["end"] == "greedy"
    assert cart["errors"] >= ours["errors"]
    assert f"/ {cart['errors']}*" in page


def test_a_run_for_fewest_nodes_leaves_a_record(tmp_path: Path, run: Any) -> None:
    """`--peer-limit` leaves the limit of full tables; contradictory rows may be misclassified."""
    tables = {
        "min_size/ends.csv.gz": [[0, 0], [1, 1], [2, 1], [3, 0]],
        "continuous/pmlb_twice.csv.gz": [[0, 0], [1, 1], [1, 1], [1, 0], [2, 2]],
    }
    for file, numbers in tables.items():
        path = tmp_path / "data" / file
        path.parent.mkdir(parents=True)
        np.savetxt(path, numbers, delimiter=",", header="a,target", comments="")
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "min_size.csv").write_text(
        "instance,optimal_size,lower_bound,pair_lp_bound\nends,2,2,2\n", encoding="utf-8"
    )
    out = tmp_path / "out"
    answer = run("least-size", "--peer-limit", "20", "--out", str(out), data=tmp_path / "data")
    assert answer.returncode == 0, answer.stderr
    assert "ends, exactree: proved" in answer.stdout
    (record,) = out.glob("*.json")
    rows = {row["table"]: row for row in json.loads(record.read_text("utf-8"))["rows"]}
    ends, twice = rows["ends"], rows["twice"]
    assert (ends["limit"], ends["max_errors"], ends["known"]["minimum"]) == (20, 0, 2)
    assert (twice["limit"], twice["max_errors"], twice["known"]) == (60, 1, None)
    assert ends["measurements"].keys() == {"exactree"}  # no prototype is named
    for row, size in ((ends, 2), (twice, 2)):
        ours = row["measurements"]["exactree"]
        assert (ours["end"], ours["size"], ours["lower_bound"]) == ("proved", size, size)
    page = record.with_suffix(".md").read_text(encoding="utf-8")
    assert "1 of 1 proofs agree with known results." in page
    assert "## full-continuous" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["continuous", "--groups", "min_size"], "continuous has no group min_size"),
        (["least-size", "--prototype", "nowhere"], "there is no nowhere"),
    ],
)
def test_impossible_arguments_are_refused_before_a_run(
    arguments: list[str], message: str, tmp_path: Path, run: Any
) -> None:
    answer = run(*arguments, data=tmp_path)
    assert answer.returncode == 2
    assert message in answer.stderr


def minimum_of_spec(table: Path, depth: int) -> int:
    """Return the minimum number of errors by the specification."""
    numbers = np.loadtxt(table, delimiter=",", skiprows=1)
    problem = xt.Problem(numbers[:, :-1], numbers[:, -1], limits=xt.Limits(max_depth=depth))
    cost = xt.solve(problem, implementation="spec").cost
    assert isinstance(cost, int)
    return cost
