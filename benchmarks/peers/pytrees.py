"""Fit with DL8.5 as pytrees-rs has it, on tables of two-valued features."""

# mypy: disable-error-code="import-not-found, import-untyped"

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pytrees import DL85Classifier

from benchmarks.peers.peer import Answer


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the tree of the depth with the fewest errors, by the fastest of its orders."""
    model = DL85Classifier(max_depth=depth, max_time=time_limit, heuristic="information_gain")
    model.fit(X.astype(np.float64), y)
    return Answer(model.predict, int(model.tree_.max_depth), model.status_ == "optimal")
