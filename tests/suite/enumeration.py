"""Known answers by enumeration of all trees and ensembles, without imports from the package.

As a program it prints its answer and the answer on file for every problem of this folder:

    python tests/suite/enumeration.py

A subset is an integer whose bits are rows. Of the trees of a subset only the measures (errors,
size, depth) are kept, and only nondominated ones: every cost and every limit prefers smaller
measures. Tables of more than about ten rows take too long, unless few rules split them.
"""

import math
import runpy
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

Numbers = tuple[Any, ...]
# A labeling: for every row of a subset its class, as (row, class) pairs in order.
Labeling = tuple[tuple[int, int], ...]
# Measure of an ensemble -> index of the tree's measure in (size, depth), and the function that
# joins the measures of all trees.
OF_ENSEMBLES: dict[str, tuple[int, Any]] = {
    "total_size": (0, sum), "largest_size": (0, max), "total_depth": (1, sum),
    "largest_depth": (1, max),
}  # fmt: skip


def quick(table: Any, problem: Any) -> bool:
    """Return whether enumeration solves a problem within about a second."""
    labelings: int = len(table.classes) ** (len(table.rows) * problem.n_trees)
    return bool(problem.n_trees == 1) or labelings <= 1_000_000


def answer(table: Any, problem: Any) -> Any:
    """Return the minimum cost, for several quantities a tuple, or None if there is no tree."""
    limits = problem.limits
    names = names_of(problem)
    term = problem.regression or "errors"
    max_errors = limits.get("max_errors", None if names[0] == term or term != "errors" else 0)
    leaf_cost = problem.leaf_penalty * sum(table.weights)
    costs = set()
    for measures in measured(table, problem):
        if max_errors is not None and measures["errors"] > Fraction(max_errors):
            continue
        measures["errors"] += leaf_cost * measures["leaves"]
        measures[term] = measures["errors"]
        costs.add(tuple(measures[name] for name in names))
    best = min(costs, default=None)
    return best if best is None or isinstance(problem.minimize, tuple) else best[0]


def names_of(problem: Any) -> tuple[str, ...]:
    """Return the minimized quantities in their order."""
    return problem.minimize if isinstance(problem.minimize, tuple) else (problem.minimize,)


def measured(table: Any, problem: Any) -> Iterator[dict[str, Any]]:
    """List the measures of trees or ensembles within all limits except the limit on errors."""
    limits = problem.limits
    sizes = [limits[name] for name in ("max_size", "max_total_size") if name in limits]
    size, depth = min(sizes, default=len(table.rows)), limits.get("max_depth", len(table.rows))
    rows = limits.get("min_samples_leaf", 1)
    rows = math.ceil(Fraction(str(rows)) * len(table.rows)) if isinstance(rows, float) else rows
    if problem.n_trees > 1:
        names = names_of(problem)
        if problem.leaf_penalty or "max_total_size" in limits:
            names = (*names, "total_size")
        kept = tuple(name for name in OF_ENSEMBLES if name in names)
        for errors, *others in ensembles(table, problem.n_trees, size, depth, rows, kept):
            measures = {"errors": errors, **dict(zip(kept, others, strict=True))}
            if measures.get("total_size", 0) <= limits.get("max_total_size", math.inf):
                yield {**measures, "leaves": measures.get("total_size", 0) + problem.n_trees}
        return
    max_leaves_of = limits.get("max_leaves_of", {})
    if problem.minimize in ("size", "depth") and not limits:
        for minimum in without_errors(table, problem.minimize):
            # Without an error term there is no penalty, so the number of leaves is not needed.
            yield {"errors": Fraction(0), "leaves": 0, problem.minimize: minimum}
        return
    leaf = leaf_of_numbers(problem.regression) if problem.regression else leaf_of_classes
    limited = tuple(max_leaves_of)
    for errors, nodes, levels, *leaves in trees(table, limited, size, depth, rows, leaf):
        if all(n <= limit for n, limit in zip(leaves, max_leaves_of.values(), strict=True)):
            yield {"errors": errors, "leaves": nodes + 1, "size": nodes, "depth": levels}


def left_children(table: Any, subset: int) -> set[int]:
    """Return the left children of a subset under all rules that split it."""
    lefts = set()
    for feature in range(len(table.rows[0])):
        values = [(row, table.rows[row][feature]) for row in bits(subset)]
        for t in {value for _, value in values}:
            lefts.add(sum(1 << row for row, value in values if value <= t))
    return lefts - {subset}


def bits(subset: int) -> list[int]:
    """Return the rows of a subset."""
    return [row for row in range(subset.bit_length()) if subset >> row & 1]


def leaf_of_classes(table: Any, subset: list[int]) -> tuple[Fraction, str]:
    """Return the errors of a leaf and its class."""
    weight = {
        c: sum(table.weights[r] for r in subset if table.labels[r] == c) for c in table.classes
    }
    majority = max(table.classes, key=lambda c: weight[c])  # of equal weights the first
    return sum(weight.values()) - weight[majority], majority


def leaf_of_numbers(kind: str) -> Any:
    """Return the function for the squared or absolute error of a leaf, which has no class."""

    def leaf(table: Any, subset: list[int]) -> tuple[Fraction, str]:
        targets = [(Fraction(table.labels[r]), table.weights[r]) for r in subset]
        if kind == "squared_error":
            mean = sum(y * w for y, w in targets) / sum(w for _, w in targets)
            return sum((w * (y - mean) ** 2 for y, w in targets), Fraction(0)), ""
        # The median is one of the targets.
        return min(sum(w * abs(y - m) for y, w in targets) for m, _ in targets), ""

    return leaf


