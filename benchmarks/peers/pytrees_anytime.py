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
    model.fit(X, y)
    proved = bool(model.status_ == "optimal")
    if model.tree_ is None:
        return Answer(None, 0, proved)
    return Answer(model.predict, int(model.tree_.max_depth), proved)
