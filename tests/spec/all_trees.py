"""All trees and ensembles within the limits, listed one by one and then measured.

This shares no code with the specifications: no recursion on costs, no table, no rule objects.
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

REGRESSION_TERMS = ("squared_error", "absolute_error")

# The class index of a leaf, or the feature of a node, the rows that go left, and the two children.
PlainTree = Any


@dataclass(frozen=True)
class Answer:
    """A tree or an ensemble, with all quantities that can be minimized."""

    trees: tuple[PlainTree, ...]
    measured: dict[str, Any]

    def vector(self, names: tuple[str, ...]) -> tuple[Any, ...]:
        """Return the exact quantities, by which answers are compared."""
        return tuple(self.measured[name] for name in names)

    def reported(self, names: tuple[str, ...]) -> tuple[Any, ...]:
        """Return the quantities as an outcome reports them: errors of regressions as floats."""
        return tuple(
            float(self.measured[name]) if name in REGRESSION_TERMS else self.measured[name]
            for name in names
        )


def plain_trees(problem: Problem, subset: frozenset[int], depth: int) -> Iterator[PlainTree]:
    """List all trees for a subset.

    Leaves predict the majority class; in ensembles, and for rates, they predict any class.
    """
    data = problem.dataset
    share = Fraction(sum(int(data.weights[row]) for row in subset), data.total_weight)
    least = Fraction(str(problem.limits.min_weight_fraction_leaf))
    if len(subset) < problem.min_rows or share < least:
        return
    if problem.n_trees > 1 or problem.rate is not None:
        yield from range(len(data.classes))
    else:
        totals: Counter[int] = Counter()
        for row in subset:
            totals[int(data.labels[row])] += int(data.weights[row])
        yield min(totals, key=lambda index: (-totals[index], index))
    if depth > 0:
        for feature in features(problem):
            for left in left_subsets(problem, feature, subset):
                if left and left < subset:
                    children = (
                        list(plain_trees(problem, s, depth - 1)) for s in (left, subset - left)
                    )
                    for left_child, right_child in product(*children):
                        yield (feature, left, left_child, right_child)


def features(problem: Problem) -> list[int]:
    """Return the features that splits may use."""
    if isinstance(problem.rules, AxisParallel) and problem.rules.features is None:
        return list(range(problem.dataset.X.shape[1]))
    named = [family.features for family in getattr(problem.rules, "families", (problem.rules,))]
    return [feature for some in named for feature in some]


def left_subsets(problem: Problem, feature: int, subset: frozenset[int]) -> set[frozenset[int]]:
    """Return the subsets that may go left.

    They are those of every value, with missing values left or right, and the missing values alone
    or all others.
    """
    column = problem.dataset.X[:, feature].tolist()
    missing = frozenset(row for row in subset if isnan(column[row]))
    by_value = [
        frozenset(row for row in subset - missing if holds(problem, row, feature, column[other]))
        for other in subset - missing
    ]
    return {missing, subset - missing, *by_value, *(left | missing for left in by_value)}


def is_regression(problem: Problem) -> bool:
    return any(name in REGRESSION_TERMS for name in problem.quantities)


def regression_error(problem: Problem, tree: PlainTree) -> Fraction:
    """Return the squared error about the means of the leaves, or the absolute error about medians.

    The minimum sum of absolute distances is attained at a label.
    """
    data = problem.dataset
    of_leaves: dict[str, list[tuple[Fraction, int]]] = {}
    for row in range(len(data.X)):
        number = Fraction(float(data.classes[data.labels[row]]))
        of_leaves.setdefault(path(tree, row), []).append((number, int(data.weights[row])))
    if "squared_error" in problem.quantities:
        total = Fraction(0)
        for pairs in of_leaves.values():
            mean = sum(t * w for t, w in pairs) / sum(w for _, w in pairs)
            total += sum(w * (t - mean) ** 2 for t, w in pairs)
        return total
    return sum(
        (
            min(sum(w * abs(t - m) for t, w in pairs) for m, _ in pairs)
            for pairs in of_leaves.values()
        ),
        Fraction(0),
    )


def path(tree: PlainTree, row: int) -> str:
    """Return the path of a row from the root to its leaf, a letter "l" or "r" for each node."""
    letters = ""
    while isinstance(tree, tuple):
        letters += "l" if row in tree[1] else "r"
        tree = tree[2] if row in tree[1] else tree[3]
    return letters


def holds(problem: Problem, row: int, feature: int, value: float) -> bool:
    number = float(problem.dataset.X[row, feature])
    return number == value if feature in problem.categories else number <= value


def leaves(tree: PlainTree) -> list[int]:
    return leaves(tree[2]) + leaves(tree[3]) if isinstance(tree, tuple) else [tree]


def depth_of(tree: PlainTree) -> int:
    return 1 + max(depth_of(tree[2]), depth_of(tree[3])) if isinstance(tree, tuple) else 0


def predicted_class(tree: PlainTree, row: int) -> int:
    while isinstance(tree, tuple):
        tree = tree[2] if row in tree[1] else tree[3]
    return tree


def answers(problem: Problem) -> Iterator[Answer]:
    """List all trees or ensembles that keep all limits, each once."""
    data, limits = problem.dataset, problem.limits
    everything = frozenset(range(len(data.X)))
    max_depth = len(everything) if limits.max_depth is None else limits.max_depth
    trees = [
        tree
        for tree in dict.fromkeys(plain_trees(problem, everything, min(max_depth, len(everything))))
        if (limits.max_size is None or len(leaves(tree)) - 1 <= limits.max_size)
        and keeps_constraints_of_a_tree(problem, tree)
    ]
    for chosen in combinations_with_replacement(trees, problem.n_trees):
        if not keeps_leaf_limits(problem, chosen) or not keeps_budgets(problem, chosen):
            continue
        measured = measure(problem, chosen)
        max_errors = limits.max_errors
        other_errors = is_regression(problem) or problem.rate is not None
        if max_errors is None and problem.quantities[0] != "errors" and not other_errors:
            max_errors = 0
        if max_errors is not None and measured["plain_errors"] > max_errors:
            continue
        if any(
            minimum is not None and 1 - measured[name] < minimum
            for name, minimum in (
                ("precision_error", limits.min_precision),
                ("recall_error", limits.min_recall),
            )
        ):
            continue
        if limits.max_total_size is None or measured["total_size"] <= limits.max_total_size:
            yield Answer(chosen, measured)


def keeps_leaf_limits(problem: Problem, chosen: tuple[PlainTree, ...]) -> bool:
    """Return whether every tree keeps the limits of `max_leaves_of`."""
    limit, labels = problem.limits.max_leaves_of, problem.dataset.classes.tolist()
    by_class = dict.fromkeys(labels, limit) if isinstance(limit, int) else limit or {}
    kept = [
        all(leaves(tree).count(labels.index(label)) <= most for tree in chosen)
        for label, most in by_class.items()
    ]
    return any(kept) if isinstance(limit, int) else all(kept)


def used_features(tree: PlainTree) -> set[int]:
    """Return the features that a tree uses."""
    if not isinstance(tree, tuple):
        return set()
    return {tree[0]} | used_features(tree[2]) | used_features(tree[3])


def keeps_budgets(problem: Problem, chosen: tuple[PlainTree, ...]) -> bool:
    """Return whether a tree, or the trees of an ensemble together, use the features they may."""
    constraints, used = problem.feature_constraints, set().union(*map(used_features, chosen))
    few = constraints.max_features is None or len(used) <= constraints.max_features
    return few and used >= set(constraints.required)


def keeps_constraints_of_a_tree(problem: Problem, tree: PlainTree) -> bool:
    """Return whether a tree is monotone, and uses features only below those that they require."""
    constraints, everything = problem.feature_constraints, frozenset(range(len(problem.dataset.X)))
    if not all(is_above(tree, above, below) for below, above in constraints.only_below.items()):
        return False
    placed = placed_trees(problem, tree, everything)
    return not constraints.directions or any(is_monotone(problem, each) for each in placed)


def is_above(tree: PlainTree, above: int, below: int) -> bool:
    """Return whether a node that splits on one feature is above all nodes that split on another."""
    if not isinstance(tree, tuple) or tree[0] == above:
        return True
    children = tree[2:]
    return tree[0] != below and all(is_above(child, above, below) for child in children)


def placed_trees(problem: Problem, tree: PlainTree, subset: frozenset[int]) -> Iterator[Any]:
    """List the trees with a value in each node instead of its rows, and values of leaves.

    A threshold is at any value of the whole table that divides the rows of its node as given.
    """
    if not isinstance(tree, tuple):
        yield value_of_leaf(problem, tree, subset)
        return
    feature, left, *children = tree
    for value in sorted({float(x) for x in problem.dataset.X[:, feature]}):
        if left == {row for row in subset if holds(problem, row, feature, value)}:
            parts = zip(children, (left, subset - left), strict=True)
            for placed in product(*(list(placed_trees(problem, *part)) for part in parts)):
                yield (feature, value, *placed)


def value_of_leaf(problem: Problem, label: int, subset: frozenset[int]) -> Fraction:
    """Return what must be monotone: a share, a class, or the mean; in ensembles the class."""
    data = problem.dataset
    weight = {row: int(data.weights[row]) for row in subset}
    if is_regression(problem):
        assert "squared_error" in problem.quantities
        numbers = {row: Fraction(float(data.classes[data.labels[row]])) for row in subset}
        return sum(weight[row] * numbers[row] for row in subset) / sum(weight.values())
    if problem.n_trees > 1 or not problem.feature_constraints.in_shares:
        return Fraction(label)
    return Fraction(sum(w for row, w in weight.items() if data.labels[row]), sum(weight.values()))


def is_monotone(problem: Problem, placed: Any) -> bool:
    """Return whether a placed tree is monotone at all points of the grid of values."""
    X, codes = problem.dataset.X, problem.categories
    axes = [sorted(set(column)) for column in X.T.tolist()]
    axes = [[*axis, axis[-1] + 1] if f in codes else axis for f, axis in enumerate(axes)]
    for point in product(*axes):
        for feature, direction in problem.feature_constraints.directions.items():
            for more in axes[feature]:
                other = (*point[:feature], more, *point[feature + 1 :])
                change = value_at(problem, placed, other) - value_at(problem, placed, point)
                if more > point[feature] and direction * change < 0:
                    return False
    return True


def value_at(problem: Problem, placed: Any, point: tuple[float, ...]) -> Fraction:
    """Return the value of the leaf that a point reaches."""
    while isinstance(placed, tuple):
        feature, value, left, right = placed
        x = point[feature]
        goes_left = x == value if feature in problem.categories else x <= value
        placed = left if goes_left else right
    return placed


def measure(problem: Problem, chosen: tuple[PlainTree, ...]) -> dict[str, Any]:
    """Return all quantities of a tree or an ensemble."""
    data = problem.dataset
    false_negatives, other_errors = 0, 0
    for row, truth in enumerate(data.labels.tolist()):
        votes = Counter(predicted_class(tree, row) for tree in chosen)
        winner = min(votes, key=lambda index: (-votes[index], index))
        if winner != truth:
            weight = int(data.weights[row])
            if truth == problem.positive:
                false_negatives += weight
            else:
                other_errors += weight
    wrong = false_negatives + other_errors
    if is_regression(problem):
        wrong = regression_error(problem, chosen[0])
    sizes = [len(leaves(tree)) - 1 for tree in chosen]
    depths = [depth_of(tree) for tree in chosen]
    errors, total = (Fraction(n) / data.weight_scale for n in (wrong, data.total_weight))
    prices = problem.feature_constraints.prices
    used = set().union(*map(used_features, chosen))
    price = problem.leaf_penalty * (sum(sizes) + len(sizes)) + sum(prices.get(f, 0) for f in used)
    priced = errors + price * total
    return rates(problem, other_errors, false_negatives) | {
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
    """Return 1 - F1, 1 - precision and 1 - recall; 0/0 is 0."""
    data = problem.dataset
    all_positives = int(data.weights[data.labels == problem.positive].sum())
    true_positives = all_positives - false_negatives

    def one_minus(numerator: int, denominator: int) -> Fraction:
        return 1 - (Fraction(numerator, denominator) if denominator else Fraction(0))

    predicted_positives = true_positives + false_positives
    return {
        "f1_error": one_minus(2 * true_positives, all_positives + predicted_positives),
        "precision_error": one_minus(true_positives, predicted_positives),
        "recall_error": one_minus(true_positives, all_positives),
    }


def plain_tree_of(problem: Problem, tree: Tree) -> PlainTree:
    """Return a fitted tree as a plain tree, to compare it with the listed trees."""

    def below(node: int, subset: frozenset[int]) -> PlainTree:
        if tree.children_left[node] < 0:
            return int(tree.prediction[node])
        rows, feature = sorted(subset), int(tree.feature[node])
        goes_left = tree.goes_left(node, problem.dataset.X[rows])
        left = frozenset(row for row, is_left in zip(rows, goes_left, strict=True) if is_left)
        left_child = below(int(tree.children_left[node]), left)
        right_child = below(int(tree.children_right[node]), subset - left)
        return (feature, left, left_child, right_child)

    return below(0, frozenset(range(len(problem.dataset.X))))


def plain_trees_of(problem: Problem, found: Tree | Ensemble) -> Counter[PlainTree]:
    """Return the trees of an answer without their order."""
    trees = (found,) if isinstance(found, Tree) else found.trees
    return Counter(plain_tree_of(problem, tree) for tree in trees)
