"""Cost-complexity pruning; cross-validation chooses the price of complexity.

Source       Breiman et al., Classification and regression trees, 1984, chapter 3 (leaves); section
             6.2 of Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS
             2020 (dimension, called M-CART there).
Symbols      m examples, l features, L leaves.
The idea     The weakest link is the node whose collapse has the smallest ratio of the increase in
             the error rate to the decrease in complexity, the strength of the link. Weakest links
             are removed one by one until the root is a leaf. The tree at a price is the tree
             without the links whose strength is at most the price.
Departures
  1. The complexity of M-CART, (d/m) ln(m/d) with d = L ln(L l), is not a sum over nodes. A link's
     strength is the increase in errors divided by the decrease of the complexity of the whole tree;
     if the complexity does not decrease, the link is removed last. Strengths can decrease from one
     link to the next; then the highest strength so far is the price.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isinf, log, sqrt
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree.problem.parameters import whole_number
from exactree.prune.any_tree import read_tree
from exactree.prune.examples import Rows, errors_at_nodes, folds_of, read_examples, rows_of, sum_of
from exactree.prune.first_leaves import grow_greedily
from exactree.prune.partly_pruned import PartlyPruned, collapsed
from exactree.prune.shape_tables import Shapes
from exactree.trees import Tree
from exactree.trees.routing import AT_MOST, NO_COMPARISON

Complexity = Literal["leaves", "dimension"]
Grow = Callable[[Any, Any], Tree]
Link = tuple[float, int]  # the strength, and the node that becomes a leaf


@dataclass(frozen=True)
class PricedPruning:
    """A tree pruned at a price, and the choice of the price.

    Attributes
    ----------
    tree : Tree
        The pruned tree.
    price : float
        The chosen price; infinite if only the root remains.
    prices : tuple of float
        All candidate prices.
    fold_errors : tuple of int
        The errors on held-out examples for each price.
    """

    tree: Tree
    price: float
    prices: tuple[float, ...]
    fold_errors: tuple[int, ...]


def prune_with_cross_validation(
    tree: Any,
    X: ArrayLike,
    y: Any,
    *,
    complexity: Complexity = "dimension",
    grow: Grow = grow_greedily,
    n_folds: int = 10,
    random_state: int = 0,
) -> PricedPruning:
    """Prune a tree at the price with the fewest errors on held-out examples.

    Parameters
    ----------
    tree : Tree or fitted classifier
        As for `prune_with_bound`.
    X : array-like, shape (n, d)
        The training examples of the tree.
    y : array-like, shape (n,)
        Their labels.
    complexity : {"leaves", "dimension"}
        CART's number of leaves, or the source's approximation of a VC dimension (M-CART).
    grow : callable
        Returns the tree for a table and its labels, grown like `tree`; by default a greedy tree
        with at most 40 leaves.
    n_folds : int
        Number of folds, at least 2.
    random_state : int
        Seed of the assignment of examples to folds.

    Returns
    -------
    PricedPruning
        The pruned tree. Of prices with equal errors the highest is chosen.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the parameter and what is allowed.
    """
    if complexity not in get_args(Complexity):
        allowed = ", ".join(get_args(Complexity))
        raise ValueError(f"complexity must be one of {allowed}, found {complexity!r}.")
    seed = whole_number("random_state", random_state, 0, "an integer >= 0")
    original = read_tree(tree)
    features, labels = read_examples(original, X, y)
    links = weakest_links(original, features, labels, complexity)
    prices = _prices(links)
    classes = original.classes[labels]
    folds = folds_of(len(features), n_folds, seed)
    jobs = (
        (X, classes, training, held_out, grow, complexity, prices) for training, held_out in folds
    )
    errors = sum_of(jobs, _held_out_errors)
    chosen = prices[int(np.flatnonzero(errors == errors.min())[-1])]
    return PricedPruning(
        at_price(original, links, chosen), chosen, tuple(prices), tuple(errors.tolist())
    )


def _held_out_errors(
    X: Any,
    classes: Any,
    training: Rows,
    held_out: Rows,
    grow: Grow,
    complexity: Complexity,
    prices: list[float],
) -> Rows:
    """Return the number of errors on held-out examples for each price."""
    full_tree = read_tree(grow(rows_of(X, training), classes[training]))
    links = weakest_links(
        full_tree, *read_examples(full_tree, rows_of(X, training), classes[training]), complexity
    )
    trees = [at_price(full_tree, links, price) for price in prices]
    X_test, y_test = rows_of(X, held_out), classes[held_out]
    return np.array([(tree.predict(X_test) != y_test).sum() for tree in trees], dtype=np.int64)


def weakest_links(
    tree: Tree, features: NDArray[np.float64], labels: NDArray[np.int64], complexity: Complexity
) -> list[Link]:
    """Return the nodes in order of removal, with strengths that do not decrease (departure 1)."""
    if complexity == "dimension" and not {AT_MOST, NO_COMPARISON}.issuperset(tree.comparison):
        raise ValueError(
            "complexity='dimension' is for thresholds only, but the tree splits on codes of "
            "categories; 'leaves' is for all trees."
        )
    remaining = PartlyPruned(tree, errors_at_nodes(tree, features, labels), Shapes())
    n_examples, n_features = features.shape
    links: list[Link] = []
    highest = 0.0
    while nodes := remaining.nodes():
        current = complexity_of(remaining.leaves, n_features, n_examples, complexity)
        strengths = []
        for node in nodes:
            leaves = remaining.leaves - remaining.leaves_below(node) + 1
            fall = current - complexity_of(leaves, n_features, n_examples, complexity)
            rise = (remaining.errors_without(node) - remaining.errors) / n_examples
            strengths.append(rise / fall if fall > 0 else inf)
        weakest = min(strengths)
        tied = [
            node for node, strength in zip(nodes, strengths, strict=True) if strength == weakest
        ]
        highest = max(highest, weakest)
        removed = max(tied, key=remaining.leaves_below)  # in a tie the first in preorder
        links.append((highest, removed))
        remaining.collapse(removed)
    return links


def complexity_of(leaves: int, n_features: int, n_examples: int, complexity: Complexity) -> float:
    """Return the complexity: leaves, or (d/m) ln(m/d) with d = L ln(L l), 0 at d = 0."""
    if complexity == "leaves":
        return float(leaves)
    ratio = leaves * log(leaves * n_features) / n_examples  # d/m
    return -ratio * log(ratio) if ratio else 0.0


def at_price(tree: Tree, links: list[Link], price: float) -> Tree:
    """Return the tree without the links whose strength is at most a price."""
    return collapsed(tree, [node for strength, node in links if strength <= price])


def _prices(links: list[Link]) -> list[float]:
    """Return a price for each tree of the sequence.

    It is the geometric mean of the lowest and the highest price that select the tree.
    """
    ends = sorted({0.0, *(strength for strength, _ in links)})
    means = [low if isinf(high) else sqrt(low * high) for low, high in pairwise(ends)]
    return [*means, inf]
