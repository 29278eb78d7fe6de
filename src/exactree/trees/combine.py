"""One tree for an ensemble (Komusiewicz et al., Theorem 3.2): append, relabel, simplify.

Each tree is appended at every leaf of the trees before it, and a leaf of the result predicts the
majority of the leaves on its path. For l trees of size at most s the result has at most
(s + 1)^l - 1 nodes, and its depth is at most the sum of the depths. Redundant nodes are left out
during the construction: splits that do not divide the region of their node, and nodes that can be
replaced by one of their subtrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.dataset import Dataset, make_dataset, make_features
from exactree.trees.arrays import ArrayNode, grow
from exactree.trees.checks import refuse_level_sets, refuse_missing, refuse_surface_splits
from exactree.trees.routing import EQUAL, NO_CHILD, NO_COMPARISON, NO_FEATURE, NO_THRESHOLD
from exactree.trees.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from exactree.trees.ensemble import Ensemble

MAX_LEAVES = 100_000
MAX_DEPTH = 300  # below Python's recursion limit


@dataclass(frozen=True)
class _Split:
    """The split of a node."""

    feature: int
    comparison: str
    threshold: float

    def holds(self, column: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for each value of the feature whether it goes left."""
        equal = self.comparison == EQUAL
        return np.asarray(column == self.threshold if equal else column <= self.threshold)


@dataclass(frozen=True)
class _Values:
    """The values of a feature in an interval (low, high], without some codes."""

    low: float = -inf
    high: float = inf
    without: frozenset[float] = frozenset()

    def divided(self, split: _Split) -> tuple[_Values | None, _Values | None]:
        """Return the left and the right subset, None for an empty subset."""
        t = split.threshold
        if split.comparison == EQUAL:
            if not self.low < t <= self.high or t in self.without:
                return None, self
            below = float(np.nextafter(t, -inf))
            if self.low >= below and self.high == t:
                return self, None
            return _Values(below, t), replace(self, without=self.without | {t})
        if t <= self.low:
            return None, self
        if t >= self.high:
            return self, None
        return replace(self, high=t), replace(self, low=t)


@dataclass(frozen=True)
class _Box:
    """All possible examples whose features have the given values."""

    values: Mapping[int, _Values] = field(default_factory=dict)

    def divided(self, split: _Split) -> tuple[_Box | None, _Box | None]:
        """Return the left and the right subset, None for an empty subset."""
        left, right = self.values.get(split.feature, _Values()).divided(split)
        return (
            None if left is None else _Box({**self.values, split.feature: left}),
            None if right is None else _Box({**self.values, split.feature: right}),
        )


@dataclass(frozen=True)
class _Rows:
    """A subset of the examples of a table."""

    X: NDArray[np.float64]

    def divided(self, split: _Split) -> tuple[_Rows | None, _Rows | None]:
        """Return the left and the right subset, None for an empty subset."""
        goes_left = split.holds(self.X[:, split.feature])
        left, right = self.X[goes_left], self.X[~goes_left]
        return (_Rows(left) if len(left) else None), (_Rows(right) if len(right) else None)


@dataclass(frozen=True)
class _VoteLeaf:
    label: int


@dataclass(frozen=True)
class _Branch:
    split: _Split
    left: _Subtree
    right: _Subtree


_Subtree = _VoteLeaf | _Branch
_Region = _Box | _Rows


def combine(ensemble: Ensemble, X: Any = None, y: Any = None, sample_weight: Any = None) -> Tree:
    """Return a tree that predicts what an ensemble predicts; see `Ensemble.to_tree`."""
    trees = ensemble.trees
    for tree in trees:
        refuse_missing(tree, "to_tree takes none")
        refuse_level_sets(tree, "to_tree")
        refuse_surface_splits(tree, "to_tree")
    dataset = _examples(ensemble, X, y, sample_weight)
    if ensemble.total_depth + len(trees) > MAX_DEPTH:
        raise ValueError(
            f"the depths of the {len(trees)} trees add up to {ensemble.total_depth}; to_tree takes "
            f"ensembles in which this sum plus the number of trees is at most {MAX_DEPTH}."
        )
    no_votes = (0,) * len(ensemble.classes)
    if dataset is None:
        root = _append(trees, 0, 0, no_votes, _Box(), count(1))
        return _without_examples(root, ensemble)
    tree = _with_examples(_append(trees, 0, 0, no_votes, _Rows(dataset.X), count(1)), dataset)
    while True:
        # `grow` chose new thresholds, between the examples of each node's subset. With these a
        # subtree may predict the same as its parent on a larger subset.
        simplified = _append((tree,), 0, 0, no_votes, _Rows(dataset.X), count(1))
        smaller = _with_examples(simplified, dataset)
        if smaller.size == tree.size:
            return tree
        tree = smaller


def _examples(ensemble: Ensemble, X: Any, y: Any, sample_weight: Any) -> Dataset | None:
    """Return the examples as a table with the classes and features of the ensemble."""
    if X is None and y is None and sample_weight is None:
        return None
    if X is None or y is None:
        raise ValueError("give X and y together, or neither.")
    values = make_features(
        X, ensemble.feature_names, ensemble.named, "to_tree takes none", ensemble.levels
    )
    dataset = make_dataset(values, y, sample_weight)
    class_index = {label: number for number, label in enumerate(ensemble.classes.tolist())}
    for label in dataset.classes.tolist():
        if label not in class_index:
            raise ValueError(f"y has the label {label!r}, which is not a class of the ensemble.")
    indices = [class_index[label] for label in dataset.classes.tolist()]
    return replace(
        dataset,
        labels=np.array(indices, dtype=np.int64)[dataset.labels],
        classes=ensemble.classes,
        feature_names=ensemble.feature_names,
        named=ensemble.named,
        levels=ensemble.levels,
    )


