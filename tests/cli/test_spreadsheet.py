"""Formulas for spreadsheets have the letters of the table, and say which column each one is."""

import json
from pathlib import Path

import pytest

from .conftest import Run

LOANS = """\
Kunde;Datum;Laufzeit (Monate);Betrag;Art;bezahlt
K1;03.01.2026;12;1.200,50 €;neu;ja
K2;04.01.2026;48;950,00 €;alt;nein
K3;04.01.2026;12;2.310,00 €;alt;nein
K4;07.01.2026;36;780,00 €;neu;ja
"""


@pytest.fixture
def loans(run: Run, tmp_path: Path) -> Path:
    """Write a table, and a model that uses the columns C and E of it."""
    path = tmp_path / "loans.csv"
    path.write_bytes(LOANS.encode("cp1252"))
    fit = ("fit", path, "--target", "bezahlt", "--numbers", "Betrag", "--features", "Art")
    assert run(*fit, "--exclude", "Kunde,Datum", "-o", "m.json", "--quiet").exit_code == 0
    return path


def test_letters_are_those_of_the_table(run: Run, loans: Path) -> None:
    result = run("show", "m.json", "--format", "spreadsheet", "--table", loans)
    assert result.stdout == '=IF(AND(E2<>"",EXACT(E2,"alt")),"nein","ja")\n'
    assert result.stderr == "exactree: E = Art\n"
    assert "Kunde" not in Path("m.json").read_text(encoding="utf-8")


def test_without_a_table_the_letters_are_explained(run: Run, loans: Path) -> None:
    result = run("show", "m.json", "--format", "excel")
    assert result.stdout == '=IF(AND(C2<>"",EXACT(C2,"alt")),"nein","ja")\n'
    assert result.stderr == "exactree: C = Art; --table FILE uses the letters of FILE\n"


def test_a_formula_is_written_with_the_letters_of_the_table(run: Run, loans: Path) -> None:
    result = run("export", "m.json", "-o", "m.formula", "--table", loans)
    assert result.stdout == "written: m.formula\nE = Art\n"
    assert "E2" in Path("m.formula").read_text(encoding="utf-8")
    words = ("export", "m.json", "-o", "m.txt", "--format", "excel", "--table", loans, "--json")
    assert json.loads(run(*words).stdout) == {"output": "m.txt", "columns": "E = Art"}


def test_a_table_without_the_columns_is_refused(run: Run, loans: Path) -> None:
    Path("other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    show = ("show", "m.json", "--format", "spreadsheet", "--table")
    result = run(*show, "other.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "exactree: other.csv lacks columns that the tree uses: 'Art'.\n"
        "hint: its columns are: a, b.\n"
    )
    absent = run(*show, "absent.csv")
    assert absent.exit_code == 1
    assert "absent.csv cannot be read: No such file or directory." in absent.stderr


@pytest.mark.parametrize("words", [("show", "m.json"), ("export", "m.json", "-o", "m.svg")])
def test_only_formulas_have_a_table(run: Run, loans: Path, words: tuple[str, ...]) -> None:
    result = run(*words, "--table", loans)
    assert result.exit_code == 2
    assert "--table needs --format spreadsheet." in result.stderr


def test_a_single_leaf_needs_no_column(run: Run, loans: Path) -> None:
    fit = ("fit", loans, "--target", "bezahlt", "--exclude", "Datum,Betrag", "--max-depth", 0)
    assert run(*fit, "-o", "leaf.json", "--quiet").exit_code == 0
    result = run("show", "leaf.json", "--format", "spreadsheet")
    assert (result.stdout, result.stderr) == ('="ja"\n', "exactree: the formula uses no column\n")


def test_an_ensemble_has_no_formula(run: Run, fruit: Path) -> None:
    fit = ("fit", fruit, "--target", "kind", "--n-trees", 3, "--quiet", "-o", "votes.json")
    assert run(*fit).exit_code == 0
    assert run("show", "votes.json", "--format", "spreadsheet").exit_code == 1
