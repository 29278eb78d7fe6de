"""The search over given root splits, for workers that share a search, whatever leaves cost.

A `RootRequest` holds all data of a search as plain arrays and numbers: it can be sent to any
worker, and equal requests have equal keys. `prepare` prepares its table, on which a worker can then
search repeatedly for the best tree over some root splits. Costs are integers of the search; a lower
bound proved for some root splits is valid regardless of the other splits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from hashlib import sha256
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.border import RootsConclusion, RootsResult, RootsRow
from exactree.engine.native.call import examples_of, numbers_of
from exactree.engine.native.class_costs import class_costs_settings
from exactree.engine.native.one_tree import error_settings
from exactree.engine.native.regression import regression_settings
from exactree.engine.native.request import Caps, ProgressCallback, SearchOptions
from exactree.engine.native.settings import (
    ClassCostsSettings,
    CostsByClass,
    CostSettings,
    ExampleArrays,
    RegressionSettings,
    TreeLimits,
    TreeSettings,
)
from exactree.errors import InternalError
from exactree.problem import Problem
from exactree.stopping import Stopped
from exactree.trees.arrays import ArrayNode

__all__ = [
    "ClassCostsRequest",
    "ErrorsRequest",
    "PreparedRoots",
    "RegressionRequest",
    "RootRequest",
    "SearchControl",
    "class_costs_request",
    "errors_request",
    "regression_request",
]

SettingsT = TypeVar("SettingsT", bound=TreeSettings)
LabelT = TypeVar("LabelT", bound=np.generic)

# Signals to a running search: a better upper bound, or to return its open root splits.
SearchControl = _native.SearchControl

# Settings that do not change the problem.
_OPTIONS = {"time_limit", "memory_limit", "switches", "stop_at_gap", "threads", "incumbent"}


@dataclass(frozen=True)
class RootRequest(Generic[SettingsT, LabelT]):
    """A request to search for the tree of minimum cost.

    Attributes
    ----------
    X : ndarray of float64
        One row per example.
    labels : ndarray
        Class indices below `n_classes`, or targets.
    weights : ndarray of uint64
        Positive.
    n_classes : int
        Number of classes; 0 in a regression.
    settings : TreeSettings
        Costs, limits of the trees, and options of the search.
    """

    X: NDArray[np.float64]
    labels: NDArray[LabelT]
    weights: NDArray[np.uint64]
    n_classes: int
    settings: SettingsT

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
        return ", ".join(f"{name}={value}" for name, value in sorted(self._definition().items()))

    def _definition(self) -> dict[str, object]:
        """Return the settings that define the problem by name."""
        return dict(_named(self.settings))

    def prepare(
        self, memory_limit: int | None = None, time_limit: float | None = None
    ) -> "PreparedRoots":
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
        prepared, stopped_by = self._prepared(self.settings.within(time_limit, memory_limit))
        if prepared is None:
            assert stopped_by is not None
            raise Stopped(stopped_by)
        return PreparedRoots(prepared)

    def _prepared(self, settings: SettingsT) -> tuple[_native.RootSearch | None, str | None]:
        """Return the native search, or the reason of a stop."""
        raise NotImplementedError


def _examples(request: RootRequest[Any, np.uint32]) -> ExampleArrays:
    return ExampleArrays(
        columns=request.X,
        labels=request.labels,
        weights=request.weights,
        n_classes=request.n_classes,
    )


@dataclass(frozen=True)
class ErrorsRequest(RootRequest[CostSettings, np.uint32]):
    """A request to search for minimum errors plus leaf prices."""

    def _prepared(self, settings: CostSettings) -> tuple[_native.RootSearch | None, str | None]:
        return _native.RootSearch.of_errors(_examples(self), settings)


@dataclass(frozen=True)
class ClassCostsRequest(RootRequest[ClassCostsSettings, np.uint32]):
    """A request to search for minimum costs of classes."""

    def _prepared(
        self, settings: ClassCostsSettings
    ) -> tuple[_native.RootSearch | None, str | None]:
        return _native.RootSearch.of_class_costs(_examples(self), settings)


@dataclass(frozen=True)
class RegressionRequest(RootRequest[RegressionSettings, np.float64]):
    """A request to search for minimum squared or absolute error.

    Attributes
    ----------
    fine : bool
        Whether to search in fine units.
    """

    fine: bool

    def _definition(self) -> dict[str, object]:
        return {**super()._definition(), "fine": self.fine}

    def _prepared(
        self, settings: RegressionSettings
    ) -> tuple[_native.RootSearch | None, str | None]:
        table = (self.X, self.labels, self.weights)
        return _native.RootSearch.of_regression(*table, settings, self.fine)


def _named(settings: Any) -> Iterator[tuple[str, object]]:
    """Yield name and value of all settings that define the problem, also of nested ones."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            yield from _named(value)
        elif field.name not in _OPTIONS:
            yield field.name, value


