"""Good trees of surfaces, grown from linear models and improved by turning their surfaces.

Nothing here is proved. A part is divided by the rule of least Gini impurity among those of least
squares for each class, turned feature by feature: each weight in turn takes the value that leaves
the least impurity, the others staying as they are (the local search of Murthy, Kasif and
Salzberg's OC1). Other families of the problem contribute their thresholds and given rules.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.engine.all_rules import tree_of
from exactree.problem import Problem
from exactree.problem.cost import as_tuple
from exactree.problem.recount import keeps_limits
from exactree.rules import (
    Column,
    Hypersurfaces,
    RuleFamily,
    SurfaceColumn,
    SurfaceRule,
    families_of,
)
from exactree.rules.surface import Monomial, Surfaces
from exactree.trees import Tree

__all__ = ["linear_tree", "one_leaf"]

# Rounds of turning, and values of a weight that are tried at once.
_ROUNDS = 3
_VALUES = 64

Asked = tuple[Column | SurfaceColumn, NDArray[np.bool_]]


@dataclass
class _Growing:
    """A node of a growing tree: its rows, how deep it is, and the rule that would divide it."""

    part: NDArray[np.int64]
    depth: int
    asked: Asked | None
    gain: float
    sides: tuple["_Growing", "_Growing"] | None = None


def one_leaf(problem: Problem) -> Tree | None:
    """Return the tree without nodes, if it keeps the limits.

    Parameters
    ----------
    problem : Problem
        What is asked.
    """
    tree = tree_of(problem, [None], [(-1, -1)])
    return tree if keeps_limits(problem, tree) else None


def linear_tree(problem: Problem, going_on: Callable[[], bool]) -> Tree | None:
    """Return a good tree within the limits, None if none was found.

    The tree grows at the node where a rule gains most; of the trees on the way that of least cost
    is returned.

    Parameters
    ----------
    problem : Problem
        What is asked.
    going_on : callable
        Whether there is time for another node.
    """
    root = _node(problem, np.arange(len(problem.dataset.X)), 0)
    best, least = _written(root), _cost(problem, root)
    for _ in range(problem.most_leaves - 1):
        growing = max(_open(root), key=lambda node: node.gain, default=None)
        if growing is None or not going_on():
            break
        assert growing.asked is not None
        left = growing.asked[1][growing.part]
        growing.sides = (
            _node(problem, growing.part[left], growing.depth + 1),
            _node(problem, growing.part[~left], growing.depth + 1),
        )
        cost = _cost(problem, root)
        if cost < least:
            best, least = _written(root), cost
        if problem.quantities[0] != "errors" and not least[0]:
            break  # the first tree with few enough errors: larger ones are no better
    tree = tree_of(problem, *best)
    return tree if keeps_limits(problem, tree) else one_leaf(problem)


def _cost(problem: Problem, root: _Growing) -> tuple[Any, ...]:
    """Return by what trees are compared: errors beyond the limit, then the cost."""
    leaves = list(_leaves(root))
    errors = sum(_errors(problem, leaf.part) for leaf in leaves)
    most = problem.most_errors
    beyond = 0 if most is None else max(errors - most, 0)
    depth = max(leaf.depth for leaf in leaves)
    return (beyond, *as_tuple(problem.cost_of(errors, [len(leaves) - 1], [depth])))


def _errors(problem: Problem, part: NDArray[np.int64]) -> int:
    dataset = problem.dataset
    totals = [
        int(dataset.weights[part][dataset.labels[part] == label].sum())
        for label in range(len(dataset.classes))
    ]
    return sum(totals) - max(totals)


def _leaves(node: _Growing) -> Iterator[_Growing]:
    if node.sides is None:
        yield node
    else:
        yield from _leaves(node.sides[0])
        yield from _leaves(node.sides[1])


def _open(root: _Growing) -> Iterator[_Growing]:
    """List the leaves that a rule can divide."""
    return (leaf for leaf in _leaves(root) if leaf.asked is not None)


def _written(root: _Growing) -> tuple[list[Asked | None], list[tuple[int, int]]]:
    """Return the nodes of a tree in preorder, and the numbers of those below each."""
    nodes: list[Asked | None] = []
    children: list[tuple[int, int]] = []

    def write(node: _Growing) -> int:
        at = len(nodes)
        nodes.append(None if node.sides is None else node.asked)
        children.append((-1, -1))
        if node.sides is not None:
            children[at] = (write(node.sides[0]), write(node.sides[1]))
        return at

    write(root)
    return nodes, children


def _node(problem: Problem, part: NDArray[np.int64], depth: int) -> _Growing:
    """Return a leaf with the rule that would divide it best."""
    limits = problem.limits
    whole = _impurity(problem, part, np.zeros((1, len(part)), dtype=np.bool_))[0]
    deepest = limits.max_depth is not None and depth >= limits.max_depth
    if deepest or whole == 0:
        return _Growing(part, depth, None, 0.0)
    best, least = None, whole
    for column, left in _candidates(problem, part):
        impurity = _impurity(problem, part, left[part][None])[0]
        if impurity < least:
            best, least = (column, left), impurity
    return _Growing(part, depth, best, float(whole - least))


def _impurity(
    problem: Problem, part: NDArray[np.int64], left: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the Gini impurity that each of several divisions leaves; inf with too few rows."""
    dataset = problem.dataset
    weights = dataset.weights[part].astype(np.float64)
    classes = np.zeros((len(part), len(dataset.classes)))
    classes[np.arange(len(part)), dataset.labels[part]] = weights
    on_left = left @ classes
    sides = on_left, classes.sum(axis=0) - on_left
    impurity = np.zeros(len(left))
    for side in sides:
        total = side.sum(axis=1)
        impurity += total - (side**2).sum(axis=1) / np.where(total > 0, total, 1)
    rows = left.sum(axis=1)
    few = (rows > 0) & (rows < len(part))
    few &= (rows < problem.min_rows) | (len(part) - rows < problem.min_rows)
    return np.where(few, np.inf, impurity)


