"""Requests of workers that share a search, for all kinds of rules and costs.

A `RootRequest` holds all data of a search, over thresholds or over dichotomies
(`dichotomy_request.py`), as plain arrays and numbers: it can be sent to any worker, and equal
requests have equal keys. `prepare` prepares its table for searches over some root splits
(`root_search.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from hashlib import sha256
from math import isfinite
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.call import examples_of, regression_arrays_of
from exactree.engine.native.class_costs import class_costs_settings
from exactree.engine.native.one_tree import error_settings
from exactree.engine.native.regression import regression_settings
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.root_search import PreparedRoots
from exactree.engine.native.settings import (
    ClassCostsSettings,
    CostsByClass,
    CostSettings,
    ExampleArrays,
    RegressionSettings,
    TreeLimits,
    TreeSettings,
)
from exactree.problem import Problem
from exactree.stopping import Stopped
from exactree.trees.arrays import ArrayNode

__all__ = [
    "ClassCostsRequest",
    "ErrorsRequest",
    "RegressionRequest",
    "RootRequest",
    "ThresholdsRequest",
    "class_costs_request",
    "definition_of",
    "errors_request",
    "example_arrays",
    "example_fields",
    "regression_request",
    "target_fields",
]

SettingsT = TypeVar("SettingsT", bound=TreeSettings)
LabelT = TypeVar("LabelT", bound=np.generic)

# Settings that do not change the problem.
_OPTIONS = {"time_limit", "memory_limit", "switches", "stop_at_gap", "threads", "incumbent"}


@dataclass(frozen=True, kw_only=True)
class RootRequest(Generic[SettingsT, LabelT]):
    """A request to search for the tree of minimum cost.

    Attributes
    ----------
    labels : ndarray
        Class indices below `n_classes`, or targets.
    weights : ndarray of uint64
        Positive.
    n_classes : int
        Number of classes; 0 in a regression.
    settings : TreeSettings
        Costs, limits of the trees, and options of the search.
    """

    # The node of a leaf, as the native search returns it.
    leaf: ClassVar[tuple[Any, ...]]

    labels: NDArray[LabelT]
    weights: NDArray[np.uint64]
    n_classes: int
    settings: SettingsT

    @property
    def limits(self) -> TreeLimits:
        """Limits of the trees."""
        return self.settings.search.limits

    @property
    def splits(self) -> NDArray[Any]:
        """The array that defines the splits."""
        raise NotImplementedError

    @property
    def table_bytes(self) -> int:
        """Bytes of the table."""
        return self.splits.nbytes + self.labels.nbytes + self.weights.nbytes

    @cached_property
    def key(self) -> str:
        """Settings and table of the problem as text; options of the search are left out."""
        digest = sha256(f"{self.splits.shape} {self.n_classes}".encode())
        for array in (self.splits, self.labels, self.weights):
            digest.update(np.ascontiguousarray(array).reshape(-1).data)
        definition = {**self._definition(), "table": digest.hexdigest()}
        return ", ".join(f"{name}={value}" for name, value in sorted(definition.items()))

    def _definition(self) -> dict[str, object]:
        """Return the settings that define the problem by name."""
        return definition_of(self.settings)

    def n_rules(self, feature: int) -> int:
        """Return an upper bound on the number of root rules of a feature.

        Parameters
        ----------
        feature : int
            At least 0.

        Raises
        ------
        IndexError
            If there is no such feature.
        """
        raise NotImplementedError

    def goes_left(self, rule: Sequence[Any], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows a node of a tree sends left.

        Parameters
        ----------
        rule : sequence
            An inner node without its children; the first entry is an integer of at least 0.
        rows : ndarray of int
            The rows that reach the node.

        Raises
        ------
        ValueError, TypeError, IndexError, OverflowError
            If no search returns such a node for these rows.
        """
        raise NotImplementedError

    def relaxed(self) -> "RootRequest[SettingsT, LabelT] | None":
        """Return this request without one of its limits if that is cheaper to search, else None.

        Its lower bounds hold for this request; `PreparedRoots.adopted` makes use of its tree.
        """
        return None

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


