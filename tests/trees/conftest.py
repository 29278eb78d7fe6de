"""Random trees for the tests of trees."""

import runpy
from pathlib import Path
from typing import Any

import pytest

RANDOM_TREES = runpy.run_path(str(Path(__file__).parent / "random_trees.py"))


@pytest.fixture(scope="session")
def fitted_table() -> Any:
    """Return the strategy `fitted_table`, which draws a tree with its table."""
    return RANDOM_TREES["fitted_table"]
