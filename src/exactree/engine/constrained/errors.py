"""Errors under constraints: the native search, in the units of this package.

The search is that of `crates/search/src/constraints/`. It minimizes plain errors, and costs of
classes that are plain errors with other weights (`engine/single_objective/class_weights.py`).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, lcm

from exactree.data.weights import TOTAL_LIMIT
from exactree.engine.constrained.native import any_leaves
from exactree.engine.constrained.prepared import (
    CostedNode,
    CostedTree,
    Number,
    PreparedProblem,
    Subset,
)
from exactree.engine.constrained.regions import FeatureSpace
from exactree.engine.constrained.watch import Watch
from exactree.engine.native import constrained_errors
from exactree.engine.native.border import SearchStats
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import ConstrainedSettings, CostSettings, TreeLimits
from exactree.engine.native.switches import switches_of
from exactree.engine.single_objective.class_weights import in_plain_errors
from exactree.problem import Problem
from exactree.trees.arrays import ArrayNode

__all__ = ["ErrorUnits", "NativeConstrained", "error_units"]


@dataclass(frozen=True)
class ErrorUnits:
    """A problem in plain errors, and its costs in units of `PreparedProblem`.

    Attributes
    ----------
    problem : Problem
        The encoded problem, perhaps with other weights.
    error_price : int
        The cost of an error of weight 1 in this problem.
    constant : int
        The cost that every tree has in addition.
    share_factors : list of int
        By class, the weight of an example in shares for each unit of its weight in this problem;
        multiplied by `share_scale`.
    share_scale : int
        The common factor.
    """

    problem: Problem
    error_price: int
    constant: int
    share_factors: list[int]
    share_scale: int


def error_units(prepared: PreparedProblem) -> ErrorUnits | None:
    """Return a problem in plain errors; None if it has other costs or needs more than 62 bits.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    """
    problem, encoded = prepared.problem, prepared.encoded.problem
    if problem.regression:
        return None
    if problem.plain_errors:
        ones = [1] * len(problem.dataset.classes)
        found = ErrorUnits(encoded, prepared.unit, 0, ones, 1)
    else:
        weighed = _weighed(prepared)
        if weighed is None:
            return None
        found = weighed
    dataset = found.problem.dataset
    prices = prepared.leaf_price * problem.max_leaves
    prices += prepared.price(frozenset(prepared.features))
    most = max(
        dataset.total_weight * found.error_price + prices,
        dataset.total_weight * max(found.share_factors),
        problem.min_leaf_weight * found.share_scale,
    )
    return found if most < TOTAL_LIMIT else None


def _weighed(prepared: PreparedProblem) -> ErrorUnits | None:
    """Return costs of classes as plain errors with other weights, if they are."""
    plain = in_plain_errors(any_leaves(prepared.encoded.problem))
    if plain is None or plain.rounded:
        return None
    dataset, weighed = prepared.problem.dataset, plain.problem.dataset
    per_weight = dataset.weight_scale * plain.unit
    price = per_weight / weighed.weight_scale * prepared.unit
    totals = prepared.of_class.sum(axis=0).tolist()
    right = (
        row[label] * total
        for label, (row, total) in enumerate(zip(plain.costs, totals, strict=True))
    )
    constant = sum(right, Fraction(0)) * prepared.unit
    if price.denominator > 1 or constant.denominator > 1:
        return None
    # By class, the weight in shares of a unit of weight in the costs; 1 for a class without rows.
    rates = [Fraction(1)] * len(dataset.classes)
    for label, own, other in zip(dataset.labels, dataset.weights, weighed.weights, strict=True):
        rates[label] = Fraction(int(own), int(other))
    scale = lcm(*(rate.denominator for rate in rates))
    factors = [int(rate * scale) for rate in rates]
    return ErrorUnits(plain.problem, int(price), int(constant), factors, scale)


class NativeConstrained:
    """The native search under constraints.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    units : ErrorUnits
        The same in plain errors.
    watch : Watch
        Receives incumbent and lower bound, and holds the exclusive limit on the cost.
    options : SearchOptions
        Limits of the search.
    """

    def __init__(
        self, prepared: PreparedProblem, units: ErrorUnits, watch: Watch, options: SearchOptions
    ) -> None:
        self.prepared, self.units = prepared, units
        self.watch, self.options = watch, options

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
        watch, constant = self.watch, self.units.constant

        def callback(cost: int | None, lower: int, seconds: float) -> object:
            assert watch.callback is not None
            return watch.callback(_sum(cost, constant), lower + constant, seconds)

        listener = None if watch.callback is None else callback
        options = replace(self.options, callback=listener, time_limit=watch.left())
        found = constrained_errors(self.units.problem, self._settings(start, options), options)
        moments = found.stats["progress"]
        watch.moments += [(_sum(cost, constant), low + constant, s) for cost, low, s in moments]
        watch.lower = found.lower_bound + constant
        if found.nodes is not None and found.cost is not None:
            assert found.ranks is not None
            watch.tree = self._tree(found.nodes, found.ranks)
            watch.upper = found.cost + constant
        elif found.status == "infeasible":
            watch.lower = watch.upper
        return found.stopped_by, found.stats

    def _settings(self, start: CostedTree | None, options: SearchOptions) -> ConstrainedSettings:
        prepared, problem = self.prepared, self.prepared.problem
        features = problem.feature_constraints
        count = problem.dataset.X.shape[1]
        below, most = self.watch.upper, problem.max_error_weight
        if below == inf and most is not None:  # the costs of leaves are limited, not their prices
            below = (most + 1) * prepared.unit
        # A search counts either rows or weights of leaves by its bounds.
        plain = set(self.units.share_factors) == {1}
        counts_weight = plain and problem.min_rows == 1 < problem.min_leaf_weight
        limits = TreeLimits(
            max_depth=problem.limits.max_depth,
            max_size=problem.max_tree_size,
            min_samples_leaf=problem.min_leaf_weight if counts_weight else problem.min_rows,
        )
        switches = switches_of("constrained-errors", options.switches)
        costs = CostSettings(
            search=replace(options, switches=switches).search_settings(limits),
            error_price=self.units.error_price,
            leaf_price=_whole(prepared.leaf_price),
            upper_bound=None if below == inf else max(_whole(below) - self.units.constant, 0),
        )
        leaf_weight = 0 if counts_weight else problem.min_leaf_weight * self.units.share_scale
        return ConstrainedSettings(
            costs=costs,
            features=prepared.features,
            directions=[features.directions.get(feature, 0) for feature in range(count)],
            in_shares=features.in_shares,
            required=list(features.required),
            only_below=[features.only_below.get(feature) for feature in range(count)],
            max_features=features.max_features,
            prices=[_whole(prepared.price(frozenset([f]))) for f in range(count)],
            leaves=sorted(problem.leaf_limits.items()),
            share_factors=self.units.share_factors,
            min_leaf_weight=leaf_weight,
            counts_weight=counts_weight,
            values=self._values(count),
            incumbent=None if start is None else self._nodes(start),
        )

    def _values(self, count: int) -> list[list[list[int]]]:
        """Return the values of categories, by their ranks in the columns of the feature."""
        values: list[list[list[int]]] = [[] for _ in range(count)]
        if self.prepared.problem.feature_constraints.directions:
            for feature, ranks in FeatureSpace(self.prepared).ranks.items():
                if feature in self.prepared.problem.categories or ranks.shape[1] > 1:
                    values[feature] = ranks.tolist()
        return values

    def _tree(self, nodes: list[ArrayNode], ranks: list[int]) -> CostedTree:
        prepared = self.prepared

        def at(number: int, rows: Subset) -> CostedTree:
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


def _sum(cost: int | None, constant: int) -> int | None:
    return None if cost is None else cost + constant


def _whole(number: Number) -> int:
    """Return a number without fraction as an integer."""
    assert number == int(number)
    return int(number)
