"""Minimum size and depth on real tables: known results, and an independent encoding.

Known sizes are those of `min_size.csv` in the folder `reference` next to the folder that
EXACTREE_DATA names: proved by a dynamic programme, some also by a witness-tree solver and by SAT.
The encoding (`sat.py`) confirms that there is a tree of the size, and no smaller tree. It confirms
the results for subsets of tables in this package and in scikit-learn, which need no data from
outside, and the known sizes up to 8.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest

import exactree as xt

HERE = Path(__file__).parent
TABLES = runpy.run_path(str(HERE.parent / "real_tables.py"))
some_rows, min_size_table = TABLES["some_rows"], TABLES["min_size_table"]
known_sizes = TABLES["known_sizes"]
MAX_SIZE = 8  # larger sizes take the encoding minutes


def check_size(X, y, size, errors=0):
    """Confirm a minimum size by the encoding."""
    sat = encoding()
    assert sat["fits_size"](X, y, size, errors)
    assert size == 0 or not sat["fits_size"](X, y, size - 1, errors)


def check_depth(X, y, depth, errors=0):
    """Confirm a minimum depth by the encoding."""
    sat = encoding()
    assert sat["fits_depth"](X, y, depth, errors)
    assert depth == 0 or not sat["fits_depth"](X, y, depth - 1, errors)


def encoding():
    pytest.importorskip("pysat.solvers")
    return runpy.run_path(str(HERE / "sat.py"))


def minimum(X, y, minimize, errors=0):
    """Return the minimum size or depth by the engine, after a check of its tree."""
    limits = xt.Limits(max_errors=errors)
    outcome = xt.solve(xt.Problem(X, y, minimize=minimize, limits=limits))
    assert outcome.status is xt.Status.OPTIMAL
    assert np.sum(outcome.tree.predict(X) != y) <= errors
    assert getattr(outcome.tree, minimize) == outcome.cost == outcome.lower_bound
    return outcome.cost


# --- subsets of tables that are always available -----------------------------------------------

# Table, number of rows, seed of the choice of rows.
SUBSETS = [
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
# At least one per table; `make test-long` runs all.
QUICK = {("raisin", 40, 0), ("raisin", 60, 2), ("iris", 100, 0), ("wine", 60, 1), ("wine", 120, 1),
         ("breast_cancer", 100, 2), ("digits", 30, 0), ("digits", 30, 2)}  # fmt: skip


def marked(subsets):
    """Mark all subsets except the quick ones as long."""
    long = pytest.mark.long
    return [entry if entry in QUICK else pytest.param(*entry, marks=long) for entry in subsets]


@pytest.mark.parametrize(("name", "rows", "seed"), marked(SUBSETS))
def test_minima_of_subsets_of_real_tables_agree_with_the_encoding(name, rows, seed):
    X, y = some_rows(name, rows, seed)
    size = minimum(X, y, "size")
    assert 2 <= size <= 7
    check_size(X, y, size)
    check_depth(X, y, minimum(X, y, "depth"))


@pytest.mark.parametrize("errors", [1, 2])
@pytest.mark.parametrize(("name", "rows", "seed"), marked(SUBSETS[::3]))
def test_minima_with_some_errors_agree_with_the_encoding(name, rows, seed, errors):
    X, y = some_rows(name, rows, seed)
    check_size(X, y, minimum(X, y, "size", errors), errors)
    check_depth(X, y, minimum(X, y, "depth", errors), errors)


# --- tables with known sizes ---------------------------------------------------------------------


@pytest.mark.parametrize(("name", "size"), known_sizes(quick=2.0))
def test_the_engine_finds_the_known_sizes(name, size):
    assert minimum(*min_size_table(name), "size") == size


@pytest.mark.parametrize(("name", "size"), known_sizes(quick=0.5, small=7, max_size=MAX_SIZE))
def test_the_known_sizes_agree_with_the_encoding(name, size):
    check_size(*min_size_table(name), size)
