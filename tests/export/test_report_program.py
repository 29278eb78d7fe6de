"""The program of the report in Node.js, on the few elements that it needs: where examples go.

The browser's tests (`test_report_in_browser.py`) are about the whole page, but need Chromium.
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

from .reported import level_sets, missing_and_categories, numbers, surfaces

pytest.importorskip("jinja2")
NODE = shutil.which("node") or shutil.which("nodejs")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node.js is not installed (command node)")

# Elements that hold what the program gives them, and nothing else of a page.
DRIVER = """
const { data, program, entries } = JSON.parse(require("fs").readFileSync(0, "utf8"));
class Element {
  constructor(id = "") {
    Object.assign(this, { id, value: "", textContent: "", children: [], dataset: {}, heard: {} });
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
  addEventListener(name, listener) { this.heard[name] = listener; }
  querySelector(selector) {
    return selector.includes(".folder") ? null : (this.box ??= new Element());
  }
  querySelectorAll() { return this.children.flatMap((label) => label.children); }
  get said() { return this.textContent + this.children.map((child) => child.said).join(" "); }
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
const state = () => [document.querySelectorAll(".on-way").map(({ id }) => id), element("way").said];
const found = data.examples.map((_, at) => {
  element("example").value = String(at);
  element("example").heard.change();
  return state();
});
const entered = entries.map((entry) => {
  element("values").querySelectorAll().forEach((field, at) => (field.value = entry[at]));
  element("values").heard.input();
  return state();
});
console.log(JSON.stringify({ found, entered }));
"""


def followed(model: Any, X: Any, y: Any, entries: Any = ()) -> tuple[Any, list[Any], list[Any]]:
    """Return the page's data, and where its program sends the examples and what is entered."""
    page = report(model, X, y, front_seconds=0)
    data, program = re.findall(r"<script[^>]*>(.*?)</script>", page, flags=re.DOTALL)
    given = {"data": json.loads(data), "program": program, "entries": list(entries)}
    told = subprocess.run(
        [str(NODE), "-e", DRIVER], input=json.dumps(given), capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr
    answer = json.loads(told.stdout)
    return given["data"], answer["found"], answer["entered"]


def way_of(tree: Tree, row: Any) -> list[str]:
    return [f"t0n{node}" for node in np.flatnonzero(tree.decision_path(row).toarray()[0])]


def tree_of(model: Any) -> Tree:
    return model if isinstance(model, Tree) else getattr(model, "tree", None) or model.tree_


def wanting() -> tuple[Any, Any, Any]:
    """Return trees in which missing values of two features go to either child."""
    rng = np.random.default_rng(8)
    X = rng.integers(0, 5, size=(80, 3)).astype(float)
    X[rng.random(X.shape) < 0.3] = np.nan
    y = np.where(np.isnan(X[:, 0]), X[:, 1] > 2, np.isnan(X[:, 2]) | (X[:, 0] > 3))
    limits = xt.Limits(max_depth=3)
    return xt.solve(xt.Problem(X, y, limits=limits)), X, y


@pytest.mark.parametrize(
    "reported", [wanting, missing_and_categories, level_sets, surfaces, numbers]
)
def test_the_program_sends_every_example_where_the_tree_does(reported: Any) -> None:
    model, X, y = reported()
    tree = tree_of(model)
    _, found, _ = followed(model, X, y)
    rows = [X.iloc[[at]] if isinstance(X, pd.DataFrame) else X[[at]] for at in range(len(y))]
    assert [way for way, _ in found] == [way_of(tree, row) for row in rows]


def test_missing_values_are_stated_and_may_be_entered() -> None:
    """An empty field is a missing value, and a number that the table has not goes as in Python."""
    model, X, y = wanting()
    tree = tree_of(model)
    names = [f"x{f}" for f in range(3)]
    rows = [[np.nan, np.nan, np.nan], [np.nan, 4.0, 0.0], [3.5, np.nan, np.nan], [-1.0, 9.0, 2.0]]
    data = followed(model, X, y)[0]
    asked = [names.index(feature["name"]) for feature in data["features"]]
    entries = [["" if np.isnan(row[f]) else repr(row[f]) for f in asked] for row in rows]
    _, found, entered = followed(model, X, y, entries)
    assert [way for way, _ in entered] == [way_of(tree, [row]) for row in rows]
    at = next(row for row in range(len(X)) if np.isnan(X[row, int(tree.feature[0])]))
    assert f"x{tree.feature[0]} is missing" in found[at][1]


def test_where_none_may_be_missing_the_program_requests_a_number() -> None:
    """A tree of weighted sums has no way for a missing value."""
    model, X, y = surfaces()
    data, _, entered = followed(model, X, y, [["", "1"], ["0", "1"]])
    assert data["complete"] == [0, 1]
    (none, asked), (way, _) = entered
    assert none == []
    assert asked == "Enter a number for x0: none may be missing."
    row = make_features(np.array([[0.0, 1.0]]), model.feature_names, False)
    assert way == way_of(model, row)