def _candidates(problem: Problem, part: NDArray[np.int64]) -> Iterator[Asked]:
    """List good rules for a part, with what they send left of the whole table."""
    for family in families_of(problem.rules):
        if isinstance(family, Hypersurfaces):
            yield from _surfaces(problem, family, part)
        else:
            yield from _thresholds(problem, family, part)


def _thresholds(problem: Problem, family: RuleFamily, part: NDArray[np.int64]) -> Iterator[Asked]:
    X = problem.dataset.X
    for column in family.columns(X):
        values = column.values(X)
        lows = np.unique(values[part])[:-1]
        if len(lows):
            some = lows[:: max(1, len(lows) // _VALUES)]
            left = values[None, :] <= some[:, None]
            yield column, left[int(np.argmin(_impurity(problem, part, left[:, part])))]


def _surfaces(problem: Problem, family: Hypersurfaces, part: NDArray[np.int64]) -> Iterator[Asked]:
    """List a surface for each class against the others, turned."""
    X = problem.dataset.X
    monomials = family.monomials(X.shape[1])
    units = tuple(tuple(row) for row in np.eye(len(monomials)).tolist())
    P = Surfaces(monomials, units).values(X[part])
    middle, spread = P.mean(axis=0), P.std(axis=0)
    spread[spread == 0] = 1
    Z = (P - middle) / spread
    labels = problem.dataset.labels[part]
    weights = np.sqrt(problem.dataset.weights[part].astype(np.float64))
    ones = np.column_stack([Z, np.ones(len(Z))]) * weights[:, None]
    present = np.unique(labels)
    for label in present[: 1 if len(present) == 2 else None].tolist():
        against = np.where(labels == label, -1.0, 1.0) * weights
        start = np.linalg.lstsq(ones, against, rcond=None)[0][:-1]
        direction = _turned(problem, part, Z, start)
        left = _divided(problem, part, Z @ direction)
        rule = _rule(monomials, direction / spread, X, part, left)
        if rule is not None:
            yield SurfaceColumn(rule), rule.holds(X)


def _divided(
    problem: Problem, part: NDArray[np.int64], value: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return what the threshold of least impurity on some numbers sends left."""
    lows = np.unique(value)[:-1]
    if not len(lows):
        return np.zeros(len(value), dtype=np.bool_)
    found = np.zeros(len(value), dtype=np.bool_)
    least = np.inf
    for start in range(0, len(lows), _VALUES):
        left = value[None, :] <= lows[start : start + _VALUES, None]
        impurity = _impurity(problem, part, left)
        if impurity.min() < least:
            least, found = impurity.min(), left[int(np.argmin(impurity))]
    return found


def _turned(
    problem: Problem,
    part: NDArray[np.int64],
    Z: NDArray[np.float64],
    direction: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return a direction after each weight has taken a better value in turn."""
    ones = np.column_stack([Z, np.ones(len(Z))])
    value = Z @ direction
    left = _divided(problem, part, value)
    if not left.any():
        return direction
    threshold = (value[left].max() + value[~left].min()) / 2
    weights = np.append(direction, -threshold)
    least = _impurity(problem, part, left[None])[0]
    for _ in range(_ROUNDS):
        before = least
        for j in range(ones.shape[1]):
            column = ones[:, j]
            rest = ones @ weights - weights[j] * column
            moved = column != 0
            values = np.unique(-rest[moved] / column[moved])
            middles = (values[1:] + values[:-1]) / 2
            some = middles[:: max(1, len(middles) // _VALUES)]
            if not len(some):
                continue
            sides = rest[None, :] + some[:, None] * column[None, :] <= 0
            impurity = _impurity(problem, part, sides)
            best = int(np.argmin(impurity))
            if impurity[best] < least:
                weights[j], least = some[best], impurity[best]
        if least == before:
            break
    return weights[:-1]


def _rule(
    monomials: Sequence[Monomial],
    weights: NDArray[np.float64],
    X: NDArray[np.float64],
    part: NDArray[np.int64],
    left: NDArray[np.bool_],
) -> SurfaceRule | None:
    """Return a rule with weights that divides a part in two, None if it does not."""
    rule = SurfaceRule(tuple(monomials), tuple(weights.tolist()), 0.0)
    value = rule.sums(X[part])
    if not left.any() or left.all() or not np.isfinite(value).all():
        return None
    low, high = value[left].max(), value[~left].min()
    if not low < high:
        return None
    return SurfaceRule(rule.monomials, rule.weights, float(low + (high - low) / 2))
