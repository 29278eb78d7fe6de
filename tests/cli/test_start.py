"""Commands start without the libraries that they do not need, as scikit-learn loads slowly."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"joblib", "matplotlib", "networkx", "pandas", "polars", "pyarrow", "scipy", "sklearn"}
COMPLETION = {
    "_EXACTREE_COMPLETE": "bash_complete",
    "COMP_WORDS": "exactree fit fruit.csv --target k",
    "COMP_CWORD": "4",
}


def heavy(folder: Path, *words: object, **environment: str) -> tuple[str, set[str]]:
    """Return what a command prints, and the libraries of HEAVY that it imports."""
    answer = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "exactree", *map(str, words)],
        env={**os.environ, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    modules = re.findall(r"^import time:.*\| +(\S+)$", answer.stderr, re.MULTILINE)
    assert "exactree.cli" in modules
    return answer.stdout, HEAVY & {module.partition(".")[0] for module in modules}


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    printed, libraries = heavy(tmp_path, "--help")
    assert printed.startswith("Usage: ")
    assert libraries == set()


def test_a_completion_imports_nothing_heavy(fruit: Path) -> None:
    assert heavy(fruit.parent, **COMPLETION) == ("plain,kind\n", set())


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "fruit.csv", "--target", "kind", "--plot", "tree.svg"),
        ("predict", "fitted.json", "fruit.csv", "--probabilities"),
    ],
)
def test_fit_and_predict_import_nothing_heavy(model: Path, words: tuple[str, ...]) -> None:
    printed, libraries = heavy(model.parent, *words)
    assert "apple" in printed
    assert libraries == set()


def test_a_command_that_compares_with_scikit_learn_imports_it(fruit: Path) -> None:
    """The control of the tests above: they would find a heavy library."""
    _, libraries = heavy(fruit.parent, "fit", "fruit.csv", "--target", "kind", "--cart")
    assert "sklearn" in libraries
