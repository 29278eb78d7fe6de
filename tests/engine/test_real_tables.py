"""Optima of related problems on real tables are consistent.

Each relation joins searches that share little: fewest nodes, minimum depth, fewest errors within a
depth or a size, and the papers' own methods.
"""

import math
import runpy
from functools import cache
from pathlib import Path

import pytest

import exactree as xt

TABLES = runpy.run_path(str(Path(__file__).parents[1] / "real_tables.py"))

PARTS = [
    ("raisin", 40, 0),
    ("raisin", 60, 0),
    ("iris", 150, 0),
    ("wine", 120, 0),
    ("digits", 30, 1),
]
QUICK = TABLES["known_sizes"](quick=2.0)
ALL = [pytest.param(part, id=f"{part[0]}-{part[1]}") for part in PARTS] + [
    pytest.param((name.values[0],), id=name.id, marks=name.marks)
    for name in QUICK
    if not name.id.endswith("_0.5_0")
]


@cache
def table(*which):
    return TABLES["min_size_table" if len(which) == 1 else "some_rows"](*which)


@cache
def ask(which, minimize, **limits):
    """Return the minimum cost, None when nothing meets the limits."""
    X, y = table(*which)
    outcome = xt.solve(xt.Problem(X, y, minimize=minimize, limits=xt.Limits(**limits)))
    assert outcome.status in (xt.Status.OPTIMAL, xt.Status.INFEASIBLE)
    return outcome.cost


@pytest.mark.parametrize("which", ALL)
def test_least_size_and_least_depth_fit_together(which):
    size, depth = ask(which, "size"), ask(which, "depth")
    first_depth, size_there = ask(which, ("depth", "size"))
    first_size, depth_there = ask(which, ("size", "depth"))
    assert (first_size, first_depth) == (size, depth)
    assert math.ceil(math.log2(size + 1)) <= depth <= depth_there <= size
    assert size <= size_there <= 2**depth - 1
    assert (size_there == size) == (depth_there == depth)


@pytest.mark.parametrize("which", ALL)
def test_size_by_limit_on_depth_and_depth_by_limit_on_size(which):
    depth, size_there = ask(which, ("depth", "size"))
    size, depth_there = ask(which, ("size", "depth"))
    assert ask(which, "size", max_depth=depth - 1) is None
    assert ask(which, "depth", max_size=size - 1) is None
    sizes = [ask(which, "size", max_depth=d) for d in range(depth, depth_there + 1)]
    depths = [ask(which, "depth", max_size=s) for s in range(size, size_there + 1)]
    assert (sizes[0], sizes[-1]) == (size_there, size)
    assert (depths[0], depths[-1]) == (depth_there, depth)
    assert sizes == sorted(sizes, reverse=True)
    assert depths == sorted(depths, reverse=True)
    assert size not in sizes[:-1]  # at the minimum size the minimum depth is the last
    assert depth not in depths[:-1]
    for d, s in enumerate(sizes, depth):  # each front is the other one read backwards
        assert depths[s - size] <= d
        assert s == size or ask(which, "depth", max_size=s - 1) > d


@pytest.mark.parametrize("which", ALL)
def test_errors_by_size_and_by_depth_are_the_inverse_of_both_by_errors(which):
    """The searches for fewest errors and for fewest nodes are different programs."""
    before = {"size": math.inf, "depth": math.inf}
    for errors in range(4):
        for quantity in ("size", "depth"):
            least = ask(which, quantity, max_errors=errors)
            assert least <= before[quantity]
            before[quantity] = least
            if least > 4:  # fewest errors of that many nodes are long to find
                continue
            made = ask(which, "errors", **{f"max_{quantity}": least})
            assert made <= errors
            assert ask(which, (quantity, "errors"), max_errors=errors) == (least, made)
            if least:
                assert ask(which, "errors", **{f"max_{quantity}": least - 1}) > errors


# Where the papers' methods take more than a second or two.
HARD = {"raisin", "cleve", "cleveland", "colic", "glass", "heart-c", "heart-h", "heart-statlog"}
HARD |= {"hungarian", "soybean"}
SLOW = {
    "threshold": HARD,
    "witness": HARD | {"haberman"},
    "box": set(),
    "subsets": {"digits", "hepatitis", "lymphography", "tae"},
}
TABULATE = {"box", "subsets"}  # their tables would be too large for most
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
    if method in TABULATE:
        try:
            outcome = xt.solve(problem, **how)
        except xt.MethodRefused:
            return
    else:
        outcome = xt.solve(problem, **how)
    size = ask(which, "size")
    if slow:  # then its tree and its lower bound are around the answer
        assert outcome.lower_bound <= size
        assert outcome.cost is None or size <= outcome.cost
    else:
        assert (outcome.status, outcome.cost) == (xt.Status.OPTIMAL, size)
