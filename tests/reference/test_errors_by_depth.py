"""Fewest errors by depth of published tables, proved by other solvers.

The list of answers and the tables are found through the environment variable
EXACTREE_DATA: `errors_by_depth.csv` in the folder `reference` next to it, tables below
it. Without it these tests are skipped. Answers come from pycontree (numeric tables) and
pystreed (tables of zeros and ones), recounted from their predictions. pycontree compares
values with an absolute tolerance of 1e-7; an answer it therefore misses would be listed
in TOO_HIGH with the exhaustive check that shows it. There is none.
"""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

import exactree as xt

FOLDER = os.environ.get("EXACTREE_DATA")
QUICK_SECONDS = 2.0
TOO_HIGH = {}


def answers():
    """List the answers; slow ones are marked long and, beyond depth 3, left out."""
    path = Path(FOLDER or ".").parent / "reference" / "errors_by_depth.csv"
    if FOLDER is None or not path.is_file():
        reason = "EXACTREE_DATA names no folder of tables with proved answers beside it"
        return [pytest.param("", 0, 0, marks=pytest.mark.skip(reason=reason), id="no data")]
    params = []
    for row in csv.DictReader(path.open()):
        slow = float(row["peer_cpu_s"]) >= QUICK_SECONDS
        depth = int(row["depth"])
        if not slow or depth <= 3:
            name = f"{Path(row['file']).name.split('.')[0]}-{depth}"
            marks = [pytest.mark.long] if slow else []
            errors = int(row["errors"])
            params.append(pytest.param(row["file"], depth, errors, marks=marks, id=name))
    return params


def load(file):
    with gzip.open(Path(FOLDER) / file, "rt", newline="") as text:
        rows = list(csv.reader(text))[1:]
    X = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    return X, [row[-1] for row in rows]


@pytest.mark.parametrize(("file", "depth", "errors"), answers())
def test_least_errors_by_depth(file, depth, errors):
    X, y = load(file)
    outcome = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=depth)))
    assert outcome.status is xt.Status.OPTIMAL
    assert outcome.cost == TOO_HIGH.get((file, depth), errors)
    assert np.sum(outcome.tree.predict(X) != np.array(y)) == outcome.cost
