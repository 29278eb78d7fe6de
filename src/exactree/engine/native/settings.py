"""Examples and settings of the searches of the native module.

`crates/python` reads them by the names of their attributes; `_native.pyi` declares its functions
with these types.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree.trees.arrays import ArrayNode

__all__ = [
    "BoundSettings",
    "CertificateSettings",
    "ClassCostsSettings",
    "ConstrainedClassCostsSettings",
    "ConstrainedErrorSettings",
    "ConstrainedRegressionSettings",
    "ConstraintSettings",
    "CostSettings",
    "CostsByClass",
    "DichotomySettings",
    "EnsembleListSettings",
    "EnsembleSettings",
    "ErrorPairsSettings",
    "ErrorSettings",
    "ExampleArrays",
    "ListingRequest",
    "ListingSettings",
    "MatrixCosts",
    "OneSurfaceSettings",
    "PaperSettings",
    "PlainCosts",
    "RegressionSettings",
    "Resources",
    "SearchSettings",
    "ShareCosts",
    "SizeSettings",
    "SurfacePointArrays",
    "TreeLimits",
    "TreeSettings",
]

TreeSettingsT = TypeVar("TreeSettingsT", bound="TreeSettings")


@dataclass(frozen=True, kw_only=True)
class ExampleArrays:
    """Columns with a row per example, class indices, weights, and the number of classes."""

    columns: NDArray[np.float64]
    labels: NDArray[np.uint32]
    weights: NDArray[np.uint64]
    n_classes: int


@dataclass(frozen=True, kw_only=True)
class Resources:
    """Settings of every search: limits on time and memory, and accelerators by name."""

    time_limit: float | None
    memory_limit: int | None
    switches: dict[str, bool]


@dataclass(frozen=True, kw_only=True)
class TreeLimits:
    """Limits of a tree."""

    max_depth: int | None
    max_size: int | None
    min_samples_leaf: int


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Settings of searches over trees by the costs of their leaves."""

    limits: TreeLimits
    stop_at_gap: float
    threads: int
    resources: Resources


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """Settings of a search for one tree, whatever its leaves cost."""

    search: SearchSettings

    def within(
        self: TreeSettingsT, time_limit: float | None, memory_limit: int | None
    ) -> TreeSettingsT:
        """Return the settings with a time limit, and a memory limit if there is none yet."""
        resources = self.search.resources
        if resources.memory_limit is not None:
            memory_limit = resources.memory_limit
        limited = replace(resources, time_limit=time_limit, memory_limit=memory_limit)
        return replace(self, search=replace(self.search, resources=limited))


@dataclass(frozen=True, kw_only=True)
class CostSettings(TreeSettings):
    """Settings of the search for minimum errors plus leaf prices."""

    error_price: int
    leaf_price: int
    upper_bound: int | None


@dataclass(frozen=True, kw_only=True)
class BoundSettings:
    """A lower bound on the cost of the trees within limits, in the integers of the search."""

    limits: TreeLimits
    bound: int


@dataclass(frozen=True, kw_only=True)
class PlainCosts:
    """The costs of errors in the integers of a search: of a unit of weight, and of a leaf."""

    error_price: int
    leaf_price: int


@dataclass(frozen=True, kw_only=True)
class MatrixCosts:
    """Exact costs by true and by predicted class."""

    by_class: list[list[int]]
    leaf_price: int


@dataclass(frozen=True, kw_only=True)
class CertificateSettings(TreeSettings):
    """The problem of a certificate, and by stage lower bounds to prove one after the other."""

    costs: PlainCosts | MatrixCosts
    stages: list[list[BoundSettings]]


@dataclass(frozen=True, kw_only=True)
class SurfacePointArrays:
    """Different points that span all their coordinates, and splits that are not allowed.

    `coordinates` has by point and coordinate the bytes of an integer, `rows` the number of rows of
    each point; a row of `excluded` says which points a split sends left.
    """

    coordinates: NDArray[np.uint8]
    rows: NDArray[np.uint64]
    excluded: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class OneSurfaceSettings:
    """Settings of the search for the best split by one surface."""

    min_samples_leaf: int
    upper_bound: int | None
    threads: int
    resources: Resources


@dataclass(frozen=True, kw_only=True)
class ErrorSettings:
    """Settings of the search for minimum errors over thresholds.

    `min_leaf_weight` replaces the minimum number of rows of a leaf unless it is None.
    """

    costs: CostSettings
    min_leaf_weight: int | None


@dataclass(frozen=True, kw_only=True)
class ConstraintSettings:
    """The constraints of a search, without prices of features, and a tree to start from.

    `features` has the feature of every column; `directions`, `only_below` and `values` have an
    entry for every feature. `values` are the values that a point can have, each by its ranks in the
    columns of the feature; none for a feature with one column, whose values are its ranks.
    `error_costs` has by class the cost of an error on a unit of its weight, and is empty if the
    weights in the costs are those that constraints compare. Shares count `share_scale` for a unit
    of weight, and `share_added` is what smoothing adds to the weight of each class, in this unit;
    it is empty without smoothing. `leaves` has pairs of a class and its maximum number of leaves.
    """

    features: list[int]
    directions: list[int]
    in_shares: bool
    required: list[int]
    only_below: list[int | None]
    max_features: int | None
    leaves: list[tuple[int, int]]
    error_costs: list[int]
    share_scale: int
    share_added: list[int]
    min_leaf_weight: int
    values: list[list[list[int]]]
    incumbent: list[ArrayNode] | None


