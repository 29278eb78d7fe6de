"""Surfaces of a returned tree: the subsets of their nodes, and rules with wide margins."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from exactree.data.thresholds import middle_between, threshold_between
from exactree.rules import SurfaceRule, Surfaces
from exactree.rules.hulls import scales, widest_margin_weights
from exactree.rules.roundings import gaps
from exactree.rules.surface import products
from exactree.trees import Tree

__all__ = ["subsets", "surfaces_of", "with_margin"]


def subsets(tree: Tree, X: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """List the nodes of a tree with the rows that reach them.

    Parameters
    ----------
    tree : Tree
        The tree.
    X : ndarray of float64, shape (n, d)
        The table of the tree's problem.
    """
    reached = {0: np.arange(len(X))}
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        subset = reached[node]
        left = tree.goes_left(node, X[subset])
        reached[int(tree.children_left[node])] = subset[left]
        reached[int(tree.children_right[node])] = subset[~left]
        yield node, subset


def with_margin(rule: SurfaceRule, X: NDArray[np.float64]) -> SurfaceRule:
    """Return a rule that splits a subset as a given rule does, with the widest margin found.

    The weights have the widest margin in products of features scaled to the same range, or are the
    weights of the given rule if their margin is wider. Weights are considered only if they split
    the subset identically in floating point. A rule from the user is returned unchanged.

    Parameters
    ----------
    rule : SurfaceRule
        A rule that splits the subset.
    X : ndarray of float64, shape (n, d)
        The subset.
    """
    if rule.fixed:
        return rule
    left = rule.holds(X)
    P = np.stack(list(products(rule.monomials, X)), axis=1)
    given = np.array(rule.weights)
    widest_weights = _with_largest_near_one(widest_margin_weights(P, left))
    weights = np.stack([widest_weights, _with_largest_near_one(given), given])
    last, first = gaps(P, weights, left)
    scale = scales(P)
    length = _lengths(weights, scale)
    margin = np.where(last < first, 0.0, -np.inf)
    np.divide(first - last, length, out=margin, where=(last < first) & (length > 0))
    best = int(np.argmax(margin))
    threshold = _threshold(float(last[best]), float(first[best]))
    return SurfaceRule(rule.monomials, tuple(weights[best].tolist()), threshold)


def _threshold(last: float, first: float) -> float:
    """Return a short decimal in the middle half of a gap, so that most of the margin remains."""
    middle = float(middle_between(last, first))
    if middle == last:
        return middle
    low, high = float(middle_between(last, middle)), float(middle_between(middle, first))
    return float(threshold_between(low, high)) if low < high else middle


def _lengths(weights: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lengths of weight vectors for scaled products, up to a common unknown factor.

    Squares neither overflow nor underflow for huge or tiny products.
    """
    unit = scale.max(initial=0.0)
    with np.errstate(over="ignore", under="ignore"):  # an infinite length means no margin
        relative = np.divide(scale, unit, out=np.zeros_like(scale), where=scale > 0)
        inner = np.divide(weights, relative, out=np.zeros_like(weights), where=relative > 0)
        largest = np.abs(inner).max(axis=1, keepdims=True)
        finite = (largest > 0) & np.isfinite(largest)
        shares = np.divide(inner, largest, out=np.zeros_like(inner), where=finite)
        lengths: NDArray[np.float64] = largest[:, 0] * np.sqrt((shares**2).sum(axis=1))
    return np.where(finite[:, 0], lengths, largest[:, 0])


def _with_largest_near_one(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights times a power of two, the largest in [1, 2): readable and still exact."""
    scaled: NDArray[np.float64] = np.ldexp(weights, 1 - np.frexp(np.abs(weights).max())[1])
    return scaled


def surfaces_of(rules: Sequence[SurfaceRule]) -> Surfaces:
    """Return rules as the surfaces of a tree, with the monomials of all of them.

    Parameters
    ----------
    rules : sequence of SurfaceRule
        In the order of the surfaces.
    """
    monomials = tuple(dict.fromkeys(m for rule in rules for m in rule.monomials))
    weights = []
    for rule in rules:
        by_monomial = dict(zip(rule.monomials, rule.weights, strict=True))
        weights.append(tuple(by_monomial.get(m, 0.0) for m in monomials))
    return Surfaces(monomials, tuple(weights))
