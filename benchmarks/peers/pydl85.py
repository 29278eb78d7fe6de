"""Fit with pydl8.5, the DL8.5 solver of its authors, on tables of binary features."""

# mypy: disable-error-code="import-not-found, import-untyped"

from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydl85 import DL85Classifier

from benchmarks.peers.peer import Answer


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return a tree with the fewest errors within the depth, found with default settings."""
    model = DL85Classifier(max_depth=depth, time_limit=ceil(time_limit))
    model.fit(X.astype(np.int32), y)
    return Answer(model.predict, int(model.depth_), not model.timeout_)
