"""Weakest links, the two measures of complexity, and prices chosen by cross-validation."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from math import inf, log

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from exactree import Limits, Problem, solve
from exactree.prune import calibrate_prior, grow_greedily, prune_with_bound, read_tree
from exactree.prune.by_complexity import (
    at_price,
    complexity_of,
    prune_with_cross_validation,
    weakest_links,
)
from exactree.prune.examples import folds_of
from exactree.prune.partly_pruned import collapsed
from exactree.rules import AxisParallel
from exactree.trees import Tree
from exactree.trees.routing import IN

Table = tuple[Tree, NDArray[np.float64], NDArray[np.int64]]


def random_tree(rng: np.random.Generator, max_leaves: int) -> Table:
    """Return a tree with random rules, and the examples to which it is fitted."""
    n, n_classes = int(rng.integers(10, 60)), int(rng.integers(2, 4))
    X = rng.integers(0, 9, size=(n, 2)).astype(float)
    y = np.where(rng.random(n) < 0.5, rng.integers(0, n_classes, n), X[:, 0].astype(int) % 2)
    y = np.unique(y, return_inverse=True)[1]
    leaves = int(rng.integers(2, max_leaves + 1))
    model = DecisionTreeClassifier(splitter="random", max_leaf_nodes=leaves, random_state=0)
    return read_tree(model.fit(X, y)), X, y


def every_pruning(tree: Tree, node: int = 0) -> Iterator[list[int]]:
    """Yield the nodes that are leaves of a pruned tree, for every way to prune it."""
    yield [node]
    if tree.feature[node] >= 0:
        for left in every_pruning(tree, int(tree.children_left[node])):
            for right in every_pruning(tree, int(tree.children_right[node])):
                yield left + right


def n_errors(tree: Tree, X: NDArray[np.float64], y: NDArray[np.int64]) -> int:
    return int((tree.predict_index(X) != y).sum())


def test_weakest_links_lead_to_the_best_tree_at_every_price() -> None:
    """Breiman's theorem: the smallest of all prunings of minimum error rate + price * leaves."""
    rng = np.random.default_rng(0)
    leaves_after_and_before = set()
    for _ in range(60):
        tree, X, y = random_tree(rng, 9)
        links = weakest_links(tree, X, y, "leaves")
        strengths = sorted({0.0, *(strength for strength, _ in links)})
        assert all(low <= high for (low, _), (high, _) in pairwise(links))
        prunings = [(leaves, collapsed(tree, leaves)) for leaves in every_pruning(tree)]
        costs = [(n_errors(pruned, X, y) / len(X), len(leaves)) for leaves, pruned in prunings]
        for low, high in pairwise([*strengths, strengths[-1] + 1]):
            price = (low + high) / 2
            best = min(error + price * leaves for error, leaves in costs)
            fewest = min(n for error, n in costs if error + price * n <= best + 1e-12)
            found = at_price(tree, links, price)
            assert n_errors(found, X, y) / len(X) + price * found.leaves == pytest.approx(best)
            assert found.leaves == fewest
            leaves_after_and_before.add((found.leaves, tree.leaves))
    assert len(leaves_after_and_before) > 20


@pytest.mark.parametrize("complexity", ["leaves", "dimension"])
def test_each_link_is_the_weakest_by_a_recount(complexity: str) -> None:
    rng = np.random.default_rng(1)
    not_simpler = 0
    for _ in range(60):
        tree, X, y = random_tree(rng, 10)
        (m, d), highest = X.shape, 0.0
        removed: list[int] = []
        for strength, node in weakest_links(tree, X, y, complexity):  # type: ignore[arg-type]
            now = collapsed(tree, removed)
            strengths = {}
            for other in np.flatnonzero(tree.feature >= 0).tolist():
                smaller = collapsed(tree, [*removed, other])
                if smaller.leaves < now.leaves:
                    rise = (n_errors(smaller, X, y) - n_errors(now, X, y)) / m
                    fall = plain_complexity(now.leaves, d, m, complexity)
                    fall -= plain_complexity(smaller.leaves, d, m, complexity)
                    not_simpler += fall <= 0
                    strengths[other] = rise / fall if fall > 0 else inf
            highest = max(highest, min(strengths.values()))
            assert strengths[node] == pytest.approx(min(strengths.values()))
            assert strength == pytest.approx(highest)
            removed.append(node)
        assert collapsed(tree, removed).leaves == 1
    # The complexity by dimension may increase although leaves are removed.
    assert (not_simpler > 0) == (complexity == "dimension")


