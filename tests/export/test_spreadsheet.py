"""to_spreadsheet: LibreOffice Calc predicts like the model; labels cannot become formulas."""

import csv
import dataclasses
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree.data.dataset import make_dataset
from exactree.export import to_spreadsheet
from exactree.trees import Tree, grow

OFFICE = shutil.which("soffice") or shutil.which("libreoffice")
calculated = pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed (soffice)")
CASES = ("leaf", "numbers", "missing", "sets of codes", "codes", "levels", "sets", "regression")
LEAF = (-1, 0.0, 0.0, -1, -1)


def run(tree: Tree, rows: list[list[Any]], folder: Path) -> list[str]:
    """Return the text that LibreOffice shows in the cells of the formula, one for each row."""
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    columns = [f"{letter}" for letter in "ABCDEFGHIJKLMNOP"[: tree.n_features]]
    for number, row in enumerate(rows, start=1):
        for column, value in zip(columns, row, strict=True):
            cell = book.active[f"{column}{number}"]
            cell.value = None if value != value else value
            if isinstance(value, str):
                cell.data_type = "s"  # text, though it begins like a formula
        book.active[f"Q{number}"] = to_spreadsheet(tree, row=number)
    book.save(folder / "table.xlsx")
    command = [
        str(OFFICE), f"-env:UserInstallation=file://{folder}/profile", "--headless",
        "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false", "table.xlsx",
    ]  # fmt: skip
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=280)
    with (folder / "table.csv").open(encoding="utf-8", newline="") as file:
        return [row[16] for row in csv.reader(file)]  # column Q


def away_from_thresholds(case: Any, rows: np.ndarray) -> np.ndarray:
    """Move values next to a threshold so far away that 15 digits distinguish them from it."""
    rows = rows.copy()
    for feature in range(rows.shape[1]):
        compared = (case.model.feature == feature) & (case.model.comparison == "<=")
        for threshold in case.model.threshold[compared & np.isfinite(case.model.threshold)]:
            column = rows[:, feature]
            near = (column != threshold) & (np.abs(column - threshold) <= 1e-14 * abs(threshold))
            step = np.where(column > threshold, 1e-13, -1e-13) * abs(threshold)
            rows[near, feature] = threshold + step[near]
    return rows


@calculated
@pytest.mark.parametrize("name", CASES)
def test_every_row_gets_the_prediction_of_the_model(zoo: Any, name: str, tmp_path: Path) -> None:
    case = zoo[name]
    rows = away_from_thresholds(case, case.rows(1000, infinite=False))
    shown = run(case.model, case.as_levels(rows), tmp_path)
    if name == "regression":
        assert [float(number) for number in shown] == pytest.approx(case.answers(rows), rel=1e-14)
    else:
        assert shown == [str(label) for label in case.answers(rows)]


def test_the_formula_of_a_small_tree(small_tree: Tree) -> None:
    assert to_spreadsheet(small_tree) == (
        '=IF(AND(ISNUMBER(A2),A2<=2.5),"round",IF(AND(ISNUMBER(B2),B2<=1.75),"long","flat"))'
    )
    assert "AB$7<=2.5" in to_spreadsheet(small_tree, ["AB$", "C"], row=7)
    with pytest.raises(ValueError, match="columns must have 2 names, one for each feature, got 1"):
        to_spreadsheet(small_tree, ["A"])


@calculated
def test_hostile_labels_are_text(hostile_tree: Tree, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a spreadsheet has no text for"):
        to_spreadsheet(hostile_tree)
    printable = [
        "".join(c for c in label if (c >= " " or c == "\n") and c not in "\ud800\uffff")
        for label in hostile_tree.classes.tolist()
    ]
    labels = [f"={label}" if at % 2 else label for at, label in enumerate(printable)]
    labels[0] = '=HYPERLINK("http://example.org","x")'
    tree = dataclasses.replace(hostile_tree, classes=np.array(labels, dtype=object))
    rows = np.random.default_rng(1).uniform(0, 24, (100, tree.n_features))
    shown = run(tree, rows.tolist(), tmp_path)
    assert shown == tree.predict(rows).tolist()


def test_thresholds_that_need_more_than_15_digits_are_reported(zoo: Any, small_tree: Tree) -> None:
    with pytest.warns(UserWarning, match="spreadsheets compare 15 digits"):
        to_spreadsheet(zoo["close"].model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_spreadsheet(small_tree)
        to_spreadsheet(zoo["numbers"].model)


def test_surfaces_ensembles_and_large_trees_are_refused(zoo: Any) -> None:
    with pytest.raises(ValueError, match="a formula has one feature at each node"):
        to_spreadsheet(zoo["hyperplanes"].model)
    with pytest.raises(ValueError, match=r"a formula holds one tree, .* 4: give its to_tree\(\)"):
        to_spreadsheet(zoo["ensemble"].model)
    X = np.arange(400.0)[:, None]
    dataset = make_dataset(X, (np.arange(400) % 2).tolist())

    nodes: list[Any] = []
    for at in range(399):
        nodes += [(0, float(at), at + 1.0, 2 * at + 1, 2 * at + 2), LEAF]
    with pytest.raises(ValueError, match="at most 64 levels of IF, and the tree has 399"):
        to_spreadsheet(grow(dataset, [*nodes, LEAF]))
    labels = np.array(["x" * 9000, "y", "z"])
    with pytest.raises(ValueError, match="a formula has at most 8,192 characters"):
        to_spreadsheet(dataclasses.replace(zoo["numbers"].model, classes=labels))
