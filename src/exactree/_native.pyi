"""Types of the native module."""

from collections.abc import Callable
from typing import final

import numpy as np
from numpy.typing import NDArray

from exactree.engine.native.border import (
    CertificateProof,
    ClassCostsResult,
    CountResult,
    DichotomyNode,
    EnsembleListResult,
    EnsembleResult,
    ErrorPairsResult,
    Nodes,
    OneSurfaceResult,
    RegressionResult,
    RootsConclusion,
    RootsResult,
    RootsRow,
    SearchResult,
)
from exactree.engine.native.settings import (
    CertificateSettings,
    ClassCostsSettings,
    ConstrainedClassCostsSettings,
    ConstrainedErrorSettings,
    ConstrainedRegressionSettings,
    CostSettings,
    DichotomySettings,
    EnsembleListSettings,
    EnsembleSettings,
    ErrorPairsSettings,
    ErrorSettings,
    ExampleArrays,
    ListingSettings,
    OneSurfaceSettings,
    PaperSettings,
    RegressionSettings,
    SizeSettings,
    SurfacePointArrays,
)
from exactree.trees.arrays import ArrayNode, TreeColumns

__all__ = [
    "AllTrees",
    "CoreError",
    "FeatureSets",
    "RootSearch",
    "SearchControl",
    "TableTooLarge",
    "accelerators",
    "branching_set",
    "check_certificate",
    "class_costs_tree",
    "constrained_class_costs",
    "constrained_errors",
    "constrained_regression",
    "count_trees",
    "ensemble_accelerators",
    "ensemble_method",
    "largest_difference",
    "list_ensembles",
    "list_trees",
    "minimum_errors",
    "minimum_size",
    "one_surface",
    "one_surface_class_costs",
    "one_surface_regression",
    "pairs_between",
    "paper_method",
    "proper_tree",
    "prove_bounds",
    "regression_tree",
]

class CoreError(RuntimeError): ...
class TableTooLarge(RuntimeError): ...

@final
class AllTrees:
    def next_trees(self) -> TreeColumns | bool: ...

@final
class FeatureSets:
    @staticmethod
    def of_rows(
        codes: NDArray[np.uint32], labels: NDArray[np.uint32], max_size: int, minimal: bool
    ) -> FeatureSets: ...
    @staticmethod
    def of_sets(
        features: int, sets: list[list[int]], max_size: int, minimal: bool
    ) -> FeatureSets: ...
    @staticmethod
    def of_support_set(
        codes: NDArray[np.uint32], support: list[int], max_size: int, minimal: bool
    ) -> FeatureSets: ...
    def next_sets(
        self, time_limit: float | None
    ) -> tuple[list[list[int]], bool, str | None, float]: ...
    def count(self, time_limit: float | None) -> tuple[int | None, str | None, float]: ...
    @property
    def nodes(self) -> int: ...

@final
class SearchControl:
    def __new__(cls) -> SearchControl: ...
    def tighten_upper_bound(self, cost: int) -> None: ...
    def return_open(self) -> None: ...

@final
class RootSearch:
    @staticmethod
    def of_errors(
        examples: ExampleArrays,
        settings: CostSettings,
    ) -> tuple[RootSearch | None, str | None]: ...
    @staticmethod
    def of_dichotomies(
        bits: NDArray[np.uint8],
        labels: NDArray[np.uint32],
        weights: NDArray[np.uint64],
        n_classes: int,
        settings: DichotomySettings,
    ) -> tuple[RootSearch | None, str | None]: ...
    @staticmethod
    def of_regression(
        columns: NDArray[np.float64],
        targets: NDArray[np.float64],
        weights: NDArray[np.uint64],
        settings: RegressionSettings,
        fine: bool,
    ) -> tuple[RootSearch | None, str | None]: ...
    @staticmethod
    def of_class_costs(
        examples: ExampleArrays,
        settings: ClassCostsSettings,
    ) -> tuple[RootSearch | None, str | None]: ...
    @staticmethod
    def of_constrained_errors(
        examples: ExampleArrays,
        settings: ConstrainedErrorSettings,
        relaxation: bool,
    ) -> tuple[RootSearch | None, str | None]: ...
    @staticmethod
    def of_constrained_class_costs(
        examples: ExampleArrays,
        settings: ConstrainedClassCostsSettings,
        relaxation: bool,
    ) -> tuple[RootSearch | None, str | None]: ...
    @staticmethod
    def of_constrained_regression(
        columns: NDArray[np.float64],
        targets: NDArray[np.float64],
        weights: NDArray[np.uint64],
        settings: ConstrainedRegressionSettings,
        relaxation: bool,
        fine: bool,
    ) -> tuple[RootSearch | None, str | None]: ...
    def roots(self) -> list[RootsRow]: ...
    def run(
        self,
        roots: list[RootsRow],
        upper_bound: int | None,
        start: bool,
        time_limit: float | None,
        control: SearchControl,
        on_progress: Callable[[int | None, int, float], object] | None = None,
    ) -> RootsResult: ...
    def in_user_units(self, cost: int) -> float | None: ...
    def gap(self, cost: int, lower_bound: int) -> float: ...
    def agrees(self, nodes: Nodes, cost: int) -> bool: ...
    def adopted(self, nodes: Nodes, cost: int) -> tuple[int, Nodes] | None: ...
    def conclude(
        self, nodes: Nodes | None, cost: int, lower_bound: int
    ) -> RootsConclusion | None: ...

