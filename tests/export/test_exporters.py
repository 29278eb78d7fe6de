"""The list of exporters is complete, every exporter has a test, and none is loaded too early."""

import subprocess
import sys
from pathlib import Path

import pytest

from exactree import export

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
