"""The native searches without constraints: best trees of parts, and bounds for all that obey.

Whatever is demanded beyond depth, size and rows leaves trees out and adds none, so what the best
tree without it costs is a lower bound. Of regressions it is one but for what is tolerated of
roundings (`crates/search/src/regression/units.rs`).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from exactree.engine.asked import Caps, How
from exactree.engine.border import least_errors
from exactree.engine.constrained.ground import Found, Ground, Number, Part
from exactree.engine.constrained.watch import Stopped, Watch
from exactree.engine.regression import least_deviation

__all__ = ["Free", "FreeTrees"]


@dataclass(frozen=True)
class Free:
    """What is known of a part's trees without constraints.

    Attributes
    ----------
    lower : int or Fraction
        None costs less.
    tree : Leaf or Node
        The best.
    """

    lower: Number
    tree: Found


@dataclass
class FreeTrees:
    """Best trees of parts, remembered.

    Attributes
    ----------
    ground : Ground
        The problem.
    watch : Watch
        Ends the searches.
    switches : dict
        Accelerators of the native searches to turn off.
    memory_limit : int or None
        Bytes that one native search may keep.
    n_jobs : int
        Threads of the search of the whole table.
    calls : int
        How many searches were made.
    """

    ground: Ground
    watch: Watch
    switches: dict[str, bool]
    memory_limit: int | None
    n_jobs: int
    calls: int = 0
    _known: dict[tuple[bytes, int, int, frozenset[int]], Free] = field(default_factory=dict)

    def best(self, rows: Part, depth: int, size: int, features: frozenset[int]) -> Free:
        """Return the best tree of a part that asks some features.

        Parameters
        ----------
        rows : ndarray of int64
            The part.
        depth, size : int
            Nodes on a path, and in all.
        features : frozenset of int
            Those that may be asked.

        Raises
        ------
        Stopped
            If there was no time for it.
        """
        leaf = self.ground.leaf(rows)
        few = len(rows) < 2 * self.ground.problem.min_rows
        if depth == 0 or size == 0 or few or leaf.cost == self.ground.leaf_price:
            return Free(leaf.cost, leaf)
        key = (rows.tobytes(), depth, size, features)
        if key not in self._known:
            self._known[key] = self._searched(rows, depth, size, features)
        return self._known[key]

    def _searched(self, rows: Part, depth: int, size: int, features: frozenset[int]) -> Free:
        ground = self.ground
        columns = [c for c, feature in enumerate(ground.features) if feature in features]
        if not columns:
            leaf = ground.leaf(rows)
            return Free(leaf.cost, leaf)
        self.calls += 1
        nodes, lower, stopped_by = self._native(rows, columns, depth, size)
        tree = ground.leaf(rows) if nodes is None else ground.tree_of(nodes, columns, rows)
        if stopped_by is not None:
            whole = len(rows) == len(ground.ranks)
            raise Stopped(stopped_by, tree if whole else None, lower if whole else 0)
        return Free(tree.cost, tree)

    def _native(
        self, rows: Part, columns: list[int], depth: int, size: int
    ) -> tuple[Any, Number, str | None]:
        """Return nodes, lower bound and what ended the search, if not the proof."""
        part = self.ground.asked.problem.of_part(rows, columns)
        threads = self.n_jobs if len(rows) == len(self.ground.ranks) else 1
        unit = self.ground.unit
        if not part.regression:
            how = How(
                self.watch.left(), self.memory_limit, 0.0, self._heard, self.switches, threads
            )
            found = least_errors(part, Caps(depth, size, None), how)
            lower = part.leaf_price.exact_lower_bound(found["lower_bound"]) * unit
            # An interrupt is told even where the proof was just complete.
            return found["nodes"], lower, found["stopped_by"]
        dataset = part.dataset
        nodes, _, bound, by, _ = least_deviation(
            dataset.X,
            dataset.targets,
            dataset.weights,
            part.error_term,
            max_depth=depth,
            max_size=size,
            min_rows=part.min_rows,
            leaf_penalty=float(self.ground.leaf_price),
            time_limit=self.watch.left(),
            memory_limit=self.memory_limit,
            n_jobs=threads,
            on_progress=self._heard,
            switches=self.switches,
        )
        return nodes, Fraction(bound), by

    def _heard(self, *_: object) -> bool:
        return self.watch.tell(self.watch.seconds())
