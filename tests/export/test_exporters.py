"""The list of exporters is complete, every exporter has a test, and none is loaded too early."""

import subprocess
import sys
from pathlib import Path

import pytest

from exactree import export
from exactree.trees import Tree

HERE = Path(__file__).parent


def test_the_list_holds_every_exporter() -> None:
    functions = {name for name in export.__all__ if name.startswith(("to_", "plot_"))}
    assert {function.__name__ for function in export.EXPORTERS.values()} == functions


@pytest.mark.parametrize("name", export.EXPORTERS)
def test_every_exporter_has_its_tests(name: str) -> None:
    text = (HERE / f"test_{name}.py").read_text(encoding="utf-8")
    assert export.EXPORTERS[name].__name__ in text
    assert "hostile_tree" in text, "names are data in every format"


def test_exporters_load_their_libraries_when_used() -> None:
    code = (
        "import sys, exactree.export as e\n"
        "assert not {'matplotlib', 'sklearn', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", [name for name in export.EXPORTERS if name != "sklearn"])
def test_every_exporter_shows_a_code(name: str, tree_of_codes: Tree) -> None:
    shown = export.EXPORTERS[name](tree_of_codes)
    if name == "plot":
        assert "colour == 3" in [text.get_text() for text in shown.texts]
        pytest.importorskip("matplotlib.pyplot").close(shown.figure)
    elif name == "json":
        assert '"comparison": ["==", "<=", "", "", ""]' in shown
        assert export.from_json(shown) == tree_of_codes
    else:
        assert "colour == 3" in shown
        assert "colour <=" not in shown
