"""Pruning by a bound, compared with the plain algorithm on many random trees."""

import runpy
from collections.abc import Callable
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from exactree import Limits, OptimalTreeClassifier, Problem, solve
from exactree.prune import grow_greedily, prune_with_bound, read_tree
from exactree.prune.partly_pruned import collapsed
from exactree.rules import AxisParallel, Hypersurfaces
from exactree.theory import TreeShape, shape_of
from exactree.trees import Tree
from exactree.trees.routing import EQUAL, IN

PLAIN = runpy.run_path(str(Path(__file__).with_name("plain_algorithm.py")))
OPTIONS: dict[str, Any] = {"risk": "shawe-taylor", "r": 2**-13.7, "delta": 0.05, "form": "loose"}


def random_tree(
    rng: np.random.Generator, max_leaves: int
) -> tuple[Tree, NDArray[np.float64], NDArray[np.int64]]:
    """Return a tree with random rules, fitted to random examples, and the examples."""
    n, d, n_classes = rng.integers(5, 60), rng.integers(1, 5), rng.integers(2, 6)
    X = rng.integers(0, rng.integers(2, 12), size=(n, d)).astype(float)
    noise = rng.integers(0, n_classes, size=n)
    y = np.where(rng.random(n) < rng.random(), noise, X[:, 0].astype(int) % n_classes)
    model = DecisionTreeClassifier(
        splitter="random",
        max_leaf_nodes=int(rng.integers(2, max_leaves + 1)),
        random_state=int(rng.integers(1000)),
    )
    return read_tree(model.fit(X, y)), X, y


def test_many_random_trees_are_pruned_as_the_plain_algorithm_does() -> None:
    rng = np.random.default_rng(3)
    results, removed, removed_several = set(), 0, 0
    for _ in range(250):
        tree, X, y = random_tree(rng, 10)
        options = OPTIONS | {
            "r": 2.0 ** -rng.integers(1, 12),
            "risk": rng.choice(["shawe-taylor", "vapnik"]),
            "form": rng.choice(["loose", "paper"]),
            "delta": float(rng.choice([0.05, 0.9])),
        }
        expected, bounds = PLAIN["prune"](tree, X, y, **options)
        found = prune_with_bound(tree, X, y, **options)
        assert found.tree == expected
        assert found.bounds == pytest.approx(bounds, rel=1e-11)
        assert found.n_errors == (expected.predict(X) != y).sum()
        results.add("leaf" if expected.size == 0 else "whole" if expected == tree else "subtree")
        removed += len(found.removed)
        removed_several += len(found.removed) > 1
    assert results == {"leaf", "whole", "subtree"}
    assert removed > 200
    assert removed_several > 25


def test_random_trees_with_codes_are_pruned_as_the_plain_algorithm_does() -> None:
    rng = np.random.default_rng(5)
    results, removed, with_codes, different = set(), 0, 0, 0
    for _ in range(120):
        n, d = int(rng.integers(5, 60)), int(rng.integers(1, 5))
        X = rng.integers(0, rng.integers(2, 8), size=(n, d)).astype(float)
        y = np.where(rng.random(n) < rng.random(), rng.integers(0, 3, n), X[:, 0] % 3)
        categories = tuple(np.flatnonzero(rng.random(d) < 0.7).tolist())
        leaves = int(rng.integers(2, 11))
        tree = grow_greedily(X, y, max_leaves=leaves, categories=categories, random_state=0)
        options = OPTIONS | {"r": 2.0 ** -rng.integers(1, 8), "categories": categories}
        options |= {"risk": rng.choice(["shawe-taylor", "vapnik"])}
        expected, bounds = PLAIN["prune"](tree, X, y, **options)
        found = prune_with_bound(tree, X, y, **options)
        assert found.tree == expected
        assert found.bounds == pytest.approx(bounds, rel=1e-11)
        results.add("leaf" if expected.size == 0 else "whole" if expected == tree else "subtree")
        removed += len(found.removed)
        if EQUAL in tree.comparison:
            with_codes += 1
            as_numbers, _ = PLAIN["prune"](tree, X, y, **options | {"categories": ()})
            different += as_numbers != expected
    assert results == {"leaf", "whole", "subtree"}
    assert removed > 80
    assert with_codes > 60
    assert different > 5  # the kind of a feature changes the pruned tree


def by_leaves_and_depth(shape: TreeShape) -> float:
    """Return the logarithm of a prior of shapes; there are fewer than 4^L shapes of L leaves."""
    return -shape.leaves * log(8) - log(1 + shape.depth)


def nearly_uniform(max_errors: int) -> Callable[[int], float]:
    """Return the logarithm of a prior that is nearly uniform over numbers of errors."""
    return lambda n_errors: -log(max_errors + 1) - n_errors * 1e-3