def plain_complexity(leaves: int, n_features: int, n_examples: int, complexity: str) -> float:
    if complexity == "leaves":
        return leaves
    d = leaves * log(leaves * n_features)
    return d / n_examples * log(n_examples / d) if d else 0.0


def test_the_complexities_agree_with_their_formulas() -> None:
    assert complexity_of(1, 1, 50, "dimension") == 0
    assert complexity_of(3, 4, 100, "dimension") == pytest.approx(
        3 * log(12) / 100 * log(100 / (3 * log(12)))
    )
    assert complexity_of(3, 4, 100, "leaves") == 3


@pytest.mark.parametrize("complexity", ["leaves", "dimension"])
def test_folds_choose_the_price_with_fewest_errors_and_of_those_the_highest(
    complexity: str,
) -> None:
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(len(y)) < 0.2, rng.integers(0, 3, len(y)), y)

    def grow(X: object, y: object) -> Tree:
        return grow_greedily(X, y, max_leaves=10, random_state=0)  # type: ignore[arg-type]

    tree = grow(X, y)
    found = prune_with_cross_validation(
        tree,
        X,
        y,
        grow=grow,
        n_folds=5,
        random_state=3,
        complexity=complexity,  # type: ignore[arg-type]
    )
    fold_errors = [0] * len(found.prices)
    for rest, held_back in folds_of(len(X), 5, 3):
        grown = grow(X[rest], y[rest])
        links = weakest_links(grown, X[rest], y[rest], complexity)  # type: ignore[arg-type]
        for i, price in enumerate(found.prices):
            pruned = at_price(grown, links, price)
            fold_errors[i] += n_errors(pruned, X[held_back], y[held_back])
    assert list(found.fold_errors) == fold_errors
    errors_by_price = dict(zip(found.prices, fold_errors, strict=True))
    best = max(p for p, errors in errors_by_price.items() if errors == min(fold_errors))
    assert found.price == best
    links = weakest_links(tree, X, y, complexity)  # type: ignore[arg-type]
    assert found.tree == at_price(tree, links, best)
    assert found.prices[0] == 0
    assert found.prices[-1] == inf
    assert 1 < found.tree.leaves < tree.leaves


def test_text_labels_and_a_class_that_a_fold_lacks_are_accepted() -> None:
    X = np.arange(12.0).reshape(-1, 1)
    y = ["a"] * 6 + ["b"] * 5 + ["rare"]
    tree = grow_greedily(X, y, random_state=0)
    found = prune_with_cross_validation(tree, X, y, n_folds=12)
    assert set(found.tree.predict(X)) >= {"a", "b"}


def test_every_example_is_held_back_once() -> None:
    for n, folds in [(10, 3), (5, 5), (4, 10), (2, 2)]:
        pairs = list(folds_of(n, folds, 0))
        assert len(pairs) == min(n, folds)
        for rest, held_back in pairs:
            assert sorted([*rest, *held_back]) == list(range(n))
            assert len(rest) > 0
        assert sorted(np.concatenate([held_back for _, held_back in pairs])) == list(range(n))


