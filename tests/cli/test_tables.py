"""Separators, decimal marks, quotes and encodings of tables are detected, and can be given."""

import csv
import gzip
import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from exactree.cli.model_file import read_model
from exactree.cli.table import read_table
from exactree.cli.text_form import TextForm

from .conftest import Run

ROWS = [
    ["x", "size", "colour", "kind"],
    ["0.5", "1", "red, light", "apple"],
    ["1.25", "2", "red; dark", "apple"],
    ["3.5", "3", "green | light", "pear"],
    ["4.75", "1", "green", "pear"],
]


def written(path: Path, sep: str, decimal: str, quote: str = '"') -> Path:
    """Write the table ROWS in some form."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=sep, quotechar=quote, lineterminator="\n")
        for first, *others in ROWS:
            writer.writerow([first.replace(".", decimal), *others])
    return path


@pytest.mark.parametrize(("sep", "decimal", "quote"), list(product(",;\t|", ".,", "\"'")))
def test_separator_decimal_mark_and_quotes_are_detected(
    tmp_path: Path, sep: str, decimal: str, quote: str
) -> None:
    table = read_table(written(tmp_path / "t.csv", sep, decimal, quote))
    assert list(table.columns) == ROWS[0]
    assert table.columns["colour"] == tuple(row[2] for row in ROWS[1:])
    assert (table.form.separator, table.decimal) == (sep, decimal)


@pytest.mark.parametrize(("sep", "decimal"), list(product(",;\t|", ".,")))
def test_the_tree_is_the_same_in_every_form(
    run: Run, tmp_path: Path, sep: str, decimal: str
) -> None:
    written(tmp_path / "usual.csv", ",", ".")
    written(tmp_path / "t.csv", sep, decimal)
    trees = []
    for words in (["usual.csv"], ["t.csv"], ["t.csv", "--sep", sep, "--decimal", decimal]):
        result = run("fit", *words, "--target", "kind", "-o", "m.json")
        assert result.exit_code == 0, result.stderr
        trees.append(run("show", "m.json").stdout)
    assert trees[0] == trees[1] == trees[2]


def test_what_is_detected_is_reported_unless_it_is_usual_or_given(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("größe;art\n1,5;süß\n2,5;süß\n0,5;herb\n".encode("cp1252"))
    result = run("fit", "t.csv", "--target", "art", "-o", "m.json")
    assert result.stderr == (
        "exactree: t.csv was read with encoding cp1252 (--encoding), separator ; (--sep), decimal "
        "commas (--decimal).\n"
    )
    assert "größe <= 1\n" in result.stdout
    given = ("--sep", ";", "--decimal", ",", "--encoding", "cp1252")
    assert run("fit", "t.csv", "--target", "art", *given).stderr == ""
    assert run("predict", "m.json", "t.csv", *given, "--quiet").stdout == "art\nsüß\nsüß\nherb\n"
    (tmp_path / "t.tsv").write_text("x\ty\n1\ta\n2\tb\n", encoding="utf-8")
    assert run("fit", "t.tsv", "--target", "y").stderr == ""


TEXTS = {
    "cp1252": "Größe,Ort\n1,Zürich\n2,Genève\n",
    "cp1250": "żółty,książka\n1,świeży\n2,łódź\n",
    "cp1251": "город,цена\nМосква,1\nКазань,2\n",  # noqa: RUF001
    "cp932": "名前,値段\n東京,1\n大阪,2\n",
    "gb18030": "价格,城市\n1,北京\n2,上海\n",
    "utf-16": "größe,y\n1,a\n2,b\n",
    "utf-8-sig": "größe,y\n1,a\n2,b\n",
    "utf-8": "größe,y\n1,a\n2,b\n",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_encodings_are_detected(tmp_path: Path, encoding: str) -> None:
    text = TEXTS[encoding]
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    with gzip.open(tmp_path / "t.csv.gz", "wb") as file:
        file.write(text.encode(encoding))
    for name in ("t.csv", "t.csv.gz"):
        table = read_table(tmp_path / name)
        assert list(table.columns) == text.splitlines()[0].split(",")
        given = read_table(tmp_path / name, TextForm(encoding=encoding))
        assert given.columns == table.columns


def test_a_wrong_encoding_is_refused_in_one_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("x,y\n1,süß\n".encode("cp1252"))
    result = run("fit", "t.csv", "--target", "y", "--encoding", "utf-8")
    assert result.exit_code == 1
    assert "t.csv is not text in utf-8: " in result.stderr
    assert result.stderr.count("\n") == 2
    for option, value in (("--encoding", "klingon"), ("--encoding", "rot13"), ("--sep", ",,")):
        assert run("fit", "t.csv", "--target", "y", option, value).exit_code == 2


@pytest.mark.parametrize("sep", ["tab", "\\t", "\t"])
def test_a_separator_has_several_spellings(run: Run, tmp_path: Path, sep: str) -> None:
    written(tmp_path / "t.txt", "\t", ".")
    assert run("fit", "t.txt", "--target", "kind", "--sep", sep).exit_code == 0


def test_other_files_are_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04 and so on")
    (tmp_path / "wide.csv").write_bytes("x,y\n1,2\n".encode("utf-16-le"))
    for name, words in {
        "book.xlsx": "book.xlsx is an Excel workbook or a zip file, not a CSV file.",
        "wide.csv": "use --encoding utf-16",
    }.items():
        result = run("fit", name, "--target", "y")
        assert result.exit_code == 1
        assert words in result.stderr


@pytest.mark.parametrize(
    ("cells", "decimal"),
    [
        (["1.5", "2"], "."),
        (["1,5", "2"], ","),
        (["0,125", "2,250"], ","),  # a thousands separator never follows 0
        (["1,234", "2,345"], "."),  # not clear: these may be thousands
        (["1,5", "x"], "."),  # text
        (["1,5", "1.5"], "."),
        (["-,5", "+3,25e2"], ","),
    ],
)
def test_decimal_commas_are_detected_where_they_are_clear(
    tmp_path: Path, cells: list[str], decimal: str
) -> None:
    (tmp_path / "t.csv").write_text("x;y\n" + "".join(f"{c};1\n" for c in cells), encoding="utf-8")
    assert read_table(tmp_path / "t.csv").decimal == decimal


def fit_cells(run: Run, cells: list[str], *options: str) -> Result:
    """Fit a tree to a table with one feature that is not constant."""
    rows = "".join(f"{cell};0;{row % 2}\n" for row, cell in enumerate(cells))
    Path("t.csv").write_text("price;none;y\n" + rows, encoding="utf-8")
    return run("fit", "t.csv", "--target", "y", "-o", "m.json", *options)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["$1,200.50", "$950", "$2,000,000"], [1200.5, 950, 2e6]),
        (["1.200,50 €", "950 €"], [1200.5, 950]),
        (["1.200 €", "950 €"], [1200, 950]),
        (["1,234", "2,345"], [1234, 2345]),
        (["CHF 1'200.50", "CHF 3"], [1200.5, 3]),
        (["1 200,5", "3"], [1200.5, 3]),
        (["1\u202f200,5", "3"], [1200.5, 3]),
        (["5 %", "7.5 %"], [5, 7.5]),
        (["(15)", "$7"], [-15, 7]),
        (["-£3", "\u22125"], [-3, -5]),
        (["12,34,567", "1"], [1234567, 1]),
    ],
)
def test_numbers_with_signs_and_separators_are_named_and_read_by_the_cure(
    run: Run, cells: list[str], numbers: list[float]
) -> None:
    refused = fit_cells(run, cells)
    assert refused.exit_code == 1
    assert f"Column 'price' has {cells[0]!r} in row 1 (line 2 of t.csv), a number" in refused.stderr
    read = re.search(r"--numbers price reads .+? as (\S+?)[,;]", refused.stderr)
    assert read is not None
    assert float(read[1]) == numbers[0]
    assert fit_cells(run, cells, "--numbers", "price").exit_code == 0
    model = read_model(Path("m.json"))
    assert model.encoding.apply(read_table(Path("t.csv")))[:, 0].tolist() == numbers
    assert run("predict", "m.json", "t.csv", "--quiet").stdout == "y\n" + "".join(
        f"{row % 2}\n" for row in range(len(cells))
    )
    assert "price ==" in fit_cells(run, cells, "--text", "price").stdout


def test_a_column_declared_as_numbers_keeps_its_decimal_mark(run: Run, tmp_path: Path) -> None:
    """The table to predict has no number that shows the mark."""
    assert fit_cells(run, ["1.200,50 €", "950 €"], "--numbers", "price").exit_code == 0
    (tmp_path / "new.csv").write_text("price\n1.100\n", encoding="utf-8")
    assert run("predict", "m.json", "new.csv", "--quiet").stdout == "y\n0\n"


def test_thousands_with_points_are_never_read_as_decimals(run: Run) -> None:
    """In a table of decimal commas a point separates thousands."""
    rows = "a;b;y\n1,5;1.234;0\n2,5;950;1\n"
    Path("t.csv").write_text(rows, encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y")
    assert result.exit_code == 1
    assert "--numbers b reads '1.234' as 1234, --decimal . as 1.234" in result.stderr


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-01-31", "2024-02-01"],
        ["31.01.2024", "1.2.2024"],
        ["1/31/24", "2/1/24"],
        ["2024-01-31T10:00:00", "2024-01-31"],
    ],
)
def test_dates_are_refused_as_in_python(run: Run, cells: list[str]) -> None:
    result = fit_cells(run, cells)
    assert result.exit_code == 1
    assert "Column 'price' holds dates; turn them into numbers first" in result.stderr
    assert "--exclude price" in result.stderr
    assert fit_cells(run, cells, "--exclude", "price").exit_code == 0
    assert fit_cells(run, cells, "--text", "price").exit_code == 0


def test_all_columns_to_declare_are_in_the_hint(run: Run) -> None:
    Path("t.csv").write_text("a,b c,d,y\n$1,5%,1,0\n$2,6%,2,1\n", encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y")
    assert "--numbers 'a,b c' reads" in result.stderr
    assert run("fit", "t.csv", "--target", "y", "--numbers", "a,b c").exit_code == 0


def test_a_column_name_with_a_comma_is_given_in_quotes(run: Run) -> None:
    Path("t.csv").write_text('"Price, net",x,y\n1,1,0\n2,2,1\n', encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y", "--exclude", '"Price, net"')
    assert "x <= " in result.stdout
    refused = run("fit", "t.csv", "--target", "y", "--exclude", "price")
    assert "t.csv has no column 'price'" in refused.stderr


def test_identifiers_are_named_and_left_out_on_request(run: Run) -> None:
    rows = "".join(f"K{i},{i + 5},{i * i % 7},{i % 2}\n" for i in range(30))
    Path("t.csv").write_text("id,nr,x,y\n" + rows, encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y", "--max-depth", 1)
    assert result.stderr == (
        "exactree: column 'id' is text with 30 levels, a distinct one in every row, as an "
        "identifier has; --exclude id leaves it out\n"
        "exactree: column 'nr' counts the rows, as an identifier does; --exclude nr leaves it out\n"
    )
    without = run("fit", "t.csv", "--target", "y", "--exclude", "id,nr", "-o", "m.json")
    assert (without.exit_code, without.stderr) == (0, "")
    assert {column["name"] for column in _columns("m.json")} == {"x"}
    for excluded in ("y", "w"):
        refused = run("fit", "t.csv", "--target", "y", "--exclude", excluded)
        assert refused.exit_code == 1


def _columns(path: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(Path(path).read_text(encoding="utf-8"))["columns"]
    return found


def fit_words(run: Run, words: list[str], *options: str) -> Result:
    """Fit a tree to a column of 30 numbers and some words."""
    rows = [f"{i * 7 % 13},0,{i % 2}" for i in range(30)] + [f"{word},0,1" for word in words]
    Path("t.csv").write_text("\n".join(["x size,none,y", *rows, ""]), encoding="utf-8")
    words_of_fit = ("fit", "t.csv", "--target", "y", "--max-depth", 1, "-o", "m.json")
    return run(*words_of_fit, *options)


def test_a_word_among_numbers_is_named_once_with_the_cures(run: Run) -> None:
    assert fit_words(run, ["unknown"]).stderr == (
        "exactree: column 'x size' is text because of 'unknown' in row 31 (line 32 of t.csv); 30 "
        "of its 31 values are numbers\n"
        "hint: --missing unknown reads it as a missing value, --text 'x size' takes each distinct "
        "text as a level, --exclude 'x size' leaves the column out.\n"
    )
    several = fit_words(run, ["not known", "-", "-"]).stderr
    assert "hint: --missing 'not known,-' reads them as missing values, --text" in several
    assert "\nhint: --text 'x size' takes" in fit_words(run, list("abcdef")).stderr


@pytest.mark.parametrize(
    ("cure", "note"),
    [
        (("--missing", "not known,-"), ""),
        (("--missing", "NOT KNOWN,-"), ""),
        (("--exclude", "x size"), ""),
        (("--text", "x size"), "exactree: column 'x size' is text with 15 levels\n"),
    ],
)
def test_the_cures_of_a_word_among_numbers_work(run: Run, cure: tuple[str, ...], note: str) -> None:
    result = fit_words(run, ["not known", "-", "-"], *cure)
    assert (result.exit_code, result.stderr) == (0, note)
    values = read_model(Path("m.json")).encoding
    if cure[0] == "--missing":
        Path("new.csv").write_text("x size\n1\nnew word\n", encoding="utf-8")
        refused = run("predict", "m.json", "new.csv")
        assert refused.exit_code == 1
        assert refused.stderr == (
            "exactree: Column 'x size' has 'new word' in row 2 (line 3 of new.csv), which is not "
            "a number.\nhint: --missing 'new word' reads it as a missing value.\n"
        )
        X = values.apply(read_table(Path("t.csv"), TextForm(missing=("not known", "-"))))
        assert np.isnan(X[:, 0]).tolist() == [False] * 30 + [True] * 3
        assert run("predict", "m.json", "new.csv", "--missing", "new word").exit_code == 0
        assert run("predict", "m.json", "t.csv").exit_code == 0


def test_a_decimal_comma_in_a_table_to_predict_is_read_by_the_cure(run: Run) -> None:
    Path("t.csv").write_text("x;y\n1.5;0\n2.5;1\n", encoding="utf-8")
    assert run("fit", "t.csv", "--target", "y", "-o", "m.json").exit_code == 0
    Path("new.csv").write_text("x;z\n1,5;0.5\n2,5;1.5\n", encoding="utf-8")
    refused = run("predict", "m.json", "new.csv", "--quiet")
    assert "has '1,5' in row 1 (line 2 of new.csv), which is not a number." in refused.stderr
    assert refused.stderr.endswith("hint: --decimal , reads it as 1.5.\n")
    cured = run("predict", "m.json", "new.csv", "--quiet", "--decimal", ",")
    assert cured.stdout == "y\n0\n1\n"


def test_a_target_of_measurements_asks_for_a_regression(run: Run) -> None:
    rows = "".join(f"{i};{i / 7:.3f}\n".replace(".", ",") for i in range(40))
    Path("t.csv").write_text("x;y\n" + rows, encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y")
    assert result.exit_code == 1
    assert "Column 'y' has 40 distinct values in 40 rows, some with a fractional" in result.stderr
    assert "hint: --task regression predicts numbers" in result.stderr
    fit = ("fit", "t.csv", "--target", "y", "--max-depth", 1)
    assert run(*fit, "--task", "regression").exit_code == 0
    assert run(*fit, "--text", "y").exit_code == 0
    whole = "".join(f"{i},{i * 3}\n" for i in range(60))
    Path("t.csv").write_text("x,y\n" + whole, encoding="utf-8")
    note = run(*fit).stderr
    assert "the target 'y' has 60 distinct whole numbers" in note


def test_a_target_with_currency_signs_is_read_by_the_cure(run: Run) -> None:
    Path("t.csv").write_text("x;price\n1;1.000 €\n2;1.000 €\n3;3.000 €\n", encoding="utf-8")
    fit = ("fit", "t.csv", "--target", "price", "--task", "regression", "--max-depth", 1)
    assert "--numbers price reads '1.000 €' as 1000" in run(*fit).stderr
    assert run(*fit, "--numbers", "price", "-o", "m.json").exit_code == 0
    predicted = run("predict", "m.json", "t.csv")
    assert predicted.stdout == "price\n1000.0\n1000.0\n3000.0\n"
    assert "mean absolute error 0 in 3 rows" in predicted.stderr


def test_weights_may_have_decimal_commas(run: Run) -> None:
    Path("t.csv").write_text("x;y;w\n1;a;1,5\n1;b;2,5\n", encoding="utf-8")
    result = run("fit", "t.csv", "--target", "y", "--weights", "w")
    assert "1.5 errors" in result.stdout


def test_a_column_of_plain_numbers_may_be_text(run: Run) -> None:
    Path("t.csv").write_text("zip,y\n10115,a\n20095,b\n10115,a\n", encoding="utf-8")
    fit = ("fit", "t.csv", "--target", "y", "--text", "zip", "-o", "m.json")
    assert "zip == 10115" in run(*fit).stdout
    assert run("predict", "m.json", "t.csv", "--quiet").stdout == "y\na\nb\na\n"