def test_the_tight_form_and_other_priors_prune_as_the_plain_algorithm_does() -> None:
    rng = np.random.default_rng(7)
    removed = different = 0
    for number in range(60):
        tree, X, y = random_tree(rng, 7)
        options = OPTIONS | {
            "r": 2.0 ** -rng.integers(1, 8),
            "form": rng.choice(["tight", "loose"]),
        }
        options |= {"risk": rng.choice(["shawe-taylor", "vapnik"])}
        if number % 2:
            options |= {"log_prior": by_leaves_and_depth, "log_q": nearly_uniform(len(X))}
        expected, bounds = PLAIN["prune"](tree, X, y, **options)
        found = prune_with_bound(tree, X, y, **options)
        assert found.tree == expected
        assert found.bounds == pytest.approx(bounds, rel=1e-11)
        removed += len(found.removed)
        default = prune_with_bound(tree, X, y, r=options["r"], risk=options["risk"])
        if options["form"] == "tight" and number % 2 == 0:
            assert found.bounds[0] <= default.bounds[0]
        different += found.tree != default.tree
    assert removed > 40
    assert different > 5


def test_trees_with_sets_of_levels_are_pruned_as_the_plain_algorithm_does() -> None:
    rng = np.random.default_rng(11)
    removed = with_sets = larger = 0
    for _ in range(20):
        n = int(rng.integers(8, 30))
        X = np.c_[rng.integers(0, 6, (n, 2)), rng.random(n)]
        y = np.where(rng.random(n) < 0.2, rng.integers(0, 2, n), np.isin(X[:, 0], [0, 2, 5]))
        rules = AxisParallel(level_sets=True)
        problem = Problem(X, y, rules=rules, categories=[0, 1], limits=Limits(max_depth=2))
        tree = solve(problem).tree
        assert tree is not None
        options = OPTIONS | {
            "r": 2.0 ** -rng.integers(1, 6),
            "categories": (0, 1),
            "level_sets": True,
        }
        options["form"] = rng.choice(["loose", "tight"])
        expected, bounds = PLAIN["prune"](tree, X, y, **options)
        found = prune_with_bound(tree, X, y, **options)
        assert found.tree == expected
        assert found.bounds == pytest.approx(bounds, rel=1e-11)
        assert Tree.from_dict(found.tree.to_dict()) == found.tree
        removed += len(found.removed)
        if IN in tree.comparison:
            with_sets += 1
            with pytest.raises(ValueError, match=r"several levels of 'x.' left; give level_"):
                prune_with_bound(tree, X, y, categories=(0, 1))
        else:
            one_code = prune_with_bound(tree, X, y, **options | {"level_sets": False})
            larger += one_code.bounds[0] < found.bounds[0]
    assert removed > 5
    assert with_sets > 5
    assert larger > 0  # sets of levels are more rules, so the bound is larger


def test_functions_that_are_no_priors_are_refused() -> None:
    X, y = np.arange(6.0).reshape(-1, 1), [0, 1, 0, 0, 1, 1]
    tree = grow_greedily(X, y, random_state=0)
    more_than_one = "priors exp.log_q.k.. of 0 to 6 errors must sum to at most 1, found 7"
    with pytest.raises(ValueError, match=more_than_one):
        prune_with_bound(tree, X, y, log_q=lambda k: 0.0)
    with pytest.raises(ValueError, match=r"log_q\(0\) must be finite and at most 0, found 1"):
        prune_with_bound(tree, X, y, log_q=lambda k: 1.0)
    with pytest.raises(ValueError, match=r"log_prior\(.*\) must be finite and at most 0, found"):
        prune_with_bound(tree, X, y, log_prior=lambda shape: float("nan"))
    with pytest.raises(TypeError, match="log_prior must be a function of a TreeShape, got -1"):
        prune_with_bound(tree, X, y, log_prior=-1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="log_q must be a function of the number of errors"):
        prune_with_bound(tree, X, y, log_q=-1.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="form must be one of tight, loose, paper, found 'exact'"):
        prune_with_bound(tree, X, y, form="exact")  # type: ignore[arg-type]


