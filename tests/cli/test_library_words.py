"""Messages of the library name columns and lines of the file, and options of the command."""

import json
import re
from pathlib import Path

import click
import numpy as np
import pytest

from exactree.cli import main
from exactree.cli.library_words import READ, ReadTable, in_own_words
from exactree.cli.table import read_table

from .conftest import Run

TABLE = """\
Laufzeit (Monate);Betrag;Farbe;Status
1;100;rot;bezahlt
2;;rot;bezahlt
3;120;blau;offen
4;130;rot;offen
4;130;rot;bezahlt
"""
FIT = ("fit", "t.csv", "--target", "Status", "--max-depth", 2)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "code", "sentence", "hint"),
    [
        (
            ("--increasing", "Betrag"),
            1,
            "Column 'Betrag' has no value in row 2 (line 3 of t.csv): --increasing takes no "
            "missing values, in any feature: ",
            "fill in the cell, or remove the row; --exclude Betrag leaves the column out.",
        ),
        (
            ("--rules", "hyperplanes"),
            1,
            "Column 'Betrag' has no value in row 2 (line 3 of t.csv): hyperplanes and other "
            "surfaces take no missing values.",
            "fill in the cell, or remove the row; --exclude Betrag leaves the column out.",
        ),
        (
            ("--decreasing", "Farbe", "--exclude", "Betrag"),
            1,
            "--decreasing names 'Farbe', a column of text or codes without an order.",
            "exactree fit --help describes --decreasing.",
        ),
        (
            ("--max-errors", "0"),
            4,
            "no tree meets the limits: --max-errors 0, but every tree makes at least 1 errors: "
            "rows 4, 5 (lines 5, 6 of t.csv) have equal features and different labels",
            "relax the limit that the message names, or another limit.",
        ),
        (
            ("--method", "box"),
            2,
            "--method box with --implementation native does not accept this problem",
            "--method auto selects a method that accepts the problem.",
        ),
    ],
)
def test_messages_are_about_the_file_and_the_options(
    run: Run, table: Path, options: tuple[str, ...], code: int, sentence: str, hint: str
) -> None:
    result = run(*FIT, *options)
    assert result.exit_code == code
    assert f"exactree: {sentence}" in result.stderr
    assert result.stderr.endswith(f"hint: {hint}\n")
    assert not re.search(r"\bx\d|counted from 0|monotonic_cst|max_errors", result.stderr)


@pytest.mark.parametrize("command", ["front", "tune", "enumerate"])
def test_all_searches_use_these_words(run: Run, table: Path, command: str) -> None:
    words = (command, "t.csv", "--target", "Status", "--increasing", "Betrag")
    result = run(*words)
    assert "Column 'Betrag' has no value in row 2 (line 3 of t.csv)" in result.stderr
    assert result.exit_code == 1


def test_the_problem_in_json_and_in_models_has_the_names_of_the_file(run: Run, table: Path) -> None:
    increasing = ("--increasing", "Laufzeit (Monate)", "--exclude", "Betrag")
    printed = json.loads(run(*FIT, *increasing, "--json", "-o", "m.json").stdout)
    assert "a share of 'offen' that does not decrease in 'Laufzeit (Monate)'" in printed["problem"]
    infeasible = json.loads(run(*FIT, "--max-errors", 0, "--json").stdout)
    assert "rows 4, 5 (lines 5, 6 of t.csv)" in infeasible["reason"]


def test_the_share_of_monotone_columns_is_named(run: Run, table: Path) -> None:
    options = ("--increasing", "Laufzeit (Monate)", "--exclude", "Betrag")
    assert "exactree: increasing: share of 'offen'\n" in run(*FIT, *options).stderr
    decreasing = ("--decreasing", *options[1:])
    assert "exactree: decreasing: share of 'offen'\n" in run(*FIT, *decreasing).stderr
    assert "share" not in run(*FIT, *options, "--quiet").stderr
    assert "share" not in run(*FIT, "--exclude", "Betrag").stderr
    regression = ("--target", "Laufzeit (Monate)", "--task", "regression", "--exclude", "Betrag")
    assert "share" not in run("fit", "t.csv", *regression, "--increasing", "Status").stderr


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "y, row 1: the label is odd. (Rows are counted from 0.)",
            "Column 'Status', row 2 (line 3 of",
        ),
        ("sample_weight, row 0: -1.0 is not allowed", "Column 'w', row 1 (line 2 of"),
        ("X, column 'x1', row 4: 2**60 is too large", "Column 'Betrag', row 5 (line 6 of"),
        ("rows 0, 4 and 3 more", "rows 1, 5 (lines 2, 6 of"),
        ("rows 0, 99 and 3 more", "rows 0, 99 and"),
        ("'x0' and 'x7' and 'x2'", "'Laufzeit (Monate)' and 'x7' and 'x2'"),
        ("min_samples_leaf=3 but minimize='size'", "--min-samples-leaf 3 but --minimize size"),
        ("n_jobs=2 and cost_matrix", "--jobs 2 and --cost"),
    ],
)
def test_every_form_of_a_message_is_translated(table: Path, message: str, expected: str) -> None:
    features = ("Laufzeit (Monate)", "Betrag", "Farbe")
    with click.Context(main.commands["fit"]) as context:
        read = ReadTable(read_table(table), features, "Status", "w", frozenset({"x2"}))
        context.meta[READ] = read
        assert in_own_words(message)[0].startswith(expected)
    assert in_own_words(message) == (message, None)


def test_the_hint_names_every_column_with_missing_values(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a b,c,d,y\n1,2,1,a\n,3,2,b\n2,,3,b\n", encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y", "--increasing", "d")
    assert result.stderr.endswith(
        "hint: fill in the cells, or remove the rows; --exclude 'a b,c' leaves out all columns "
        "with missing values.\n"
    )


LARGE = np.random.default_rng(0).integers(0, 40, (300, 6))


@pytest.mark.parametrize("options", [(), ("--count",)])
def test_enumerate_blames_missing_cells_and_not_the_size(
    run: Run, tmp_path: Path, options: tuple[str, ...]
) -> None:
    rows = [",".join(map(str, row)) for row in LARGE.tolist()]
    rows[7] = rows[7].replace(rows[7].split(",")[0], "", 1)
    header = "a b,c,d,e,f,y"
    (tmp_path / "large.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    words = ("enumerate", "large.csv", "--target", "y", "--text", "y", "--max-depth", 3, *options)
    result = run(*words)
    assert result.exit_code == 1
    assert (
        "exactree: Column 'a b' has no value in row 8 (line 9 of large.csv); with missing values, "
        "all trees are listed for small tables only.\n" in result.stderr
    )
    assert result.stderr.endswith("--exclude 'a b' leaves out columns with missing values.\n")
