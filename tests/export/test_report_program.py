"""The report's program sends examples to the same leaves as the tree: tests in Node.js.

`DRIVER` simulates the few elements of a page that the program uses. The tests of the whole page
(`test_report_in_browser.py`) need Chromium.
"""

import json
import re
import shutil
import subprocess
from typing import Any

import numpy as np
import pandas as pd
import pytest

import exactree as xt
from exactree.data.dataset import make_features
from exactree.export import report
from exactree.trees import Tree

from .reported import level_sets, missing_and_categories, regression, surfaces

pytest.importorskip("jinja2")
NODE = shutil.which("node") or shutil.which("nodejs")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node.js is not installed (command node)")

# A document whose elements only store what the program writes; prints the path of every example,
# and of every row of entered values.
DRIVER = """
const { data, program, entries } = JSON.parse(require("fs").readFileSync(0, "utf8"));
class Element {
  constructor(id = "") {
    Object.assign(this, { id, value: "", textContent: "", children: [], dataset: {} });
    this.listeners = {};
    this.classes = new Set();
    this.classList = {
      add: (name) => this.classes.add(name),
      remove: (name) => this.classes.delete(name),
      contains: (name) => this.classes.has(name),
      toggle: (name, on) => (on ? this.classes.add(name) : this.classes.delete(name)),
    };
    this.parentElement = { clientWidth: 1 };
    this.scrollWidth = 1;
  }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  setAttribute() {}
  addEventListener(name, listener) { this.listeners[name] = listener; }
  querySelector(selector) {
    return selector.includes(".folder") ? null : (this.box ??= new Element());
  }
  querySelectorAll() { return this.children.flatMap((label) => label.children); }
  get text() { return this.textContent + this.children.map((child) => child.text).join(" "); }
}
const elements = {};
const element = (id) => (elements[id] ??= new Element(id));
element("data").textContent = JSON.stringify(data);
const items = data.trees.flatMap((tree, number) =>
  tree.map((_, node) => Object.assign(element(`t${number}n${node}`), {
    dataset: { tree: String(number), node: String(node) } })));
const trees = data.trees.map(() => new Element());
globalThis.document = {
  getElementById: element,
  createElement: () => new Element(),
  querySelectorAll: (selector) =>
    selector === ".tree li" ? items : selector === ".tree" ? trees :
    items.filter((item) => item.classes.has(selector.slice(1))),
};
(0, eval)(program);
const state = () => [document.querySelectorAll(".on-way").map(({ id }) => id), element("way").text];
const followed = data.examples.map((_, at) => {
  element("example").value = String(at);
  element("example").listeners.change();
  return state();
});
const entered = entries.map((entry) => {
  element("values").querySelectorAll().forEach((field, at) => (field.value = entry[at]));
  element("values").listeners.input();
  return state();
});
console.log(JSON.stringify({ followed, entered }));
"""


def followed(model: Any, X: Any, y: Any, entries: Any = ()) -> tuple[Any, list[Any], list[Any]]:
    """Return the page's data, and paths and texts for the examples and for the entered rows."""
    page = report(model, X, y, front_seconds=0)
    data, program = re.findall(r"<script[^>]*>(.*?)</script>", page, flags=re.DOTALL)
    request = {"data": json.loads(data), "program": program, "entries": list(entries)}
    process = subprocess.run(
        [str(NODE), "-e", DRIVER], input=json.dumps(request), capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    result = json.loads(process.stdout)
    return request["data"], result["followed"], result["entered"]


def way_of(tree: Tree, row: Any) -> list[str]:
    return [f"t0n{node}" for node in np.flatnonzero(tree.decision_path(row).toarray()[0])]


def tree_of(model: Any) -> Tree:
    return model if isinstance(model, Tree) else getattr(model, "tree", None) or model.tree_


def missing_values() -> tuple[Any, Any, Any]:
    """Return an outcome whose tree sends missing values of two features to either child."""
    rng = np.random.default_rng(8)
    X = rng.integers(0, 5, size=(80, 3)).astype(float)
    X[rng.random(X.shape) < 0.3] = np.nan
    y = np.where(np.isnan(X[:, 0]), X[:, 1] > 2, np.isnan(X[:, 2]) | (X[:, 0] > 3))
    limits = xt.Limits(max_depth=3)
    return xt.solve(xt.Problem(X, y, limits=limits)), X, y


@pytest.mark.parametrize(
    "reported", [missing_values, missing_and_categories, level_sets, surfaces, regression]
)
def test_the_program_sends_every_example_where_the_tree_does(reported: Any) -> None:
    model, X, y = reported()
    tree = tree_of(model)
    _, examples, _ = followed(model, X, y)
    rows = [X.iloc[[at]] if isinstance(X, pd.DataFrame) else X[[at]] for at in range(len(y))]
    assert [way for way, _ in examples] == [way_of(tree, row) for row in rows]


def test_missing_and_new_values_can_be_entered() -> None:
    """An empty field is a missing value; new numbers go to the same child as in Python."""
    model, X, y = missing_values()
    tree = tree_of(model)
    names = [f"x{f}" for f in range(3)]
    rows = [[np.nan, np.nan, np.nan], [np.nan, 4.0, 0.0], [3.5, np.nan, np.nan], [-1.0, 9.0, 2.0]]
    data = followed(model, X, y)[0]
    fields = [names.index(feature["name"]) for feature in data["features"]]
    entries = [["" if np.isnan(row[f]) else repr(row[f]) for f in fields] for row in rows]
    _, examples, entered = followed(model, X, y, entries)
    assert [way for way, _ in entered] == [way_of(tree, [row]) for row in rows]
    without_root = next(row for row in range(len(X)) if np.isnan(X[row, int(tree.feature[0])]))
    assert f"x{tree.feature[0]} is missing" in examples[without_root][1]


def test_a_missing_value_of_a_weighted_sum_is_requested() -> None:
    """A tree of weighted sums has no child for missing values."""
    model, X, y = surfaces()
    data, _, entered = followed(model, X, y, [["", "1"], ["0", "1"]])
    assert data["complete"] == [0, 1]
    (no_way, message), (way, _) = entered
    assert no_way == []
    assert message == "Enter a number for x0: none may be missing."
    row = make_features(np.array([[0.0, 1.0]]), model.feature_names, False)
    assert way == way_of(model, row)
