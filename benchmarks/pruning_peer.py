"""Time of the authors' program to prune the tree of the first draw.

The program cannot be installed as a package. It needs a checkout of the repository
jsleb333/paper-decision-trees-as-partitioning-machines, and a Python with numpy below 2, scipy,
sympy, scikit-learn and python2latex 0.3.0. That Python also runs this file, which therefore imports
neither exactree nor other benchmarks.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["REPEATS", "Peer"]

EXPONENT = 13.7  # r = 2^-13.7, as printed in the paper; the program's own default is 13.1
LIMIT = 3600.0
REPEATS = 3  # the median counts
SHORT = 1.5  # total CPU seconds below which the run is repeated


@dataclass(frozen=True)
class Peer:
    """The authors' program.

    Attributes
    ----------
    folder : Path
        The checkout.
    python : Path
        The Python that runs it.
    """

    folder: Path
    python: Path

    def measured(self, X: NDArray[np.float64], y: NDArray[Any]) -> dict[str, float]:
        """Return CPU seconds, leaves before and after, and the bound, for one training table."""
        classes = np.unique(y, return_inverse=True)[1]
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.npz"
            np.savez(table, X=X, y=classes)
            process = subprocess.run(
                [self.python, __file__, table],
                env=os.environ | {"PYTHONPATH": str(self.folder), "OMP_NUM_THREADS": "1"},
                cwd=self.folder,
                capture_output=True,
                text=True,
                check=True,
                timeout=LIMIT,
            )
        measurements: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
        return measurements


def run(table: Path) -> dict[str, float]:
    """Grow and prune a tree with the authors' program in the current folder."""
    sys.path.insert(0, os.getcwd())
    import partitioning_machines as peer  # type: ignore[import-not-found,unused-ignore]
    from experiments.pruning import (  # type: ignore[import-not-found,unused-ignore]
        prune_with_bound,
    )

    read = np.load(table)
    X, y = read["X"], read["y"]
    r = 2.0**-EXPONENT
    seconds: list[float] = []
    while len(seconds) < REPEATS and sum(seconds) < SHORT:
        tree = peer.DecisionTreeClassifier(peer.gini_impurity_criterion, max_n_leaves=40)
        tree.fit(X, y)
        leaves = tree.tree.n_leaves
        bound = peer.shawe_taylor_bound_pruning_objective_factory(
            X.shape[1], {}, errors_logprob_prior=lambda k: np.log(1 - r) + k * np.log(r)
        )
        before = time.process_time()
        value = prune_with_bound(tree, bound)
        seconds.append(time.process_time() - before)
    return {
        "seconds": sorted(seconds)[len(seconds) // 2],
        "leaves_before": leaves,
        "leaves": tree.tree.n_leaves,
        "bound": float(value),
    }


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]))))
