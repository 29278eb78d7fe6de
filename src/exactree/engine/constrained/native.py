"""Which native search bounds the trees of a subset, and what its answer proves in our units.

Plain errors have their own search. Costs of classes where all errors on a class cost the same are
plain errors of other weights (`engine/single_objective/class_weights.py`), and a constant for every
row; other costs of classes and regressions have a search each. What is required of subsets is asked
with prices, shares and weights of the whole table.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import NamedTuple

from exactree.engine.constrained.ground import Ground, Number, Subset
from exactree.engine.native import least_class_costs, least_errors
from exactree.engine.native.regression import least_deviation
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.single_objective.class_units import ClassUnits, class_units
from exactree.engine.single_objective.class_weights import InPlainErrors, in_plain_errors
from exactree.problem import Problem
from exactree.problem.limits import Limits
from exactree.trees.arrays import ArrayNode

__all__ = ["SubsetResult", "SubsetSearch", "native_search", "searched_as"]


class SubsetResult(NamedTuple):
    """What a native search says of a subset.

    Attributes
    ----------
    nodes : list of tuple or None
        The tree it found.
    lower : int, Fraction or None
        No tree costs less; None if that is what its tree costs, exactly.
    stopped_by : str or None
        What ended the search, if not the proof.
    """

    nodes: list[ArrayNode] | None
    lower: Number | None
    stopped_by: str | None


# Answers for some rows, columns, depth, size, and how to search.
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
    if problem.plain_errors or in_plain_errors(problem) is not None:
        return "branch-and-bound"
    return None if class_units(problem) is None else "regression"


def native_search(ground: Ground) -> SubsetSearch:
    """Return the native search of a problem.

    Parameters
    ----------
    ground : Ground
        The problem, of which `searched_as` names a search.
    """
    problem = ground.encoded.problem
    if problem.regression:
        return _Numbers(ground)
    if problem.plain_errors:
        return _ErrorSearch(ground)
    plain = in_plain_errors(problem)
    if plain is not None:
        return _Weighed(ground, plain)
    units = class_units(problem)
    assert units is not None
    return _ClassCosts(ground, units)


class _ErrorSearch:
    """The search for plain errors; its proofs are exact."""

    def __init__(self, ground: Ground) -> None:
        self.problem, self.unit = ground.encoded.problem, ground.unit

    def __call__(
        self, rows: Subset, columns: list[int], depth: int, size: int, options: SearchOptions
    ) -> SubsetResult:
        subset = self.problem.restricted(rows, columns)
        found = least_errors(subset, Caps(depth, size, None), options)
        # An interrupt is reported even where the proof was just complete.
        if found["status"] == "optimal":
            return SubsetResult(found["nodes"], None, found["stopped_by"])
        lower = subset.leaf_price.exact_lower_bound(found["lower_bound"]) * self.unit
        return SubsetResult(found["nodes"], lower, found["stopped_by"])


class _Weighed:
    """The search for plain errors of other weights, which may be rounded."""

    def __init__(self, ground: Ground, plain: InPlainErrors) -> None:
        self.weighed, self.rounded = plain.problem, plain.rounded
        per_weight = ground.problem.dataset.weight_scale * plain.unit
        self.rate = per_weight / plain.problem.dataset.weight_scale * ground.unit
        # Errors of a part are above the exact ones by no more than those of all rows.
        self.above = plain.above * ground.problem.dataset.weight_scale * ground.unit
        # What right predictions cost, by class.
        self.right = [row[label] * ground.unit for label, row in enumerate(plain.costs)]
        self.of_class = ground.of_class

    def __call__(
        self, rows: Subset, columns: list[int], depth: int, size: int, options: SearchOptions
    ) -> SubsetResult:
        subset = self.weighed.restricted(rows, columns)
        found = least_errors(subset, Caps(depth, size, None), options)
        if found["status"] == "optimal" and not self.rounded:
            return SubsetResult(found["nodes"], None, found["stopped_by"])
        totals = self.of_class[rows].sum(axis=0).tolist()
        constant = sum(cost * total for cost, total in zip(self.right, totals, strict=True))
        exact = subset.leaf_price.exact_lower_bound(found["lower_bound"]) * self.rate
        lower = max(exact - self.above, 0)
        return SubsetResult(found["nodes"], floor(lower + constant), found["stopped_by"])


class _ClassCosts:
    """The search for sums of costs of classes; those of shares are rounded."""

    def __init__(self, ground: Ground, units: ClassUnits) -> None:
        self.problem, self.unit, self.units = ground.encoded.problem, ground.unit, units

    def __call__(
        self, rows: Subset, columns: list[int], depth: int, size: int, options: SearchOptions
    ) -> SubsetResult:
        limits = Limits(max_depth=depth, max_size=size, min_samples_leaf=self.problem.min_rows)
        subset = self.problem.restricted(rows, columns).within(limits)
        found = least_class_costs(subset, self.units.settings, replace(options, stop_at_gap=0.0))
        if found["status"] == "optimal" and self.units.exact:
            return SubsetResult(found["nodes"], None, found["stopped_by"])
        units = replace(self.units, exponent=found["exponent"], slack=found["slack"])
        lower = floor(units.lower_bound(found["lower_bound"]) * self.unit)
        return SubsetResult(found["nodes"], lower, found["stopped_by"])


class _Numbers:
    """The searches for regressions; what is called best is so but for what is tolerated."""

    def __init__(self, ground: Ground) -> None:
        self.problem, self.leaf_price = ground.encoded.problem, float(ground.leaf_price)

    def __call__(
        self, rows: Subset, columns: list[int], depth: int, size: int, options: SearchOptions
    ) -> SubsetResult:
        subset = self.problem.restricted(rows, columns)
        dataset, callback = subset.dataset, options.callback
        nodes, _, bound, by, _ = least_deviation(
            dataset.X,
            dataset.targets,
            dataset.weights,
            subset.error_term,
            max_depth=depth,
            max_size=size,
            min_samples_leaf=subset.min_rows,
            leaf_penalty=self.leaf_price,
            time_limit=options.time_limit,
            memory_limit=options.memory_limit,
            n_jobs=options.threads,
            on_progress=None if callback is None else lambda *_: callback(None, 0, 0.0),
            switches=options.switches,
        )
        return SubsetResult(nodes, None if by is None else Fraction(bound), by)