def test_the_prior_is_calibrated_as_in_the_source() -> None:
    """A plain computation agrees; the source found 2^-13.7 on wine, with other draws."""
    X, y = load_wine(return_X_y=True)

    def grow(X: object, y: object) -> Tree:
        return grow_greedily(X, y, random_state=0)  # type: ignore[arg-type]

    exponents = [2, 8, 12, 16]
    best = []
    for draw in range(2):
        totals = []
        for exponent in exponents:
            total = 0
            for rest, held_back in folds_of(len(X), 5, (7, draw)):
                pruned = prune_with_bound(
                    grow(X[rest], y[rest]), X[rest], y[rest], r=2.0**-exponent
                )
                total += n_errors(pruned.tree, X[held_back], y[held_back])
            totals.append(total)
        best.append(exponents[int(np.argmin(totals))])
    options = {"grow": grow, "n_draws": 2, "random_state": 7}
    r = calibrate_prior(X, y, exponents=exponents[::-1], **options)  # type: ignore[arg-type]
    assert r == pytest.approx(2.0 ** -np.mean(best))
    assert {*best} != {2}  # not only the first exponent
    assert -15 < np.log2(calibrate_prior(X, y, grow=grow, n_draws=4)) < -11


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"complexity": "depth"}, "complexity must be one of leaves, dimension, found 'depth'"),
        ({"n_folds": 1}, "n_folds must be at least 2, found 1"),
        ({"n_folds": 2.5}, "n_folds must be a whole number, found 2.5"),
    ],
)
def test_wrong_input_is_refused(change: dict[str, object], sentence: str) -> None:
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    tree = grow_greedily(X, y)
    with pytest.raises((ValueError, TypeError), match=sentence):
        prune_with_cross_validation(tree, X, y, **change)  # type: ignore[arg-type]


def test_categories_are_accepted_with_the_number_of_leaves_only() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(80, 1)).astype(float)
    y = np.where(rng.random(80) < 0.1, 0, X[:, 0] == 2)
    grow = partial(grow_greedily, categories=[0], random_state=0)
    tree = grow(X, y)
    found = prune_with_cross_validation(tree, X, y, complexity="leaves", grow=grow)
    assert found.tree.leaves == 2
    with pytest.raises(ValueError, match="'dimension' is for thresholds only"):
        prune_with_cross_validation(tree, X, y, grow=grow)
    sets = AxisParallel(level_sets=True)
    problem = Problem(X, X[:, 0] % 2, rules=sets, categories=[0], limits=Limits(max_size=1))
    by_set = solve(problem).tree
    assert IN in by_set.comparison
    with pytest.raises(ValueError, match="'dimension' is for thresholds only"):
        prune_with_cross_validation(by_set, X, X[:, 0] % 2, grow=grow)
    options = {"grow": grow, "n_draws": 1, "exponents": [1, 4], "categories": [0]}
    assert calibrate_prior(X, y, **options) in (0.5, 2**-4)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"exponents": []}, "exponents must have at least one integer"),
        ({"exponents": [0]}, "exponents must be at least 1, found 0"),
        ({"n_draws": 0}, "n_draws must be at least 1, found 0"),
        ({"delta": 2}, "delta must be a number between 0 and 1, found 2"),
    ],
)
def test_wrong_parameters_of_the_calibration_are_refused(
    change: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        calibrate_prior([[0.0], [1.0], [2.0]], [0, 1, 0], **change)  # type: ignore[arg-type]


def test_labels_of_any_hashable_kind_are_accepted_by_the_calibration() -> None:
    X, y = np.arange(20.0).reshape(-1, 1), [("a", 1)] * 8 + [("b", 2)] * 12
    options = {"exponents": [1, 4], "n_draws": 1}
    as_numbers = calibrate_prior(X, [label for _, label in y], **options)  # type: ignore[arg-type]
    assert calibrate_prior(X, y, **options) == as_numbers  # type: ignore[arg-type]


def test_cross_validation_of_one_example_is_refused() -> None:
    tree = grow_greedily([[0.0]], [0])
    with pytest.raises(ValueError, match="needs at least two examples, found 1"):
        prune_with_cross_validation(tree, [[0.0]], [0])
