"""Fewest errors by depth on published tables, proved by other solvers.

The environment variable EXACTREE_DATA names the folder of the tables; `errors_by_depth.csv` in the
folder `reference` next to it lists the minimum errors. Without it these tests are skipped. The
numbers come from pycontree (numeric tables) and pystreed (binary tables), recounted from their
predictions. pycontree compares values with an absolute tolerance of 1e-7, so it could miss an
optimum; there is no such case.
"""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

import exactree as xt

FOLDER = os.environ.get("EXACTREE_DATA")
QUICK_SECONDS = 2.0  # of the other solver


def known_errors():
    """List the known results; slow ones are marked long or, beyond depth 3, left out."""
    path = Path(FOLDER or ".").parent / "reference" / "errors_by_depth.csv"
    if FOLDER is None or not path.is_file():
        reason = "EXACTREE_DATA names no folder of tables with proved answers beside it"
        return [pytest.param("", 0, 0, marks=pytest.mark.skip(reason=reason), id="no data")]
    params = []
    for row in csv.DictReader(path.read_text("utf-8").splitlines()):
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


@pytest.mark.parametrize(("file", "depth", "errors"), known_errors())
def test_minimum_errors_by_depth(file, depth, errors):
    X, y = load(file)
    outcome = xt.solve(xt.Problem(X, y, limits=xt.Limits(max_depth=depth)))
    assert outcome.status is xt.Status.OPTIMAL
    assert outcome.cost == errors
    assert np.sum(outcome.tree.predict(X) != np.array(y)) == outcome.cost
