"""Fit with pytrees-rs: its DL8.5 on tables of binary features, else its ConTree."""

# mypy: disable-error-code="import-not-found, import-untyped"

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pytrees import ConTreeClassifier, DL85Classifier

from benchmarks.peers.peer import Answer


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return a tree with the fewest errors within the depth."""
    model: Any
    if ((X == 0) | (X == 1)).all():
        # The fastest of its orders of features.
        model = DL85Classifier(max_depth=depth, max_time=time_limit, heuristic="information_gain")
    else:
        model = ConTreeClassifier(max_depth=depth, max_time=time_limit)
    model.fit(X.astype(np.float64), y)
    return Answer(model.predict, int(model.tree_.max_depth), model.status_ == "optimal")
