"""Adapter of pystreed, the implementation of STreeD by its authors, for binary features."""

# mypy: disable-error-code="import-not-found, import-untyped"

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pystreed import STreeDClassifier, STreeDRegressor

from benchmarks.peers.peer import Answer

MAX_DEPTH = 20  # the greatest depth that pystreed accepts


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return a tree with the fewest errors within the depth."""
    return _fitted(STreeDClassifier("accuracy", max_depth=depth, time_limit=time_limit), X, y)


def sparse(X: NDArray[Any], y: NDArray[Any], leaf_penalty: str, time_limit: float) -> Answer:
    """Return the tree of minimum errors plus penalties, which pystreed charges per node."""
    model = STreeDClassifier(
        "cost-complex-accuracy",
        max_depth=MAX_DEPTH,
        time_limit=time_limit,
        cost_complexity=float(leaf_penalty),
    )
    return _fitted(model, X, y)


def regression(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the tree of minimum squared error within the depth."""
    model = STreeDRegressor(
        "regression",
        max_depth=depth,
        max_num_nodes=2**depth - 1,
        time_limit=time_limit,
        cost_complexity=0.0,
    )
    return _fitted(model, X, y)


def _fitted(model: STreeDClassifier | STreeDRegressor, X: NDArray[Any], y: NDArray[Any]) -> Answer:
    features = X.astype(np.int32)
    if not np.array_equal(features, X) or not set(np.unique(features)) <= {0, 1}:
        raise ValueError("features other than 0 and 1 would silently be binned")
    model.fit(features, y)
    proved = bool(model.fit_result.is_optimal())
    return Answer(model.predict, int(model.get_depth()), proved, model.get_n_leaves() - 1)
