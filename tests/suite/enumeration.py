"""Known answers by enumeration of all trees and ensembles, without imports from the package.

Run it to see what it finds for every question of this folder beside the answer on file:

    python tests/suite/enumeration.py

Parts are integers whose bits are rows. Of the trees for a subset only the measures are kept, and of
those only what no other tree beats or equals in everything: all costs and limits ask for little.
Tables of more than about ten rows are beyond it, unless few rules divide them.
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
# Of a tree's size and depth, which one, and how those of several trees are joined.
OF_ENSEMBLES: dict[str, tuple[int, Any]] = {
    "total_size": (0, sum), "largest_size": (0, max), "total_depth": (1, sum),
    "largest_depth": (1, max),
}  # fmt: skip


def quick(table: Any, question: Any) -> bool:
    """Return whether enumeration solves a problem within about a second."""
    ensembles: int = len(table.classes) ** (len(table.rows) * question.n_trees)
    return bool(question.n_trees == 1) or ensembles <= 1_000_000


def answer(table: Any, question: Any) -> Any:
    """Return the cost of the best answer, a tuple of costs, or None if there is none."""
    limits = question.limits
    names = names_of(question)
    term = question.regression or "errors"
    most_errors = limits.get("max_errors", None if names[0] == term or term != "errors" else 0)
    price = question.leaf_penalty * sum(table.weights)
    costs = set()
    for known in measured(table, question):
        if most_errors is not None and known["errors"] > Fraction(most_errors):
            continue
        known["errors"] += price * known["leaves"]
        known[term] = known["errors"]
        costs.add(tuple(known[name] for name in names))
    best = min(costs, default=None)
    return best if best is None or isinstance(question.minimize, tuple) else best[0]


def names_of(question: Any) -> tuple[str, ...]:
    """Return the quantities in their order."""
    return question.minimize if isinstance(question.minimize, tuple) else (question.minimize,)


def measured(table: Any, question: Any) -> Iterator[dict[str, Any]]:
    """List the measures of trees or ensembles within all limits but that on errors."""
    limits = question.limits
    sizes = [limits[name] for name in ("max_size", "max_total_size") if name in limits]
    size, depth = min(sizes, default=len(table.rows)), limits.get("max_depth", len(table.rows))
    rows = limits.get("min_samples_leaf", 1)
    rows = math.ceil(Fraction(str(rows)) * len(table.rows)) if isinstance(rows, float) else rows
    if question.n_trees > 1:
        asked = names_of(question)
        if question.leaf_penalty or "max_total_size" in limits:
            asked = (*asked, "total_size")
        kept = tuple(name for name in OF_ENSEMBLES if name in asked)
        for errors, *some in ensembles(table, question.n_trees, size, depth, rows, kept):
            known = {"errors": errors, **dict(zip(kept, some, strict=True))}
            if known.get("total_size", 0) <= limits.get("max_total_size", math.inf):
                yield {**known, "leaves": known.get("total_size", 0) + question.n_trees}
        return
    few = limits.get("max_leaves_of", {})
    if question.minimize in ("size", "depth") and not limits:
        for least in without_errors(table, question.minimize):
            yield {"errors": Fraction(0), "leaves": 0, question.minimize: least}
        return
    leaf = leaf_of_numbers(question.regression) if question.regression else leaf_of_classes
    for errors, nodes, deep, *leaves in trees(table, tuple(few), size, depth, rows, leaf):
        if all(n <= most for n, most in zip(leaves, few.values(), strict=True)):
            yield {"errors": errors, "leaves": nodes + 1, "size": nodes, "depth": deep}


def left_sides(table: Any, part: int) -> set[int]:
    """Return the left sides of all rules that split a subset."""
    lefts = set()
    for feature in range(len(table.rows[0])):
        values = [(row, table.rows[row][feature]) for row in bits(part)]
        for t in {value for _, value in values}:
            lefts.add(sum(1 << row for row, value in values if value <= t))
    return lefts - {part}


def bits(part: int) -> list[int]:
    """Return the rows of a subset."""
    return [row for row in range(part.bit_length()) if part >> row & 1]


def leaf_of_classes(table: Any, part: list[int]) -> tuple[Fraction, str]:
    """Return the errors of a leaf and its class."""
    weight = {c: sum(table.weights[r] for r in part if table.labels[r] == c) for c in table.classes}
    majority = max(table.classes, key=lambda c: weight[c])  # the first of several
    return sum(weight.values()) - weight[majority], majority


def leaf_of_numbers(kind: str) -> Any:
    """Return what gives the squared or absolute error of a leaf, which has no class."""

    def leaf(table: Any, part: list[int]) -> tuple[Fraction, str]:
        given = [(Fraction(table.labels[r]), table.weights[r]) for r in part]
        if kind == "squared_error":
            mean = sum(y * w for y, w in given) / sum(w for _, w in given)
            return sum((w * (y - mean) ** 2 for y, w in given), Fraction(0)), ""
        return min(sum(w * abs(y - m) for y, w in given) for m, _ in given), ""

    return leaf


def trees(
    table: Any, named: tuple[str, ...], size: int, depth: int, rows: int, leaf: Any
) -> set[Numbers]:
    """Return errors, size, depth and leaves of the named classes of all trees worth keeping."""

    @cache
    def below(part: int, size: int, depth: int) -> frozenset[Numbers]:
        if part.bit_count() < rows:
            return frozenset()
        wrong, majority = leaf(table, bits(part))
        found = {(wrong, 0, 0, *(int(name == majority) for name in named))}
        if size > 0 and depth > 0:
            for left in left_sides(table, part):
                for a in below(left, size - 1, depth - 1):
                    for b in below(part & ~left, size - 1 - a[1], depth - 1):
                        leaves = (m + n for m, n in zip(a[3:], b[3:], strict=True))
                        found.add((a[0] + b[0], a[1] + b[1] + 1, max(a[2], b[2]) + 1, *leaves))
        return frozenset(nondominated(found))

    return set(below((1 << len(table.rows)) - 1, size, min(depth, size)))


def without_errors(table: Any, quantity: str) -> list[int]:
    """Return the minimum size or depth of a tree without errors; nothing if there is none."""
    members = [sum(1 << r for r, y in enumerate(table.labels) if y == c) for c in table.classes]

    @cache
    def least(part: int) -> float:
        if any(part & ~rows == 0 for rows in members):
            return 0
        joined = math.inf
        for left in left_sides(table, part):
            a, b = least(left), least(part & ~left)
            joined = min(joined, 1 + (a + b if quantity == "size" else max(a, b)))
        return joined

    found = least((1 << len(table.rows)) - 1)
    return [] if found == math.inf else [int(found)]


@cache
def ensembles(
    table: Any, n: int, size: int, depth: int, rows: int, names: tuple[str, ...]
) -> set[Numbers]:
    """Return the errors and the named measures of the ensembles of n trees worth keeping."""
    classes = range(len(table.classes))
    # Votes as one number: a digit to the base n + 1 for every row and class.
    worth = {
        (row, c): (n + 1) ** (row * len(classes) + c)
        for row in range(len(table.rows))
        for c in classes
    }
    measures = [OF_ENSEMBLES[name] for name in names]
    single = {
        sum(worth[given] for given in labeling): [tuple(ab[i] for i, _ in measures) for ab in found]
        for labeling, found in labelings(table, size, depth, rows).items()
    }
    joins = [join for _, join in measures]
    reached: dict[int, set[Numbers]] = {0: {(0,) * len(joins)}}
    for _ in range(n):
        further: dict[int, set[Numbers]] = {}
        for (votes, before), (vote, more) in product(reached.items(), single.items()):
            here = further.setdefault(votes + vote, set())
            for a, b in product(before, more):
                here.add(tuple(join((x, y)) for join, x, y in zip(joins, a, b, strict=True)))
        reached = {votes: nondominated(found) for votes, found in further.items()}
    labels = [table.classes.index(label) for label in table.labels]
    all_found = set()
    for votes, found in reached.items():
        errors = Fraction(0)
        for row, label in enumerate(labels):
            own = [votes // worth[row, c] % (n + 1) for c in classes]
            if own.index(max(own)) != label:  # the first of several
                errors += table.weights[row]
        all_found |= {(errors, *some) for some in found}
    return nondominated(all_found)


def labelings(table: Any, size: int, depth: int, rows: int) -> dict[Labeling, set[Numbers]]:
    """Return what labels trees can give the rows, with the sizes and depths worth keeping."""

    @cache
    def below(part: int, size: int, depth: int) -> dict[Labeling, set[Numbers]]:
        if part.bit_count() < rows:
            return {}
        found = {tuple((r, c) for r in bits(part)): {(0, 0)} for c in range(len(table.classes))}
        if size > 0 and depth > 0:
            for left in left_sides(table, part):
                sides = (below(side, size - 1, depth - 1).items() for side in (left, part & ~left))
                for (one, these), (other, those) in product(*sides):
                    here = found.setdefault(tuple(sorted(one + other)), set())
                    for a, b in product(these, those):
                        if a[0] + b[0] < size:
                            here.add((a[0] + b[0] + 1, max(a[1], b[1]) + 1))
        kept = {labeling: nondominated(numbers) for labeling, numbers in found.items()}
        return {labeling: numbers for labeling, numbers in kept.items() if numbers}

    return below((1 << len(table.rows)) - 1, size, min(depth, size, len(table.rows) - 1))


def nondominated(found: Iterable[Numbers]) -> set[Numbers]:
    """Return the numbers that no others beat or equal in everything."""
    found = set(found)
    if len(found) == 1:
        return found
    kept: list[Numbers] = []
    for numbers in sorted(found):  # what beats a tuple comes before it
        if not any(all(a <= b for a, b in zip(other, numbers, strict=True)) for other in kept):
            kept.append(numbers)
    return set(kept)


if __name__ == "__main__":
    QUESTIONS = runpy.run_path(str(Path(__file__).with_name("problems.py")))
    for instance in QUESTIONS["instances"]():
        print(instance.name)
        for question in instance.questions:
            if quick(instance.table, question):
                print(
                    f"    {question}: {answer(instance.table, question)}, on file {question.cost}"
                )
