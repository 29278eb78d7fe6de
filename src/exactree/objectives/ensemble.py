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
        The quantity of each tree: "size" or "depth".
    together : callable
        The aggregation: `sum` or `max`.
    """

    of: str
    together: Callable[[Iterable[int]], int]


# Values of `minimize` for several trees, in addition to "errors" and the rates.
ENSEMBLE_OBJECTIVES = {
    "total_size": EnsembleObjective("size", sum),
    "largest_size": EnsembleObjective("size", max),
    "total_depth": EnsembleObjective("depth", sum),
    "largest_depth": EnsembleObjective("depth", max),
}
