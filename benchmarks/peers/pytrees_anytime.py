"""Fit with the anytime searches of pytrees-rs: limited discrepancy search, best features first."""

# mypy: disable-error-code="import-not-found, import-untyped"

from typing import Any

from numpy.typing import NDArray
from pytrees import ConTreeClassifier, DL85Classifier
from pytrees.rules import DiscrepancyRule

from benchmarks.peers.peer import Answer


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the best tree within the limit, by DL8.5 on binary features, else by ConTree."""
    model: Any
    if ((X == 0) | (X == 1)).all():
        model = DL85Classifier(
            max_depth=depth,
            max_time=time_limit,
            heuristic="information_gain",
            discrepancy=DiscrepancyRule(),
        )
    else:
        # Sorted features give better early trees: 181 errors on rice instead of 203 at defaults.
        model = ConTreeClassifier(
            max_depth=depth, max_time=time_limit, use_lds=True, sort_by_heuristic=True
        )
    try:
        model.fit(X, y)
    except IndexError:  # version 2.0.0 raises it if it stops before it has a tree
        return Answer(None, 0, proved=False)
    return Answer(model.predict, int(model.tree_.max_depth), bool(model.status_ == "optimal"))
