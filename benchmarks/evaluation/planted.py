"""Random tables of any size with a planted tree and noise."""

from itertools import count

import numpy as np
from numpy.typing import NDArray

__all__ = ["planted"]


def planted(
    examples: int, features: int, classes: int, depth: int, noise: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return a table with the labels of a random tree, and noise.

    Features are independent and uniform, so that nearly all values of a feature differ. Each node
    of the tree uses a random feature and sends three to seven tenths of its examples left. The
    leaves, from left to right, predict the classes cyclically.

    Parameters
    ----------
    examples, features, classes, depth : int
        Sizes of the table and of the tree in it, which is complete. A tree with fewer leaves than
        classes is made deeper.
    noise : float
        Share of the labels that are replaced by labels drawn from all classes.
    seed : int
        The same seed gives the same table.
    """
    rng = np.random.default_rng(seed)
    X = rng.random((examples, features))
    y = np.zeros(examples, dtype=np.int64)
    leaf_numbers = count()

    def label(rows: NDArray[np.intp], levels: int) -> None:
        if levels == 0:
            y[rows] = next(leaf_numbers) % classes
            return
        values = X[rows, rng.integers(features)]
        left = values <= np.quantile(values, rng.uniform(0.3, 0.7)) if len(rows) else values > 0
        label(rows[left], levels - 1)
        label(rows[~left], levels - 1)

    label(np.arange(examples), max(depth, int(np.ceil(np.log2(classes)))))
    noisy = rng.random(examples) < noise
    y[noisy] = rng.integers(0, classes, int(noisy.sum()))
    return X, y
