"""The command `python -m benchmarks.proper`: counts of proper trees, the same on every machine.

It prints the numbers of permutations of rules that are proper trees, and the numbers of subproblems
of the search for an optimal tree of given rules. `python -m benchmarks.proper --times` prints a
record of searches for optimal trees of hyperplanes: processor seconds of `solve` by method="proper"
and by the engine on columns.
"""

import sys
from collections.abc import Sequence
from math import factorial
from random import Random
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

import exactree as xt
from benchmarks.machine import facts
from exactree.proper import (
    Hyperplane,
    Memory,
    ThresholdAt,
    errors,
    gen_bts,
    proper,
    sodt,
)
from exactree.proper.geometry import Point
from exactree.rules import Hyperplanes

DRAWS = 200
FEATURES = (1, 2, 3, 4)
RULES = (2, 3, 4, 5, 6)
# Number of values of a coordinate, so large that two random examples rarely share a value.
RANGE = 10**6
# Examples, features and depth of the measured problems.
TIMED_PROBLEMS = ((100, 2, 2), (200, 2, 2), (400, 2, 2), (40, 3, 2), (60, 3, 2), (60, 2, 3))
# Maximum number of dichotomies for the engine, which is timed within depth two only; with more it
# takes minutes.
MAX_FOR_ENGINE = 20_000


def hyperplanes(k: int, d: int, rng: Random) -> tuple[Hyperplane, ...]:
    """Return k hyperplanes, each through d random examples."""
    return tuple(Hyperplane(tuple(_place(d, rng) for _ in range(d))) for _ in range(k))


def thresholds(k: int, d: int, rng: Random) -> tuple[ThresholdAt, ...]:
    """Return k thresholds, each at a random example and on a random feature."""
    return tuple(ThresholdAt(rng.randrange(d), _place(d, rng)) for _ in range(k))


def polygon(k: int) -> tuple[Hyperplane, ...]:
    """Return the k sides of a convex polygon; no k rules have more trees (Lemma 4.14)."""
    corners = [(x, x * x) for x in range(k)]
    return tuple(Hyperplane((corners[i], corners[(i + 1) % k])) for i in range(k))


def _place(d: int, rng: Random) -> Point:
    return tuple(rng.randrange(RANGE) for _ in range(d))


def trees(k: int, d: int, kind: str = "hyperplanes", draws: int = DRAWS) -> int:
    """Return the number of proper trees of k random rules, summed over all draws."""
    rng = Random(f"{kind} {k} {d}")
    draw = hyperplanes if kind == "hyperplanes" else thresholds
    total = 0
    for _ in range(draws):
        rules = draw(k, d, rng)
        total += len(gen_bts(proper(rules), rules))
    return total


def distinct_subproblems(rules: Sequence[Hyperplane]) -> int:
    """Return the number of distinct subproblems of `sodt`, which a cache solves once."""
    memory: Memory[Hyperplane, tuple[Point, ...], int] = Memory()
    sodt(proper(rules), errors(lambda x: x), tuple(rules), (), memory)
    return len(memory.entries)


def subproblems(rules: Sequence[Hyperplane]) -> int:
    """Return the number of subproblems of `sodt` without a cache."""
    space = proper(rules)

    def count(rs: tuple[Hyperplane, ...]) -> int:
        children = [child for left, _, right in space.splits(rs) for child in (left, right)]
        return 1 + sum(map(count, children)) if rs else 1

    return count(tuple(rules))


def random_problem(n: int, d: int, kind: str) -> xt.Problem:
    """Return a random problem.

    The classes are random, or noisy and the same in opposite quadrants of the first two features.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    by_quadrant = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(n) < 0.1)
    y = by_quadrant if kind == "quadrants" else rng.random(n) < 0.5
    return xt.Problem(X, y, rules=Hyperplanes())


def timed_row(n: int, d: int, depth: int, kind: str) -> list[str]:
    """Return the cells of a row: the problem, the cost, and the CPU seconds of both methods."""
    problem = random_problem(n, d, kind).within(xt.Limits(max_depth=depth))
    started = process_time()
    outcome = xt.solve(problem, method="proper")
    seconds = process_time() - started
    surfaces, roots = outcome.stats["surfaces"], outcome.stats["roots"]
    cells = [str(n), str(d), str(depth), kind, f"{surfaces:,}", f"{roots:,}", str(outcome.cost)]
    if surfaces > MAX_FOR_ENGINE or depth > 2:
        return [*cells, f"{seconds:.2f}", ""]
    started = process_time()
    engine = xt.solve(problem, method="branch-and-bound")
    assert engine.cost == outcome.cost
    return [*cells, f"{seconds:.2f}", f"{process_time() - started:.2f}"]


COLUMNS = ("N", "D", "depth", "classes", "dichotomies", "roots", "errors", "proper", "engine")


def record_of_times(problems: Sequence[tuple[int, int, int]] = TIMED_PROBLEMS) -> str:
    """Return a record of the times of searches for optimal trees of hyperplanes."""
    entries = {**facts(()), "problem": "fewest errors within a depth"}
    timed_row(10, 2, 1, "random")  # so that lazy imports are not measured
    rows = [timed_row(*sizes, kind) for sizes in problems for kind in ("random", "quadrants")]
    lines = [f"- {name}: {value}" for name, value in entries.items() if name != "packages"]
    table = [f"| {' | '.join(row)} |" for row in (COLUMNS, ["---"] * len(COLUMNS), *rows)]
    return "\n".join(
        [
            "# Best trees of hyperplanes",
            "",
            *lines,
            "",
            "`proper` and `engine`: processor seconds of the whole call of `solve`, by "
            'method="proper" and by method="branch-and-bound" on columns. `roots`: rules tried at '
            "the root of a subset.",
            "",
            *table,
            "",
        ]
    )


def main() -> None:
    """Print the counts of the page on paper 004, or with --times the record."""
    if sys.argv[1:] == ["--times"]:
        sys.stdout.write(record_of_times())
        return
    console = Console(width=120)
    for kind in ("hyperplanes", "thresholds"):
        table = Table("K", *(f"D = {d}" for d in FEATURES), title=f"Proper trees of K {kind}")
        for k in RULES:
            counts = [trees(k, d, kind) / DRAWS for d in FEATURES]
            table.add_row(str(k), *(f"{n:.3f} ({n / factorial(k):.4%})" for n in counts))
        console.print(table)
    table = Table(
        "K", "random lines", "polygon", "polygon, different", "K!", title="Subproblems of sodt"
    )
    for k in range(3, 8):
        rng = Random(k)
        lines = sum(subproblems(hyperplanes(k, 2, rng)) for _ in range(DRAWS)) / DRAWS
        sides = polygon(k)
        counts_of_polygon = subproblems(sides), distinct_subproblems(sides), factorial(k)
        table.add_row(str(k), f"{lines:.2f}", *map(str, counts_of_polygon))
    console.print(table)


if __name__ == "__main__":
    main()
