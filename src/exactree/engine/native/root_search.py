"""The search for minimum errors over given root splits, for workers that share a search.

An `ErrorsRequest` holds all data of a search as plain arrays and numbers: it can be sent to any
worker, and equal requests have equal `key`s. `prepare` prepares its table, on which a worker can
then search repeatedly for the best tree over some root splits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.border import RootsResult, RootsRow
from exactree.engine.native.call import examples_of
from exactree.engine.native.one_tree import error_settings
from exactree.engine.native.request import Caps, ProgressCallback, SearchOptions
from exactree.engine.native.settings import CostSettings, ExampleArrays, TreeLimits
from exactree.errors import InternalError
from exactree.problem import Problem
from exactree.stopping import Stopped

__all__ = ["ErrorsRequest", "PreparedErrors", "errors_request"]


@dataclass(frozen=True)
class ErrorsRequest:
    """A request to search for minimum errors within caps.

    Attributes
    ----------
    X : ndarray of float64
        One row per example.
    labels, weights : ndarray of uint32, of uint64
        Class indices below `n_classes`, positive integers.
    n_classes : int
        Number of classes.
    settings : CostSettings
        Prices, limits, and options of the search.
    """

    X: NDArray[np.float64]
    labels: NDArray[np.uint32]
    weights: NDArray[np.uint64]
    n_classes: int
    settings: CostSettings

    @property
    def limits(self) -> TreeLimits:
        """Limits of the trees."""
        return self.settings.search.limits

    @property
    def table_bytes(self) -> int:
        """Bytes of the table."""
        return self.X.nbytes + self.labels.nbytes + self.weights.nbytes

    @property
    def table_key(self) -> str:
        """A digest of the table."""
        digest = sha256(f"{self.X.shape} {self.n_classes}".encode())
        for array in (np.ascontiguousarray(self.X), self.labels, self.weights):
            digest.update(array.tobytes())
        return digest.hexdigest()

    @property
    def request_key(self) -> str:
        """The settings that define the problem, as text; options of the search are left out."""
        settings, limits = self.settings, self.limits
        numbers = {
            "error_price": settings.error_price,
            "leaf_price": settings.leaf_price,
            "max_depth": limits.max_depth,
            "max_size": limits.max_size,
            "min_samples_leaf": limits.min_samples_leaf,
            "upper_bound": settings.upper_bound,
        }
        return ", ".join(f"{name}={number}" for name, number in numbers.items())

    def agrees(self, cost: int, leaves: Sequence[NDArray[np.int64]]) -> bool:
        """Return whether the cost of a tree equals a given cost.

        Parameters
        ----------
        cost : int
            In the integers of the search.
        leaves : sequence of ndarray of int64
            The rows of each leaf.
        """
        wrong = 0
        for rows in leaves:
            totals = np.zeros(self.n_classes, dtype=np.uint64)
            np.add.at(totals, self.labels[rows], self.weights[rows])
            wrong += int(totals.sum()) - int(totals.max())
        settings = self.settings
        return cost == settings.error_price * wrong + settings.leaf_price * len(leaves)

    def prepare(
        self, memory_limit: int | None = None, time_limit: float | None = None
    ) -> "PreparedErrors":
        """Prepare the table for searches.

        Parameters
        ----------
        memory_limit : int or None
            Bytes that the search may hold, if the request has no limit.
        time_limit : float or None
            Seconds.

        Raises
        ------
        Stopped
            If the time is over, or after Ctrl-C.
        """
        settings = self.settings.within(time_limit, memory_limit)
        examples = ExampleArrays(
            columns=self.X, labels=self.labels, weights=self.weights, n_classes=self.n_classes
        )
        prepared, stopped_by = _native.RootSearch.prepare(examples, settings)
        if prepared is None:
            assert stopped_by is not None
            raise Stopped(stopped_by)
        return PreparedErrors(prepared)


@dataclass(frozen=True)
class PreparedErrors:
    """A table prepared for searches; results cached for subsets speed up later searches.

    Attributes
    ----------
    native : RootSearch
        The native search.
    """

    native: _native.RootSearch

    def control(self) -> _native.SearchControl:
        """Return the control through which a running search communicates."""
        return _native.SearchControl()

    def roots(self) -> list[RootsRow]:
        """Return all splits that a root may use, one for each set of equivalent splits."""
        return self.native.roots()

    def search(
        self,
        roots: Sequence[RootsRow],
        below: int | None,
        control: _native.SearchControl,
        *,
        begin: bool = False,
        time_limit: float | None = None,
        callback: ProgressCallback | None = None,
    ) -> RootsResult:
        """Search for the best tree whose root uses one of the given splits.

        Parameters
        ----------
        roots : sequence of tuple
            Ranges of splits, as `roots` returns them.
        below : int or None
            An exclusive upper bound on the cost of the tree; None for no bound.
        control : SearchControl
            Passes incumbents of other workers to the search, and the signal to return open splits.
        begin : bool
            Whether to start from a greedy tree.
        time_limit : float or None
            Seconds.
        callback : callable or None
            As in `SearchOptions`.

        Returns
        -------
        RootsResult
            As `minimum_errors`; `open` has the root splits not yet pruned: a tree with such a root
            may still cost less than the upper bound.
        """
        try:
            return self.native.run(list(roots), below, begin, time_limit, control, callback)
        except _native.CoreError as error:
            raise InternalError(f"{error} Please report this bug of exactree.") from error


def errors_request(problem: Problem, caps: Caps, options: SearchOptions) -> ErrorsRequest:
    """Return the request with which a worker searches for minimum errors.

    Parameters
    ----------
    problem : Problem
        The table and the prices; its rules are thresholds.
    caps : Caps
        Limits of the tree.
    options : SearchOptions
        Limits of the search.
    """
    examples, settings = examples_of(problem), error_settings(problem, caps, options)
    return ErrorsRequest(
        examples.columns, examples.labels, examples.weights, examples.n_classes, settings
    )
