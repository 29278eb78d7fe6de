"""The command `python -m benchmarks.large_tables FOLDER`: write the tables of the suite `large`.

Planted tables as in `growth`: ten uniform features, whose values nearly all differ, two classes,
and a tenth of the labels replaced by random labels. The planted tree is one level deeper than the
trees of the suite, which makes the proof harder.
"""

import sys
from pathlib import Path

import numpy as np

from benchmarks.evaluation.planted import planted
from benchmarks.suites import LARGE, SUITES

FEATURES = 10
DEPTH = 3


def write_tables(folder: Path) -> None:
    """Write a table for each number of rows of the suite into a data folder."""
    (group,) = SUITES["large"].groups
    for table, rows in zip(group.tables, LARGE, strict=True):
        X, y = planted(rows, FEATURES, classes=2, depth=DEPTH, noise=0.1, seed=0)
        path = group.path(folder, table)
        path.parent.mkdir(parents=True, exist_ok=True)
        names = [*(f"f{feature}" for feature in range(FEATURES)), "target"]
        lines = np.column_stack([X, y])
        np.savetxt(path, lines, fmt="%.9g", delimiter=",", header=",".join(names), comments="")
        print(path)


if __name__ == "__main__":
    write_tables(Path(sys.argv[1]))
