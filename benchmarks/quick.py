"""The quick suite: a problem for every kind of search, each of at most a second.

`python -m benchmarks.versions` compares two builds on it, and asv (`asv.conf.json`) measures it
over time. Planted tables need no file; problems on other tables are left out where the environment
variable EXACTREE_DATA does not name a folder that has them.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.planted import planted
from benchmarks.tables import read_numbers, read_table

__all__ = ["PROBLEMS", "QuickProblem", "available"]

# Examples, features, classes, depth, noise, seed.
PLANTED = {
    "planted: many rows": (50_000, 8, 2, 2, 0.1, 0),
    "planted: many features": (3_000, 150, 2, 2, 0.1, 1),
    "planted: few rows": (4_000, 8, 3, 3, 0.1, 2),
    "planted: binary": (20_000, 100, 2, 3, 0.05, 3),
}


@dataclass(frozen=True)
class QuickProblem:
    """A problem of the quick suite.

    Attributes
    ----------
    table : str
        A name of `PLANTED`, or a table in the folder of EXACTREE_DATA.
    limits : dict
        Arguments of `Limits`.
    arguments : dict
        Other arguments of `Problem`.
    """

    table: str
    limits: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> Path | None:
        """The file of the table; None for a planted table or without EXACTREE_DATA."""
        folder = os.environ.get("EXACTREE_DATA")
        return None if self.table in PLANTED or not folder else Path(folder, f"{self.table}.csv.gz")

    def read(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return features and targets."""
        if self.table in PLANTED:
            X, y = planted(*PLANTED[self.table])
            return (np.round(X) if "binary" in self.table else X), y
        assert self.path is not None, f"{self.table}: EXACTREE_DATA is not set"
        is_regression = self.arguments.get("minimize") == "squared_error"
        return read_numbers(self.path) if is_regression else read_table(self.path)


# The first four spend nearly all their time in one kernel each.
PROBLEMS = {
    "kernel: depth two, many rows": QuickProblem("planted: many rows", {"max_depth": 2}),
    "kernel: depth two, many features": QuickProblem("planted: many features", {"max_depth": 2}),
    "kernel: depth two, binary": QuickProblem("planted: binary", {"max_depth": 3}),
    "kernel: sums of costs": QuickProblem(
        "planted: few rows", {"max_depth": 2}, {"minimize": "log_loss"}
    ),
    "planted, depth 3": QuickProblem("planted: few rows", {"max_depth": 3}),
    "continuous, depth 3": QuickProblem("continuous/contree_raisin_train", {"max_depth": 3}),
    "more rows, depth 3": QuickProblem("continuous/contree_rice_train", {"max_depth": 3}),
    "size limit": QuickProblem("continuous/contree_bank_train", {"max_depth": 4, "max_size": 6}),
    "rows per leaf": QuickProblem(
        "continuous/contree_rice_train", {"max_depth": 2, "min_samples_leaf": 5}
    ),
    "leaf penalty": QuickProblem(
        "continuous/contree_bank_train", {"max_depth": 4}, {"leaf_penalty": 0.005}
    ),
    "Gini": QuickProblem("continuous/contree_raisin_train", {"max_depth": 2}, {"minimize": "gini"}),
    "binary, depth 4": QuickProblem("binary/cp4im_german_credit", {"max_depth": 4}),
    "sparse binary, depth 3": QuickProblem("binary/cp4im_audiology", {"max_depth": 3}),
    "fewest nodes": QuickProblem("min_size/glass_0.2_0", {}, {"minimize": "size"}),
    "regression": QuickProblem(
        "regression/osrt_yacht", {"max_depth": 4}, {"minimize": "squared_error"}
    ),
}


def available() -> list[str]:
    """Return the names of the problems whose tables exist."""
    return [
        name
        for name, problem in PROBLEMS.items()
        if problem.table in PLANTED or (problem.path is not None and problem.path.exists())
    ]
