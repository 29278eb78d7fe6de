"""Planted trees: random tables labeled by a hidden tree of a given size, with noise."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset, make_dataset
from exactree.data.parameters import shown
from exactree.instances.instance import Instance, make_instance, refuse_large_table
from exactree.problem.parameters import whole_number
from exactree.trees import Tree, grow

__all__ = ["Planted"]

Subset = NDArray[np.int64]

# Integers up to this are exact in a table.
MAX_VALUES = 2**53


@dataclass(frozen=True)
class Planted:
    """Random examples, labeled by a random tree, with some labels changed.

    The size of the tree is an upper bound on the optimum.

    Parameters
    ----------
    rows, features : int
        Number of examples and of features.
    size : int
        Number of nodes of the planted tree.
    values : int
        Every feature has the values 0 to values - 1.
    classes : int
        Number of classes, from 2 to size + 1.
    noise : int
        Number of examples that get another label.
    seed : int
        Seed of the random numbers.
    """

    rows: int
    features: int
    size: int
    values: int = 2
    classes: int = 2
    noise: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        minima = {"rows": 2, "features": 1, "size": 1, "values": 2, "classes": 2}
        for name, minimum in (minima | {"noise": 0, "seed": 0}).items():
            number = whole_number(name, getattr(self, name), minimum, f"an integer >= {minimum}")
            object.__setattr__(self, name, number)
        refuse_large_table({"rows": self.rows, "features": self.features}, self.rows, self.features)
        if self.size >= self.rows:
            raise ValueError(
                f"size={shown(self.size)} needs at least one row more than the size, but "
                f"rows={self.rows}."
            )
        if self.values > MAX_VALUES:
            raise ValueError(f"values must be at most 2**53, got {shown(self.values)}.")
        if self.classes > self.size + 1:
            raise ValueError(
                f"classes={shown(self.classes)}, but the tree has {self.size + 1} leaves."
            )
        if self.noise > self.rows:
            raise ValueError(f"noise={shown(self.noise)} is more than rows={self.rows}.")

    def apply(self) -> Instance:
        """Return the table with noise.

        Raises
        ------
        ValueError
            If the random examples have no tree of this size in which every rule splits its subset.
        """
        X, _, _, y = self._drawn
        names = [f"feature {number}" for number in range(self.features)]
        examples = [(f"example {row}", X[row], f"class {y[row]}") for row in range(self.rows)]
        return make_instance(names, examples)

    @cached_property
    def tree(self) -> Tree:
        """The planted tree, without errors on the table without noise."""
        X, nodes, labels, _ = self._drawn
        return grow(self._dataset(X, labels), nodes)

    def _dataset(self, X: NDArray[np.float64], labels: NDArray[np.int64]) -> Dataset:
        return make_dataset(X, [f"class {label}" for label in labels])

    @cached_property
    def _drawn(self) -> tuple[NDArray[np.float64], list[Any], NDArray[np.int64], NDArray[np.int64]]:
        """Draw the examples, the tree's nodes, its labels, and the labels with noise."""
        rng = np.random.default_rng(self.seed)
        X = rng.integers(0, self.values, (self.rows, self.features)).astype(np.float64)
        rules, leaves = self._branches(rng, X)
        labels = self._labels(rng, rules, leaves)
        y = labels.copy()
        changed = rng.choice(self.rows, self.noise, replace=False)
        y[changed] = (y[changed] + rng.integers(1, self.classes, self.noise)) % self.classes
        return X, preorder(rules, 0), labels, y

    def _branches(
        self, rng: np.random.Generator, X: NDArray[np.float64]
    ) -> tuple[dict[int, Any], dict[int, Subset]]:
        """Split random leaves until there are enough nodes; the children of k are 2k+1, 2k+2."""
        rules: dict[int, Any] = {}
        leaves: dict[int, Subset] = {0: np.arange(self.rows)}
        while len(rules) < self.size:
            ready = [leaf for leaf, subset in leaves.items() if np.ptp(X[subset], axis=0).any()]
            if not ready:
                raise ValueError(
                    f"these {self.rows} examples have no tree of size {self.size}; use more "
                    "rows, features or values, or a smaller size."
                )
            leaf = ready[rng.integers(len(ready))]
            subset = leaves.pop(leaf)
            feature = int(rng.choice(np.flatnonzero(np.ptp(X[subset], axis=0))))
            distinct = np.unique(X[subset, feature])
            number = int(rng.integers(len(distinct) - 1))
            rules[leaf] = (feature, float(distinct[number]), float(distinct[number + 1]))
            goes_left = X[subset, feature] <= distinct[number]
            leaves[2 * leaf + 1], leaves[2 * leaf + 2] = subset[goes_left], subset[~goes_left]
        return rules, leaves

    def _labels(
        self, rng: np.random.Generator, rules: dict[int, Any], leaves: dict[int, Subset]
    ) -> NDArray[np.int64]:
        """Label the leaves such that sibling leaves differ and every class occurs."""
        labels = np.empty(self.rows, dtype=np.int64)
        given = {leaf: k % self.classes for k, leaf in enumerate(leaves_in_order(rules, 0))}
        names = rng.permutation(self.classes)
        for leaf, subset in leaves.items():
            labels[subset] = names[given[leaf]]
        return labels


def leaves_in_order(rules: dict[int, Any], node: int) -> list[int]:
    """Return the leaves from left to right.

    Parameters
    ----------
    rules : dict
        The rule of every node.
    node : int
        The root of the subtree.
    """
    if node not in rules:
        return [node]
    return leaves_in_order(rules, 2 * node + 1) + leaves_in_order(rules, 2 * node + 2)


def preorder(rules: dict[int, Any], node: int, number: int = 0) -> list[Any]:
    """Return the nodes in the format of `grow`.

    Parameters
    ----------
    rules : dict
        The rule of every node.
    node : int
        The root of the subtree.
    number : int
        The index of this node in preorder.
    """
    if node not in rules:
        return [(-1, 0.0, 0.0, -1, -1)]
    left = preorder(rules, 2 * node + 1, number + 1)
    right = number + 1 + len(left)
    return [(*rules[node], number + 1, right), *left, *preorder(rules, 2 * node + 2, right)]
