"""Minimum size and depth of real tables: known results, and an independent encoding.

Known answers are those of `min_size.csv` in the folder `reference` next to the folder that
EXACTREE_DATA names: proved by a dynamic programme, some by a witness-tree solver and by SAT too.
The encoding (`sat.py`) is requested both sides: there is such a tree, and none that is smaller. It
confirms parts of tables that come with this package and with scikit-learn, so that it needs no
data from outside, and the known answers up to size 8.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest

import exactree as xt

HERE = Path(__file__).parent
TABLES = runpy.run_path(str(HERE.parent / "real_tables.py"))
part, min_size, known_sizes = TABLES["part"], TABLES["min_size"], TABLES["known_sizes"]
LARGEST = 8  # the encoding takes minutes beyond


def check(X, y, size, errors=0):
    """Hold a size against the encoding."""
    sat = encoding()
    assert sat["fits_size"](X, y, size, errors)
    assert size == 0 or not sat["fits_size"](X, y, size - 1, errors)


def check_depth(X, y, depth, errors=0):
    """Hold a depth against the encoding."""
    sat = encoding()
    assert sat["fits_depth"](X, y, depth, errors)
    assert depth == 0 or not sat["fits_depth"](X, y, depth - 1, errors)


def encoding():
    pytest.importorskip("pysat.solvers")
    return runpy.run_path(str(HERE / "sat.py"))


def least(X, y, minimize, errors=0):
    """Return the minimum number that the engine finds, of a tree that is looked at here."""
    limits = xt.Limits(max_errors=errors)
    outcome = xt.solve(xt.Problem(X, y, minimize=minimize, limits=limits))
    assert outcome.status is xt.Status.OPTIMAL
    assert np.sum(outcome.tree.predict(X) != y) <= errors
    assert getattr(outcome.tree, minimize) == outcome.cost == outcome.lower_bound
    return outcome.cost


# --- parts of tables that are always there -----------------------------------------------------

PARTS = [
    *(("raisin", 40, seed) for seed in range(8)),
    *(("raisin", 60, seed) for seed in range(1, 5)),
    *(("iris", 100, seed) for seed in range(4)),
    ("iris", 150, 0),
    *(("wine", 60, seed) for seed in range(4)),
    *(("wine", 120, seed) for seed in range(3)),
    ("wine", 178, 0),
    *(("breast_cancer", 100, seed) for seed in range(6)),
    *(("digits", 30, seed) for seed in range(6)),
]
# One of every kind; `make test-long` tries all.
QUICK = {("raisin", 40, 0), ("raisin", 60, 2), ("iris", 100, 0), ("wine", 60, 1), ("wine", 120, 1),
         ("breast_cancer", 100, 2), ("digits", 30, 0), ("digits", 30, 2)}  # fmt: skip


def marked(parts):
    """Leave all but the quick ones to the long tests."""
    return [
        part if part in QUICK else pytest.param(*part, marks=pytest.mark.long) for part in parts
    ]


@pytest.mark.parametrize(("name", "rows", "seed"), marked(PARTS))
def test_parts_of_real_tables_agree_with_the_encoding(name, rows, seed):
    X, y = part(name, rows, seed)
    size = least(X, y, "size")
    assert 2 <= size <= 7
    check(X, y, size)
    check_depth(X, y, least(X, y, "depth"))


@pytest.mark.parametrize("errors", [1, 2])
@pytest.mark.parametrize(("name", "rows", "seed"), marked(PARTS[::3]))
def test_parts_of_real_tables_agree_with_the_encoding_up_to_some_errors(name, rows, seed, errors):
    X, y = part(name, rows, seed)
    check(X, y, least(X, y, "size", errors), errors)
    check_depth(X, y, least(X, y, "depth", errors), errors)


# --- tables with known answers -------------------------------------------------------------------


@pytest.mark.parametrize(("name", "size"), known_sizes(quick=2.0))
def test_known_sizes(name, size):
    assert least(*min_size(name), "size") == size


@pytest.mark.parametrize(("name", "size"), known_sizes(quick=0.5, small=7, largest=LARGEST))
def test_known_sizes_agree_with_the_encoding(name, size):
    check(*min_size(name), size)
