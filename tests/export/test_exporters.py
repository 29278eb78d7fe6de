"""The list of exporters is complete; each has tests, and loads its library only when called."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree import Problem, export
from exactree.trees import Ensemble, Tree, grow

HERE = Path(__file__).parent
# Plots that are not in the list: they need examples or outcomes, or draw only some data of a model.
OTHER_PLOTS = {
    "plot_feature_use",
    "plot_front",
    "plot_leaf_errors",
    "plot_progress",
    "plot_regions",
}
# Exporters whose own tests run their output, on codes and on ensembles.
RUN_BY_OWN_TESTS = {"javascript", "onnx", "pmml", "rules_frame", "spreadsheet", "treelite"}


def test_the_list_holds_every_exporter() -> None:
    functions = {name for name in export.__all__ if name.startswith(("to_", "plot_"))}
    functions -= OTHER_PLOTS
    assert {function.__name__ for function in export.EXPORTERS.values()} == functions


@pytest.mark.parametrize("name", export.EXPORTERS)
def test_every_exporter_has_its_tests(name: str) -> None:
    text = (HERE / f"test_{name}.py").read_text(encoding="utf-8")
    assert export.EXPORTERS[name].__name__ in text
    assert "hostile_tree" in text, "names are data in every format"


@pytest.mark.parametrize("name", sorted(OTHER_PLOTS))
def test_every_other_plot_has_its_tests(name: str) -> None:
    text = (HERE / f"test_{name.removeprefix('plot_')}.py").read_text(encoding="utf-8")
    assert f"{name}(" in text


def test_exporters_load_their_libraries_when_used() -> None:
    code = (
        "import sys, exactree.export as e\n"
        "assert not {'matplotlib', 'sklearn', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", sorted(export.EXPORTERS.keys() - RUN_BY_OWN_TESTS - {"sklearn"}))
def test_every_exporter_shows_a_code(name: str, tree_of_codes: Tree) -> None:
    exported = export.EXPORTERS[name](tree_of_codes)
    if name == "plot":
        assert "colour == 3" in [text.get_text() for text in exported.texts]
        pytest.importorskip("matplotlib.pyplot").close(exported.figure)
    elif name == "json":
        assert '"comparison": ["==", "<=", "", "", ""]' in exported
        assert export.from_json(exported) == tree_of_codes
    elif name in ("c", "python", "sql", "sql_expression"):
        by_language = {"c": "x[0] != 3.0", "python": "x[0] != 3.0"}
        assert by_language.get(name, '"colour" <> 3') in exported
    else:
        assert "colour == 3" in exported
        assert "colour <=" not in exported


@pytest.mark.parametrize("name", sorted(export.EXPORTERS.keys() - RUN_BY_OWN_TESTS))
def test_every_exporter_takes_an_ensemble(name: str, three_trees: Ensemble) -> None:
    """An ensemble of one tree is exported as that tree."""
    exporter = export.EXPORTERS[name]
    exported = exporter(three_trees)
    alone, tree = exporter(Ensemble(three_trees.trees[:1])), exporter(three_trees.trees[0])
    if name == "plot":
        texts = [text.get_text() for text in exported.texts]
        assert [text for text in texts if text.startswith("tree ")] == [
            "tree 0",
            "tree 1",
            "tree 2",
        ]
        assert [a.get_text() for a in alone.texts] == [t.get_text() for t in tree.texts]
        pytest.importorskip("matplotlib.pyplot").close("all")
    elif name == "sklearn":
        assert [tree.get_n_leaves() for tree in exported.estimators_] == [3, 2, 1]
    elif name == "json":
        assert export.from_json(exported) == three_trees
        assert export.from_json(alone).trees == three_trees.trees[:1]
    else:
        numbered = re.findall(r"\btree[ _](\d)\b", exported)
        assert set(numbered) == {"0", "1", "2"}
        assert alone == tree


# A depth beyond Python's limit on recursion, which is 1,000.
DEEP = 1_500
# Exporters that need ten seconds for such a tree: a plot measures the text of every box.
SLOW = {"plot"}


def deep_tree(*, to_the_left: bool) -> Tree:
    """Return a path of nodes, each with a leaf; the path goes to the left or to the right."""
    X = np.arange(DEEP + 1.0).reshape(-1, 1).repeat(2, axis=1)
    problem = Problem(X, np.arange(DEEP + 1) % 2)
    inner = range(DEEP)
    leaf = (-1, 0.0, 0.0, -1, -1)
    if to_the_left:
        low = [float(DEEP - 1 - k) for k in inner]
        path = [(k % 2, low[k], low[k] + 1, k + 1, 2 * DEEP - k) for k in inner]
        return grow(problem.dataset, [*path, *[leaf] * (DEEP + 1)])
    pairs = [((k % 2, float(k), k + 1.0, 2 * k + 1, 2 * k + 2), leaf) for k in inner]
    return grow(problem.dataset, [*(node for pair in pairs for node in pair), leaf])


@pytest.mark.parametrize("to_the_left", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if name in SLOW else ())
        for name in export.EXPORTERS
    ],
)
def test_every_exporter_shows_a_deep_tree_or_says_why_not(name: str, to_the_left: bool) -> None:
    tree = deep_tree(to_the_left=to_the_left)
    assert tree.depth == DEEP
    if name == "spreadsheet":
        with pytest.raises(ValueError, match="at most 64 levels of IF, and the tree has 1500"):
            export.EXPORTERS[name](tree)
        return
    exported = export.EXPORTERS[name](tree)
    if name == "pmml":
        assert exported.count("<Node ") == 2 * DEEP + 1
    elif name == "json":
        assert export.from_json(exported) == tree
    elif name == "python":
        names: dict[str, Any] = {}
        exec(exported, names)
        assert names["predict"]([3.0, 3.0]) == 1
    elif name == "plot":
        pytest.importorskip("matplotlib.pyplot").close(exported.figure)
    else:
        assert exported is not None
