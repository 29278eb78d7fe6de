"""Surfaces in a tree that is handed out: the parts they divide, and the widest margins found."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from exactree.data.thresholds import threshold_between
from exactree.rules import SurfaceRule, Surfaces
from exactree.rules.hulls import between_hulls
from exactree.trees import Tree

__all__ = ["parts", "surfaces_of", "widest"]


def parts(tree: Tree, X: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """List the nodes of a tree with the rows that reach them.

    Parameters
    ----------
    tree : Tree
        The tree.
    X : ndarray of float64, shape (n, d)
        The table that it was made for.
    """
    reached = {0: np.arange(len(X))}
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        part = reached[node]
        left = tree.goes_left(node, X[part])
        reached[int(tree.children_left[node])] = part[left]
        reached[int(tree.children_right[node])] = part[~left]
        yield node, part


def widest(rule: SurfaceRule, X: NDArray[np.float64]) -> SurfaceRule:
    """Return a rule that divides a part as another one does, with the widest margin found.

    The weights are those of the given rule, or the difference of two points close to each other in
    the hulls of the two sides (Gilbert's algorithm, in features scaled to the same range), if
    these leave more room. Only what divides the part alike in floating point counts. A rule that a
    user gave stays as it is.

    Parameters
    ----------
    rule : SurfaceRule
        Divides the part.
    X : ndarray of float64, shape (n, d)
        The part.
    """
    if rule.fixed:
        return rule
    left = rule.holds(X)
    units = tuple(tuple(row) for row in np.eye(len(rule.monomials)).tolist())
    terms = Surfaces(rule.monomials, units).values(X)
    low, high = terms.min(axis=0), terms.max(axis=0)
    # A power of two, so that nothing is rounded.
    scale = np.ldexp(1.0, -np.frexp(np.where(high > low, high - low, 1.0))[1])
    P = (terms - low) * scale
    candidates = [np.array(rule.weights)]
    apart = between_hulls(P[left], P[~left])
    if apart is not None:
        candidates.append(apart * scale)
    rooms = [_room(rule, weights, X, left, scale) for weights in candidates]
    best = int(np.argmax([room for room, _ in rooms]))
    return SurfaceRule(rule.monomials, tuple(candidates[best].tolist()), rooms[best][1])


def _room(
    rule: SurfaceRule,
    weights: NDArray[np.float64],
    X: NDArray[np.float64],
    left: NDArray[np.bool_],
    scale: NDArray[np.float64],
) -> tuple[float, float]:
    """Return the margin of weights for a division, negative if they divide otherwise; threshold."""
    value = SurfaceRule(rule.monomials, tuple(weights.tolist()), 0.0).sums(X)
    last, first = float(value[left].max()), float(value[~left].min())
    if not last < first:
        return -1.0, 0.0
    length = float(np.sqrt(((weights / scale) ** 2).sum()))
    return (first - last) / length, float(threshold_between(last, first))


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
