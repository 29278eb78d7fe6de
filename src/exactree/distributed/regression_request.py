"""Regression problems as requests to workers: the table and the settings of the search."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.distributed.regression_search import UNBOUNDED, RegressionControl, RootSearch, Units
from exactree.engine.native.border import RootsResult, RootsRow
from exactree.engine.native.regression import MinimumDeviation, minimum_deviation
from exactree.engine.native.request import ProgressCallback
from exactree.engine.native.settings import TreeLimits
from exactree.stopping import Deadline

__all__ = ["RegressionRequest"]

# Tolerated error of the cost of a saved tree, relative to its cost and to the cost of a single
# leaf; larger than the tolerance of `Units`.
_TOLERATED_OF_COST, _TOLERATED_OF_LEAF = 1e-8, 1e-13


@dataclass(frozen=True)
class RegressionRequest:
    """A search for the minimum squared or absolute error within a depth.

    Attributes
    ----------
    X : ndarray of float64
        One row per example.
    targets, weights : ndarray of float64, of int64
        The targets, and positive integer weights.
    leaf_cost : float
        The cost of a single leaf.
    settings : dict
        Keywords of `minimum_deviation`, with "deviation".
    """

    X: NDArray[np.float64]
    targets: NDArray[np.float64]
    weights: NDArray[np.int64]
    leaf_cost: float
    settings: dict[str, Any]

    @property
    def limits(self) -> TreeLimits:
        """Limits of the trees."""
        settings = self.settings
        return TreeLimits(
            max_depth=settings["max_depth"],
            max_size=settings.get("max_size"),
            min_samples_leaf=settings["min_samples_leaf"],
        )

    @property
    def table_bytes(self) -> int:
        """Bytes of the table."""
        return self.X.nbytes + self.targets.nbytes + self.weights.nbytes

    @property
    def table_key(self) -> str:
        """A digest of the table."""
        digest = sha256(f"{self.X.shape} numbers".encode())
        for array in (np.ascontiguousarray(self.X), self.targets, self.weights):
            digest.update(array.tobytes())
        return digest.hexdigest()

    @property
    def request_key(self) -> str:
        """Text that identifies the problem on the table, without settings of the search."""
        names = ("deviation", "leaf_penalty", "max_depth", "min_samples_leaf")
        return ", ".join(f"{name}={self.settings[name]}" for name in names)

    @property
    def units(self) -> Units:
        """The integer units of the costs."""
        return Units(self.leaf_cost)

    def agrees(self, cost: int, leaves: Sequence[NDArray[np.int64]]) -> bool:
        """Return whether a tree has a given cost, up to the tolerance.

        Parameters
        ----------
        cost : int
            The cost in units of the search.
        leaves : sequence of ndarray of int64
            The rows of each leaf.
        """
        one_leaf = self.settings | {"max_depth": 0, "min_samples_leaf": 1}
        X, targets, weights = self.X, self.targets, self.weights
        leaf_costs = [
            minimum_deviation(X[rows], targets[rows], weights[rows], **one_leaf).cost
            for rows in leaves
        ]
        found = sum(leaf_cost for leaf_cost in leaf_costs if leaf_cost is not None)
        error = abs(self.units.value(cost) - found)
        return error <= _TOLERATED_OF_COST * found + _TOLERATED_OF_LEAF * self.leaf_cost

    def prepare(
        self, memory_limit: int | None = None, time_limit: float | None = None
    ) -> "PreparedRegression":
        """Prepare the table for searches.

        Parameters
        ----------
        memory_limit : int or None
            Bytes of the cache, if the request has no limit.
        time_limit : float or None
            Seconds.

        Raises
        ------
        Stopped
            After the time limit or Ctrl-C.
        """
        return PreparedRegression(
            self, self.settings["memory_limit"] or memory_limit, Deadline(time_limit)
        )


class PreparedRegression:
    """A table of a regression that is prepared for searches.

    Parameters
    ----------
    request : RegressionRequest
        The table and the problem.
    memory_limit : int or None
        Bytes of the cache of each search of a child.
    deadline : Deadline
        The deadline for the preparation.
    """

    def __init__(
        self, request: RegressionRequest, memory_limit: int | None, deadline: Deadline
    ) -> None:
        self.request = request
        self.settings = request.settings | {"memory_limit": memory_limit}
        self.values: list[NDArray[np.float64]] = []
        self.ranks: list[NDArray[np.int64]] = []
        for column in request.X.T:
            deadline.check()
            values, ranks = np.unique(column, return_inverse=True)
            self.values.append(values)
            self.ranks.append(ranks)

    def control(self) -> RegressionControl:
        """Return the control of a new search."""
        return RegressionControl()

    def roots(self) -> list[RootsRow]:
        """Return all root splits; of several features with the same splits, only the first."""
        rows: list[RootsRow] = []
        seen: set[bytes] = set()
        for feature, ranks in enumerate(self.ranks):
            left_rows = np.bincount(ranks).cumsum()
            min_rows = self.settings["min_samples_leaf"]
            right_rows = len(ranks) - left_rows
            allowed = np.flatnonzero((left_rows >= min_rows) & (right_rows >= min_rows))
            if len(allowed) and ranks.tobytes() not in seen:
                seen.add(ranks.tobytes())
                rows.append((feature, int(allowed[0]), int(allowed[-1]), 0, 0, 0))
        return rows

    def search(
        self,
        roots: Sequence[RootsRow],
        below: int | None,
        control: RegressionControl,
        *,
        begin: bool = False,
        time_limit: float | None = None,
        callback: ProgressCallback | None = None,
    ) -> RootsResult:
        """Search for the best tree whose root uses one of the given splits.

        Parameters
        ----------
        roots, below, control, begin, time_limit, callback
            As in `exactree.engine.native.root_search.PreparedErrors.search`.

        Returns
        -------
        RootsResult
            As in `PreparedErrors.search`.
        """
        search = RootSearch(
            self.ranks,
            self.values,
            self._solve,
            self.settings,
            self.request.units,
            control,
            UNBOUNDED if below is None else below,
            time_limit,
            callback,
        )
        if begin:
            search.find_incumbent()
        return search.run(roots)

    def _solve(self, subset: NDArray[np.int64], **options: Any) -> MinimumDeviation:
        """Search for the best tree of a subset of the rows."""
        request, settings = self.request, self.settings | options
        table = (request.X[subset], request.targets[subset], request.weights[subset])
        return minimum_deviation(*table, **settings)