def _append(
    trees: tuple[Tree, ...],
    number: int,
    node: int,
    votes: tuple[int, ...],
    region: _Region,
    leaf_numbers: Iterator[int],
) -> _Subtree:
    """Return the combined tree for a region: a subtree of a tree, then all later trees.

    `leaf_numbers` counts the leaves, to refuse too many.
    """
    tree = trees[number]
    if tree.is_leaf(node):
        label = int(tree.prediction[node])
        votes = (*votes[:label], votes[label] + 1, *votes[label + 1 :])
        if number + 1 < len(trees):
            return _append(trees, number + 1, 0, votes, region, leaf_numbers)
        if next(leaf_numbers) > MAX_LEAVES:
            raise ValueError(
                f"the tree for this ensemble has more than {MAX_LEAVES:,} leaves before it is "
                "simplified; to_tree takes smaller ensembles."
            )
        return _VoteLeaf(votes.index(max(votes)))  # the earliest class with the maximum of votes
    split = _Split(int(tree.feature[node]), str(tree.comparison[node]), float(tree.threshold[node]))
    left_region, right_region = region.divided(split)
    left_child, right_child = int(tree.children_left[node]), int(tree.children_right[node])
    if left_region is None:
        return _append(trees, number, right_child, votes, region, leaf_numbers)
    if right_region is None:
        return _append(trees, number, left_child, votes, region, leaf_numbers)
    left = _append(trees, number, left_child, votes, left_region, leaf_numbers)
    right = _append(trees, number, right_child, votes, right_region, leaf_numbers)
    # The children are simplified already, so only this node can be replaced, by one of them.
    if _predict_the_same(left, right, right_region):
        return left
    if _predict_the_same(right, left, left_region):
        return right
    return _Branch(split, left, right)


def _predict_the_same(first: _Subtree, second: _Subtree, region: _Region) -> bool:
    """Return whether two trees predict the same everywhere in a region."""
    if isinstance(first, _VoteLeaf):
        if isinstance(second, _VoteLeaf):
            return first.label == second.label
        first, second = second, first
    left, right = region.divided(first.split)
    if left is not None and not _predict_the_same(first.left, second, left):
        return False
    return right is None or _predict_the_same(first.right, second, right)


def _preorder(subtree: _Subtree, listed: list[_Subtree], right: list[int]) -> None:
    """List a subtree's nodes and leaves in preorder, with the numbers of right children."""
    index = len(listed)
    listed.append(subtree)
    right.append(NO_CHILD)
    if isinstance(subtree, _Branch):
        _preorder(subtree.left, listed, right)
        right[index] = len(listed)
        _preorder(subtree.right, listed, right)


def _with_examples(root: _Subtree, dataset: Dataset) -> Tree:
    """Return the tree with the counts of a table that all of its nodes split."""
    nodes: list[ArrayNode] = []
    leaf_classes: list[int] = []

    def list_nodes(subtree: _Subtree, X: NDArray[np.float64]) -> None:
        index = len(nodes)
        leaf_classes.append(subtree.label if isinstance(subtree, _VoteLeaf) else -1)
        nodes.append((-1, 0.0, 0.0, -1, -1))
        if isinstance(subtree, _Branch):
            column = X[:, subtree.split.feature]
            goes_left = subtree.split.holds(column)
            low, high = float(column[goes_left].max()), float(column[~goes_left].min())
            by_code = subtree.split.comparison == EQUAL
            list_nodes(subtree.left, X[goes_left])
            between = (low, None if by_code else high)
            nodes[index] = (subtree.split.feature, *between, index + 1, len(nodes))
            list_nodes(subtree.right, X[~goes_left])

    list_nodes(root, dataset.X)
    return grow(dataset, nodes, leaf_classes)


def _without_examples(root: _Subtree, ensemble: Ensemble) -> Tree:
    """Return the tree with every leaf counted as one example of its class."""
    listed: list[_Subtree] = []
    right: list[int] = []
    _preorder(root, listed, right)
    value = np.zeros((len(listed), len(ensemble.classes)))
    for number in range(len(listed) - 1, -1, -1):
        subtree = listed[number]
        if isinstance(subtree, _VoteLeaf):
            value[number, subtree.label] = 1
        else:
            value[number] = value[number + 1] + value[right[number]]
    no_split = _Split(NO_FEATURE, NO_COMPARISON, NO_THRESHOLD)
    splits = [subtree.split if isinstance(subtree, _Branch) else no_split for subtree in listed]
    return Tree(
        children_left=np.array(
            [NO_CHILD if split is no_split else node + 1 for node, split in enumerate(splits)]
        ),
        children_right=np.array(right),
        feature=np.array([split.feature for split in splits]),
        comparison=np.array([split.comparison for split in splits]),
        threshold=np.array([split.threshold for split in splits]),
        value=value,
        prediction=value.argmax(axis=1),
        n_node_samples=value.sum(axis=1).astype(np.int64),
        errors=value.sum(axis=1) - value.max(axis=1),
        classes=ensemble.classes,
        feature_names=ensemble.feature_names,
        named=ensemble.named,
        levels=ensemble.levels,
    )
