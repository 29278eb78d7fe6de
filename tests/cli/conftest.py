"""Runner and small tables for the tests of the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from exactree.cli import main

Run = Callable[..., Result]
ROOT = Path(__file__).resolve().parents[2]

# A threshold on x predicts all labels but the last; with a second node there are no errors.
FRUIT = """\
x,size,colour,kind
0,1,red,apple
1,2,red,apple
2,3,green,apple
3,1,green,pear
4,2,green,pear
5,9,red,apple
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs `exactree` with some words, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Result:
        return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)

    return run


@pytest.fixture
def fruit(tmp_path: Path) -> Path:
    """Write the table FRUIT and return its path."""
    path = tmp_path / "fruit.csv"
    path.write_text(FRUIT, encoding="utf-8")
    return path


@pytest.fixture
def model(run: Run, fruit: Path, tmp_path: Path) -> Path:
    """Return a model file of FRUIT, whose tree has no errors."""
    path = tmp_path / "fitted.json"
    assert run("fit", fruit, "--target", "kind", "-o", path, "--quiet").exit_code == 0
    return path


@pytest.fixture(scope="session")
def raisin() -> Path:
    """Return the example table of the package, on which a search to depth 6 takes minutes."""
    return ROOT / "src/exactree/datasets/raisin.csv"
