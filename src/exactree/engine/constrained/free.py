"""Relaxations: the native searches without constraints, for best trees of subsets and bounds.

Constraints other than depth, size and minimum leaf size exclude trees and add none, so the minimum
cost without them is a lower bound. The search for plain errors also keeps a minimum leaf weight. In
a regression the bound holds up to the tolerated rounding (`crates/search/src/regression/units.rs`).
"""

from dataclasses import dataclass, field
from fractions import Fraction

from exactree.engine.constrained.native import SubsetSearch, native_search
from exactree.engine.constrained.prepared import CostedTree, Number, PreparedProblem, Subset
from exactree.engine.constrained.sweeps import stumps_of
from exactree.engine.constrained.watch import SearchStopped, Watch
from exactree.engine.native.request import SearchOptions

__all__ = ["Free", "FreeTrees"]


@dataclass(frozen=True)
class Free:
    """The result of the relaxation of a subproblem.

    Attributes
    ----------
    lower : int or Fraction
        The lower bound.
    tree : CostedLeaf or CostedNode
        The best tree, up to rounding.
    """

    lower: Number
    tree: CostedTree


@dataclass
class FreeTrees:
    """Relaxations of subproblems, with a cache.

    Attributes
    ----------
    prepared : PreparedProblem
        The problem.
    watch : Watch
        Stops the searches.
    switches : dict
        Accelerators of the native searches to turn off.
    memory_limit : int or None
        Bytes of all caches; a native search may use what the cache of this search leaves.
    n_jobs : int
        Threads of the search of the whole table.
    sweeps : bool
        Whether trees of one node are bounded by arrays of all splits.
    calls : int
        Number of native searches.
    rounding : int or Fraction
        The maximum difference of cost and lower bound in the completed searches, and the maximum
        tolerance of their proofs.
    """

    prepared: PreparedProblem
    watch: Watch
    switches: dict[str, bool]
    memory_limit: int | None
    n_jobs: int
    sweeps: bool = False
    calls: int = 0
    rounding: Number = 0
    _native: SubsetSearch = field(init=False)

    def __post_init__(self) -> None:
        self._native = native_search(self.prepared)

    def best(self, rows: Subset, depth: int, size: int, features: frozenset[int]) -> Free:
        """Return the best tree of a subset that uses only given features.

        Parameters
        ----------
        rows : ndarray of int64
            The subset.
        depth, size : int
            Maximum depth and size.
        features : frozenset of int
            The features that may be used.

        Raises
        ------
        SearchStopped
            If the search was stopped.
        """
        leaf = self.prepared.leaf(rows)
        few = len(rows) < 2 * self.prepared.min_rows
        if depth == 0 or size == 0 or few or leaf.cost == self.prepared.leaf_price:
            return Free(leaf.cost, leaf)
        key = (rows.tobytes(), depth, size, features)
        known: Free | None = self.prepared.memory.get("free", key)
        if known is None:
            known = self._searched(rows, depth, size, features)
            self.prepared.memory.put("free", key, known, len(key[0]) + known.tree.bytes)
        return known

    def lower(self, rows: Subset, depth: int, size: int, features: frozenset[int]) -> Number:
        """Return a lower bound on the cost of the best tree; parameters as in `best`."""
        leaf = self.prepared.leaf(rows)
        few = len(rows) < 2 * self.prepared.min_rows
        if not self.sweeps or min(depth, size) != 1 or few or leaf.cost == self.prepared.leaf_price:
            return self.best(rows, depth, size, features).lower
        return int(stumps_of(self.prepared, rows, features).cost.min())

    def _searched(self, rows: Subset, depth: int, size: int, features: frozenset[int]) -> Free:
        prepared = self.prepared
        columns = [c for c, feature in enumerate(prepared.features) if feature in features]
        if not columns:
            leaf = prepared.leaf(rows)
            return Free(leaf.cost, leaf)
        self.calls += 1
        threads = self.n_jobs if len(rows) == len(prepared.ranks) else 1
        left, callback = self.watch.left(), self._callback
        options = SearchOptions(left, self._memory_left(), 0.0, callback, self.switches, threads)
        nodes, lower, stopped_by, tolerance = self._native(rows, columns, depth, size, options)
        tree = prepared.leaf(rows) if nodes is None else prepared.tree_of(nodes, columns, rows)
        if stopped_by is not None:
            whole = len(rows) == len(prepared.ranks)
            known = tree.cost if lower is None else lower
            raise SearchStopped(stopped_by, tree if whole else None, known if whole else 0)
        if lower is None or lower >= tree.cost:
            self.rounding = max(self.rounding, Fraction(tolerance))
            return Free(tree.cost, tree)
        self.rounding = max(self.rounding, tree.cost - lower)
        return Free(lower, tree)

    def _memory_left(self) -> int | None:
        limit = self.memory_limit
        return None if limit is None else max(limit - self.prepared.memory.bytes, 0)

    def _callback(self, *_: object) -> bool:
        return self.watch.report(self.watch.seconds())