@dataclass(frozen=True)
class PreparedRoots:
    """A table prepared for searches; results cached for subsets speed up later searches.

    Attributes
    ----------
    native : RootSearch
        The native search.
    """

    native: _native.RootSearch

    def control(self) -> SearchControl:
        """Return the control through which a running search communicates."""
        return SearchControl()

    def roots(self) -> list[RootsRow]:
        """Return all splits that a root may use, one for each set of equivalent splits."""
        return self.native.roots()

    def search(
        self,
        roots: Sequence[RootsRow],
        below: int | None,
        control: SearchControl,
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
            Whether to start from a greedy tree, or from the incumbent of the request.
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

    def in_user_units(self, cost: int) -> float:
        """Return a cost as callbacks of a search without tasks receive it.

        Parameters
        ----------
        cost : int
            In integers of the search.
        """
        converted = self.native.in_user_units(cost)
        return cost if converted is None else converted

    def gap(self, cost: int, lower_bound: int) -> float:
        """Return (cost - lower bound) / cost, with the roundings of the search.

        Parameters
        ----------
        cost, lower_bound : int
            In integers of the search.
        """
        return self.native.gap(cost, lower_bound)

    def agrees(self, nodes: Sequence[ArrayNode], cost: int) -> bool:
        """Return whether a tree has a given cost, up to the rounding of the search.

        Parameters
        ----------
        nodes : sequence of nodes
            The tree, within the limits and with thresholds of the table.
        cost : int
            In integers of the search.
        """
        return self.native.agrees(list(nodes), cost)

    def conclude(
        self, nodes: list[ArrayNode] | None, cost: int, lower_bound: int
    ) -> RootsConclusion:
        """Convert the result of all tasks of a search for other costs than plain errors.

        Parameters
        ----------
        nodes : list of nodes or None
            The best tree, if there is one.
        cost, lower_bound : int
            Its cost and a lower bound for all root splits, in integers of the search.
        """
        found = self.native.conclude(nodes, cost, lower_bound)
        if found is None:
            raise InternalError("plain errors need no conversion")
        return found


def errors_request(problem: Problem, caps: Caps, options: SearchOptions) -> ErrorsRequest:
    """Return the request with which a worker searches for minimum errors.

    Parameters
    ----------
    problem, caps, options
        As in `minimum_errors`.
    """
    table, settings = examples_of(problem), error_settings(problem, caps, options)
    return ErrorsRequest(table.columns, table.labels, table.weights, table.n_classes, settings)


def class_costs_request(
    problem: Problem, costs: CostsByClass, options: SearchOptions
) -> ClassCostsRequest:
    """Return the request with which a worker searches for minimum class costs.

    Parameters
    ----------
    problem, costs, options
        As in `minimum_class_costs`.
    """
    table, settings = examples_of(problem), class_costs_settings(problem, costs, options)
    return ClassCostsRequest(table.columns, table.labels, table.weights, table.n_classes, settings)


def regression_request(
    problem: Problem,
    leaf_penalty: float,
    options: SearchOptions,
    incumbent: Sequence[ArrayNode] | None,
    *,
    fine: bool,
) -> RegressionRequest:
    """Return the request with which a worker searches for a regression.

    Parameters
    ----------
    problem, leaf_penalty, options, incumbent
        As in `minimum_deviation`.
    fine : bool
        Whether to search in fine units.
    """
    settings = regression_settings(problem, leaf_penalty, options, incumbent)
    X, targets, weights = numbers_of(problem)
    return RegressionRequest(X, targets, weights, 0, settings, fine)
