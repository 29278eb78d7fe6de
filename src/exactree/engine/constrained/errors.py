"""Plain errors under constraints: the native search, in the units of this package.

The search is that of `crates/search/src/constraints/`. Costs are integers of `PreparedProblem.unit`.
"""

from math import inf
from typing import Any

from exactree.data.weights import TOTAL_LIMIT
from exactree.engine.constrained.prepared import CostedNode, CostedTree, Number, PreparedProblem
from exactree.engine.constrained.regions import FeatureSpace
from exactree.engine.constrained.watch import Watch
from exactree.engine.native import constrained_errors
from exactree.engine.native.border import ConstrainedSettings, SearchStats
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.switches import switches_of
from exactree.trees.arrays import ArrayNode

__all__ = ["NativeConstrained", "fits_native"]


def fits_native(prepared: PreparedProblem) -> bool:
    """Return whether the native search takes a problem: plain errors with costs of 62 bits.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    """
    problem = prepared.problem
    if problem.regression or not problem.plain_errors:
        return False
    features = prepared.price(frozenset(prepared.features))
    leaves = prepared.leaf_price * problem.max_leaves
    most = problem.dataset.total_weight * prepared.unit + leaves + features
    return most < TOTAL_LIMIT


class NativeConstrained:
    """The native search under constraints.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    watch : Watch
        Receives incumbent and lower bound, and holds the exclusive limit on the cost.
    options : SearchOptions
        Limits of the search.
    """

    def __init__(self, prepared: PreparedProblem, watch: Watch, options: SearchOptions) -> None:
        self.prepared, self.watch, self.options = prepared, watch, options

    def rounding(self) -> Number:
        """Return the maximum error of the lower bounds by rounding: none."""
        return 0

    def best(self) -> CostedTree | None:
        """Return the incumbent."""
        return self.watch.tree

    def run(self, start: CostedTree | None) -> tuple[str | None, SearchStats]:
        """Search, with the results in the watch; return the reason of a stop and statistics.

        Parameters
        ----------
        start : CostedLeaf or CostedNode, optional
            A tree from which the search starts.
        """
        watch, problem = self.watch, self.prepared.encoded.problem
        below = watch.upper
        most = self.prepared.problem.max_error_weight
        if below == inf and most is not None:  # the costs of leaves are limited, not their prices
            below = (most + 1) * self.prepared.unit
        settings = self._settings(start, below)

        def callback(cost: int | None, lower: int, seconds: float) -> object:
            return watch.callback is not None and watch.callback(cost, lower, seconds)

        options = SearchOptions(
            self.options.time_limit,
            self.options.memory_limit,
            self.options.stop_at_gap,
            callback if watch.callback is not None else None,
            self.options.switches,
            self.options.threads,
        )
        found = constrained_errors(problem, settings, options)
        watch.moments += found["stats"]["progress"]
        nodes, ranks = found["nodes"], found["ranks"]
        if nodes is not None and ranks is not None:
            cost = found["cost"]
            assert cost is not None
            watch.tree, watch.upper = self._tree(nodes, ranks), cost
        infeasible = found["status"] == "infeasible"
        watch.lower = watch.upper if infeasible else found["lower_bound"]
        return found["stopped_by"], found["stats"]

    def _settings(self, start: CostedTree | None, errors_below: Number) -> ConstrainedSettings:
        prepared, problem = self.prepared, self.prepared.problem
        features = problem.feature_constraints
        count = problem.dataset.X.shape[1]
        depth, size = problem.limits.max_depth, problem.max_tree_size
        return {
            "error_price": prepared.unit,
            "leaf_price": _whole(prepared.leaf_price),
            "max_depth": depth,
            "max_size": size,
            "min_samples_leaf": problem.min_rows,
            "upper_bound": None if errors_below == inf else _whole(errors_below),
            "stop_at_gap": self.options.stop_at_gap,
            "threads": self.options.threads,
            "time_limit": self.watch.left(),
            "memory_limit": self.options.memory_limit,
            "switches": switches_of("constrained-errors", self.options.switches),
            "features": prepared.features,
            "directions": [features.directions.get(feature, 0) for feature in range(count)],
            "in_shares": features.in_shares,
            "required": list(features.required),
            "only_below": [features.only_below.get(feature) for feature in range(count)],
            "max_features": features.max_features,
            "prices": [_whole(prepared.price(frozenset([f]))) for f in range(count)],
            "leaves": sorted(problem.leaf_limits.items()),
            "min_leaf_weight": problem.min_leaf_weight,
            "values": self._values(count),
            "incumbent": None if start is None else self._nodes(start),
        }

    def _values(self, count: int) -> list[list[list[int]]]:
        """Return the values of features with several columns, by their ranks."""
        values: list[list[list[int]]] = [[] for _ in range(count)]
        if self.prepared.problem.feature_constraints.directions:
            space = FeatureSpace(self.prepared)
            for feature, ranks in space.ranks.items():
                if feature in self.prepared.problem.categories or ranks.shape[1] > 1:
                    values[feature] = ranks.tolist()
        return values

    def _tree(self, nodes: list[ArrayNode], ranks: list[int]) -> CostedTree:
        prepared = self.prepared

        def at(number: int, rows: Any) -> CostedTree:
            column, _, _, left, right = nodes[number]
            if column < 0:
                return prepared.leaf(rows)
            goes_left = prepared.holds(rows, column, ranks[number])
            children = at(left, rows[goes_left]), at(right, rows[~goes_left])
            return CostedNode(column, ranks[number], *children)

        return at(0, prepared.everything)

    def _nodes(self, tree: CostedTree) -> list[ArrayNode]:
        """Return the nodes of a tree in preorder, as results have them."""
        nodes: list[ArrayNode] = []

        def write(tree: CostedTree) -> int:
            at = len(nodes)
            nodes.append((-1, 0.0, 0.0, -1, -1))
            if isinstance(tree, CostedNode):
                values = self.prepared.values[tree.column]
                low, high = float(values[tree.rank]), float(values[tree.rank + 1])
                left, right = write(tree.left), write(tree.right)
                nodes[at] = (tree.column, low, high, left, right)
            return at

        write(tree)
        return nodes


def _whole(number: Number) -> int:
    """Return a number without fraction as an integer."""
    assert number == int(number)
    return int(number)
