"""Fit with pystreed, the STreeD solver of its authors, on tables of two-valued features."""

# mypy: disable-error-code="import-not-found, import-untyped"

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pystreed import STreeDClassifier

from benchmarks.peers.peer import Answer


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the tree of the depth with the fewest errors."""
    features = X.astype(np.int32)
    if not np.array_equal(features, X) or not set(np.unique(features)) <= {0, 1}:
        raise ValueError("features other than 0 and 1 would silently be binned")
    model = STreeDClassifier("accuracy", max_depth=depth, time_limit=time_limit)
    model.fit(features, y)
    return Answer(model.predict, int(model.get_depth()), bool(model.fit_result.is_optimal()))
