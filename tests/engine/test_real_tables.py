"""Optima of related problems on real tables are consistent.

Each test relates the results of searches that share little code: fewest nodes, minimum depth,
fewest errors within a depth or a size, and the papers' own methods.
"""

import math
import runpy
from functools import cache
from pathlib import Path

import pytest

import exactree as xt

REAL_TABLES = runpy.run_path(str(Path(__file__).parents[1] / "real_tables.py"))

# Name, number of rows, seed: arguments of `some_rows`.
SUBSETS = [
    ("raisin", 40, 0),
    ("raisin", 60, 0),
    ("iris", 150, 0),
    ("wine", 120, 0),
    ("digits", 30, 1),
]
KNOWN_SIZES = REAL_TABLES["known_sizes"](quick=2.0)  # slower tables are marked long
ALL = [pytest.param(subset, id=f"{subset[0]}-{subset[1]}") for subset in SUBSETS] + [
    pytest.param((known.values[0],), id=known.id, marks=known.marks)
    for known in KNOWN_SIZES
    if not known.id.endswith("_0.5_0")  # no tables with half of the original rows
]


@cache
def table(*which):
    """Return a table of `min_size` by its name, or a subset by name, number of rows and seed."""
    return REAL_TABLES["min_size_table" if len(which) == 1 else "some_rows"](*which)


@cache
def min_cost(which, minimize, **limits):
    """Return the minimum cost, None if no tree keeps the limits."""
    X, y = table(*which)
    outcome = xt.solve(xt.Problem(X, y, minimize=minimize, limits=xt.Limits(**limits)))
    assert outcome.status in (xt.Status.OPTIMAL, xt.Status.INFEASIBLE)
    return outcome.cost


@pytest.mark.parametrize("which", ALL)
def test_minimum_size_and_minimum_depth_are_consistent(which):
    size, depth = min_cost(which, "size"), min_cost(which, "depth")
    first_depth, min_size_at_min_depth = min_cost(which, ("depth", "size"))
    first_size, min_depth_at_min_size = min_cost(which, ("size", "depth"))
    assert (first_size, first_depth) == (size, depth)
    assert math.ceil(math.log2(size + 1)) <= depth <= min_depth_at_min_size <= size
    assert size <= min_size_at_min_depth <= 2**depth - 1
    assert (min_size_at_min_depth == size) == (min_depth_at_min_size == depth)


@pytest.mark.parametrize("which", ALL)
def test_sizes_by_depth_and_depths_by_size_are_inverse(which):
    depth, min_size_at_min_depth = min_cost(which, ("depth", "size"))
    size, min_depth_at_min_size = min_cost(which, ("size", "depth"))
    assert min_cost(which, "size", max_depth=depth - 1) is None
    assert min_cost(which, "depth", max_size=size - 1) is None
    sizes = [min_cost(which, "size", max_depth=d) for d in range(depth, min_depth_at_min_size + 1)]
    depths = [min_cost(which, "depth", max_size=s) for s in range(size, min_size_at_min_depth + 1)]
    assert (sizes[0], sizes[-1]) == (min_size_at_min_depth, size)
    assert (depths[0], depths[-1]) == (min_depth_at_min_size, depth)
    assert sizes == sorted(sizes, reverse=True)
    assert depths == sorted(depths, reverse=True)
    assert size not in sizes[:-1]  # no smaller depth allows the minimum size
    assert depth not in depths[:-1]  # no smaller size allows the minimum depth
    # Depth d is enough for size s, the minimum within it; a smaller size needs a greater depth.
    for d, s in enumerate(sizes, depth):
        assert depths[s - size] <= d
        assert s == size or min_cost(which, "depth", max_size=s - 1) > d


@pytest.mark.parametrize("which", ALL)
def test_errors_by_size_or_depth_and_size_or_depth_by_errors_are_inverse(which):
    """The searches for fewest errors and for fewest nodes are different programs."""
    with_fewer_errors = {"size": math.inf, "depth": math.inf}
    for errors in range(4):
        for quantity in ("size", "depth"):
            minimum = min_cost(which, quantity, max_errors=errors)
            assert minimum <= with_fewer_errors[quantity]
            with_fewer_errors[quantity] = minimum
            if minimum > 4:  # searches for the fewest errors of larger or deeper trees take long
                continue
            errors_made = min_cost(which, "errors", **{f"max_{quantity}": minimum})
            assert errors_made <= errors
            assert min_cost(which, (quantity, "errors"), max_errors=errors) == (
                minimum,
                errors_made,
            )
            if minimum:
                assert min_cost(which, "errors", **{f"max_{quantity}": minimum - 1}) > errors


# Tables for which both "threshold" and "witness" take more than two seconds.
HARD = {"raisin", "cleve", "cleveland", "colic", "glass", "heart-c", "heart-h", "heart-statlog"}
HARD |= {"hungarian", "soybean"}
# By method, the tables for which it takes more than two seconds.
SLOW = {
    "threshold": HARD,
    "witness": HARD | {"haberman"},
    "box": set(),
    "subsets": {"digits", "hepatitis", "lymphography", "tae"},
}
# Methods by dynamic programming: they refuse most tables, for which theirs would be too large.
TABULATED = {"box", "subsets"}
PAPERS = [
    pytest.param(param.values[0], method, id=f"{param.id}-{method}", marks=param.marks)
    for param in ALL
    for method in SLOW
]


@pytest.mark.parametrize(("which", "method"), PAPERS)
def test_the_methods_of_the_papers_agree_with_the_engine(which, method):
    X, y = table(*which)
    problem = xt.Problem(X, y, minimize="size")
    slow = which[0].removesuffix("_0.2_0") in SLOW[method]
    how = {"method": method, "time_limit": 0.2 if slow else None}
    if method in TABULATED:
        try:
            outcome = xt.solve(problem, **how)
        except xt.MethodRefused:
            return
    else:
        outcome = xt.solve(problem, **how)
    size = min_cost(which, "size")
    if slow:  # a stopped search has bounds on the optimum
        assert outcome.lower_bound <= size
        assert outcome.cost is None or size <= outcome.cost
    else:
        assert (outcome.status, outcome.cost) == (xt.Status.OPTIMAL, size)
