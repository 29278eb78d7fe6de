"""Adapter of scikit-learn's CART, whose greedy tree has the errors that a search improves on."""

from typing import Any

from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.peers.peer import Answer


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the greedy tree, without a time limit and without a claim of optimality."""
    model = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    return Answer(model.predict, int(model.get_depth()), proved=False)


def regression(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the greedy tree of a regression."""
    model = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
    return Answer(model.predict, int(model.get_depth()), proved=False)
