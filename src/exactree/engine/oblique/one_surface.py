"""Trees of one surface, solved exactly without a list of all splits.

The native search turns hyperplanes around flats through examples, in the products of features that
distinguish the examples, and returns which examples the best one sends left. A rule in floating
point is computed for this split alone. A split without a rule is not allowed, and the search is
repeated. Thresholds, codes and given rules that are mixed in are searched as dichotomies.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from exactree.engine.lexicographic.one_quantity import Searches
from exactree.engine.native import best_surface, proper_tree
from exactree.engine.native.border import DichotomyNode, Moment, SearchResult, SearchStats
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.oblique.rule_list import all_rules, tree_of
from exactree.engine.oblique.surface_points import MAX_POINTS, MAX_TERMS, SurfacePoints
from exactree.objectives.penalty import LeafPrice
from exactree.problem import Problem
from exactree.problem.encoding.tree_encoder import NoSuchRule
from exactree.rules import (
    Column,
    Hypersurfaces,
    Mixed,
    SurfaceColumn,
    families_of,
)
from exactree.trees import Tree

__all__ = ["OneSurfaceSearch"]

# No cost is greater.
_UNBOUNDED = 2**62


@dataclass
class _Best:
    """The best tree with one node so far, in the integers of the search."""

    cost: int
    nodes: list[DichotomyNode] | None
    lower: int
    stopped_by: str | None = None


@dataclass
class OneSurfaceSearch:
    """The search for the best tree of at most one node, in a problem with surfaces.

    Attributes
    ----------
    problem : Problem
        The problem to solve.
    check : callable
        Called every few milliseconds; an exception from it ends the work.
    is_long : bool
        Whether the search takes more than some seconds.
    splits : list of (column, ndarray of bool)
        The splits of the trees found so far: a node is the number of its split.
    left_out : int
        Number of splits for which no rule was found.
    counts : dict
        Counts of the native searches.
    """

    problem: Problem
    check: Callable[[], object]
    is_long: bool = False
    splits: list[tuple[Column | SurfaceColumn, NDArray[np.bool_]]] = field(default_factory=list)
    left_out: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        families = families_of(self.problem.rules)
        X = self.problem.dataset.X
        surfaces = [family for family in families if isinstance(family, Hypersurfaces)]
        self.points = [SurfacePoints.of(family, X) for family in surfaces]
        self.excluded: list[list[NDArray[np.bool_]]] = [[] for _ in surfaces]
        others = tuple(family for family in families if not isinstance(family, Hypersurfaces))
        self.others = None if not others else self.problem.with_rules(Mixed(others))

    @property
    def is_accepted(self) -> bool:
        """Whether the native search takes the points."""
        shapes = [points.coordinates.shape for points in self.points]
        return all(n < MAX_POINTS and terms <= MAX_TERMS for n, terms, _ in shapes)

    @property
    def searches(self) -> Searches[list[DichotomyNode]]:
        """The searches of the lexicographic stages."""
        return Searches(self.errors, None, self.grow)

    def nodes_of(self, tree: Tree) -> list[DichotomyNode]:
        """Return the nodes of a tree of at most one node, in the form that a search returns.

        Parameters
        ----------
        tree : Tree
            The tree.
        """
        if not tree.size:
            return [(-1, -1, -1)]
        X, feature = self.problem.dataset.X, int(tree.feature[0])
        column: Column | SurfaceColumn
        surface = feature - X.shape[1]
        if surface >= 0:
            column = SurfaceColumn(tree.surfaces.rule(surface, float(tree.threshold[0])))
        else:
            column = self._column_of(tree)
        self.splits.append((column, tree.goes_left(0, X)))
        return [(len(self.splits) - 1, 1, 2), (-1, -1, -1), (-1, -1, -1)]

    def _column_of(self, tree: Tree) -> Column | SurfaceColumn:
        """Return a column whose threshold splits the table as the root of a tree."""
        X = self.problem.dataset.X
        left = tree.goes_left(0, X)
        families = [f for f in families_of(self.problem.rules) if not isinstance(f, Hypersurfaces)]
        columns = (column for family in families for column in family.columns(X))
        for column in columns:
            values = column.values(X)
            if values[left].max() < values[~left].min():
                return column
        raise NoSuchRule(0, len(X))

    def grow(self, problem: Problem, nodes: Sequence[DichotomyNode]) -> Tree:
        """Return the tree of the nodes of a result.

        Parameters
        ----------
        problem : Problem
            The problem to solve.
        nodes : sequence of (split, left, right)
            In preorder; the split of a leaf is -1.
        """
        listed = [None if k < 0 else self.splits[k] for k, _, _ in nodes]
        return tree_of(problem, listed, [(left, right) for _, left, right in nodes])

    def errors(
        self, problem: Problem, caps: Caps, options: SearchOptions
    ) -> SearchResult[list[DichotomyNode]]:
        """Search for the tree with minimum errors plus leaf prices within caps.

        Parameters
        ----------
        problem, caps, options
            As in `proper_tree`.
        """
        price, dataset = problem.leaf_price, problem.dataset
        upper = _UNBOUNDED if caps.below is None else caps.below
        if caps.errors is not None:
            upper = min(upper, (caps.errors + 1) * price.error_price)
        best = _Best(upper, None, upper)
        weights = np.zeros((len(dataset.X), len(dataset.classes)), dtype=np.uint64)
        weights[np.arange(len(weights)), dataset.labels] = dataset.weights
        totals = [int(total) for total in weights.sum(axis=0, dtype=np.uint64)]
        leaf = (sum(totals) - max(totals)) * price.error_price + price.leaf_price
        if leaf < best.cost:
            best = _Best(leaf, [(-1, -1, -1)], leaf)
        stats: SearchStats = {"seconds": 0.0, "progress": [], "nodes": 1}
        if caps.size != 0 and caps.depth != 0:
            for search in (self._search_others, self._search_surfaces):
                remaining = options.after(stats["seconds"])
                stats["seconds"] += search(problem, weights, caps, remaining, best)
        best.lower = min(best.lower, best.cost)
        moment: Moment = (None if best.nodes is None else best.cost, best.lower, stats["seconds"])
        proved = best.lower >= best.cost
        status = (
            ("optimal" if best.nodes else "infeasible")
            if proved
            else ("feasible" if best.nodes else "stopped")
        )
        interrupt = best.stopped_by == "interrupt"
        return SearchResult(
            status=status,
            cost=None if best.nodes is None else best.cost,
            lower_bound=best.lower,
            stopped_by=best.stopped_by if not proved or interrupt else None,
            nodes=best.nodes,
            stats={**stats, "progress": [moment], "first_incumbent": None},
        )

    def _search_others(
        self,
        problem: Problem,
        weights: NDArray[np.uint64],
        caps: Caps,
        options: SearchOptions,
        best: _Best,
    ) -> float:
        """Search the rules that are not surfaces of a family; return the seconds."""
        if self.others is None:
            return 0.0
        rules = all_rules(self.others, self.check)
        if not len(rules.bits):
            return 0.0
        capped = replace(caps, depth=1, size=1, below=best.cost)
        found = proper_tree(self.others, rules.bits, capped, replace(options, callback=None))
        if found.nodes is not None and found.cost is not None and found.cost < best.cost:
            nodes = [
                (-1 if k < 0 else len(self.splits), left, right) for k, left, right in found.nodes
            ]
            chosen = [k for k, _, _ in found.nodes if k >= 0]
            self.splits += [(rules.column(k), rules.left(k)) for k in chosen]
            best.cost, best.nodes = found.cost, nodes
        best.lower = min(best.lower, found.lower_bound)
        best.stopped_by = best.stopped_by or found.stopped_by
        return found.stats["seconds"]

    def _search_surfaces(
        self,
        problem: Problem,
        weights: NDArray[np.uint64],
        caps: Caps,
        options: SearchOptions,
        best: _Best,
    ) -> float:
        """Search the surfaces of all families; return the seconds."""
        price, seconds = problem.leaf_price, 0.0
        for points, excluded in zip(self.points, self.excluded, strict=True):
            if not points.coordinates.shape[1]:
                continue  # all examples are equal
            own = points.sums(weights)
            while True:
                self.check()
                # Only a split of fewer errors makes a cheaper tree.
                below = max(-(-(best.cost - 2 * price.leaf_price) // price.error_price), 0)
                found = best_surface(
                    points.arrays(excluded),
                    own,
                    (problem.min_rows, below),
                    _reporting(options.after(seconds), price, best, seconds),
                )
                assert found is not None  # `is_accepted`
                seconds += found.stats["seconds"]
                for name in ("flats", "exact_directions"):
                    self.counts[name] = self.counts.get(name, 0) + int(found.stats[name])
                left = None if found.left is None else np.array(found.left, dtype=np.bool_)
                if left is not None and found.cost is not None:
                    rule = points.rule(left)
                    if rule is None:
                        excluded.append(left)
                        self.left_out += 1
                        if found.stopped_by is None:
                            continue
                    else:
                        self.splits.append((SurfaceColumn(rule), left[points.inverse]))
                        split = len(self.splits) - 1
                        best.cost = found.cost * price.error_price + 2 * price.leaf_price
                        best.nodes = [(split, 1, 2), (-1, -1, -1), (-1, -1, -1)]
                bound = found.lower_bound * price.error_price + 2 * price.leaf_price
                best.lower = min(best.lower, bound) if found.stopped_by else best.lower
                best.stopped_by = best.stopped_by or found.stopped_by
                break
        return seconds


def _reporting(
    options: SearchOptions, price: LeafPrice, best: _Best, before: float
) -> SearchOptions:
    """Return options whose callback gets costs of trees in place of errors of splits."""
    callback = options.callback
    if callback is None:
        return options
    incumbent = None if best.nodes is None else best.cost

    def report(errors: int | None, bound: int, seconds: float) -> object:
        found = errors if errors is None else errors * price.error_price + 2 * price.leaf_price
        costs = [cost for cost in (incumbent, found) if cost is not None]
        lower = min([bound * price.error_price, *costs])
        return callback(min(costs, default=None), lower, before + seconds)

    return replace(options, callback=report)
