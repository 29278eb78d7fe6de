"""CPU seconds of every problem of the quick suite, for asv."""

import sys
import time
from pathlib import Path
from typing import Any

# asv imports this folder by itself.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import exactree as xt
from benchmarks.quick import PROBLEMS, available


class Quick:
    """One row for each problem whose table exists."""

    params: tuple[Any, ...] = (available(),)
    param_names = ("problem",)
    timer = time.process_time
    warmup_time = 0.0
    sample_time = 0.2
    repeat = (3, 5, 2.0)

    def setup(self, name: str) -> None:
        """Read the table, and import what a first call imports."""
        xt.solve(xt.Problem([[0], [1]], [0, 1]))
        quick = PROBLEMS[name]
        self.problem = xt.Problem(
            *quick.read(), limits=xt.Limits(**quick.limits), **quick.arguments
        )

    def time_solve(self, name: str) -> None:
        """Solve the problem."""
        xt.solve(self.problem, n_jobs=1)
