"""Every error has its own way out in the hint, not the help of the command."""

import re
from pathlib import Path

import pytest

from .conftest import Run

FIT = ("fit", "t.csv", "--target", "y")


@pytest.mark.parametrize(
    ("text", "words", "sentence", "hint"),
    [
        ("x,y\n", FIT, "t.csv has no rows below the names of its columns.", "write one row"),
        ("y\n1\n2\n", FIT, "t.csv has no columns of features, only 'y'.", "columns other than the"),
        ("", FIT, "t.csv is empty; its first row must name the columns.", "save the table again"),
        ("x,x,y\n1,2,a\n", FIT, "t.csv has two columns named 'x'", "rename one of them."),
        ("x,y\n1,a\n2,\n", FIT, "Column 'y' has no value in row 2", "fill in the cell, or remove"),
        ("x,y\n1,a\n2,b\n", (*FIT, "--exclude", "y"), "--exclude names the target", "leave that"),
        (
            "x,y\n1,a\n2,b\n",
            (*FIT, "--increasing", "x", "--decreasing", "x"),
            "--increasing and --decreasing name the same column.",
            "leave it out of one of them.",
        ),
        (
            "xs,y\n1,a\n2,b\n",
            (*FIT, "--features", "x"),
            "--features names 'x'",
            "did you mean 'xs'",
        ),
        (
            "x,y\n9007199254740993,a\n2,b\n",
            FIT,
            "Column 'x' has 9007199254740993 in row 1",
            "--text x takes each distinct cell as a level; or subtract a constant.",
        ),
        ("x,y\ninf,a\n2,b\n", FIT, "Column 'x' has inf in row 1", "--missing inf reads it as a"),
        (
            "x,y\n1.5,a\n2,b\n",
            (*FIT, "--categories", "x"),
            "Column 'x' has '1.5'",
            "--text x takes",
        ),
    ],
)
def test_a_hint_says_what_to_do(
    run: Run, tmp_path: Path, text: str, words: tuple[str, ...], sentence: str, hint: str
) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    result = run(*words)
    assert result.exit_code == 1
    message, last = result.stderr.splitlines()[-2:]
    assert message.startswith(f"exactree: {sentence}")
    assert last.startswith(f"hint: {hint}")
    assert "shows what is accepted" not in result.stderr


def test_a_folder_instead_of_a_table_names_the_tables_in_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("b.csv", "a.parquet", "notes.md"):
        (tmp_path / "data" / name).write_text("x", encoding="utf-8")
    result = run("fit", "data", "--target", "y")
    assert result.exit_code == 1
    assert re.search(
        r"hint: it is a folder; name a file: data.a\.parquet, data.b\.csv\.\n$", result.stderr
    )
    (tmp_path / "empty").mkdir()
    assert run("fit", "empty", "--target", "y").stderr.endswith("it is a folder; name a file.\n")


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_swapped_arguments_are_put_in_order(
    run: Run, model: Path, fruit: Path, command: str
) -> None:
    result = run(command, fruit.name, model.name)
    assert result.exit_code == 1
    right = f"hint: the model comes before the table: exactree {command} {model.name} {fruit.name}"
    assert result.stderr.splitlines()[-1].endswith(right[-40:])
    assert "the model comes before the table: " in result.stderr
    two_tables = run(command, fruit.name, fruit.name)
    assert "hint: model files are written by exactree fit" in two_tables.stderr


def test_an_unknown_label_to_explain_is_answered_by_the_labels(
    run: Run, model: Path, fruit: Path
) -> None:
    result = run("explain", model, fruit, "--to", "Apple")
    assert result.exit_code == 1
    assert result.stderr == (
        "exactree: --to 'Apple' is not a label of the model.\n"
        "hint: its labels are: apple, pear; did you mean --to apple?\n"
    )
    other = run("explain", model, fruit, "--to", "zzz")
    assert other.stderr.endswith("hint: its labels are: apple, pear.\n")
    beyond = run("explain", model, fruit, "--rows", 99)
    assert beyond.stderr.endswith(
        "hint: --rows counts from 1, the first row below the names of the columns.\n"
    )
