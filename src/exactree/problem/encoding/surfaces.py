"""Surfaces of a returned tree: the subsets of their nodes, and rules with wide margins."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from exactree.data.thresholds import middle_between, threshold_between
from exactree.rules import Hypersurfaces, SurfaceRule, Surfaces
from exactree.rules.hulls import scales, widest_margin_weights
from exactree.rules.readings import reading
from exactree.rules.roundings import gaps
from exactree.rules.surface import Monomial, products
from exactree.trees import Tree

__all__ = ["splits_exactly", "subsets", "surface_between", "surfaces_of", "with_margin"]


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


def surface_between(
    family: Hypersurfaces,
    X: NDArray[np.float64],
    left: NDArray[np.bool_],
    given: Mapping[Monomial, float],
) -> SurfaceRule | None:
    """Return a surface of a family that splits a subset in a given way; None if none is found.

    Tried are the given weights, a single product of features, and the weights of widest margin.
    The rule splits the subset so in floating point, but maybe not in real numbers: see
    `splits_exactly`.

    Parameters
    ----------
    family : Hypersurfaces
        The family.
    X : ndarray of float64, shape (n, d)
        The subset.
    left : ndarray of bool, shape (n,)
        The rows that go left: some, and not all.
    given : mapping of tuple of int to float
        The weights of products of features that are tried if the family has all these products.
    """
    monomials = family.monomials(X.shape[1])
    P = np.stack(list(products(monomials, X)), axis=1)
    units = np.eye(len(monomials))
    candidates = [units, -units]
    if given and set(given) <= set(monomials):
        candidates = [np.array([[given.get(monomial, 0.0) for monomial in monomials]]), *candidates]
    rule = _first_between(monomials, P, np.concatenate(candidates), left)
    if rule is not None:
        return rule
    return _first_between(monomials, P, widest_margin_weights(P, left)[None], left)


def _first_between(
    monomials: tuple[Monomial, ...],
    P: NDArray[np.float64],
    candidates: NDArray[np.float64],
    left: NDArray[np.bool_],
) -> SurfaceRule | None:
    """Return the rule of the first weights that split products of features in a given way."""
    last, first = gaps(P, candidates, left)
    fits = np.flatnonzero(last < first)
    if not len(fits):
        return None
    index = int(fits[0])
    threshold = float(middle_between(float(last[index]), float(first[index])))
    return SurfaceRule(monomials, tuple(candidates[index].tolist()), threshold)


def splits_exactly(rule: SurfaceRule, X: NDArray[np.float64]) -> bool:
    """Return whether a rule splits a subset in floating point as it does in real numbers.

    The numbers of the table are those of `exactree.rules.readings`.

    Parameters
    ----------
    rule : SurfaceRule
        The rule.
    X : ndarray of float64, shape (n, d)
        The subset.
    """
    doubtful = _doubtful(rule, X)
    exact = [_holds_exactly(rule, row) for row in X[doubtful]]
    return bool((rule.holds(X[doubtful]) == np.array(exact, dtype=np.bool_)).all())


def _doubtful(rule: SurfaceRule, X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for which rows roundings may decide whether a rule holds.

    A product of k features and a weight has k roundings, and each addition of the G terms one. A
    value that stands for a decimal is that decimal rounded: at most k roundings more. So unless
    numbers underflow, a sum differs from the real sum by less than (2 k + G) 2^-52 times the sum of
    the absolute terms, and the bound here is greater. No product underflows if the absolute value
    of each feature is zero or at least 2^(-500 / k), and at most 2^(500 / k); terms that underflow
    lose less than G 2^-1074 together, far less than this bound if the sum of the absolute terms is
    at least 2^-900.
    """
    terms = [(m, w) for m, w in zip(rule.monomials, rule.weights, strict=True) if w]
    monomials = [monomial for monomial, _ in terms]
    degree = max(map(sum, monomials))
    P = np.stack(list(products(monomials, X)), axis=1)
    size = np.abs(P) @ np.abs([weight for _, weight in terms])
    bound = (degree + len(terms)) * 2.0**-50 * size
    distance = np.abs(rule.sums(X) - rule.threshold)
    used = np.abs(X[:, np.array(monomials).any(axis=0)])
    extreme = (used > 2.0 ** (500 / degree)) | ((used > 0) & (used < 2.0 ** (-500 / degree)))
    return np.asarray(extreme.any(axis=1) | ~(distance > bound) | ~(size >= 2.0**-900))


def _holds_exactly(rule: SurfaceRule, row: NDArray[np.float64]) -> bool:
    """Return whether a rule holds for a row in real numbers."""
    total = Fraction(0)
    for monomial, weight in zip(rule.monomials, rule.weights, strict=True):
        factors = [reading(float(row[f])) ** power for f, power in enumerate(monomial) if power]
        total += Fraction(weight) * prod(factors) if weight else 0
    return total <= Fraction(rule.threshold)


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
