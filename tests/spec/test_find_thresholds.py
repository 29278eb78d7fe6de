"""findTH finds thresholds iff they exist; Lemma 5 lists every assignment of features once (002)."""

import runpy
from math import comb
from pathlib import Path

import numpy as np
from hypothesis import settings

from exactree.spec.examples import BELOW, Example, Examples, divide, domain, uniform
from exactree.spec.find_thresholds import (
    binary_search,
    decision_tree,
    find_th,
    shallowest_with,
    smallest_with,
)
from exactree.spec.pseudo_trees import (
    PseudoTree,
    assignments,
    at_root,
    depth_of,
    pairs,
    pairs_by_depth,
    pseudo_trees,
    size_of,
)
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, depth, label_of, size

QUICK = settings.get_current_profile_name() == "quick"

instances = runpy.run_path(str(Path(__file__).with_name("threshold_instances.py")))
random_examples, all_subsets = instances["random_examples"], instances["all_subsets"]
min_size, min_depth = instances["min_size"], instances["min_depth"]

ROUNDS = 600 if QUICK else 2000


def some_thresholds_work(E: Examples, T: PseudoTree, alpha: tuple[int, ...]) -> bool:
    """Return whether a shape with features classifies E with some thresholds, by trying all."""
    if T is None:
        return uniform(E)
    f, alpha_l, alpha_r = at_root(T, alpha)
    return any(
        some_thresholds_work(left, T[0], alpha_l) and some_thresholds_work(right, T[1], alpha_r)
        for left, right in (divide(E, f, t) for t in [BELOW, *domain(E, f)])
    )


def classified(E: Examples, T: PseudoTree, alpha: tuple[int, ...], lam: tuple[float, ...]) -> bool:
    """Return whether no leaf of a shape with features and thresholds gets two classes."""
    if T is None:
        return uniform(E)
    f, alpha_l, alpha_r = at_root(T, alpha)
    left, right = divide(E, f, lam[0])
    nodes = len(alpha_l) + 1
    first = classified(left, T[0], alpha_l, lam[1:nodes])
    return first and classified(right, T[1], alpha_r, lam[nodes:])


def features_of(tree: SpecTree) -> set[int]:
    """Return the features that a tree uses."""
    if isinstance(tree, SpecLeaf):
        return set()
    return {tree.rule.feature} | features_of(tree.left) | features_of(tree.right)


def random_pair(rng: np.random.Generator, d: int, s: int) -> tuple[PseudoTree, tuple[int, ...]]:
    """Return a shape of at most s nodes with features."""
    shapes = [T for nodes in range(s + 1) for T in pseudo_trees(nodes, nodes)]
    T = shapes[rng.integers(len(shapes))]
    return T, tuple(int(f) for f in rng.integers(0, d, size_of(T)))


def test_find_th_finds_thresholds_iff_some_exist() -> None:
    rng = np.random.default_rng(21)
    found = 0
    for _ in range(ROUNDS):
        E = random_examples(rng, 6, 3)
        T, alpha = random_pair(rng, len(E[0].row), 4)
        lam = find_th(E, T, alpha)
        assert (lam is not None) == some_thresholds_work(E, T, alpha)
        if lam is not None:
            found += 1
            assert len(lam) == size_of(T)
            assert classified(E, T, alpha, lam)
            tree = decision_tree(E, T, alpha, lam)
            assert all(label_of(tree, e.row) == e.label for e in E)
            assert size(tree) <= size_of(T)
            assert depth(tree) <= depth_of(T)
            assert features_of(tree) <= set(alpha)
    assert ROUNDS / 10 < found < ROUNDS * 9 / 10


def test_binary_search_returns_the_largest_threshold_that_works() -> None:
    """A tree that exists for a threshold exists for every smaller one (002 prints "larger")."""
    rng = np.random.default_rng(22)
    for _ in range(ROUNDS // 2):
        E = random_examples(rng, 6, 3)
        T, alpha = random_pair(rng, len(E[0].row), 2)
        for f in range(len(E[0].row)):
            works = [some_thresholds_work(divide(E, f, t)[0], T, alpha) for t in domain(E, f)]
            assert works == sorted(works, reverse=True)
            allowed = [t for t, works_for_t in zip(domain(E, f), works, strict=True) if works_for_t]
            assert binary_search(E, T, alpha, f) == max(allowed, default=BELOW)


def test_without_examples_all_thresholds_are_below_all_values() -> None:
    assert find_th((), (None, (None, None)), (0, 1)) == (BELOW, BELOW)


def test_decision_trees_have_no_useless_nodes() -> None:
    E = (Example((0.0, 0.0), 0), Example((1.0, 0.0), 1))
    T, alpha = (((None, None), None), None), (1, 0, 0)
    lam = find_th(E, T, alpha)
    assert lam is not None
    tree = decision_tree(E, T, alpha, lam)
    assert isinstance(tree, SpecNode)
    assert (size(tree), tree.rule.feature) == (1, 0)


def test_shapes_are_counted_by_catalan_numbers() -> None:
    for s in range(7):
        shapes = list(pseudo_trees(s, s))
        assert len(set(shapes)) == len(shapes) == comb(2 * s, s) // (s + 1)
        assert all(size_of(T) == s for T in shapes)


def test_shapes_are_counted_by_depth() -> None:
    for d, number in enumerate([1, 2, 5, 26]):
        shapes = [T for s in range(2**d) for T in pseudo_trees(s, d)]
        assert len(set(shapes)) == len(shapes) == number
        assert all(depth_of(T) <= d for T in shapes)


def test_every_assignment_uses_exactly_the_features() -> None:
    """Lemma 5: for every shape, there are as many as surjections from its nodes to S."""
    S = frozenset({1, 4, 5})
    for s, onto in ((2, 0), (3, 6), (4, 36), (5, 150)):
        (T, *_) = pseudo_trees(s, s)
        found = list(assignments(T, S))
        assert len(set(found)) == len(found) == onto
        assert all(set(alpha) == S for alpha in found)
    assert len(list(pairs(S, 4))) == 5 * 6 + 14 * 36
    assert len(set(pairs(S, 4))) == len(list(pairs(S, 4)))
    shallow = list(pairs_by_depth(S, 4, 3))
    assert len(set(shallow)) == len(shallow)
    assert set(shallow) == {(T, alpha) for T, alpha in pairs(S, 4) if depth_of(T) <= 3}
    assert [depth_of(T) for T, _ in shallow] == sorted(depth_of(T) for T, _ in shallow)


def test_the_best_tree_over_all_feature_sets_is_optimal() -> None:
    rng = np.random.default_rng(23)
    for _ in range(ROUNDS // 5):
        E = random_examples(rng, 6, 3)
        sizes, depths = [], []
        for S in all_subsets(len(E[0].row)):
            tree, shallow = smallest_with(E, S, 3), shallowest_with(E, S, 2)
            features = tuple(S)
            for found, best, measure, measured in (
                (tree, min_size(E, features), size, sizes),
                (shallow, min_depth(E, features), depth, depths),
            ):
                if found is not None:
                    assert features_of(found) <= S
                    assert all(label_of(found, e.row) == e.label for e in E)
                    assert best is not None
                    assert measure(found) >= best
                    measured.append(measure(found))
        optimal_size, optimal_depth = min_size(E), min_depth(E)
        assert min(sizes, default=None) == (optimal_size if optimal_size <= 3 else None)
        assert min(depths, default=None) == (optimal_depth if optimal_depth <= 2 else None)