def trees(
    table: Any, named: tuple[str, ...], size: int, depth: int, rows: int, leaf: Any
) -> set[Numbers]:
    """Return the nondominated (errors, size, depth, leaves of each named class) of all trees."""

    @cache
    def below(subset: int, size: int, depth: int) -> frozenset[Numbers]:
        if subset.bit_count() < rows:
            return frozenset()
        wrong, majority = leaf(table, bits(subset))
        found = {(wrong, 0, 0, *(int(name == majority) for name in named))}
        if size > 0 and depth > 0:
            for left in left_children(table, subset):
                for a in below(left, size - 1, depth - 1):
                    for b in below(subset & ~left, size - 1 - a[1], depth - 1):
                        leaves = (m + n for m, n in zip(a[3:], b[3:], strict=True))
                        found.add((a[0] + b[0], a[1] + b[1] + 1, max(a[2], b[2]) + 1, *leaves))
        return frozenset(nondominated(found))

    return set(below((1 << len(table.rows)) - 1, size, min(depth, size)))


def without_errors(table: Any, quantity: str) -> list[int]:
    """Return a list of the minimum size or depth of a tree without errors, empty without a tree."""
    members = [sum(1 << r for r, y in enumerate(table.labels) if y == c) for c in table.classes]

    @cache
    def minimum(subset: int) -> float:
        if any(subset & ~rows == 0 for rows in members):
            return 0
        best = math.inf
        for left in left_children(table, subset):
            a, b = minimum(left), minimum(subset & ~left)
            best = min(best, 1 + (a + b if quantity == "size" else max(a, b)))
        return best

    optimum = minimum((1 << len(table.rows)) - 1)
    return [] if optimum == math.inf else [int(optimum)]


@cache
def ensembles(
    table: Any, n: int, size: int, depth: int, rows: int, names: tuple[str, ...]
) -> set[Numbers]:
    """Return the nondominated (errors, each named measure) of all ensembles of n trees.

    Trees with the same labels for all rows differ only in size and depth. So trees are added one by
    one to the votes that the trees before can give.
    """
    classes = range(len(table.classes))
    # All votes are one number: a digit to the base n + 1 for every row and class.
    digit = {
        (row, c): (n + 1) ** (row * len(classes) + c)
        for row in range(len(table.rows))
        for c in classes
    }
    measures = [OF_ENSEMBLES[name] for name in names]
    single = {
        sum(digit[place] for place in labeling): [
            tuple(size_and_depth[i] for i, _ in measures) for size_and_depth in trees_with_it
        ]
        for labeling, trees_with_it in labelings(table, size, depth, rows).items()
    }
    joins = [join for _, join in measures]
    # votes -> the nondominated measures of ensembles with these votes
    by_votes: dict[int, set[Numbers]] = {0: {(0,) * len(joins)}}
    for _ in range(n):
        with_one_more: dict[int, set[Numbers]] = {}
        for (votes, before), (vote, added) in product(by_votes.items(), single.items()):
            joined = with_one_more.setdefault(votes + vote, set())
            for a, b in product(before, added):
                joined.add(tuple(join((x, y)) for join, x, y in zip(joins, a, b, strict=True)))
        by_votes = {votes: nondominated(found) for votes, found in with_one_more.items()}
    labels = [table.classes.index(label) for label in table.labels]
    results = set()
    for votes, found in by_votes.items():
        errors = Fraction(0)
        for row, label in enumerate(labels):
            counts = [votes // digit[row, c] % (n + 1) for c in classes]
            if counts.index(max(counts)) != label:  # ties elect the first class
                errors += table.weights[row]
        results |= {(errors, *numbers) for numbers in found}
    return nondominated(results)


def labelings(table: Any, size: int, depth: int, rows: int) -> dict[Labeling, set[Numbers]]:
    """Return the labelings of the rows by trees, each with the nondominated (size, depth)."""

    @cache
    def below(subset: int, size: int, depth: int) -> dict[Labeling, set[Numbers]]:
        if subset.bit_count() < rows:
            return {}
        found = {tuple((r, c) for r in bits(subset)): {(0, 0)} for c in range(len(table.classes))}
        if size > 0 and depth > 0:
            for left in left_children(table, subset):
                children = (left, subset & ~left)
                lists = (below(child, size - 1, depth - 1).items() for child in children)
                for (on_left, left_trees), (on_right, right_trees) in product(*lists):
                    joined = found.setdefault(tuple(sorted(on_left + on_right)), set())
                    for a, b in product(left_trees, right_trees):
                        if a[0] + b[0] < size:
                            joined.add((a[0] + b[0] + 1, max(a[1], b[1]) + 1))
        kept = {labeling: nondominated(numbers) for labeling, numbers in found.items()}
        return {labeling: numbers for labeling, numbers in kept.items() if numbers}

    return below((1 << len(table.rows)) - 1, size, min(depth, size, len(table.rows) - 1))


def nondominated(found: Iterable[Numbers]) -> set[Numbers]:
    """Return the tuples that are not dominated: no other tuple is at most as large everywhere."""
    found = set(found)
    if len(found) == 1:
        return found
    kept: list[Numbers] = []
    for numbers in sorted(found):  # a tuple comes after all that dominate it
        if not any(all(a <= b for a, b in zip(other, numbers, strict=True)) for other in kept):
            kept.append(numbers)
    return set(kept)


if __name__ == "__main__":
    PROBLEMS = runpy.run_path(str(Path(__file__).with_name("problems.py")))
    for instance in PROBLEMS["instances"]():
        print(instance.name)
        for problem in instance.problems:
            if quick(instance.table, problem):
                cost = answer(instance.table, problem)
                print(f"    {problem}: {cost}, on file {problem.cost}")
