"""The native searches without constraints: best trees of subsets, and bounds for all that satisfy.

Whatever is demanded beyond depth, size and rows leaves trees out and adds none, so what the best
tree without it costs is a lower bound. Of regressions it is one but for what is tolerated of
roundings (`crates/search/src/regression/units.rs`).
"""

from dataclasses import dataclass, field

from exactree.engine.constrained.ground import CostedTree, Ground, Number, Subset
from exactree.engine.constrained.native import SubsetSearch, native_search
from exactree.engine.constrained.sweeps import stumps_of
from exactree.engine.constrained.watch import SearchStopped, Watch
from exactree.engine.native.request import SearchOptions

__all__ = ["Free", "FreeTrees"]


@dataclass(frozen=True)
class Free:
    """What is known of a subset's trees without constraints.

    Attributes
    ----------
    lower : int or Fraction
        None costs less.
    tree : Leaf or Node
        The best, but for roundings.
    """

    lower: Number
    tree: CostedTree


@dataclass
class FreeTrees:
    """Best trees of subsets, remembered.

    Attributes
    ----------
    ground : Ground
        The problem.
    watch : Watch
        Ends the searches.
    switches : dict
        Accelerators of the native searches to turn off.
    memory_limit : int or None
        Bytes that may be kept in all; a native search may keep what the ground's memory leaves.
    n_jobs : int
        Threads of the search of the whole table.
    sweeps : bool
        Whether trees of one node are bounded by arrays of all rules.
    calls : int
        How many searches were made.
    rounding : int or Fraction
        How far the tree of a search that ended with its proof was above its lower bound at most.
    """

    ground: Ground
    watch: Watch
    switches: dict[str, bool]
    memory_limit: int | None
    n_jobs: int
    sweeps: bool = False
    calls: int = 0
    rounding: Number = 0
    _native: SubsetSearch = field(init=False)

    def __post_init__(self) -> None:
        self._native = native_search(self.ground)

    def best(self, rows: Subset, depth: int, size: int, features: frozenset[int]) -> Free:
        """Return the best tree of a subset that asks some features.

        Parameters
        ----------
        rows : ndarray of int64
            The subset.
        depth, size : int
            Nodes on a path, and in all.
        features : frozenset of int
            Those that may be used.

        Raises
        ------
        SearchStopped
            If there was no time for it.
        """
        leaf = self.ground.leaf(rows)
        few = len(rows) < 2 * self.ground.min_rows
        if depth == 0 or size == 0 or few or leaf.cost == self.ground.leaf_price:
            return Free(leaf.cost, leaf)
        key = (rows.tobytes(), depth, size, features)
        known: Free | None = self.ground.memory.get("free", key)
        if known is None:
            known = self._searched(rows, depth, size, features)
            self.ground.memory.put("free", key, known, len(key[0]) + known.tree.bytes)
        return known

    def lower(self, rows: Subset, depth: int, size: int, features: frozenset[int]) -> Number:
        """Return what the best tree costs at least; parameters as of `best`."""
        leaf = self.ground.leaf(rows)
        few = len(rows) < 2 * self.ground.min_rows
        if not self.sweeps or min(depth, size) != 1 or few or leaf.cost == self.ground.leaf_price:
            return self.best(rows, depth, size, features).lower
        return int(stumps_of(self.ground, rows, features).cost.min())

    def _searched(self, rows: Subset, depth: int, size: int, features: frozenset[int]) -> Free:
        ground = self.ground
        columns = [c for c, feature in enumerate(ground.features) if feature in features]
        if not columns:
            leaf = ground.leaf(rows)
            return Free(leaf.cost, leaf)
        self.calls += 1
        threads = self.n_jobs if len(rows) == len(ground.ranks) else 1
        left, callback = self.watch.left(), self._callback
        options = SearchOptions(left, self._memory_left(), 0.0, callback, self.switches, threads)
        nodes, lower, stopped_by = self._native(rows, columns, depth, size, options)
        tree = ground.leaf(rows) if nodes is None else ground.tree_of(nodes, columns, rows)
        if stopped_by is not None:
            whole = len(rows) == len(ground.ranks)
            known = tree.cost if lower is None else lower
            raise SearchStopped(stopped_by, tree if whole else None, known if whole else 0)
        if lower is None or lower >= tree.cost:
            return Free(tree.cost, tree)
        self.rounding = max(self.rounding, tree.cost - lower)
        return Free(lower, tree)

    def _memory_left(self) -> int | None:
        limit = self.memory_limit
        return None if limit is None else max(limit - self.ground.memory.bytes, 0)

    def _callback(self, *_: object) -> bool:
        return self.watch.report(self.watch.seconds())
