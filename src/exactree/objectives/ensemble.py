"""Objectives of ensembles: total or largest size or depth of their trees."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["ENSEMBLE_OBJECTIVES", "EnsembleObjective"]


@dataclass(frozen=True)
class EnsembleObjective:
    """An objective of each tree, and the aggregation of its values.

    Attributes
    ----------
    of : str
        "size" or "depth" of each tree.
    together : callable
        `sum` or `max`.
    """

    of: str
    together: Callable[[Iterable[int]], int]


# What `minimize` accepts for more than one tree, beside "errors".
ENSEMBLE_OBJECTIVES = {
    "total_size": EnsembleObjective("size", sum),
    "largest_size": EnsembleObjective("size", max),
    "total_depth": EnsembleObjective("depth", sum),
    "largest_depth": EnsembleObjective("depth", max),
}
