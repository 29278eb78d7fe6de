"""Pages for users of other solvers: both programs print the same, and all parameters are compared.

The other solvers are in the dependency group `bench`; without them the programs of exactree run
alone (test_documents.py).
"""

import inspect
import re
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
# Page -> module, class.
PEERS = {
    "coming-from-pystreed.md": ("pystreed", "STreeDClassifier"),
    "coming-from-gosdt.md": ("gosdt", "GOSDTClassifier"),
    "coming-from-pydl85.md": ("pydl85", "DL85Classifier"),
    "coming-from-contree.md": ("pycontree", "ConTree"),
}
each = pytest.mark.parametrize("page", PEERS)


def program(text: str, language: str) -> str:
    """Return the only block of a page in a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return str(found)


def printed(code: str) -> str:
    """Return what a program prints."""
    output = StringIO()
    with redirect_stdout(output):
        exec(compile(code, "example", "exec"), {"__name__": "example"})
    return output.getvalue()


@each
@pytest.mark.filterwarnings("ignore")  # those of the other solver
def test_the_old_and_the_new_program_print_the_same(page: str) -> None:
    pytest.importorskip(PEERS[page][0])
    text = (DOCS / page).read_text("utf-8")
    assert "errors" in (output := printed(program(text, "python")))
    assert printed(program(text, "py")) == output


@each
@pytest.mark.filterwarnings("ignore")
def test_every_parameter_of_the_other_solver_is_compared(page: str) -> None:
    module, name = PEERS[page]
    pytest.importorskip(module)
    table = (DOCS / page).read_text("utf-8").partition("## Parameters")[2]
    parameters = inspect.signature(getattr(import_module(module), name)).parameters
    quoted = re.findall(r"`([^`]*)`", table)
    listed = {word for text in quoted for word in re.findall(r"\w+", text)}
    assert set(parameters) <= listed


@each
def test_the_parameters_of_exactree_in_the_table_exist(page: str) -> None:
    from exactree import OptimalTreeClassifier

    table = (DOCS / page).read_text("utf-8").partition("## Parameters")[2]
    rows = re.findall(r"^\|[^|]*\| `([a-z_]+)`(?:;|,|:)", table, re.MULTILINE)
    assert len(rows) >= 2
    assert set(rows) <= set(inspect.signature(OptimalTreeClassifier).parameters)
