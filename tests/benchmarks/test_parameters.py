"""The command `python -m benchmarks.parameters` on a tiny folder."""

from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def folder(tmp_path: Path) -> Path:
    """Write a few small tables, and return their folder."""
    tables = {
        "one/words.csv": "a,b,target\n0,red,yes\n1,blue,no\n2,red,yes\n",
        "one/gap.csv": "a,target\n1,\n2,0\n",
        "two/numbers.csv": "a,b,c,target\n0,0,1,0\n1,5,1,1\n2,5,1,1\n2,6,1,2\n",
        "regression/prices.csv": "a,target\n0,0.5\n1,2.5\n",
    }
    for name, text in tables.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "index.csv").write_text("no,table\n", encoding="utf-8")
    return tmp_path


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of the printed table by their first cell."""
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    return {row[0]: row[1:] for row in cells if row}


def test_without_data_the_command_prints_a_message_and_ends(run: Any) -> None:
    answer = run(module="benchmarks.parameters", data=None)
    assert answer.returncode == 0
    assert "EXACTREE_DATA is not set" in answer.stdout


def test_parameters_are_those_of_tables_with_classes(tmp_path: Path, run: Any) -> None:
    answer = run(module="benchmarks.parameters", data=folder(tmp_path))
    assert answer.returncode == 0, answer.stderr
    assert rows(answer.stdout) == {
        "one/words": ["3", "2", "2", "3", "2", "1"],
        "two/numbers": ["4", "3", "3", "3", "2", "1"],
    }
    assert (
        "left out: Column 'target' has no value in row 1 (line 2 of one/gap.csv)" in answer.stdout
    )
    assert str(tmp_path) not in answer.stdout


def test_only_the_named_folders_are_read(tmp_path: Path, run: Any) -> None:
    assert set(rows(run("two", module="benchmarks.parameters", data=folder(tmp_path)).stdout)) == {
        "two/numbers"
    }
    absent = run("two", "nowhere", module="benchmarks.parameters", data=tmp_path)
    assert absent.returncode == 1
    assert "has no nowhere" in absent.stderr
