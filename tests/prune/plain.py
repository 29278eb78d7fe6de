"""A plain implementation of Algorithm 3, which computes every bound of every candidate anew."""

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

SAME = 1 + 1e-12  # rounding


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
    asked: dict[str, Any] = {
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
        return risk_bound(shape, log_q=log_q(n_errors), log_prior=log_prior(shape), **asked)
    prior = log_prior(shape) + log_q(n_errors)
    return vapnik_risk_bound(shape, log_prior=prior, **asked)


def plainly_pruned(tree: Tree, X: Any, y: Any, **how: Any) -> tuple[Tree, list[float]]:
    """Return the pruned tree and the bounds on the way."""
    bounds = [bound_of(tree, X, y, **how)]
    while tree.size:
        nodes = np.flatnonzero(tree.feature >= 0).tolist()
        without = [collapsed(tree, [node]) for node in nodes]
        found = [bound_of(one, X, y, **how) for one in without]
        if min(found) > bounds[-1] * SAME:
            break
        same = [place for place, bound in enumerate(found) if bound <= min(found) * SAME]
        place = min(same, key=lambda place: (without[place].leaves, place))
        tree = without[place]
        bounds.append(found[place])
    return tree, bounds
