"""Pruning by a risk bound: nodes go as long as a bound on the errors on new examples falls.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Algorithm 3.
Time         For each candidate one table for every node above it.
The idea     Of all trees with a leaf in place of one node, the root included, take the one of
             least bound; go on with it if its bound is not above that of the tree so far.
Departures
  1. As printed the algorithm never stops, as it compares with a bound that it has just lowered.
  2. Of nodes whose removal gives the same bound the one with most leaves goes, then the first in
     preorder. Bounds within one part in 10^12 are the same: that is rounding.
"""

from dataclasses import dataclass
from math import log
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree.prune.any_tree import read_tree
from exactree.prune.collapse import collapsed
from exactree.prune.examples import errors_at_nodes, features_asked, read_examples
from exactree.prune.partly_pruned import PartlyPruned
from exactree.prune.shape_tables import ShapeTables
from exactree.theory.counts import share
from exactree.theory.enumerate_shapes import wedderburn_etherington_numbers
from exactree.theory.risk import (
    R,
    log_error_prior,
    log_leaves_prior,
    shawe_taylor,
    vapnik,
)
from exactree.trees import Tree

Risk = Literal["shawe-taylor", "vapnik"]
FORMS = ("loose", "paper")
_ROUNDING = 1 + 1e-12


@dataclass(frozen=True)
class Pruning:
    """What is left of a tree, and how its bound fell.

    Attributes
    ----------
    tree : Tree
        The pruned tree, with the numbers that the tree had at its nodes.
    n_errors : int
        How many of the examples it gets wrong.
    bounds : tuple of float
        The bound of the whole tree, and after each node that went.
    removed : tuple of int
        The nodes that became leaves, as numbered in the whole tree, in this order.
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
    r: float = R,
    risk: Risk = "shawe-taylor",
    form: Literal["loose", "paper"] = "loose",
    categories: Any = None,
) -> Pruning:
    """Prune a tree by a bound on its errors on new examples; no examples are held back for it.

    Parameters
    ----------
    tree : Tree or fitted classifier
        A tree of exactree or scikit-learn, or a classifier with one. It stays as it is.
    X : array-like or data frame, shape (n, d)
        The examples that the tree was fitted to.
    y : array-like, shape (n,)
        Their labels. Each row counts once.
    delta : float
        The probability with which the bound may fail, between 0 and 1.
    r : float
        Between 0 and 1: k errors have the prior (1 - r) r^k. The smaller, the less is pruned.
    risk : {"shawe-taylor", "vapnik"}
        Which bound falls: see `theory.risk_bound` and `theory.vapnik_risk_bound`. The latter gets
        the prior of errors, too: without it next to nothing would be left of a tree.
    form : {"loose", "paper"}
        How partitions are counted: see `theory.PartitioningBounds`.
    categories : list of str or int, optional
        Columns, by name or index, that hold codes without an order, also those that the tree does
        not ask for: it asks them whether they equal a code. The bound counts them as nominal
        features, with one category more than the table has codes.

    Returns
    -------
    Pruning
        The pruned tree and its bound.

    Raises
    ------
    ValueError, TypeError
        One sentence that names what cannot be.
    """
    whole = read_tree(tree)
    features, labels = read_examples(whole, X, y)
    bound = BoundOfTree(whole, features, delta=delta, risk=risk, form=form, categories=categories)
    return bound.pruned(whole, errors_at_nodes(whole, features, labels), r)


class BoundOfTree:
    """The bound that falls: of a shape and a number of errors, with tables for all shapes.

    Parameters
    ----------
    tree : Tree
        Says how many features and classes there are, and how many leaves at most.
    X : ndarray
        The examples whose errors are counted, as `read_examples` returns them.
    delta, risk, form, categories
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
        categories: Any = None,
    ) -> None:
        for name, value, known in (("risk", risk, get_args(Risk)), ("form", form, FORMS)):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, found {value!r}.")
        self._n_examples, self._delta = len(X), share("delta", delta)
        self._of = shawe_taylor if risk == "shawe-taylor" else vapnik
        self._tables = ShapeTables(
            features_asked(tree, X, categories), tree.n_classes, 2 * len(X), tree.leaves, form
        )
        self._leaves = self._tables.shapes.leaves
        numbers = wedderburn_etherington_numbers(tree.leaves)
        self._log_priors = [log_leaves_prior(n, log(numbers[n])) for n in range(1, len(numbers))]

    def pruned(self, tree: Tree, errors: NDArray[np.int64], r: float) -> Pruning:
        """Return what is left of a tree, given the errors at its nodes."""
        rest = PartlyPruned(tree, errors, self._tables.shapes)
        bounds: list[float] = []
        while True:
            nodes = rest.nodes()
            shapes = [rest.shape, *(rest.shape_without(node) for node in nodes)]
            n_errors = [rest.errors, *(rest.errors_without(node) for node in nodes)]
            now, *found = self._bounds(shapes, n_errors, r)
            bounds.append(now)
            if not found or min(found) > now * _ROUNDING:
                break
            same = np.flatnonzero(np.array(found) <= min(found) * _ROUNDING)
            rest.collapse(max((nodes[place] for place in same), key=rest.leaves_below))
        return Pruning(
            collapsed(tree, rest.removed), rest.errors, tuple(bounds), tuple(rest.removed)
        )

    def _bounds(self, shapes: list[int], n_errors: list[int], r: float) -> list[float]:
        no_error, each = log_error_prior(0, r), log(r)
        return [
            self._of(
                self._n_examples,
                k,
                growth - self._log_priors[self._leaves[shape] - 1] - no_error - k * each,
                self._delta,
            )
            for shape, growth, k in zip(
                shapes, self._tables.log_growth(shapes), n_errors, strict=True
            )
        ]
