"""The native searches of the relaxation, and their bounds in the units of this search.

Plain errors have their own search. If all errors on a class cost the same, costs of classes are
plain errors with other weights (`engine/single_objective/class_weights.py`), plus a constant for
every row. Other costs of classes and regressions have a search each. Searches of subsets use the
prices, shares and weights of the whole table.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import NamedTuple

from exactree.engine.constrained.prepared import Number, PreparedProblem, Subset
from exactree.engine.native import minimum_class_costs, minimum_deviation, minimum_errors
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.single_objective.class_units import ClassUnits, class_units
from exactree.engine.single_objective.class_weights import InPlainErrors, in_plain_errors
from exactree.problem import Problem
from exactree.problem.limits import Limits
from exactree.trees.arrays import ArrayNode

__all__ = ["SubsetResult", "SubsetSearch", "any_leaves", "native_search", "searched_as"]


class SubsetResult(NamedTuple):
    """Result of a native search of a subset.

    Attributes
    ----------
    nodes : list of tuple or None
        The tree.
    lower : int, Fraction or None
        The lower bound; None if it is exactly the cost of the tree.
    stopped_by : str or None
        The reason of a stop; None after a proof.
    tolerance : float
        The maximum amount by which the tree of a proof may exceed the minimum, where `lower` is
        None.
    """

    nodes: list[ArrayNode] | None
    lower: Number | None
    stopped_by: str | None
    tolerance: float = 0.0


# Takes rows, columns, maximum depth, maximum size and options.
SubsetSearch = Callable[[Subset, list[int], int, int, SearchOptions], SubsetResult]


def searched_as(problem: Problem) -> str | None:
    """Return the name of the native search of a problem, None if there is none.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of one quantity where errors are not plain.
    """
    if problem.regression:
        return "regression"
    if problem.plain_errors or in_plain_errors(any_leaves(problem)) is not None:
        return "branch-and-bound"
    return None if class_units(problem) is None else "regression"


def any_leaves(problem: Problem) -> Problem:
    """Return the problem without limits on leaves of classes, which the relaxation ignores.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    return problem.within(replace(problem.limits, max_leaves_of=None))


def native_search(prepared: PreparedProblem) -> SubsetSearch:
    """Return the native search of a problem.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem; `searched_as` names its search.
    """
    problem = prepared.encoded.problem
    if problem.regression:
        return _RegressionSearch(prepared)
    if problem.plain_errors:
        return _ErrorSearch(prepared)
    plain = in_plain_errors(any_leaves(problem))
    if plain is not None:
        return _Weighed(prepared, plain)
    units = class_units(problem)
    assert units is not None
    return _ClassCosts(prepared, units)


class _ErrorSearch:
    """The search for plain errors, with a minimum leaf weight if any; its proofs are exact.

    The native search counts either rows or weights of leaves.
    """

    def __init__(self, prepared: PreparedProblem) -> None:
        self.problem, self.unit = prepared.encoded.problem, prepared.unit
        weight = prepared.problem.min_leaf_weight
        self.leaf_weight = weight if weight and self.problem.min_rows == 1 else None

    def __call__(
        self, rows: Subset, columns: list[int], depth: int, size: int, options: SearchOptions
    ) -> SubsetResult:
        subset = self.problem.unconstrained_subset(rows, columns)
        caps = Caps(depth, size, None, leaf_weight=self.leaf_weight)
        found = minimum_errors(subset, caps, options)
        # An interrupt is reported even where the proof was just complete.
        if found.status == "optimal":
            return SubsetResult(found.nodes, None, found.stopped_by)
        lower = subset.leaf_price.exact_lower_bound(found.lower_bound) * self.unit
        return SubsetResult(found.nodes, lower, found.stopped_by)


class _Weighed:
    """The search for plain errors of other weights, which may be rounded."""

    def __init__(self, prepared: PreparedProblem, plain: InPlainErrors) -> None:
        self.weighed, self.rounded = plain.problem, plain.rounded
        weight_scale = prepared.problem.dataset.weight_scale
        per_weight = weight_scale * plain.unit
        self.rate = per_weight / plain.problem.dataset.weight_scale * prepared.unit
        # The errors of a subset exceed its exact errors by at most those of all examples.
        self.above = plain.above * weight_scale * prepared.unit
        # The costs of right predictions, by class.
        self.right = [row[label] * prepared.unit for label, row in enumerate(plain.costs)]
        self.of_class = prepared.of_class

    def __call__(
        self, rows: Subset, columns: list[int], depth: int, size: int, options: SearchOptions
    ) -> SubsetResult:
        subset = self.weighed.unconstrained_subset(rows, columns)
        found = minimum_errors(subset, Caps(depth, size, None), options)
        if found.status == "optimal" and not self.rounded:
            return SubsetResult(found.nodes, None, found.stopped_by)
        totals = self.of_class[rows].sum(axis=0).tolist()
        constant = sum(cost * total for cost, total in zip(self.right, totals, strict=True))
        exact = subset.leaf_price.exact_lower_bound(found.lower_bound) * self.rate
        lower = max(exact - self.above, 0)
        return SubsetResult(found.nodes, floor(lower + constant), found.stopped_by)


class _ClassCosts:
    """The search for sums of costs of classes; costs of shares are rounded."""

    def __init__(self, prepared: PreparedProblem, units: ClassUnits) -> None:
        self.problem, self.unit, self.units = prepared.encoded.problem, prepared.unit, units

    def __call__(
        self, rows: Subset, columns: list[int], depth: int, size: int, options: SearchOptions
    ) -> SubsetResult:
        limits = Limits(max_depth=depth, max_size=size, min_samples_leaf=self.problem.min_rows)
        subset = self.problem.unconstrained_subset(rows, columns).within(limits)
        found = minimum_class_costs(subset, self.units.by_class, replace(options, stop_at_gap=0.0))
        if found.status == "optimal" and self.units.exact:
            return SubsetResult(found.nodes, None, found.stopped_by)
        units = replace(self.units, exponent=found.exponent, rounding_units=found.slack)
        lower = floor(units.lower_bound(found.lower_bound) * self.unit)
        return SubsetResult(found.nodes, lower, found.stopped_by)


class _RegressionSearch:
    """The searches for regressions; their optimal trees are optimal up to a tolerance."""

    def __init__(self, prepared: PreparedProblem) -> None:
        self.problem, self.leaf_price = prepared.encoded.problem, float(prepared.leaf_price)

    def __call__(
        self, rows: Subset, columns: list[int], depth: int, size: int, options: SearchOptions
    ) -> SubsetResult:
        limits = Limits(max_depth=depth, max_size=size, min_samples_leaf=self.problem.min_rows)
        subset = self.problem.unconstrained_subset(rows, columns).within(limits)
        callback = options.callback
        if callback is not None:
            options = replace(options, callback=lambda *_: callback(None, 0, 0.0))
        found = minimum_deviation(subset, self.leaf_price, replace(options, stop_at_gap=0.0))
        lower = None if found.stopped_by is None else Fraction(found.lower_bound)
        return SubsetResult(found.nodes, lower, found.stopped_by, found.stats["rounding"])
