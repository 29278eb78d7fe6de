"""Results of the native module, made by `crates/python` with the names of these fields.

`_native.pyi` declares its functions with these types. Costs and bounds are integers of the search;
for regressions they are floats. Statistics are dictionaries, since they are an open list: every
search adds counts of its own, and `Outcome.stats` passes all of them on to the user.
"""

from dataclasses import dataclass
from typing import Generic, TypedDict, TypeVar

from exactree.trees.arrays import ArrayNode

__all__ = [
    "CertificateProof",
    "ClassCostsConclusion",
    "ClassCostsResult",
    "CountResult",
    "DichotomyNode",
    "EnsembleListResult",
    "EnsembleResult",
    "EnsembleStats",
    "ErrorPairsResult",
    "Moment",
    "Nodes",
    "OneSurfaceResult",
    "RegressionConclusion",
    "RegressionResult",
    "RegressionStats",
    "RootsConclusion",
    "RootsResult",
    "RootsRow",
    "SearchResult",
    "SearchStats",
    "TreeT",
    "VotingTree",
]

# The form in which a search returns its tree.
TreeT = TypeVar("TreeT")

# A dichotomy (-1 for a leaf) and the places of the two children.
DichotomyNode = tuple[int, int, int]
# The nodes of a tree, by the space that was searched.
Nodes = list[ArrayNode] | list[DichotomyNode]
# The nodes of a tree of an ensemble, and the class that each leaf predicts (-1 for inner nodes).
VotingTree = tuple[list[ArrayNode], list[int]]
# Incumbent, lower bound and seconds of a moment of a search.
Moment = tuple[int | None, int, float]
# A feature, its first and last threshold (over dichotomies: 0, and numbers of these), and three
# lower bounds: on trees with such a root, on the left children of such roots, and on their right
# children.
RootsRow = tuple[int, int, int, int, int, int]


class SearchStats(TypedDict, total=False):
    """Statistics of a search; each method adds counts of its own, which only users read."""

    seconds: float
    progress: list[Moment]
    first_incumbent: int | None
    nodes: int
    choices: int
    dichotomies: int
    cache_entries: int
    cache_lookups: int
    cache_hits: int
    cache_bytes: int
    cache_evicted: int
    pruned: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class SearchResult(Generic[TreeT]):
    """Result of a search for one tree; `nodes` is None without a tree."""

    status: str
    cost: int | None
    lower_bound: int
    stopped_by: str | None
    nodes: TreeT | None
    stats: SearchStats


@dataclass(frozen=True, kw_only=True)
class OneSurfaceResult:
    """The best split by one surface; `left` says for each point whether it goes left.

    No allowed split costs less than `lower_bound`, unless it costs at least the upper bound.
    """

    cost: int | None
    left: list[bool] | None
    lower_bound: int
    stopped_by: str | None
    stats: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class RootsResult:
    """Result of a search over some root splits; `open` has the splits that are not pruned yet."""

    cost: int | None
    stopped_by: str | None
    nodes: Nodes | None
    stats: SearchStats
    open: list[RootsRow]


@dataclass(frozen=True, kw_only=True)
class RegressionConclusion:
    """Conclusion from the results for all root splits of a regression, in the unit of the targets.

    `too_coarse` says that the proof holds up to a rounding error that fine units would reduce.
    """

    status: str
    cost: float | None
    lower_bound: float
    stopped_by: str | None
    nodes: list[ArrayNode] | None
    rounding: float
    too_coarse: bool


@dataclass(frozen=True, kw_only=True)
class ClassCostsConclusion:
    """The same for costs of classes; a unit of cost is 2 to the exponent."""

    status: str
    lower_bound: int
    rounding_units: float
    exponent: int
    stopped_by: str | None
    nodes: list[ArrayNode] | None


RootsConclusion = RegressionConclusion | ClassCostsConclusion


@dataclass(frozen=True, kw_only=True)
class ClassCostsResult:
    """Result of the search for minimum class costs; a unit of cost is 2 to the exponent."""

    status: str
    lower_bound: int
    rounding_units: float
    exponent: int
    stopped_by: str | None
    nodes: list[ArrayNode] | None
    stats: SearchStats


@dataclass(frozen=True, kw_only=True)
class ErrorPairsResult:
    """Pairs of errors: false positives, false negatives, nodes of a tree and its leaf classes."""

    pairs: list[tuple[int, int, list[ArrayNode], list[int]]]
    stopped_by: str | None
    stats: SearchStats


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


@dataclass(frozen=True, kw_only=True)
class RegressionResult:
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


@dataclass(frozen=True, kw_only=True)
class EnsembleResult:
    """Result of a method for ensembles; the lower bound has an entry for each quantity."""

    status: str
    lower_bound: list[int]
    stopped_by: str | None
    trees: list[VotingTree] | None
    stats: EnsembleStats


@dataclass(frozen=True, kw_only=True)
class EnsembleListResult:
    """The trees of every ensemble, and whether these are all."""

    ensembles: list[list[VotingTree]]
    complete: bool
    stopped_by: str | None


@dataclass(frozen=True, kw_only=True)
class CertificateProof:
    """Proof of lower bounds: the number of sets and claims of a certificate, and its body.

    `proved` says of each stage how many of its bounds are proved.
    """

    proved: list[int]
    sets: int
    claims: int
    body: bytes
    stopped_by: str | None


@dataclass(frozen=True, kw_only=True)
class CountResult:
    """The number of trees, None if the count was stopped, and sizes of the graph that has them."""

    count: int | None
    stopped_by: str | None
    stats: dict[str, int]
