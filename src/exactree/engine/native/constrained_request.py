"""Requests of workers that share a search under constraints, without max_features or prices."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.root_request import (
    LabelT,
    SettingsT,
    ThresholdsRequest,
    definition_of,
    example_arrays,
    example_fields,
    target_fields,
)
from exactree.engine.native.settings import (
    ClassCostsSettings,
    ConstrainedClassCostsSettings,
    ConstrainedErrorSettings,
    ConstrainedRegressionSettings,
    ConstraintSettings,
    CostSettings,
    RegressionSettings,
    TreeLimits,
)
from exactree.problem import Problem

__all__ = [
    "constrained_class_costs_request",
    "constrained_errors_request",
    "constrained_regression_request",
]

RequestT = TypeVar("RequestT", bound="ConstrainedRequest[Any, Any]")


@dataclass(frozen=True, kw_only=True)
class ConstrainedRequest(ThresholdsRequest[SettingsT, LabelT]):
    """A request to search for the tree of minimum cost that satisfies constraints.

    Attributes
    ----------
    constraints : ConstraintSettings
        The constraints.
    relaxation : bool
        Whether to search the relaxation, whose trees need not satisfy the constraints.
    """

    constraints: ConstraintSettings
    relaxation: bool = False

    @property
    def prices(self) -> list[int]:
        """The prices of features: none."""
        return [0] * len(self.constraints.directions)

    def goes_left(self, rule: Sequence[Any], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows go left, for a threshold between two neighbouring values."""
        feature, low, high = rule
        values = np.unique(self.X[:, feature])
        at = int(np.searchsorted(values, low))
        if values[at : at + 2].tolist() != [low, high]:
            raise ValueError("the table does not have this threshold")
        goes_left: NDArray[np.bool_] = self.X[rows, feature] <= low
        return goes_left

    def relaxed(self: RequestT) -> RequestT | None:
        """Return the request for the relaxation, unless this is one or the switch is off."""
        is_on = self.settings.search.resources.switches.get("relaxation", True)
        return None if self.relaxation or not is_on else replace(self, relaxation=True)

    def _definition(self) -> dict[str, object]:
        constraints = definition_of(self.constraints)
        return {**super()._definition(), **constraints, "relaxation": self.relaxation}


@dataclass(frozen=True, kw_only=True)
class ConstrainedErrorsRequest(ConstrainedRequest[CostSettings, np.uint32]):
    """A request to search for minimum errors plus leaf prices under constraints.

    Attributes
    ----------
    unscaled_weights : ndarray of uint64 or None
        The weights used by the constraints, None if they are those of the table.
    counts_weight : bool
        Whether the minimum leaf size is a weight.
    """

    unscaled_weights: NDArray[np.uint64] | None
    counts_weight: bool

    @property
    def limits(self) -> TreeLimits:
        """Limits of the trees; the minimum leaf size is 1 row with `counts_weight`."""
        limits = super().limits
        return replace(limits, min_samples_leaf=1) if self.counts_weight else limits

    def _definition(self) -> dict[str, object]:
        weights = self.unscaled_weights
        digest = None if weights is None else sha256(weights.tobytes()).hexdigest()
        more = {"unscaled_weights": digest, "counts_weight": self.counts_weight}
        return {**super()._definition(), **more}

    def _prepared(self, settings: CostSettings) -> tuple[_native.RootSearch | None, str | None]:
        constrained = ConstrainedErrorSettings(
            costs=settings,
            constraints=self.constraints,
            unscaled_weights=self.unscaled_weights,
            prices=self.prices,
            counts_weight=self.counts_weight,
        )
        return _native.RootSearch.of_constrained_errors(
            example_arrays(self), constrained, self.relaxation
        )


@dataclass(frozen=True, kw_only=True)
class ConstrainedClassCostsRequest(ConstrainedRequest[ClassCostsSettings, np.uint32]):
    """A request to search for minimum class costs under constraints."""

    def _prepared(
        self, settings: ClassCostsSettings
    ) -> tuple[_native.RootSearch | None, str | None]:
        constrained = ConstrainedClassCostsSettings(
            costs=settings, constraints=self.constraints, prices=self.prices
        )
        return _native.RootSearch.of_constrained_class_costs(
            example_arrays(self), constrained, self.relaxation
        )


@dataclass(frozen=True, kw_only=True)
class ConstrainedRegressionRequest(ConstrainedRequest[RegressionSettings, np.float64]):
    """A request to search for minimum squared or absolute error under constraints.

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
        prices = [float(price) for price in self.prices]
        constrained = ConstrainedRegressionSettings(
            costs=settings, constraints=self.constraints, prices=prices
        )
        table = (self.X, self.labels, self.weights)
        return _native.RootSearch.of_constrained_regression(
            *table, constrained, self.relaxation, self.fine
        )


def constrained_errors_request(
    problem: Problem, settings: ConstrainedErrorSettings
) -> ConstrainedErrorsRequest:
    """Return the request with which a worker searches for minimum errors under constraints.

    Parameters
    ----------
    problem, settings
        As in `constrained_errors`.
    """
    return ConstrainedErrorsRequest(
        **example_fields(problem),
        settings=settings.costs,
        constraints=settings.constraints,
        unscaled_weights=settings.unscaled_weights,
        counts_weight=settings.counts_weight,
    )


def constrained_class_costs_request(
    problem: Problem, settings: ConstrainedClassCostsSettings
) -> ConstrainedClassCostsRequest:
    """Return the request with which a worker searches for minimum class costs under constraints.

    Parameters
    ----------
    problem, settings
        As in `constrained_class_costs`.
    """
    return ConstrainedClassCostsRequest(
        **example_fields(problem),
        settings=settings.costs,
        constraints=settings.constraints,
    )


def constrained_regression_request(
    problem: Problem, settings: ConstrainedRegressionSettings, *, fine: bool
) -> ConstrainedRegressionRequest:
    """Return the request with which a worker searches for a regression under constraints.

    Parameters
    ----------
    problem, settings
        As in `constrained_regression`.
    fine : bool
        Whether to search in fine units.
    """
    return ConstrainedRegressionRequest(
        **target_fields(problem),
        settings=settings.costs,
        constraints=settings.constraints,
        fine=fine,
    )
