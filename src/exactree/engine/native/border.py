"""Settings and results of the native module: dictionaries, with the type of each entry.

`_native.pyi` declares its functions with these types, so that the type checker finds a wrong or
missing entry. Costs and bounds are integers of the search; for regressions they are floats.
"""

from typing import Generic, NotRequired, TypedDict, TypeVar

from exactree.trees.arrays import ArrayNode

__all__ = [
    "ClassCostsResult",
    "ClassCostsSettings",
    "ConstrainedResult",
    "ConstrainedSettings",
    "CostSettings",
    "CostsByClass",
    "CountResult",
    "DichotomyNode",
    "DichotomySettings",
    "EnsembleListResult",
    "EnsembleListSettings",
    "EnsembleResult",
    "EnsembleSettings",
    "EnsembleStats",
    "ErrorPairsResult",
    "ErrorPairsSettings",
    "ErrorSettings",
    "LeafCostSettings",
    "ListingSettings",
    "Moment",
    "PaperSettings",
    "RegressionResult",
    "RegressionRootSettings",
    "RegressionSettings",
    "RegressionStats",
    "Resources",
    "RootsConclusion",
    "RootsResult",
    "RootsRow",
    "SearchResult",
    "SearchStats",
    "SizeSettings",
    "TreeT",
    "VotingTree",
]

# The form in which a search returns its tree.
TreeT = TypeVar("TreeT")

# A dichotomy (-1 for a leaf) and the places of the two children.
DichotomyNode = tuple[int, int, int]
# The nodes of a tree of an ensemble, and the class that each leaf predicts (-1 for inner nodes).
VotingTree = tuple[list[ArrayNode], list[int]]
# Incumbent, lower bound and seconds of a moment of a search.
Moment = tuple[int | None, int, float]
# A feature, its first and last threshold, and three lower bounds: on trees with such a root, on the
# left children of such roots, and on their right children.
RootsRow = tuple[int, int, int, int, int, int]


# Settings of searches ----------------------------------------------------------------------------


class Resources(TypedDict):
    """Settings of every search: limits on time and memory, and accelerators by name."""

    time_limit: float | None
    memory_limit: int | None
    switches: dict[str, bool]


class CostSettings(Resources):
    """Settings of the search for minimum errors plus leaf prices."""

    error_price: int
    leaf_price: int
    max_depth: int | None
    max_size: int | None
    min_samples_leaf: int
    upper_bound: int | None
    stop_at_gap: float
    threads: int


class ErrorSettings(CostSettings):
    """Settings of the search for minimum errors over thresholds.

    "min_leaf_weight" replaces "min_samples_leaf" unless it is None.
    """

    min_leaf_weight: int | None


class ConstrainedSettings(CostSettings):
    """Settings of the search for minimum errors under constraints.

    "features" has the feature of every column; "directions", "only_below", "prices" and "values"
    have an entry for every feature. "values" are the values that a point can have, each by its
    ranks in the columns of the feature; none for a feature with one column, whose values are its
    ranks. In shares and in "min_leaf_weight" an example weighs its weight times the entry of its
    class in "share_factors". With "counts_weight", "min_samples_leaf" is a weight.
    """

    features: list[int]
    directions: list[int]
    in_shares: bool
    required: list[int]
    only_below: list[int | None]
    max_features: int | None
    prices: list[int]
    leaves: list[tuple[int, int]]
    share_factors: list[int]
    min_leaf_weight: int
    counts_weight: bool
    values: list[list[list[int]]]
    incumbent: list[ArrayNode] | None


class DichotomySettings(CostSettings):
    """Settings of the same search over given dichotomies."""

    leaves: list[tuple[int, int]]


class SizeSettings(Resources):
    """Settings of the search for the fewest nodes."""

    max_depth: int | None
    max_size: int | None
    errors: int | None
    leaves: list[tuple[int, int]]


class PaperSettings(SizeSettings):
    """Settings of the papers' methods; "minimize" is "size" or "depth"."""

    minimize: str


class CostsByClass(TypedDict):
    """Costs of leaves by classes.

    "kind" is "matrix" with "by_class", exact costs by true and by predicted class; or "log_loss" or
    "gini" with "added", the weights that smooth the shares of the classes.
    """

    kind: str
    leaf_price: float
    by_class: NotRequired[list[list[int]]]
    added: NotRequired[list[float]]


class LeafCostSettings(Resources):
    """Settings of searches over trees by the costs of their leaves."""

    max_depth: int | None
    max_size: int | None
    min_samples_leaf: int
    stop_at_gap: float
    threads: int


class ClassCostsSettings(LeafCostSettings, CostsByClass):
    """Settings of the search for minimum class costs."""


class ErrorPairsSettings(ClassCostsSettings):
    """Settings of the list of pairs of errors between two given pairs."""

    prices: tuple[int, int]
    positive: int
    ends: tuple[tuple[int, int], tuple[int, int]]


