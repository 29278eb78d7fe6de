"""Replacing nodes at no cost: what comes out costs the same and has no node to replace."""

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


class Naive:
    """The same by recursion, from the definition."""

    def __init__(self, left, right, goes_left, leaf):
        self.left, self.right, self.goes_left, self.leaf = left, right, goes_left, leaf

    def children(self, node, rows):
        goes = self.goes_left(node, rows)
        below = ((int(self.left[node]), rows[goes]), (int(self.right[node]), rows[~goes]))
        return [(child, there) for child, there in below if len(there)]

    def cost(self, node, rows):
        if self.left[node] == NO_CHILD:
            return self.leaf(rows)
        return sum(self.cost(child, there) for child, there in self.children(node, rows))

    def spare(self, node, rows, allows):
        """Return whether some node of a subtree can be replaced."""
        if self.left[node] == NO_CHILD:
            return False
        children, cost = self.children(node, rows), self.cost(node, rows)
        return (
            len(children) < 2
            or allows(self.leaf(rows), cost)
            or any(allows(self.cost(child, rows), cost) for child, _ in children)
            or any(self.spare(child, there, allows) for child, there in children)
        )


@pytest.mark.parametrize("price", [0, 2])
@pytest.mark.parametrize("kind", ["errors", "balanced_error", "gini", "squared_error"])
def test_no_node_is_left_that_can_be_replaced(kind, price):
    rng = np.random.default_rng(3)
    smaller = 0
    for _ in range(150):
        n = int(rng.integers(2, 20))
        X = rng.integers(0, 5, (n, 2)).astype(float)
        y = np.concatenate(([0, 1], rng.integers(0, 3, n - 2)))
        heavy = rng.choice([1, 1, 3, 2**40], n)
        dataset = make_dataset(X, y, heavy, regression=kind == "squared_error")
        term = term_of(kind, dataset, None, None)
        left, right, feature, threshold = random_tree(rng, 4)

        def goes_left(node, rows, X=dataset.X, feature=feature, threshold=threshold):
            return X[rows, feature[node]] <= threshold[node]

        def leaf(rows, term=term, dataset=dataset):
            return term.leaf(dataset, rows) + price

        every = np.arange(len(dataset.X))
        before = Naive(left.copy(), right.copy(), goes_left, leaf).cost(0, every)
        allows = le if price else eq
        reduction = Reduction(
            left.copy(), right.copy(), goes_left, leaf, term, 0 if price else None
        )
        root = reduction.run(0, every)
        after = Naive(reduction.left, reduction.right, goes_left, leaf)
        assert not after.spare(root, every, allows)
        assert allows(after.cost(root, every), before)
        assert after.cost(root, every) == reduction.cost[root]
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

    reduction = Reduction(left, right, goes_left, lambda rows: term.leaf(dataset, rows), term)
    root = reduction.run(0, np.arange(n + 1))
    assert reduction.size[root] == n


def test_what_is_not_replaced_in_time_stays():
    dataset = make_dataset([[0], [1]], [0, 0])
    term = term_of("errors", dataset, None, None)
    for stopped, size in ((False, 0), (True, 1)):
        children = np.array([1, NO_CHILD, NO_CHILD]), np.array([2, NO_CHILD, NO_CHILD])
        reduction = Reduction(
            *children,
            lambda node, rows: dataset.X[rows, 0] <= 0,
            lambda rows: term.leaf(dataset, rows),
            term,
            0,
            lambda stopped=stopped: stopped,
        )
        root = reduction.run(0, np.arange(2))
        assert reduction.size[root] == size


def test_replacements_may_cost_what_there_is_to_spare():
    """Two nodes whose removal costs one error each: with one to spare, one of them goes."""
    dataset = make_dataset([[0], [1], [2], [3]], [0, 1, 2, 3])
    term = term_of("errors", dataset, None, None)
    for spare, size in ((0, 3), (1, 2), (2, 1), (3, 0)):
        left = np.array([1, 2, NO_CHILD, NO_CHILD, 5, NO_CHILD, NO_CHILD])
        right = np.array([4, 3, NO_CHILD, NO_CHILD, 6, NO_CHILD, NO_CHILD])
        border = {0: 1, 1: 0, 4: 2}
        reduction = Reduction(
            left,
            right,
            lambda node, rows, border=border: dataset.X[rows, 0] <= border[node],
            lambda rows: term.leaf(dataset, rows),
            term,
            spare,
        )
        root = reduction.run(0, np.arange(4))
        assert reduction.size[root] == size
