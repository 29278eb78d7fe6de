"""All trees and ensembles within the limits, listed one by one and then measured.

Shares no code with the specifications: no recursion on costs, no table, no rule objects.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import isnan
from typing import Any

from exactree import Ensemble, Problem, Tree
from exactree.rules import AxisParallel

ERRORS_OF_NUMBERS = ("squared_error", "absolute_error")

# A class index, or the feature, the rows that go left, and the two children.
Shape = Any


@dataclass(frozen=True)
class Answer:
    """A tree or an ensemble with what is minimized of it."""

    shapes: tuple[Shape, ...]
    measured: dict[str, Any]

    def vector(self, names: tuple[str, ...]) -> tuple[Any, ...]:
        """Return the exact quantities, by which answers are compared."""
        return tuple(self.measured[name] for name in names)

    def reported(self, names: tuple[str, ...]) -> tuple[Any, ...]:
        """Return the quantities as an outcome reports them: errors of numbers as nearest floats."""
        return tuple(
            float(self.measured[name]) if name in ERRORS_OF_NUMBERS else self.measured[name]
            for name in names
        )


def shapes(problem: Problem, part: frozenset[int], depth: int) -> Iterator[Shape]:
    """List all trees for a subset; leaves predict their majority, in votes and rates any class."""
    if len(part) < problem.min_rows:
        return
    data = problem.dataset
    if problem.n_trees > 1 or problem.rate is not None:
        yield from range(len(data.classes))
    else:
        totals: Counter[int] = Counter()
        for row in part:
            totals[int(data.labels[row])] += int(data.weights[row])
        yield min(totals, key=lambda label: (-totals[label], label))
    if depth > 0:
        for feature in features(problem):
            for left in left_sides(problem, feature, part):
                if left and left < part:
                    sides = (shapes(problem, side, depth - 1) for side in (left, part - left))
                    for a, b in product(*map(list, sides)):
                        yield (feature, left, a, b)


def features(problem: Problem) -> list[int]:
    """Return what splits may use: all features, unless some are named."""
    if isinstance(problem.rules, AxisParallel) and problem.rules.features is None:
        return list(range(problem.dataset.X.shape[1]))
    named = [family.features for family in getattr(problem.rules, "families", (problem.rules,))]
    return [feature for some in named for feature in some]


def left_sides(problem: Problem, feature: int, part: frozenset[int]) -> set[frozenset[int]]:
    """Return what may go left: what a value tells, missing values on either side; or these."""
    column = problem.dataset.X[:, feature].tolist()
    absent = frozenset(row for row in part if isnan(column[row]))
    reported = [
        frozenset(row for row in part - absent if holds(problem, row, feature, column[like]))
        for like in part - absent
    ]
    return {absent, part - absent, *reported, *(left | absent for left in reported)}


def regression(problem: Problem) -> bool:
    return any(name in ERRORS_OF_NUMBERS for name in problem.quantities)


def distances(problem: Problem, shape: Shape) -> Fraction:
    """Return the weighted squared distances from the means of the leaves, or those from medians."""
    data = problem.dataset
    of_leaves: dict[str, list[tuple[Fraction, int]]] = {}
    for row in range(len(data.X)):
        number = Fraction(float(data.classes[data.labels[row]]))
        of_leaves.setdefault(path(shape, row), []).append((number, int(data.weights[row])))
    if "squared_error" in problem.quantities:
        total = Fraction(0)
        for pairs in of_leaves.values():
            mean = sum(t * w for t, w in pairs) / sum(w for _, w in pairs)
            total += sum(w * (t - mean) ** 2 for t, w in pairs)
        return total
    return sum(  # least at one of the labels
        (
            min(sum(w * abs(t - m) for t, w in pairs) for m, _ in pairs)
            for pairs in of_leaves.values()
        ),
        Fraction(0),
    )


def path(shape: Shape, row: int) -> str:
    """Return the way of a row from the root to its leaf."""
    way = ""
    while isinstance(shape, tuple):
        way += "l" if row in shape[1] else "r"
        shape = shape[2] if row in shape[1] else shape[3]
    return way


def holds(problem: Problem, row: int, feature: int, value: float) -> bool:
    number = float(problem.dataset.X[row, feature])
    return number == value if feature in problem.categories else number <= value


def leaves(shape: Shape) -> list[int]:
    return leaves(shape[2]) + leaves(shape[3]) if isinstance(shape, tuple) else [shape]


def depth_of(shape: Shape) -> int:
    return 1 + max(depth_of(shape[2]), depth_of(shape[3])) if isinstance(shape, tuple) else 0


def label(shape: Shape, row: int) -> int:
    while isinstance(shape, tuple):
        shape = shape[2] if row in shape[1] else shape[3]
    return shape


def answers(problem: Problem) -> Iterator[Answer]:
    """List all trees or ensembles that keep all limits, every one once."""
    data, limits = problem.dataset, problem.limits
    everything = frozenset(range(len(data.X)))
    deepest = len(everything) if limits.max_depth is None else limits.max_depth
    single = [
        shape
        for shape in dict.fromkeys(shapes(problem, everything, min(deepest, len(everything))))
        if (limits.max_size is None or len(leaves(shape)) - 1 <= limits.max_size)
        and all(
            leaves(shape).count(data.classes.tolist().index(name)) <= most
            for name, most in (limits.max_leaves_of or {}).items()
        )
    ]
    for chosen in combinations_with_replacement(single, problem.n_trees):
        measured = measure(problem, chosen)
        few = limits.max_errors
        other_errors = regression(problem) or problem.rate is not None
        if few is None and problem.quantities[0] != "errors" and not other_errors:
            few = 0
        if few is not None and measured["plain_errors"] > few:
            continue
        if any(
            least is not None and 1 - measured[name] < least
            for name, least in (
                ("precision_error", limits.min_precision),
                ("recall_error", limits.min_recall),
            )
        ):
            continue
        if limits.max_total_size is None or measured["total_size"] <= limits.max_total_size:
            yield Answer(chosen, measured)


def measure(problem: Problem, chosen: tuple[Shape, ...]) -> dict[str, Any]:
    data = problem.dataset
    wrong, weight_of = 0, {True: 0, False: 0}
    for row, truth in enumerate(data.labels.tolist()):
        votes = Counter(label(shape, row) for shape in chosen)
        winner = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))[0][0]
        wrong += int(data.weights[row]) * (winner != truth)
        if winner != truth:
            weight_of[truth == problem.positive] += int(data.weights[row])
    if regression(problem):
        wrong = distances(problem, chosen[0])
    sizes = [len(leaves(shape)) - 1 for shape in chosen]
    depths = [depth_of(shape) for shape in chosen]
    errors, total = (Fraction(n) / data.weight_scale for n in (wrong, data.total_weight))
    priced = errors + problem.leaf_penalty * total * (sum(sizes) + len(sizes))
    return rates(problem, weight_of[False], weight_of[True]) | {
        "plain_errors": errors,
        "errors": priced,
        "squared_error": priced,
        "absolute_error": priced,
        "size": sum(sizes),
        "depth": max(depths),
        "total_size": sum(sizes),
        "largest_size": max(sizes),
        "total_depth": sum(depths),
        "largest_depth": max(depths),
    }


def rates(problem: Problem, false_positives: int, false_negatives: int) -> dict[str, Fraction]:
    """Return one minus F1, precision and recall; 0/0 is 0."""
    data = problem.dataset
    all_positives = int(data.weights[data.labels == problem.positive].sum())
    true_positives = all_positives - false_negatives

    def one_minus(part: int, whole: int) -> Fraction:
        return 1 - (Fraction(part, whole) if whole else Fraction(0))

    said = true_positives + false_positives
    return {
        "f1_error": one_minus(2 * true_positives, all_positives + said),
        "precision_error": one_minus(true_positives, said),
        "recall_error": one_minus(true_positives, all_positives),
    }


def shape_of(problem: Problem, tree: Tree) -> Shape:
    """Return a fitted tree as a shape, to compare it with those listed."""

    def below(node: int, part: frozenset[int]) -> Shape:
        if tree.children_left[node] < 0:
            return int(tree.prediction[node])
        rows, feature = sorted(part), int(tree.feature[node])
        goes_left = tree.goes_left(node, problem.dataset.X[rows])
        left = frozenset(row for row, goes in zip(rows, goes_left.tolist(), strict=True) if goes)
        sides = (int(tree.children_left[node]), left), (int(tree.children_right[node]), part - left)
        return (feature, left, *(below(*side) for side in sides))

    return below(0, frozenset(range(len(problem.dataset.X))))


def shapes_of(problem: Problem, found: Tree | Ensemble) -> Counter[Shape]:
    """Return the trees of an answer in no order."""
    trees = (found,) if isinstance(found, Tree) else found.trees
    return Counter(shape_of(problem, tree) for tree in trees)
