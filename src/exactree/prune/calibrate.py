"""Calibration of the prior of errors on a table: the r with the fewest errors after pruning.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Section 6.2: 5 folds, inverse powers of two, the geometric mean of 10 draws.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from exactree.data.labels import read_labels
from exactree.data.parameters import checked_integer
from exactree.prune.any_tree import read_tree
from exactree.prune.by_bound import BoundOfTree, log_prior_of_errors
from exactree.prune.by_complexity import Grow
from exactree.prune.examples import Rows, errors_at_nodes, folds_of, read_examples, rows_of, sum_of
from exactree.prune.first_leaves import grow_greedily

_EXPONENTS = tuple(range(1, 21))
# The largest e with 2^-e in the range of floats, with a margin; and a limit on the draws.
_MAX_EXPONENT, _MAX_DRAWS = 1_000, 1_000_000


def calibrate_prior(
    X: ArrayLike,
    y: Any,
    *,
    grow: Grow = grow_greedily,
    exponents: Iterable[int] = _EXPONENTS,
    n_folds: int = 5,
    n_draws: int = 10,
    random_state: int = 0,
    **options: Any,
) -> float:
    """Return an r for `prune_with_bound`, chosen by cross-validation on one table.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The examples of the table.
    y : array-like, shape (n,)
        Their labels.
    grow : callable
        Returns a tree for a table and its labels; by default greedily to at most 40 leaves.
    exponents : iterable of int
        The exponents e, from 1 to 1,000; each r = 2^-e is tried.
    n_folds : int
        Number of folds, at least 2.
    n_draws : int
        Number of random assignments to folds.
    random_state : int
        Seed of the assignments.
    **options
        Parameters of `prune_with_bound` except `r` and `log_q`. With `categories`, `grow` must
        handle the same categories.

    Returns
    -------
    float
        The geometric mean over all draws of the largest r with the fewest errors on held-out
        examples.
    """
    tried = sorted({checked_integer("exponents", e, 1, _MAX_EXPONENT) for e in exponents})
    random_state = checked_integer("random_state", random_state, 0)
    if not tried:
        raise ValueError("exponents must have at least one integer, found none.")
    labels = read_labels(y)
    chosen = []
    for draw in range(checked_integer("n_draws", n_draws, 1, _MAX_DRAWS)):
        folds = folds_of(len(labels), n_folds, (random_state, draw))
        jobs = (
            (X, labels, training, held_out, grow, tried, options) for training, held_out in folds
        )
        errors = sum_of(jobs, _held_out_errors)
        # Of several exponents with the fewest errors the smallest, and so the largest r.
        chosen.append(tried[int(np.argmin(errors))])
    return float(2.0 ** -np.mean(chosen))


def _held_out_errors(
    X: Any,
    labels: Any,
    training: Rows,
    held_out: Rows,
    grow: Grow,
    tried: list[int],
    options: dict[str, Any],
) -> Rows:
    """Return the number of errors on held-out examples for each exponent."""
    tree = read_tree(grow(rows_of(X, training), labels[training]))
    features, classes = read_examples(tree, rows_of(X, training), labels[training])
    errors = errors_at_nodes(tree, features, classes)
    bound = BoundOfTree(tree, features, **options)
    priors = [log_prior_of_errors(2.0**-exponent) for exponent in tried]
    trees = [bound.pruned(tree, errors, prior).tree for prior in priors]
    X_test, y_test = rows_of(X, held_out), labels[held_out]
    return np.array([(tree.predict(X_test) != y_test).sum() for tree in trees], dtype=np.int64)
