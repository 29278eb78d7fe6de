"""The native search for regression trees."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.border import RegressionStats
from exactree.engine.native.settings import (
    RegressionSettings,
    Resources,
    SearchSettings,
    TreeLimits,
)
from exactree.errors import InternalError
from exactree.trees.arrays import ArrayNode

__all__ = ["MinimumDeviation", "minimum_deviation"]


class MinimumDeviation(NamedTuple):
    """The result of a search for a regression tree.

    Attributes
    ----------
    nodes : list of tuple or None
        The tree, for `exactree.trees.arrays.grow`; None if the search was stopped before it found
        a tree.
    cost : float or None
        The cost of the tree in the arithmetic of the search; None if the search was stopped before
        it computed the cost of its single leaf.
    lower_bound : float
        No tree within the limits costs less. If the tree is proved optimal, this is its cost up to
        rounding.
    stopped_by : str or None
        None if the tree is proved optimal.
    stats : RegressionStats
        Statistics of the search; "progress" lists incumbent, lower bound and seconds.
    """

    nodes: list[ArrayNode] | None
    cost: float | None
    lower_bound: float
    stopped_by: str | None
    stats: RegressionStats


def minimum_deviation(
    columns: NDArray[np.float64],
    targets: NDArray[np.float64],
    weights: NDArray[np.int64],
    deviation: str,
    *,
    max_depth: int | None = None,
    max_size: int | None = None,
    min_samples_leaf: int = 1,
    leaf_penalty: float = 0.0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Callable[[float | None, float, float], object] | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Sequence[ArrayNode] | None = None,
) -> MinimumDeviation:
    """Search for the tree with minimum squared or absolute error.

    Parameters
    ----------
    columns : ndarray of float64, shape (n, d)
        The features, all finite.
    targets : ndarray of float64, shape (n,)
        All finite.
    weights : ndarray of int64, shape (n,)
        Positive.
    deviation : str
        "squared_error" or "absolute_error".
    max_depth, max_size : int, optional
        Maximum depth and number of nodes.
    min_samples_leaf : int
        Minimum rows in a leaf.
    leaf_penalty : float
        Price of a leaf, in the unit of the cost.
    time_limit : float, optional
        Seconds.
    memory_limit : int, optional
        Bytes that the search may hold, as in `solve`.
    n_jobs : int
        Number of threads.
    stop_at_gap : float
        Stop when the gap is at most this.
    on_progress : callable, optional
        Called with incumbent, lower bound and seconds; returning True stops.
    switches : mapping of str to bool, optional
        Accelerators to turn on or off, by name.
    incumbent : sequence of nodes, optional
        A tree within the limits from which the search starts, in the form that
        `exactree.trees.arrays.grow` reads.

    Returns
    -------
    MinimumDeviation
        The result of the search.
    """
    resources = Resources(
        time_limit=time_limit, memory_limit=memory_limit, switches=dict(switches or {})
    )
    limits = TreeLimits(max_depth=max_depth, max_size=max_size, min_samples_leaf=min_samples_leaf)
    settings = RegressionSettings(
        search=SearchSettings(
            limits=limits, stop_at_gap=stop_at_gap, threads=n_jobs, resources=resources
        ),
        deviation=deviation,
        leaf_penalty=leaf_penalty,
        incumbent=None if incumbent is None else list(incumbent),
    )
    found = _native.regression_tree(
        columns, targets, weights.astype(np.uint64), settings, on_progress
    )
    stopped_by = found.stopped_by
    if found.status != "optimal" and stopped_by is None:
        raise InternalError("the search for regressions ended without a proof or a reason")
    stats: RegressionStats = {**found.stats, "threads": n_jobs}
    return MinimumDeviation(found.nodes, found.cost, found.lower_bound, stopped_by, stats)
