"""Fit with the anytime searches of pytrees-rs: limited discrepancies, the best features first."""

# mypy: disable-error-code="import-not-found, import-untyped"

from typing import Any

from numpy.typing import NDArray
from pytrees import ConTreeClassifier, DL85Classifier
from pytrees.rules import DiscrepancyRule

from benchmarks.peers.peer import Answer


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the best tree in time: DL8.5's on tables of zeros and ones, else ConTree's."""
    model: Any
    if ((X == 0) | (X == 1)).all():
        model = DL85Classifier(
            max_depth=depth,
            max_time=time_limit,
            heuristic="information_gain",
            discrepancy=DiscrepancyRule(),
        )
    else:
        # Sorted it finds good trees earlier: 181 errors on rice in place of 203 at its defaults.
        model = ConTreeClassifier(
            max_depth=depth, max_time=time_limit, use_lds=True, sort_by_heuristic=True
        )
    try:
        model.fit(X, y)
    except IndexError:  # version 2.0.0 raises it when it stops before it has a tree
        return Answer(None, 0, proved=False)
    return Answer(model.predict, int(model.tree_.max_depth), bool(model.status_ == "optimal"))
