"""The list of exporters is complete, every exporter has a test, and none is loaded too early."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from exactree import export
from exactree.trees import Ensemble, Tree

HERE = Path(__file__).parent
# They take examples, too, or an outcome, or show one side of a tree.
PICTURES = {
    "plot_feature_use",
    "plot_front",
    "plot_leaf_errors",
    "plot_progress",
    "plot_regions",
}
# Their own tests run these with codes and with votes.
RUN = {"javascript", "onnx", "pmml", "rules_frame", "spreadsheet", "treelite"}


def test_the_list_holds_every_exporter() -> None:
    functions = {name for name in export.__all__ if name.startswith(("to_", "plot_"))}
    functions -= PICTURES
    assert {function.__name__ for function in export.EXPORTERS.values()} == functions


@pytest.mark.parametrize("name", export.EXPORTERS)
def test_every_exporter_has_its_tests(name: str) -> None:
    text = (HERE / f"test_{name}.py").read_text(encoding="utf-8")
    assert export.EXPORTERS[name].__name__ in text
    assert "hostile_tree" in text, "names are data in every format"


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_every_picture_has_its_tests(name: str) -> None:
    text = (HERE / f"test_{name.removeprefix('plot_')}.py").read_text(encoding="utf-8")
    assert f"{name}(" in text


def test_exporters_load_their_libraries_when_used() -> None:
    code = (
        "import sys, exactree.export as e\n"
        "assert not {'matplotlib', 'sklearn', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", sorted(export.EXPORTERS.keys() - RUN - {"sklearn"}))
def test_every_exporter_shows_a_code(name: str, tree_of_codes: Tree) -> None:
    shown = export.EXPORTERS[name](tree_of_codes)
    if name == "plot":
        assert "colour == 3" in [text.get_text() for text in shown.texts]
        pytest.importorskip("matplotlib.pyplot").close(shown.figure)
    elif name == "json":
        assert '"comparison": ["==", "<=", "", "", ""]' in shown
        assert export.from_json(shown) == tree_of_codes
    elif name in ("c", "python", "sql", "sql_expression"):
        asked = {"c": "x[0] != 0x1.8", "python": "x[0] != 3.0"}
        assert asked.get(name, '"colour" <> 3') in shown
    else:
        assert "colour == 3" in shown
        assert "colour <=" not in shown


@pytest.mark.parametrize("name", sorted(export.EXPORTERS.keys() - RUN))
def test_every_exporter_takes_an_ensemble(name: str, three_trees: Ensemble) -> None:
    """An ensemble of one tree is shown as that tree."""
    exporter = export.EXPORTERS[name]
    shown = exporter(three_trees)
    alone, tree = exporter(Ensemble(three_trees.trees[:1])), exporter(three_trees.trees[0])
    if name == "plot":
        told = [text.get_text() for text in shown.texts]
        assert [text for text in told if text.startswith("tree ")] == ["tree 0", "tree 1", "tree 2"]
        assert [a.get_text() for a in alone.texts] == [t.get_text() for t in tree.texts]
        pytest.importorskip("matplotlib.pyplot").close("all")
    elif name == "sklearn":
        assert [one.get_n_leaves() for one in shown.estimators_] == [3, 2, 1]
    elif name == "json":
        assert export.from_json(shown) == three_trees
        assert export.from_json(alone).trees == three_trees.trees[:1]
    else:
        numbered = re.findall(r"\btree[ _](\d)\b", shown)
        assert set(numbered) == {"0", "1", "2"}
        assert alone == tree