def accelerators(name: str) -> list[tuple[str, str]]: ...
def ensemble_accelerators(method: str) -> list[tuple[str, str]]: ...
def branching_set(codes: NDArray[np.uint32], set: list[int]) -> list[int]: ...
def largest_difference(
    ranks: NDArray[np.uint32], labels: NDArray[np.uint32], time_limit: float | None = None
) -> tuple[int, str | None]: ...
def minimum_errors(
    examples: ExampleArrays,
    settings: ErrorSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> SearchResult[list[ArrayNode]]: ...
def constrained_errors(
    examples: ExampleArrays,
    settings: ConstrainedErrorSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> SearchResult[list[ArrayNode]]: ...
def constrained_class_costs(
    examples: ExampleArrays,
    settings: ConstrainedClassCostsSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> ClassCostsResult: ...
def constrained_regression(
    columns: NDArray[np.float64],
    targets: NDArray[np.float64],
    weights: NDArray[np.uint64],
    settings: ConstrainedRegressionSettings,
    on_progress: Callable[[float | None, float, float], object] | None = None,
) -> RegressionResult: ...
def minimum_size(
    examples: ExampleArrays,
    settings: SizeSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> SearchResult[list[ArrayNode]]: ...
def paper_method(
    method: str,
    examples: ExampleArrays,
    settings: PaperSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> SearchResult[list[ArrayNode]]: ...
def count_trees(
    examples: ExampleArrays,
    settings: ListingSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> CountResult: ...
def list_trees(
    examples: ExampleArrays,
    settings: ListingSettings,
) -> AllTrees: ...
def ensemble_method(
    method: str,
    examples: ExampleArrays,
    settings: EnsembleSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> EnsembleResult: ...
def list_ensembles(
    examples: ExampleArrays,
    settings: EnsembleListSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> EnsembleListResult: ...
def pairs_between(
    examples: ExampleArrays,
    settings: ErrorPairsSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> ErrorPairsResult: ...
def one_surface(
    points: SurfacePointArrays,
    weights: NDArray[np.uint64],
    settings: OneSurfaceSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> OneSurfaceResult | None: ...
def one_surface_regression(
    points: SurfacePointArrays,
    numbers: NDArray[np.float64],
    targets: NDArray[np.float64],
    weights: NDArray[np.uint64],
    settings: RegressionSettings,
    on_progress: Callable[[float | None, float, float], object] | None = None,
) -> tuple[RegressionResult, list[bool] | None]: ...
def one_surface_class_costs(
    points: SurfacePointArrays,
    examples: ExampleArrays,
    settings: ClassCostsSettings,
    on_progress: Callable[[float | None, float, float], object] | None = None,
) -> tuple[ClassCostsResult, list[bool] | None]: ...
def proper_tree(
    bits: NDArray[np.uint8],
    labels: NDArray[np.uint32],
    weights: NDArray[np.uint64],
    n_classes: int,
    settings: DichotomySettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> SearchResult[list[DichotomyNode]]: ...
def check_certificate(
    content: bytes,
    columns: NDArray[np.float64],
    labels: NDArray[np.uint32],
    weights: NDArray[np.uint64],
    weight_scale: int,
) -> str | None: ...
def class_costs_tree(
    examples: ExampleArrays,
    settings: ClassCostsSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> ClassCostsResult: ...
def prove_bounds(
    examples: ExampleArrays,
    settings: CertificateSettings,
    on_progress: Callable[[int | None, int, float], object] | None = None,
) -> CertificateProof | None: ...
def regression_tree(
    columns: NDArray[np.float64],
    targets: NDArray[np.float64],
    weights: NDArray[np.uint64],
    settings: RegressionSettings,
    on_progress: Callable[[float | None, float, float], object] | None = None,
) -> RegressionResult: ...