@dataclass(frozen=True, kw_only=True)
class ThresholdsRequest(RootRequest[SettingsT, LabelT]):
    """A request to search over thresholds.

    Attributes
    ----------
    X : ndarray of float64
        One row per example.
    """

    leaf: ClassVar[tuple[Any, ...]] = (-1, 0.0, 0.0, -1, -1)

    X: NDArray[np.float64]

    @property
    def splits(self) -> NDArray[np.float64]:
        """The table."""
        return self.X

    def n_rules(self, feature: int) -> int:
        """Return the number of thresholds on a feature."""
        return len(np.unique(self.X[:, feature])) - 1

    def goes_left(self, rule: Sequence[Any], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows are at most the lower of the two values next to a threshold."""
        feature, low, high = rule
        values = self.X[rows, feature]
        goes_left: NDArray[np.bool_] = values <= low
        neighbours = values[goes_left].max(initial=-np.inf), values[~goes_left].min()
        if not (isfinite(low) and isfinite(high)) or neighbours != (low, high):
            raise ValueError("the table does not have this threshold")
        return goes_left


def example_arrays(request: ThresholdsRequest[Any, np.uint32]) -> ExampleArrays:
    """Return the table of a classification as the native searches take it.

    Parameters
    ----------
    request : ThresholdsRequest
        A request to search over it.
    """
    return ExampleArrays(
        columns=request.X,
        labels=request.labels,
        weights=request.weights,
        n_classes=request.n_classes,
    )


@dataclass(frozen=True, kw_only=True)
class ErrorsRequest(ThresholdsRequest[CostSettings, np.uint32]):
    """A request to search for minimum errors plus leaf prices."""

    def _prepared(self, settings: CostSettings) -> tuple[_native.RootSearch | None, str | None]:
        return _native.RootSearch.of_errors(example_arrays(self), settings)


@dataclass(frozen=True, kw_only=True)
class ClassCostsRequest(ThresholdsRequest[ClassCostsSettings, np.uint32]):
    """A request to search for minimum costs of classes."""

    def _prepared(
        self, settings: ClassCostsSettings
    ) -> tuple[_native.RootSearch | None, str | None]:
        return _native.RootSearch.of_class_costs(example_arrays(self), settings)


@dataclass(frozen=True, kw_only=True)
class RegressionRequest(ThresholdsRequest[RegressionSettings, np.float64]):
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


def definition_of(settings: Any) -> dict[str, object]:
    """Return the settings that define a problem, by name.

    Parameters
    ----------
    settings : dataclass
        The settings of a search, or some of them.
    """
    return dict(_named(settings))


def _named(settings: Any) -> Iterator[tuple[str, object]]:
    """Yield name and value of all settings that define the problem, also of nested ones."""
    for field in fields(settings):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            yield from _named(value)
        elif field.name not in _OPTIONS:
            yield field.name, value


def errors_request(problem: Problem, caps: Caps, options: SearchOptions) -> ErrorsRequest:
    """Return the request with which a worker searches for minimum errors.

    Parameters
    ----------
    problem, caps, options
        As in `minimum_errors`.
    """
    settings = error_settings(problem, caps, options)
    return ErrorsRequest(**example_fields(problem), settings=settings)


def class_costs_request(
    problem: Problem,
    costs: CostsByClass,
    options: SearchOptions,
    incumbent: Sequence[ArrayNode] | None,
) -> ClassCostsRequest:
    """Return the request with which a worker searches for minimum class costs.

    Parameters
    ----------
    problem, costs, options, incumbent
        As in `minimum_class_costs`.
    """
    settings = class_costs_settings(problem, costs, options, incumbent)
    return ClassCostsRequest(**example_fields(problem), settings=settings)


def example_fields(problem: Problem) -> dict[str, Any]:
    """Return the fields of a request that hold the table of a classification.

    Parameters
    ----------
    problem : Problem
        A classification.
    """
    table = examples_of(problem)
    return {
        "X": table.columns,
        "labels": table.labels,
        "weights": table.weights,
        "n_classes": table.n_classes,
    }


def target_fields(problem: Problem) -> dict[str, Any]:
    """Return the fields of a request that hold the table of a regression.

    Parameters
    ----------
    problem : Problem
        A regression.
    """
    X, targets, weights = regression_arrays_of(problem)
    return {"X": X, "labels": targets, "weights": weights, "n_classes": 0}


def regression_request(
    problem: Problem,
    leaf_price: float,
    options: SearchOptions,
    incumbent: Sequence[ArrayNode] | None,
    *,
    fine: bool,
) -> RegressionRequest:
    """Return the request with which a worker searches for a regression.

    Parameters
    ----------
    problem, leaf_price, options, incumbent
        As in `minimum_deviation`.
    fine : bool
        Whether to search in fine units.
    """
    return RegressionRequest(
        **target_fields(problem),
        settings=regression_settings(problem, leaf_price, options, incumbent),
        fine=fine,
    )
