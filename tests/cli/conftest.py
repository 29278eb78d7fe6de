"""Runner and small tables for the tests of the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from exactree.cli import main

Run = Callable[..., Result]
ROOT = Path(__file__).resolve().parents[2]

# x is the label except in one row; one more node, on size, makes no errors.
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
    """Run `exactree` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Result:
        return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)

    return run


@pytest.fixture
def fruit(tmp_path: Path) -> Path:
    """Write the small table."""
    path = tmp_path / "fruit.csv"
    path.write_text(FRUIT, encoding="utf-8")
    return path


@pytest.fixture
def model(run: Run, fruit: Path, tmp_path: Path) -> Path:
    """Fit the small table without errors and write the model."""
    path = tmp_path / "fitted.json"
    assert run("fit", fruit, "--target", "kind", "-o", path, "--quiet").exit_code == 0
    return path


@pytest.fixture(scope="session")
def raisin() -> Path:
    """Return the shipped table, on which a search to depth 5 takes long."""
    return ROOT / "src/exactree/datasets/raisin.csv"
