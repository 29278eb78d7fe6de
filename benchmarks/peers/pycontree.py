"""Adapter of pycontree, the implementation of ConTree by its authors, at its default settings."""

# mypy: disable-error-code="import-not-found, import-untyped"

import warnings
from typing import Any

from numpy.typing import NDArray
from pycontree import ConTree

from benchmarks.peers.peer import Answer


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return a tree with the fewest errors within the depth."""
    model = ConTree(max_depth=depth, time_limit=time_limit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about an early stop, which `proved` records
        model.fit(X, y)
    # Only this private attribute says whether the search was finished.
    proved = bool(model._config.is_within_time_limit())
    return Answer(model.predict, int(model.get_depth()), proved)
