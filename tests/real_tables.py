"""Real tables for tests: subsets of tables always available, and tables of EXACTREE_DATA.

The table of this package and those of scikit-learn are always available. EXACTREE_DATA names a
folder with `min_size/*.csv.gz`; next to it, `reference/min_size.csv` lists minimum sizes proved by
other solvers.
"""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets

import exactree as xt

FOLDER = os.environ.get("EXACTREE_DATA")


def some_rows(name, rows, seed):
    """Return random rows of a table that is always available; of the digits, only 0 to 4."""
    if name == "raisin":
        table = xt.datasets.load_raisin()
        X, y = table.X, table.y
    else:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if name == "digits":
        X, y = X[y < 5], y[y < 5]
    chosen = np.random.default_rng(seed).choice(len(y), rows, replace=False)
    return X[chosen], y[chosen]


def min_size_table(name):
    """Return a table of the folder `min_size`."""
    with gzip.open(Path(FOLDER) / "min_size" / f"{name}.csv.gz", "rt", newline="") as text:
        rows = list(csv.reader(text))[1:]
    X = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    return X, np.array([row[-1] for row in rows])


def known_sizes(quick, small=np.inf, max_size=np.inf):
    """List names and minimum sizes, up to `max_size`; tables are marked long unless they are easy.

    A table is easy if the solver that proved its size took less than `quick` seconds, and the size
    is at most `small`.
    """
    path = Path(FOLDER or ".").parent / "reference" / "min_size.csv"
    if FOLDER is None or not path.is_file():
        reason = "EXACTREE_DATA names no folder of tables with proved answers beside it"
        return [pytest.param("", 0, marks=pytest.mark.skip(reason=reason), id="no data")]
    params = []
    for row in csv.DictReader(path.read_text("utf-8").splitlines()):
        size = int(row["optimal_size"] or 0)
        if 0 < size <= max_size:
            is_easy = float(row["prototype_s"]) < quick and size <= small
            marks = [] if is_easy else [pytest.mark.long]
            params.append(pytest.param(row["instance"], size, marks=marks, id=row["instance"]))
    return params