@dataclass(frozen=True, kw_only=True)
class ConstrainedErrorSettings:
    """Settings of the search for minimum errors under constraints.

    `unscaled_weights` are the weights of the rows that constraints compare, None if they are those
    of the table. `prices` has the price of using every feature. With `counts_weight`, the minimum
    number of rows of a leaf is a weight.
    """

    costs: CostSettings
    constraints: ConstraintSettings
    unscaled_weights: NDArray[np.uint64] | None
    prices: list[int]
    counts_weight: bool


@dataclass(frozen=True, kw_only=True)
class DichotomySettings:
    """Settings of the search for minimum errors over given dichotomies.

    `leaves` has pairs of a class and its maximum number of leaves.
    """

    costs: CostSettings
    leaves: list[tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class SizeSettings:
    """Settings of the search for the fewest nodes; `leaves` as in `DichotomySettings`."""

    resources: Resources
    max_depth: int | None
    max_size: int | None
    errors: int
    leaves: list[tuple[int, int]]
    stop_at_gap: float


@dataclass(frozen=True, kw_only=True)
class PaperSettings:
    """Settings of the papers' methods; `minimize` is "size" or "depth"."""

    size: SizeSettings
    minimize: str


@dataclass(frozen=True, kw_only=True)
class ShareCosts:
    """The cost "log_loss" or "gini" of the shares of the classes, smoothed by added weights."""

    kind: str
    added: list[float]
    leaf_price: float


# Costs of leaves by classes.
CostsByClass = MatrixCosts | ShareCosts


@dataclass(frozen=True, kw_only=True)
class ClassCostsSettings(TreeSettings):
    """Settings of the search for minimum class costs."""

    costs: CostsByClass
    incumbent: list[ArrayNode] | None


@dataclass(frozen=True, kw_only=True)
class ConstrainedClassCostsSettings:
    """The same under constraints; `prices` has that of every feature, integers for a matrix."""

    costs: ClassCostsSettings
    constraints: ConstraintSettings
    prices: list[int] | list[float]


@dataclass(frozen=True, kw_only=True)
class ErrorPairsSettings:
    """Settings of the list of pairs of errors between two given pairs."""

    class_costs: ClassCostsSettings
    prices: tuple[int, int]
    positive: int
    ends: tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class RegressionSettings(TreeSettings):
    """Settings of the search for regressions; `deviation` is the kind of error."""

    deviation: str
    leaf_price: float
    incumbent: list[ArrayNode] | None


@dataclass(frozen=True, kw_only=True)
class ConstrainedRegressionSettings:
    """The same under constraints; `prices` has the price of every feature."""

    costs: RegressionSettings
    constraints: ConstraintSettings
    prices: list[float]


@dataclass(frozen=True, kw_only=True)
class EnsembleSettings:
    """Settings of the methods for ensembles."""

    resources: Resources
    n_trees: int
    quantities: list[str]
    errors: int
    max_size: int | None
    max_depth: int | None
    max_total_size: int | None
    min_samples_leaf: int
    leaves: list[int]
    stop_at_gap: float


@dataclass(frozen=True, kw_only=True)
class EnsembleListSettings:
    """Settings of the list of all ensembles of given sizes."""

    resources: Resources
    n_trees: int
    errors: int
    max_depth: int | None
    sizes: tuple[int, int]
    max_count: int


@dataclass(frozen=True)
class ListingRequest:
    """The trees to list: ranges of cost, size and depth, in the integers of the search.

    Attributes
    ----------
    max_depth : int or None
        Maximum depth; None for any.
    sizes : pair of int or None
        Minimum and maximum size; None for any.
    costs : pair of int
        Minimum and maximum errors plus leaf prices.
    minimum_size : bool
        Whether no tree within depth and costs has fewer nodes than `sizes` allow.
    shapes : sequence of pairs of int or None, or None
        The only allowed shape, as the last entry after the shapes of its subtrees; depth and sizes
        are then those of the shape.
    order : sequence of str
        The order of the list: "errors" (the costs), "size" and "depth" by decreasing priority, in
        increasing order; quantities not named come last. "depth" needs a `max_depth`.
    """

    max_depth: int | None
    sizes: tuple[int, int] | None
    costs: tuple[int, int]
    minimum_size: bool
    shapes: Sequence[tuple[int, int] | None] | None = None
    order: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class ListingSettings:
    """Settings of the count and the list of all trees within ranges."""

    resources: Resources
    error_price: int
    leaf_price: int
    min_samples_leaf: int
    request: ListingRequest
