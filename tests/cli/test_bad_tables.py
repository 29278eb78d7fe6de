"""Unusable tables end with exit code 1, wrong options with 2; one sentence names the cause."""

import csv
from pathlib import Path

import pytest

from exactree.cli.table import read_table

from .conftest import Run

BAD = {
    "empty": ("", "t.csv is empty; its first row must name the columns."),
    "no rows": ("x,y\n", "t.csv has no rows below the names"),
    "no features": ("y\n1\n", "t.csv has no columns of features"),
    "no target": ("x,z\n1,2\n", "t.csv has no column 'y'; its columns are: x, z."),
    "same name": ("x,x,y\n1,2,3\n", "t.csv has two columns named 'x'; names must differ."),
    "no name": ("x,,y\n1,2,3\n", "Column 2 of t.csv has no name in the first row."),
    "ragged": ("x,y\n1,2\n3\n", "Line 3 of t.csv has 1 cells, but the first row names 2 columns."),
    "missing label": ("x,y\n1,2\n1,nan\n", "Column 'y' has no value in row 2"),
    "infinite": ("x,y\n1,2\n-inf,2\n", "Column 'x' has -inf in row 2 (line 3 of t.csv)"),
    "overflow": ("x,y\n1e999,2\n", "Column 'x' has 1e999 in row 1"),
    "big integer": (
        "x,y\n9007199254740993,1\n",
        "Column 'x' has 9007199254740993 in row 1 (line 2 of t.csv), an integer that float64 "
        "cannot represent exactly.",
    ),
    "open quote": ('x,y\n"1,2\n', "t.csv is not a CSV file in UTF-8: "),
}


@pytest.mark.parametrize("kind", BAD)
def test_an_unusable_table_ends_in_one_sentence_and_a_hint(
    run: Run, tmp_path: Path, kind: str
) -> None:
    text, message = BAD[kind]
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y", "--max-depth", 1)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("exactree: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 2


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("-1", "Column 'w', row 2 (line 3 of t.csv) has -1; weights must be at least 0."),
        ("x", "Column 'w' has 'x' in row 2 (line 3 of t.csv), which is not a number."),
        ("inf", "Column 'w' has inf in row 2 (line 3 of t.csv); numbers must be finite."),
    ],
)
def test_wrong_weights_are_refused(run: Run, tmp_path: Path, weight: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(f"x,y,w\n1,1,1\n2,2,{weight}\n", encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y", "--weights", "w")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 2
    assert message in result.stderr
    if weight == "x":
        assert result.stderr.endswith("must not be missing: correct the cell, or remove the row.\n")


def test_files_that_are_not_tables_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "binary.csv").write_bytes(b"x,y\n1,\xff\x81\xfe\xfd\x00\n")
    (tmp_path / "plain.csv.gz").write_bytes(b"x,y\n1,2\n")
    (tmp_path / "folder.csv").mkdir()
    for name, message in {
        "binary.csv": "binary.csv is not a text file in UTF-8",
        "plain.csv.gz": "plain.csv.gz cannot be read: Not a gzipped file",
        "absent.csv": "absent.csv cannot be read: No such file or directory.",
        "folder.csv": "folder.csv cannot be read: Is a directory.",
    }.items():
        result = run("fit", name, "--target", "y")
        assert result.exit_code == 1
        assert message in result.stderr
        assert result.stderr.count("\n") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-depth", "-1"), "'-1' is neither an integer of at least 0 nor 'none'"),
        (("--max-depth", "2.5"), "'2.5' is neither"),
        (("--time-limit", "nan"), "'nan' is neither a positive number nor 'none'"),
        (("--time-limit", "0"), "'0' is neither"),
        (("--leaf-penalty", "-0.1"), "'-0.1' is negative"),
        (("--leaf-penalty", "cheap"), "'cheap' is not a number"),
        (("--min-samples-leaf", "0"), "'0' is neither a count of at least 1 nor a share"),
        (("--min-samples-leaf", "1.5"), "'1.5' is neither"),
        (("--plot", "tree.bmp"), "'tree.bmp' must end in .svg or .dot"),
        (("-o", "nowhere/model.json"), "the folder 'nowhere' does not exist"),
        (("--max-dept", "3"), "No such option"),
        (("--max-depth", "deep"), "'deep' is neither an integer of at least 0 nor 'none' nor"),
        (
            ("--minimize", "purity"),
            "minimize must be 'errors', 'balanced_error', 'log_loss', 'gini'",
        ),
        (("--minimize", "size,size"), "minimize must name every quantity once"),
        (("--minimize", "total_size"), "'total_size' does not go with n_trees=1"),
        (("--minimize", "size", "--leaf-penalty", "1"), "--leaf-penalty needs errors in --minim"),
        (("--max-leaves-of", "apple"), "'apple' is not LABEL=COUNT"),
        (("--max-leaves-of", "apple=-1"), "'apple=-1' is not LABEL=COUNT"),
        (("--max-leaves-of", "apple=" + "9" * 5000), "is not LABEL=COUNT"),
        (("--max-leaves-of", "a=1", "--max-leaves-of", "a=1"), "names a label twice"),
        (("--class-weight", "apple"), "'apple' is neither balanced nor LABEL=FACTOR"),
        (("--class-weight", "apple=-1"), "'-1' is negative"),
        (("--class-weight", "a=1", "--class-weight", "a=2"), "names a label twice"),
        (("--class-weight", "a=1", "--class-weight", "balanced"), "balanced or factors, not both"),
        (("--cost", "apple=1"), "'apple=1' is not TRUE,PREDICTED=COST"),
        (("--cost", "apple,pear=x"), "'x' is not a number"),
        (("--smoothing", "some"), "'some' is neither a positive number nor 'none' nor 'laplace'"),
        (("--method", "magic"), "'magic' is not one of 'auto', 'branch-and-bound'"),
        (("--method", "box"), "--method box with --implementation native does not accept"),
    ],
)
def test_wrong_options_are_usage_errors(
    run: Run, fruit: Path, options: tuple[str, ...], message: str
) -> None:
    result = run("fit", fruit, "--target", "kind", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_limit_for_an_unknown_label_is_refused(run: Run, fruit: Path) -> None:
    result = run("fit", fruit, "--target", "kind", "--max-leaves-of", "plum=1")
    assert result.exit_code == 1
    assert result.stderr == (
        "exactree: column 'colour' is text with 2 levels\n"
        "exactree: --max-leaves-of names 'plum', which is not a label of 'kind'.\n"
        "hint: the labels are: apple, pear.\n"
    )


def test_the_target_is_required(run: Run, fruit: Path) -> None:
    result = run("fit", fruit)
    assert result.exit_code == 2
    assert "--target" in result.stderr


def test_a_cell_of_any_length_is_read(tmp_path: Path) -> None:
    long = "a" * 200_000
    (tmp_path / "t.csv").write_text(f"x,y\n{long},1\nb,0\n", encoding="utf-8")
    before = csv.field_size_limit()
    assert read_table(tmp_path / "t.csv").columns["x"] == (long, "b")
    assert csv.field_size_limit() == before


def test_without_a_target_the_columns_are_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    result = run("fit", "t.csv")
    assert result.exit_code == 2
    assert "'--target', the column to predict; the columns are: x, y." in result.stderr
