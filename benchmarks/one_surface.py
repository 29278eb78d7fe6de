"""The command `python -m benchmarks.one_surface`: the best tree of one surface, by cost and size.

Points in general position, labels of a plane with noise; for every cost the seconds with one
thread and with two. The list of all splits, which other searches over surfaces need, would take the
bytes of the last column.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import fact_lines, facts
from exactree import Limits, Problem, Status, solve
from exactree.rules import Hypersurfaces
from exactree.rules.dichotomies import linear_dichotomies

COSTS = ("errors", "balanced_error", "gini", "log_loss", "squared_error", "absolute_error")


@dataclass(frozen=True)
class Size:
    """The size of a table, and the degree of the surfaces."""

    rows: int
    features: int
    degree: int = 1


SIZES = (Size(300, 2), Size(1000, 2), Size(100, 3), Size(300, 3), Size(40, 2, 2), Size(100, 2, 2))


def table(size: Size, cost: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return a table whose labels or targets depend on a plane, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(size.rows, size.features))
    side = X.sum(axis=1) > 0
    if cost in ("squared_error", "absolute_error"):
        return X, side + rng.normal(size=size.rows) * 0.3
    return X, side ^ (rng.random(size.rows) < 0.1)


def seconds(size: Size, cost: str, threads: int) -> float:
    """Return the seconds of the search with some threads."""
    X, y = table(size, cost)
    rules = Hypersurfaces(size.degree)
    problem = Problem(X, y, minimize=cost, rules=rules, limits=Limits(max_depth=1))
    begin = time.perf_counter()
    outcome = solve(problem, n_jobs=threads, time_limit=120)
    end = time.perf_counter()
    return end - begin if outcome.status is Status.OPTIMAL else np.nan


def page(sizes: tuple[Size, ...] = SIZES) -> Iterator[str]:
    """Yield the lines of the record."""
    yield "# The best tree of one surface"
    yield ""
    yield from fact_lines(facts(("exactree",)))
    yield "- limit: 120 s; a dash is a search that took longer"
    yield ""
    yield "| n x p | degree | cost | s, one thread | s, two threads | ratio | bytes of a list |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for size in sizes:
        terms = Hypersurfaces(size.degree).number_of_monomials(size.features)
        listed = linear_dichotomies(size.rows, terms) * -(-size.rows // 8)
        for cost in COSTS:
            one, two = (seconds(size, cost, threads) for threads in (1, 2))
            times = "- | - | -" if np.isnan(one) else f"{one:.2f} | {two:.2f} | {one / two:.2f}"
            shape = f"{size.rows} x {size.features}"
            yield f"| {shape} | {size.degree} | {cost} | {times} | {listed:.1e} |"


if __name__ == "__main__":
    for line in page():
        print(line, flush=True)
