"""Codes of missing values, such as 'k.A.', are named, kept in the model and used by predict."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from .conftest import Run

NUMBERS = [f"{i * 7 % 13},5" for i in range(30)]
AMOUNTS = [f"1.{100 + i * 37 % 800},{i + 10} €" for i in range(30)]


def fit_codes(run: Run, cells: list[str], *options: str) -> Result:
    """Fit a tree to a column of some cells and of two codes of missing values."""
    rows = [f"{cell};{i % 3 > 0}" for i, cell in enumerate([*cells, "k.A.", "K.A."])]
    Path("t.csv").write_text("\n".join(["Höhe;y", *rows, ""]), encoding="utf-8")
    return run("fit", "t.csv", "--target", "y", "--max-depth", 2, "-o", "m.json", *options)


def test_a_code_among_numbers_is_kept_in_the_model(run: Run) -> None:
    noted = fit_codes(run, NUMBERS).stderr
    assert "is text because of 'k.A.' in row 31 (line 32 of t.csv); 30 of its 32" in noted
    assert "hint: --missing k.A. reads them as missing values, --text" in noted
    assert "Höhe" not in fit_codes(run, NUMBERS, "--missing", "k.A.").stderr
    assert json.loads(Path("m.json").read_text(encoding="utf-8"))["missing"] == ["k.A."]
    for command in (
        ("predict", "--quiet"),
        ("explain", "--rows", "31"),
        ("report", "-o", "r.html"),
    ):
        result = run(command[0], "m.json", "t.csv", *command[1:])
        assert result.exit_code == 0, result.stderr
    with_more = run("predict", "m.json", "t.csv", "--missing", "12,5", "--quiet")
    assert with_more.exit_code == 0


def test_a_code_among_amounts_is_cured_together_with_the_amounts(run: Run) -> None:
    noted = fit_codes(run, AMOUNTS).stderr
    cure = "--missing k.A. reads them as missing values and --numbers 'Höhe' all others as"
    assert cure in noted
    cured = fit_codes(run, AMOUNTS, "--missing", "k.A.", "--numbers", "Höhe")
    assert (cured.exit_code, "Höhe" in cured.stderr) == (0, False)
    assert run("predict", "m.json", "t.csv", "--quiet").exit_code == 0


def test_tune_keeps_the_codes_too(run: Run) -> None:
    assert fit_codes(run, NUMBERS, "--missing", "k.A.").exit_code == 0
    tune = ("tune", "t.csv", "--target", "y", "--max-depth", 1, "--missing", "k.A.", "--cv", 2)
    assert run(*tune, "-o", "tuned.json").exit_code == 0
    assert run("predict", "tuned.json", "t.csv", "--quiet").exit_code == 0


@pytest.mark.parametrize("damaged", ["k.A.", [1], {"a": 1}])
def test_damaged_codes_are_refused(run: Run, damaged: object) -> None:
    assert fit_codes(run, NUMBERS, "--missing", "k.A.").exit_code == 0
    content = json.loads(Path("m.json").read_text(encoding="utf-8"))
    Path("m.json").write_text(json.dumps(content | {"missing": damaged}), encoding="utf-8")
    result = run("predict", "m.json", "t.csv")
    assert result.exit_code == 1
    assert "m.json is damaged: its missing values are not a list of text." in result.stderr