class RegressionSettings(LeafCostSettings):
    """Settings of the search for regressions; "deviation" is the kind of error."""

    deviation: str
    leaf_penalty: float
    incumbent: list[ArrayNode] | None


class RegressionRootSettings(RegressionSettings):
    """Settings of the same search by tasks of root splits; "fine" searches in fine units."""

    fine: bool


class EnsembleSettings(Resources):
    """Settings of the methods for ensembles."""

    n_trees: int
    quantities: list[str]
    errors: int
    max_size: int | None
    max_depth: int | None
    max_total_size: int | None
    min_samples_leaf: int
    leaves: list[int]
    stop_at_gap: float


class EnsembleListSettings(Resources):
    """Settings of the list of all ensembles of given sizes."""

    n_trees: int
    errors: int
    max_depth: int | None
    sizes: tuple[int, int]
    max_count: int


class ListingSettings(Resources):
    """Settings of the count and the list of all trees within ranges."""

    error_price: int
    leaf_price: int
    min_samples_leaf: int
    max_depth: int | None
    sizes: tuple[int, int] | None
    costs: tuple[int, int]
    minimum_size: bool
    shapes: list[tuple[int, int] | None] | None
    order: list[str]


# Results of searches -----------------------------------------------------------------------------


class SearchStats(TypedDict, total=False):
    """Statistics of a search; each method adds counts of its own, which only users read."""

    seconds: float
    progress: list[Moment]
    first_incumbent: int | None
    nodes: int
    choices: int
    unconstrained_searches: int
    dichotomies: int
    cache_entries: int
    cache_lookups: int
    cache_hits: int
    cache_bytes: int
    cache_evicted: int
    pruned: dict[str, int]


class SearchResult(TypedDict, Generic[TreeT]):
    """Result of a search for one tree; "nodes" is None without a tree."""

    status: str
    cost: int | None
    lower_bound: int
    stopped_by: str | None
    nodes: TreeT | None
    stats: SearchStats


class ConstrainedResult(SearchResult[list[ArrayNode]]):
    """Result of a search under constraints, with the ranks of thresholds in the whole table."""

    ranks: list[int] | None


class RootsResult(TypedDict):
    """Result of a search over some root splits; "open" has the splits that are not pruned yet."""

    cost: int | None
    stopped_by: str | None
    nodes: list[ArrayNode] | None
    stats: SearchStats
    open: list[RootsRow]


class RootsConclusion(TypedDict):
    """Conclusion from the results for all root splits, with costs as in a search without tasks.

    "cost" is there for regressions, "slack" and "exponent" for costs of classes. "too_coarse" says
    that the proof holds up to a rounding error that fine units would reduce.
    """

    status: str
    lower_bound: float
    stopped_by: str | None
    nodes: list[ArrayNode] | None
    rounding: float
    too_coarse: bool
    cost: NotRequired[float | None]
    slack: NotRequired[float]
    exponent: NotRequired[int]


class ClassCostsResult(TypedDict):
    """Result of the search for minimum class costs; a unit of cost is 2 to the exponent."""

    status: str
    lower_bound: int
    slack: float
    exponent: int
    stopped_by: str | None
    nodes: list[ArrayNode] | None
    stats: SearchStats


class ErrorPairsResult(TypedDict):
    """False positives, false negatives, nodes of a tree and its leaf classes; and statistics."""

    pairs: list[tuple[int, int, list[ArrayNode], list[int]]]
    nodes: int
    seconds: float
    stopped_by: str | None


class RegressionStats(TypedDict, total=False):
    """Statistics of a search for a regression."""

    seconds: float
    progress: list[tuple[float | None, float, float]]
    first_incumbent: float | None
    rounding: float
    threads: int
    nodes: int
    depth_two_calls: int
    stump_evaluations: int
    cache_lookups: int
    cache_hits: int


class RegressionResult(TypedDict):
    """Result of a search for a regression."""

    status: str
    cost: float | None
    lower_bound: float
    stopped_by: str | None
    nodes: list[ArrayNode] | None
    stats: RegressionStats


class EnsembleStats(TypedDict, total=False):
    """Statistics of a method for ensembles; each method adds counts of its own."""

    seconds: float
    first_incumbent: int | None
    search_nodes_by_size: list[tuple[tuple[int, int], int]]


class EnsembleResult(TypedDict):
    """Result of a method for ensembles; the lower bound has an entry for each quantity."""

    status: str
    lower_bound: list[int]
    stopped_by: str | None
    trees: list[VotingTree] | None
    stats: EnsembleStats


class EnsembleListResult(TypedDict):
    """The trees of every ensemble, and whether these are all."""

    ensembles: list[list[VotingTree]]
    complete: bool
    stopped_by: str | None


class CountResult(TypedDict):
    """The number of trees, None if the count was stopped, and sizes of the graph that has them."""

    count: int | None
    stopped_by: str | None
    stats: dict[str, int]
