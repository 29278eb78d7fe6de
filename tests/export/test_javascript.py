"""to_javascript: Node.js predicts like the model; names cannot become code."""

import dataclasses
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree.export import to_javascript
from exactree.trees import Ensemble, Tree

NODE = shutil.which("node") or shutil.which("nodejs")
executed = pytest.mark.skipif(NODE is None, reason="Node.js is not installed (command node)")
CASES = (
    "leaf", "numbers", "missing", "sets of codes", "codes", "levels", "sets", "hyperplanes",
    "curves", "regression", "medians with codes", "ensemble", "ensemble with codes", "close",
)  # fmt: skip

# Predicts the rows of a file of doubles, or of lists in JavaScript; writes the labels in order of
# first appearance, and for each row the index of its label.
DRIVER = """
const fs = require("fs");
const { predict } = require(process.argv[2]);
const d = Number(process.argv[4]);
let rows;
if (process.argv[3].endsWith(".js")) {
  rows = require("./" + process.argv[3]);
} else {
  const bytes = fs.readFileSync(process.argv[3]);
  const all = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  rows = { length: all.length / d, at: (k) => all.subarray(k * d, k * d + d) };
}
const seen = new Map();
const places = new Uint32Array(rows.length);
for (let k = 0; k < rows.length; k++) {
  const label = predict(rows.at(k));
  if (!seen.has(label)) { seen.set(label, seen.size); }
  places[k] = seen.get(label);
}
const labels = [...seen.keys()];
fs.writeFileSync(process.argv[3] + ".out", Buffer.from(places.buffer));
fs.writeFileSync(process.argv[3] + ".labels", JSON.stringify(labels));
"""


def run(model: Tree | Ensemble, rows: Any, folder: Path) -> list[Any]:
    """Return the predictions of Node.js for an array of numbers, or for lists."""
    (folder / "model.js").write_text(to_javascript(model), encoding="utf-8")
    (folder / "driver.js").write_text(DRIVER, encoding="utf-8")
    table = folder / ("rows.bin" if isinstance(rows, np.ndarray) else "rows.js")
    if isinstance(rows, np.ndarray):
        rows.tofile(table)
    else:
        table.write_text(f"module.exports = {json.dumps(rows)};", encoding="utf-8")
    command = [NODE, "driver.js", "./model.js", table.name, str(len(model.feature_names))]
    subprocess.run(command, check=True, cwd=folder)
    labels = json.loads((folder / f"{table.name}.labels").read_text("utf-8"))
    places = np.fromfile(folder / f"{table.name}.out", dtype=np.uint32)
    return [labels[place] for place in places.tolist()]


@executed
@pytest.mark.parametrize("name", CASES)
def test_every_row_gets_the_prediction_of_the_model(zoo: Any, name: str, tmp_path: Path) -> None:
    case = zoo[name]
    rows = case.rows(5_000)
    assert run(case.model, rows if not case.model.levels else case.as_levels(rows), tmp_path) == (
        case.answers(rows)
    )


@executed
def test_a_million_rows_get_the_prediction_of_the_model(zoo: Any, tmp_path: Path) -> None:
    case = zoo["missing"]
    rows = case.rows(1_000_000)
    assert run(case.model, rows, tmp_path) == case.answers(rows)


@executed
def test_null_is_missing(zoo: Any, tmp_path: Path) -> None:
    case = zoo["missing"]
    rows = case.rows(500, infinite=False)
    lists = [[None if value != value else value for value in row] for row in rows.tolist()]
    assert run(case.model, lists, tmp_path) == case.answers(rows)


@executed
def test_hostile_names_stay_in_comments_and_strings(hostile_tree: Tree, tmp_path: Path) -> None:
    rows = np.random.default_rng(1).uniform(0, 24, (100, hostile_tree.n_features))
    for model in (hostile_tree, Ensemble((hostile_tree, hostile_tree))):
        assert run(model, rows, tmp_path) == model.predict(rows).tolist()
    assert "한국어" in to_javascript(hostile_tree), "printable names are written unchanged"


def test_labels_that_javascript_does_not_hold_are_refused(small_tree: Tree) -> None:
    tree = dataclasses.replace(small_tree, classes=np.array([1, 2, 2**60]))
    with pytest.raises(ValueError, match="JavaScript has no number for 1152921504606846976"):
        to_javascript(tree)


@executed
def test_labels_of_every_type_are_returned(small_tree: Tree, tmp_path: Path) -> None:
    classes = np.empty(3, dtype=object)
    classes[:] = [True, -0.5, "</script>\u2028"]
    tree = dataclasses.replace(small_tree, classes=classes)
    rows = np.array([[1.0, 0.0], [4.0, 1.0], [4.0, 2.0]])
    assert run(tree, rows, tmp_path) == ["</script>\u2028", -0.5, True]
