"""Calls of the searches for one tree: fewest errors, fewest nodes, dichotomies, paper methods."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.border import (
    CertificateProof,
    DichotomyNode,
    SearchResult,
)
from exactree.engine.native.call import examples_of, labels_of, refused_by, replay_of
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.settings import (
    BoundSettings,
    CertificateSettings,
    CostSettings,
    DichotomySettings,
    ErrorSettings,
    MatrixCosts,
    PaperSettings,
    PlainCosts,
    SizeSettings,
    TreeLimits,
)
from exactree.engine.native.switches import switches_of
from exactree.problem import Problem
from exactree.trees.arrays import ArrayNode

__all__ = [
    "dichotomy_settings",
    "error_settings",
    "minimum_errors",
    "minimum_size",
    "paper_method",
    "proper_tree",
    "prove_bounds",
]


def minimum_errors(
    problem: Problem, caps: Caps, options: SearchOptions
) -> SearchResult[list[ArrayNode]]:
    """Search for the tree with minimum errors plus leaf prices within caps.

    Parameters
    ----------
    problem : Problem
        The table and the prices.
    caps : Caps
        Limits of the tree.
    options : SearchOptions
        Limits of the search.

    Returns
    -------
    SearchResult
        The result of the native module, with costs in its integer unit.
    """
    settings = ErrorSettings(
        costs=error_settings(problem, caps, options), min_leaf_weight=caps.leaf_weight
    )
    examples = examples_of(problem)
    with replay_of(problem):
        return _native.minimum_errors(examples, settings, options.callback)


def error_settings(problem: Problem, caps: Caps, options: SearchOptions) -> CostSettings:
    """Return the settings of the search for minimum errors over thresholds.

    Parameters
    ----------
    problem, caps, options
        As in `minimum_errors`.
    """
    switches = switches_of("minimum-errors", options.switches)
    return _cost_settings(problem, caps, replace(options, switches=switches))


def _cost_settings(problem: Problem, caps: Caps, options: SearchOptions) -> CostSettings:
    price = problem.leaf_price
    above_errors = None if caps.errors is None else (caps.errors + 1) * price.error_price
    upper_bounds = [cost for cost in (above_errors, caps.below) if cost is not None]
    return CostSettings(
        search=options.search_settings(_limits(problem, caps)),
        error_price=price.error_price,
        leaf_price=price.leaf_price,
        upper_bound=min(upper_bounds, default=None),
    )


def _limits(problem: Problem, caps: Caps) -> TreeLimits:
    return TreeLimits(max_depth=caps.depth, max_size=caps.size, min_samples_leaf=problem.min_rows)


def prove_bounds(
    problem: Problem,
    costs: PlainCosts | MatrixCosts,
    options: SearchOptions,
    stages: list[list[tuple[Caps, int]]],
) -> CertificateProof | None:
    """Prove lower bounds on the costs plus leaf prices of every tree within caps.

    Parameters
    ----------
    problem, options
        As in `minimum_errors`.
    costs : PlainCosts or MatrixCosts
        What leaves cost.
    stages : list of list of (Caps, int)
        By stage, bounds in the integers of the search for trees within caps; the last bound of a
        stage implies the others.

    Returns
    -------
    CertificateProof or None
        The proof of the bounds that are reached in time; None if a bound is wrong.
    """
    to_prove = [
        [BoundSettings(limits=_limits(problem, caps), bound=bound) for caps, bound in stage]
        for stage in stages
    ]
    search = options.search_settings(_limits(problem, Caps(None, None, None)))
    settings = CertificateSettings(search=search, costs=costs, stages=to_prove)
    examples = examples_of(problem)
    with replay_of(problem):
        return _native.prove_bounds(examples, settings, options.callback)


def proper_tree(
    problem: Problem, bits: NDArray[np.uint8], caps: Caps, options: SearchOptions
) -> SearchResult[list[DichotomyNode]]:
    """Search for the tree with minimum errors plus leaf prices over given dichotomies.

    Parameters
    ----------
    problem : Problem
        The examples, the prices and the limits on leaves of a class.
    bits : ndarray of uint8, shape (m, bytes)
        For each dichotomy the rows that go left as bits, lowest bits first.
    caps, options
        As in `minimum_errors`.

    Returns
    -------
    SearchResult
        The result of the native module; a node is its dichotomy and its two children.
    """
    settings = dichotomy_settings(problem, caps, options)
    with replay_of(problem):
        return _native.proper_tree(bits, *labels_of(problem), settings, options.callback)


def dichotomy_settings(problem: Problem, caps: Caps, options: SearchOptions) -> DichotomySettings:
    """Return the settings of the search over dichotomies.

    Parameters
    ----------
    problem, caps, options
        As in `proper_tree`.
    """
    costs = _cost_settings(problem, caps, options)
    return DichotomySettings(costs=costs, leaves=list(problem.leaf_limits.items()))


def minimum_size(
    problem: Problem, caps: Caps, options: SearchOptions
) -> SearchResult[list[ArrayNode]]:
    """Search for the tree with the fewest nodes within caps; leaves may have any size.

    Parameters
    ----------
    problem : Problem
        The table and the limits on leaves of a class, which require that no errors are allowed.
    caps : Caps
        The limits of the tree; `errors` must be given.
    options : SearchOptions
        Limits of the search.

    Returns
    -------
    SearchResult
        The result of the native module; costs are sizes.

    Raises
    ------
    MethodRefused
        If the table has too many distinct rows.
    """
    assert caps.errors is not None
    switches = switches_of("minimum-size", options.switches)
    settings = SizeSettings(
        resources=replace(options, switches=switches).resources,
        max_depth=caps.depth,
        max_size=caps.size,
        errors=caps.errors,
        leaves=list(problem.leaf_limits.items()),
        stop_at_gap=options.stop_at_gap,
    )
    examples = examples_of(problem)
    with refused_by("branch-and-bound"), replay_of(problem):
        return _native.minimum_size(examples, settings, options.callback)


def paper_method(
    method: str, problem: Problem, quantity: str, options: SearchOptions
) -> SearchResult[list[ArrayNode]]:
    """Search for the tree with the fewest nodes, or minimum depth, by one of the papers' methods.

    Parameters
    ----------
    method : str
        "box", "subsets", "support-sets", "threshold" or "witness".
    problem : Problem
        The table and its limits; the limit on errors must be given.
    quantity : str
        "size" or "depth".
    options : SearchOptions
        Limits of the search, which ignores the gap.

    Returns
    -------
    SearchResult
        The result of the native module; costs are sizes, or depths.

    Raises
    ------
    MethodRefused
        If the table is too large for the method.
    """
    assert problem.max_error_weight is not None
    size = SizeSettings(
        resources=options.resources,
        max_depth=problem.limits.max_depth,
        max_size=problem.max_tree_size,
        errors=problem.max_error_weight,
        leaves=list(problem.leaf_limits.items()),
        stop_at_gap=0.0,
    )
    settings, examples = PaperSettings(size=size, minimize=quantity), examples_of(problem)
    with refused_by(method), replay_of(problem):
        return _native.paper_method(method, examples, settings, options.callback)
