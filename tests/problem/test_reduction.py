"""Replacing nodes at no cost: the resulting tree is not more expensive, and irreducible."""

from operator import eq, le

import numpy as np
import pytest

from exactree.data import make_dataset
from exactree.problem.reduction import Reduction
from exactree.problem.terms import term_of
from exactree.trees.routing import NO_CHILD


def random_tree(rng, depth):
    """Return children, features and thresholds of a random tree in preorder."""
    left, right, feature, threshold = [], [], [], []

    def add(depth):
        at = len(left)
        for values, value in ((left, NO_CHILD), (right, NO_CHILD), (feature, 0), (threshold, 0.0)):
            values.append(value)
        if depth and rng.random() < 0.8:
            feature[at], threshold[at] = int(rng.integers(2)), rng.integers(4) + 0.5
            left[at] = add(depth - 1)
            right[at] = add(depth - 1)
        return at

    add(depth)
    return tuple(np.array(values) for values in (left, right, feature, threshold))


class Reference:
    """Cost and irreducibility of a tree by recursion, from the definition."""

    def __init__(self, left, right, goes_left, leaf):
        self.left, self.right, self.goes_left, self.leaf = left, right, goes_left, leaf

    def children(self, node, rows):
        """Return the children that some rows reach, each with its rows."""
        goes_left = self.goes_left(node, rows)
        both = (int(self.left[node]), rows[goes_left]), (int(self.right[node]), rows[~goes_left])
        return [(child, subset) for child, subset in both if len(subset)]

    def cost(self, node, rows):
        if self.left[node] == NO_CHILD:
            return self.leaf(rows)
        return sum(self.cost(child, subset) for child, subset in self.children(node, rows))

    def is_reducible(self, node, rows, allows):
        """Return whether a node can be replaced; `allows` compares new and old cost."""
        if self.left[node] == NO_CHILD:
            return False
        children, cost = self.children(node, rows), self.cost(node, rows)
        return (
            len(children) < 2
            or allows(self.leaf(rows), cost)
            or any(allows(self.cost(child, rows), cost) for child, _ in children)
            or any(self.is_reducible(child, subset, allows) for child, subset in children)
        )


@pytest.mark.parametrize("price", [0, 2])
@pytest.mark.parametrize("kind", ["errors", "balanced_error", "gini", "squared_error"])
def test_no_replaceable_node_is_left(kind, price):
    rng = np.random.default_rng(3)
    smaller = 0
    for _ in range(150):
        n = int(rng.integers(2, 20))
        X = rng.integers(0, 5, (n, 2)).astype(float)
        y = np.concatenate(([0, 1], rng.integers(0, 3, n - 2)))
        weights = rng.choice([1, 1, 3, 2**40], n)
        dataset = make_dataset(X, y, weights, regression=kind == "squared_error")
        term = term_of(kind, dataset, None, None)
        left, right, feature, threshold = random_tree(rng, 4)

        def goes_left(node, rows, X=dataset.X, feature=feature, threshold=threshold):
            return X[rows, feature[node]] <= threshold[node]

        def leaf(rows, term=term, dataset=dataset):
            return term.leaf(dataset, rows) + price

        all_rows = np.arange(len(dataset.X))
        before = Reference(left.copy(), right.copy(), goes_left, leaf).cost(0, all_rows)
        # With a price, a replacement may also reduce the cost; without, it must not change it.
        allows = le if price else eq
        reduction = Reduction(
            left.copy(), right.copy(), goes_left, leaf, term.laws, 0 if price else None
        )
        root = reduction.run(0, all_rows)
        after = Reference(reduction.left, reduction.right, goes_left, leaf)
        assert not after.is_reducible(root, all_rows, allows)
        assert allows(after.cost(root, all_rows), before)
        assert after.cost(root, all_rows) == reduction.cost[root]
        smaller += reduction.size[root] < (left != NO_CHILD).sum()
    assert smaller > 50


def test_a_chain_of_five_thousand_nodes_needs_no_recursion():
    n = 5_000
    dataset = make_dataset(np.arange(n + 1.0)[:, None], np.arange(n + 1) % 2)
    term = term_of("errors", dataset, None, None)
    left, right = np.full(2 * n + 1, NO_CHILD), np.full(2 * n + 1, NO_CHILD)
    left[:n], right[: n - 1], right[n - 1] = np.arange(n, 2 * n), np.arange(1, n), 2 * n

    def goes_left(node, rows):
        return dataset.X[rows, 0] <= node

    reduction = Reduction(left, right, goes_left, lambda rows: term.leaf(dataset, rows), term.laws)
    root = reduction.run(0, np.arange(n + 1))
    assert reduction.size[root] == n


def test_nodes_that_are_not_visited_in_time_are_kept():
    dataset = make_dataset([[0], [1]], [0, 0])
    term = term_of("errors", dataset, None, None)
    for stopped, size in ((False, 0), (True, 1)):
        children = np.array([1, NO_CHILD, NO_CHILD]), np.array([2, NO_CHILD, NO_CHILD])
        reduction = Reduction(
            *children,
            lambda node, rows: dataset.X[rows, 0] <= 0,
            lambda rows: term.leaf(dataset, rows),
            term.laws,
            0,
            lambda stopped=stopped: stopped,
        )
        root = reduction.run(0, np.arange(2))
        assert reduction.size[root] == size


def test_replacements_may_increase_the_cost_by_the_given_amount():
    """Each of three nodes saves one error, so each error to spare removes one node."""
    dataset = make_dataset([[0], [1], [2], [3]], [0, 1, 2, 3])
    term = term_of("errors", dataset, None, None)
    for spare, size in ((0, 3), (1, 2), (2, 1), (3, 0)):
        left = np.array([1, 2, NO_CHILD, NO_CHILD, 5, NO_CHILD, NO_CHILD])
        right = np.array([4, 3, NO_CHILD, NO_CHILD, 6, NO_CHILD, NO_CHILD])
        threshold = {0: 1, 1: 0, 4: 2}
        reduction = Reduction(
            left,
            right,
            lambda node, rows, threshold=threshold: dataset.X[rows, 0] <= threshold[node],
            lambda rows: term.leaf(dataset, rows),
            term.laws,
            spare,
        )
        root = reduction.run(0, np.arange(4))
        assert reduction.size[root] == size
