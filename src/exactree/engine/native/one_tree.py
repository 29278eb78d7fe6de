"""Calls that find one tree: of least errors or fewest nodes, over dichotomies, by a paper's way."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.call import answer, answer_on_examples, refused_by
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.switches import switches_of
from exactree.problem import Problem

__all__ = ["cost_settings", "least_errors", "least_size", "paper_method", "proper_tree"]


def least_errors(problem: Problem, caps: Caps, options: SearchOptions) -> dict[str, Any]:
    """Search for the tree of least errors plus leaf prices within caps.

    Parameters
    ----------
    problem : Problem
        The table and the prices.
    caps : Caps
        What the tree may have.
    options : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; costs in its integers.
    """
    settings = cost_settings(problem, caps, options)
    options = replace(options, switches=switches_of("least-errors", options.switches))
    return answer(partial(_native.search, "least-errors"), problem, settings, options)


def cost_settings(problem: Problem, caps: Caps, options: SearchOptions) -> dict[str, Any]:
    """Return the settings of a search for least errors.

    Parameters
    ----------
    problem, caps, options
        As in `least_errors`.
    """
    price = problem.leaf_price
    of_errors = None if caps.errors is None else (caps.errors + 1) * price.error_price
    below = [cost for cost in (of_errors, caps.below) if cost is not None]
    return {
        "error_price": price.error_price,
        "leaf_price": price.leaf_price,
        "max_depth": caps.depth,
        "max_size": caps.size,
        "min_samples_leaf": problem.min_rows,
        "upper_bound": min(below, default=None),
        "stop_at_gap": options.stop_at_gap,
        "threads": options.threads,
    }


def proper_tree(
    problem: Problem, bits: NDArray[np.uint8], caps: Caps, options: SearchOptions
) -> dict[str, Any]:
    """Search for the tree of least errors plus leaf prices over given dichotomies.

    Parameters
    ----------
    problem : Problem
        The examples, the prices and the limits on leaves of a class.
    bits : ndarray of uint8, shape (m, bytes)
        For each dichotomy the rows that go left as bits, lowest bits first.
    caps, options
        As in `least_errors`.

    Returns
    -------
    dict
        What the native module answers; a node is its dichotomy and its two children.
    """
    settings = cost_settings(problem, caps, options) | {"leaves": list(problem.leaf_limits.items())}

    def search(_: Any, *examples: Any) -> dict[str, Any]:
        return _native.proper_tree(bits, *examples)

    return answer_on_examples(search, problem, settings, options)


def least_size(problem: Problem, caps: Caps, options: SearchOptions) -> dict[str, Any]:
    """Search for the tree of fewest nodes within caps; leaves may hold any number of rows.

    Parameters
    ----------
    problem : Problem
        The table and the limits on leaves of a class, which need that no errors are allowed.
    caps : Caps
        What the tree may have; `errors` must be stated.
    options : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; costs are sizes.

    Raises
    ------
    MethodRefused
        If the table has too many distinct rows.
    """
    settings = {
        "max_depth": caps.depth,
        "max_size": caps.size,
        "errors": caps.errors,
        "leaves": list(problem.leaf_limits.items()),
    }
    options = replace(options, switches=switches_of("least-size", options.switches))
    with refused_by("branch-and-bound"):
        return answer(partial(_native.search, "least-size"), problem, settings, options)


def paper_method(
    method: str, problem: Problem, quantity: str, options: SearchOptions
) -> dict[str, Any]:
    """Search for the tree of fewest nodes, or of least depth, by one of the papers' methods.

    Parameters
    ----------
    method : str
        "box", "subsets", "support-sets", "threshold" or "witness".
    problem : Problem
        The table and its limits; those on errors must be stated.
    quantity : str
        "size" or "depth".
    options : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; costs are sizes, or depths.

    Raises
    ------
    MethodRefused
        If the table is too large for the method.
    """
    settings = {
        "minimize": quantity,
        "max_size": problem.most_size,
        "max_depth": problem.limits.max_depth,
        "errors": problem.most_errors,
        "leaves": list(problem.leaf_limits.items()),
    }
    with refused_by(method):
        return answer(partial(_native.search, method), problem, settings, options)
