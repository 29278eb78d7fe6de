"""Pruning by a risk bound: nodes are collapsed as long as the bound does not increase.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Algorithm 3.
Time         For each candidate one table for every node above it.
The idea     Of all trees with a leaf in place of one node, including the root, take the tree with
             the smallest bound; continue with it if its bound is at most that of the current tree.
Departures
  1. As printed, the algorithm never stops, as it compares with a bound that it has just lowered.
  2. Of nodes whose removal gives the same bound, the node with the most leaves is removed, then the
     first in preorder. Bounds within a relative 10^-12 count as equal, because of rounding.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import exp, fsum, log
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree.data.parameters import checked_share
from exactree.prune.any_tree import read_tree
from exactree.prune.examples import errors_at_nodes, features_for_bounds, read_examples
from exactree.prune.partly_pruned import PartlyPruned, collapsed
from exactree.prune.shape_tables import ShapeTables
from exactree.theory.enumerate_shapes import wedderburn_etherington_numbers
from exactree.theory.partitions import Form
from exactree.theory.risk import (
    DEFAULT_R,
    checked_logarithm,
    log_error_prior,
    log_prior_by_leaves,
    shawe_taylor,
    vapnik,
)
from exactree.theory.shape import TreeShape
from exactree.trees import Tree

Risk = Literal["shawe-taylor", "vapnik"]
_ROUNDING = 1 + 1e-12


@dataclass(frozen=True)
class Pruning:
    """A pruned tree, and the sequence of its bounds.

    Attributes
    ----------
    tree : Tree
        The pruned tree, with the counts of the original tree at its nodes.
    n_errors : int
        Number of examples that it misclassifies.
    bounds : tuple of float
        The bound of the original tree, and after each removal.
    removed : tuple of int
        The nodes that became leaves, as numbered in the original tree, in order of removal.
    """

    tree: Tree
    n_errors: int
    bounds: tuple[float, ...]
    removed: tuple[int, ...]

    @property
    def bound(self) -> float:
        """The bound of the pruned tree."""
        return self.bounds[-1]


def prune_with_bound(
    tree: Any,
    X: ArrayLike,
    y: Any,
    *,
    delta: float = 0.05,
    r: float = DEFAULT_R,
    risk: Risk = "shawe-taylor",
    form: Form = "loose",
    log_prior: Callable[[TreeShape], float] | None = None,
    log_q: Callable[[int], float] | None = None,
    categories: Any = None,
    level_sets: bool = False,
) -> Pruning:
    """Prune a tree by a bound on its errors on new examples, without held-out examples.

    Parameters
    ----------
    tree : Tree or fitted classifier
        A tree of exactree or scikit-learn, or a classifier with such a tree. It is not changed.
    X : array-like or data frame, shape (n, d)
        The training examples of the tree.
    y : array-like, shape (n,)
        Their labels. Each row counts once.
    delta : float
        The maximum probability that the bound fails, between 0 and 1.
    r : float
        Between 0 and 1: k errors have the prior (1 - r) r^k. Smaller values prune less.
    risk : {"shawe-taylor", "vapnik"}
        The bound: see `theory.risk_bound` and `theory.vapnik_risk_bound`. The latter is also used
        with the prior of errors; without it almost nothing of a tree would remain.
    form : {"loose", "tight", "paper"}
        The count of partitions: see `theory.PartitioningBounds`. The tight form is smaller, and
        takes time quadratic in the number of examples for every new shape.
    log_prior : callable, optional
        Returns the natural logarithm of the prior of a `TreeShape`, instead of
        `theory.log_shape_prior`. The priors of all shapes must sum to at most 1.
    log_q : callable, optional
        Returns the natural logarithm of the prior of a number of errors, instead of that of `r`.
        The priors of all numbers of errors must sum to at most 1.
    categories : list of str or int, optional
        Columns, by name or index, of codes without an order, including those that the tree does not
        use; rules compare them for equality with a code. The bound counts them as nominal features
        with one category more than the codes of the table.
    level_sets : bool
        Whether the tree was chosen from rules that send any set of codes left
        (``AxisParallel(level_sets=True)``); then the bound counts these rules.

    Returns
    -------
    Pruning
        The pruned tree and its bound.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the parameter and what is allowed.
    """
    original = read_tree(tree)
    features, labels = read_examples(original, X, y)
    bound = BoundOfTree(
        original,
        features,
        delta=delta,
        risk=risk,
        form=form,
        log_prior=log_prior,
        categories=categories,
        level_sets=level_sets,
    )
    log_prior_of = (
        log_prior_of_errors(r) if log_q is None else checked_log_prior(log_q, len(features))
    )
    return bound.pruned(original, errors_at_nodes(original, features, labels), log_prior_of)


def log_prior_of_errors(r: float) -> Callable[[int], float]:
    """Return the logarithm of the prior (1 - r) r^k as a function of the number of errors.

    Parameters
    ----------
    r : float
        Between 0 and 1.
    """
    no_error, each = log_error_prior(0, r), log(r)
    return lambda n_errors: no_error + n_errors * each


def checked_log_prior(log_q: Callable[[int], float], n_examples: int) -> Callable[[int], float]:
    """Return the logarithm of a given prior of errors, after checking that it is a prior.

    Parameters
    ----------
    log_q : callable
        Returns the logarithm of the prior of a number of errors.
    n_examples : int
        The maximum number of errors.
    """
    if not callable(log_q):
        raise TypeError(f"log_q must be a function of the number of errors, got {log_q!r}.")
    priors = [checked_logarithm(f"log_q({k})", log_q(k)) for k in range(n_examples + 1)]
    total = fsum(map(exp, priors))
    if total > 1 + 1e-9:
        raise ValueError(
            f"the priors exp(log_q(k)) of 0 to {n_examples} errors must sum to at most 1, found "
            f"{total:.6g}."
        )
    return priors.__getitem__


class BoundOfTree:
    """The bound as a function of a shape and a number of errors, with tables for all shapes.

    Parameters
    ----------
    tree : Tree
        A tree with the features, the classes and the maximum number of leaves.
    X : ndarray
        The examples whose errors are counted, from `read_examples`.
    delta, risk, form, log_prior, categories, level_sets
        As for `prune_with_bound`.
    """

    def __init__(
        self,
        tree: Tree,
        X: NDArray[np.float64],
        *,
        delta: float = 0.05,
        risk: str = "shawe-taylor",
        form: str = "loose",
        log_prior: Callable[[TreeShape], float] | None = None,
        categories: Any = None,
        level_sets: bool = False,
    ) -> None:
        if risk not in get_args(Risk):
            raise ValueError(f"risk must be one of {', '.join(get_args(Risk))}, found {risk!r}.")
        if log_prior is not None and not callable(log_prior):
            raise TypeError(f"log_prior must be a function of a TreeShape, got {log_prior!r}.")
        self._n_examples, self._delta = len(X), checked_share("delta", delta)
        self._risk_bound = shawe_taylor if risk == "shawe-taylor" else vapnik
        features = features_for_bounds(tree, X, categories, level_sets)
        self._tables = ShapeTables(features, tree.n_classes, 2 * len(X), tree.leaves, form)
        self._log_prior = self._prior_by_leaves if log_prior is None else self._given(log_prior)
        numbers = wedderburn_etherington_numbers(tree.leaves)
        self._log_priors = [log_prior_by_leaves(n, log(numbers[n])) for n in range(1, len(numbers))]

    def _prior_by_leaves(self, shape: int) -> float:
        """Return the logarithm of the prior of a shape, which depends on its leaves only."""
        return self._log_priors[self._tables.shapes.leaves[shape] - 1]

    def _given(self, log_prior: Callable[[TreeShape], float]) -> Callable[[int], float]:
        """Return a given log prior as a function of the index of a shape."""

        @cache
        def prior(index: int) -> float:
            shape = self._tables.shapes.shape(index)
            return checked_logarithm(f"log_prior({shape.code})", log_prior(shape))

        return prior

    def pruned(
        self, tree: Tree, errors: NDArray[np.int64], log_prior_of: Callable[[int], float]
    ) -> Pruning:
        """Return the pruned tree, given the errors at its nodes and a log prior of their number."""
        remaining = PartlyPruned(tree, errors, self._tables.shapes)
        bounds: list[float] = []
        while True:
            nodes = remaining.nodes()
            shapes = [remaining.shape, *(remaining.shape_without(node) for node in nodes)]
            n_errors = [remaining.errors, *(remaining.errors_without(node) for node in nodes)]
            current, *without_node = self._bounds(shapes, n_errors, log_prior_of)
            bounds.append(current)
            if not without_node or min(without_node) > current * _ROUNDING:
                break
            minimal = np.flatnonzero(np.array(without_node) <= min(without_node) * _ROUNDING)
            remaining.collapse(max((nodes[i] for i in minimal), key=remaining.leaves_below))
        return Pruning(
            collapsed(tree, remaining.removed),
            remaining.errors,
            tuple(bounds),
            tuple(remaining.removed),
        )

    def _bounds(
        self, shapes: list[int], n_errors: list[int], log_prior_of: Callable[[int], float]
    ) -> list[float]:
        return [
            self._risk_bound(
                self._n_examples,
                k,
                growth - self._log_prior(shape) - log_prior_of(k),
                self._delta,
            )
            for shape, growth, k in zip(
                shapes, self._tables.log_growth(shapes), n_errors, strict=True
            )
        ]