def test_categories_must_be_the_columns_of_the_codes_in_rules() -> None:
    X, y = np.array([[0, 1.5], [1, 2.5], [2, 3.5], [0, 4.5]]), [0, 1, 0, 0]
    by_code = grow_greedily(X, y, categories=[0], random_state=0)
    assert EQUAL in by_code.comparison
    assert prune_with_bound(by_code, X, y, categories=["x0"]).n_errors >= 0
    with pytest.raises(ValueError, match="splits on codes of 'x0'; name all columns of codes in"):
        prune_with_bound(by_code, X, y)
    by_number = grow_greedily(X[:, :1], y, random_state=0)
    with pytest.raises(
        ValueError, match="categories has 'x0', but the tree has a threshold on this"
    ):
        prune_with_bound(by_number, X[:, :1], y, categories=[0])
    with pytest.raises(ValueError, match=r"row 0: 1\.5 is not an integer"):
        prune_with_bound(by_code, X, y, categories=[0, 1])
    with pytest.raises(ValueError, match="categories names 'colour'"):
        prune_with_bound(by_code, X, y, categories=["colour"])
    with pytest.raises(ValueError, match="form='paper' is for numeric features only"):
        prune_with_bound(by_code, X, y, categories=[0], form="paper")


def test_trees_that_use_surfaces_are_refused() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    rules = Hypersurfaces(degree=1)
    tree = OptimalTreeClassifier(max_depth=1, rules=rules).fit(X, X.sum(axis=1) > 0).tree_
    assert len(tree.surfaces)
    with pytest.raises(
        ValueError, match="splits on surfaces; only trees with rules on one feature"
    ):
        prune_with_bound(tree, X, X.sum(axis=1) > 0)


def test_a_tree_with_more_leaves_than_examples_is_pruned() -> None:
    """The tree has more leaves than the table to which it is pruned has examples."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        tree, X, y = random_tree(rng, 12)
        few = slice(0, max(1, tree.leaves // 3))  # fewer examples than leaves
        expected, bounds = PLAIN["prune"](tree, X[few], y[few], **OPTIONS)
        found = prune_with_bound(tree, X[few], y[few])
        assert found.tree == expected
        assert found.bounds == pytest.approx(bounds, rel=1e-11)


@pytest.mark.parametrize("risk", ["shawe-taylor", "vapnik"])
def test_bounds_never_increase_and_no_removal_improves_the_last_bound(risk: str) -> None:
    X, y = load_wine(return_X_y=True)
    tree = read_tree(DecisionTreeClassifier(splitter="random", random_state=0).fit(X, y))
    found = prune_with_bound(tree, X, y, risk=risk)  # type: ignore[arg-type]
    assert found.removed
    assert all(after <= before * PLAIN["TOLERANCE"] for before, after in pairwise(found.bounds))
    options = OPTIONS | {"risk": risk}
    assert found.bound == pytest.approx(PLAIN["bound_of"](found.tree, X, y, **options))
    for node in np.flatnonzero(found.tree.feature >= 0):
        without = collapsed(found.tree, [int(node)])
        assert PLAIN["bound_of"](without, X, y, **options) > found.bound


def test_the_pruned_tree_is_the_top_of_the_tree() -> None:
    """Each example passes the same rules as before, until a leaf that was an inner node."""
    X, y = load_wine(return_X_y=True)
    tree = read_tree(DecisionTreeClassifier(splitter="random", random_state=1).fit(X, y))
    found = prune_with_bound(tree, X, y)
    assert found.tree == collapsed(tree, found.removed)
    assert 1 < found.tree.leaves < tree.leaves
    paths = tree.decision_path(X)
    for node in found.removed:
        reached = np.flatnonzero(np.asarray(paths[:, node].todense()).ravel())
        assert len(set(found.tree.apply(X[reached]).tolist())) == 1


def test_trees_of_exactree_and_scikit_learn_are_pruned_alike() -> None:
    X, y = load_wine(return_X_y=True)
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    pruned = prune_with_bound(model, X, y)
    assert prune_with_bound(model.tree_, X, y) == pruned
    converted = prune_with_bound(model.tree_.to_sklearn(X), X, y)
    assert converted.bounds == pruned.bounds
    assert shape_of(converted.tree) == shape_of(pruned.tree)
    assert converted.tree.predict(X).tolist() == pruned.tree.predict(X).tolist()


def test_a_smaller_r_prunes_less() -> None:
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(splitter="random", random_state=0).fit(X, y)
    leaves = [prune_with_bound(tree, X, y, r=2.0**-e).tree.leaves for e in (0.01, 4, 8, 14, 60)]
    assert leaves == sorted(leaves)
    assert leaves[0] == 1
    assert leaves[-1] == tree.get_n_leaves()


def test_deep_trees_and_tiny_priors_are_pruned() -> None:
    """Neither Python's recursion limit nor underflow is a problem."""
    X = np.arange(600.0).reshape(-1, 1)
    y = (np.arange(600) // 3) % 2
    model = DecisionTreeClassifier(max_leaf_nodes=60, splitter="random", random_state=0).fit(X, y)
    found = prune_with_bound(model, X, y, r=1e-300)
    assert np.isfinite(found.bounds).all()
    assert found.tree.leaves > 50
