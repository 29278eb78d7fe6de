"""A target is read as features are: amounts, dates and identifiers are named, with the cures."""

from pathlib import Path

import pytest
from click.testing import Result

from .conftest import Run


def fit_target(run: Run, cells: list[str], *options: object) -> Result:
    """Fit a tree to a German table with a target of some cells."""
    rows = "".join(f"{i % 7};0,{i % 10};{cell}\n" for i, cell in enumerate(cells))
    Path("t.csv").write_text("x;w;Betrag\n" + rows, encoding="utf-8")
    return run("fit", "t.csv", "--target", "Betrag", "--max-depth", 1, *options)


AMOUNTS = [f"1.{100 + i * 37 % 800},{i % 90 + 10} €" for i in range(60)]


def test_amounts_are_no_classes(run: Run) -> None:
    refused = fit_target(run, AMOUNTS)
    assert refused.exit_code == 1
    assert refused.stderr.endswith(
        "exactree: Column 'Betrag' has '1.100,10 €' in row 1 (line 2 of t.csv), a number with a "
        "currency sign, a thousands separator or another decimal mark.\n"
        "hint: --numbers Betrag reads '1.100,10 €' as 1100.10; --text Betrag takes each distinct "
        "text as a class.\n"
    )
    numbers = fit_target(run, AMOUNTS, "--numbers", "Betrag")
    assert numbers.exit_code == 1
    assert "Column 'Betrag' has 60 distinct values in 60 rows, some with" in numbers.stderr
    assert "hint: --task regression predicts numbers; --text Betrag takes" in numbers.stderr
    cured = fit_target(run, AMOUNTS, "--numbers", "Betrag", "--task", "regression")
    assert cured.exit_code == 0
    assert fit_target(run, AMOUNTS, "--text", "Betrag").exit_code == 0


def test_a_few_written_numbers_may_be_classes(run: Run) -> None:
    shares = ["5 %", "10 %", "5 %", "10 %"]
    assert fit_target(run, shares).exit_code == 1
    assert fit_target(run, shares, "--numbers", "Betrag").exit_code == 0
    assert "5 %" in fit_target(run, shares, "--text", "Betrag").stdout


def test_whole_amounts_are_noted_as_many_classes(run: Run) -> None:
    whole = [f"{1 + i % 70}.000 €" for i in range(140)]
    result = fit_target(run, whole, "--numbers", "Betrag")
    assert (
        "the target 'Betrag' has 70 distinct values, each of which is a class; --task regression "
        "predicts numbers\n" in result.stderr
    )


def test_dates_are_no_classes(run: Run) -> None:
    dates = ["03.01.2026", "04.01.2026"] * 3
    refused = fit_target(run, dates)
    assert refused.exit_code == 1
    assert "hint: --text Betrag takes each date as a class.\n" in refused.stderr
    assert fit_target(run, dates, "--text", "Betrag").exit_code == 0


@pytest.mark.parametrize(
    ("cells", "note"),
    [
        (
            [f"K-{i}" for i in range(25)],
            "has 25 distinct values, another one in every row as an identifier, each of which is a "
            "class\n",
        ),
        (
            [str(100 + i) for i in range(25)],
            "has 25 distinct whole numbers, another one in every row as an identifier, each of "
            "which is a class; --task regression predicts numbers\n",
        ),
        (
            [f"{i},5" for i in range(80)] + ["k.A."] * 2,
            "has 81 distinct values, each of which is a class; 80 of its 82 values are numbers, "
            "'k.A.' is not\n",
        ),
    ],
)
def test_identifiers_and_many_classes_are_noted(run: Run, cells: list[str], note: str) -> None:
    result = fit_target(run, cells)
    assert result.exit_code == 0
    assert f"exactree: the target 'Betrag' {note}" in result.stderr
    assert "the target" not in fit_target(run, cells, "--quiet").stderr


def test_an_identifier_of_few_rows_is_not_noted(run: Run) -> None:
    assert "the target" not in fit_target(run, ["a", "b", "c"]).stderr
