"""A plain implementation of Algorithm 3 of source 003, which computes every bound from scratch."""

from typing import Any

import numpy as np

from exactree.prune.partly_pruned import collapsed
from exactree.theory import (
    Features,
    log_error_prior,
    log_shape_prior,
    risk_bound,
    shape_of,
    vapnik_risk_bound,
)
from exactree.trees import Tree

# Bounds whose ratio is at most this are equal, up to rounding.
TOLERANCE = 1 + 1e-12


def bound_of(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    risk: str,
    r: float,
    delta: float,
    form: str,
    categories: tuple[int, ...] = (),
    level_sets: bool = False,
    log_prior: Any = log_shape_prior,
    log_q: Any = None,
) -> float:
    """Return the bound of a tree."""
    log_q = log_q or (lambda k: log_error_prior(k, r))
    nominal = tuple(1 + len(set(X[:, column])) for column in categories)
    shape, n_errors = shape_of(tree), int((tree.predict(X) != np.asarray(y)).sum())
    table: dict[str, Any] = {
        "n_features": Features(
            tree.n_features - len(nominal),
            nominal=nominal,
            nominal_rules="subset" if level_sets else "one-against-rest",
        ),
        "n_examples": len(X),
        "n_classes": tree.n_classes,
        "n_errors": n_errors,
        "delta": delta,
        "form": form,
    }
    if risk == "shawe-taylor":
        return risk_bound(shape, log_q=log_q(n_errors), log_prior=log_prior(shape), **table)
    prior = log_prior(shape) + log_q(n_errors)
    return vapnik_risk_bound(shape, log_prior=prior, **table)


def prune(tree: Tree, X: Any, y: Any, **options: Any) -> tuple[Tree, list[float]]:
    """Return the pruned tree, and the bounds of the tree and of every intermediate tree."""
    bounds = [bound_of(tree, X, y, **options)]
    while tree.size:
        nodes = np.flatnonzero(tree.feature >= 0).tolist()
        candidates = [collapsed(tree, [node]) for node in nodes]
        candidate_bounds = [bound_of(candidate, X, y, **options) for candidate in candidates]
        best = min(candidate_bounds)
        if best > bounds[-1] * TOLERANCE:
            break
        ties = [i for i, bound in enumerate(candidate_bounds) if bound <= best * TOLERANCE]
        chosen = min(ties, key=lambda i: (candidates[i].leaves, i))
        tree = candidates[chosen]
        bounds.append(candidate_bounds[chosen])
    return tree, bounds
