"""Corollary 9, Observation 1 and Lemmas 11 to 14 of source 002 on random tables."""

import runpy
from pathlib import Path

import numpy as np
from hypothesis import settings

from exactree.spec.branching_sets import branching_set, is_useful, representatives
from exactree.spec.examples import Example, Examples, domain
from exactree.spec.minimal_support_sets import (
    delta,
    delta_max,
    is_minimal,
    is_support_set,
    minimal_support_sets,
    unlike_pairs,
)
from exactree.spec.support_sets import min_dt
from exactree.spec.table import SpecLeaf, SpecTree

QUICK = settings.get_current_profile_name() == "quick"

instances = runpy.run_path(str(Path(__file__).with_name("threshold_instances.py")))
random_examples, all_subsets = instances["random_examples"], instances["all_subsets"]
min_size, min_depth = instances["min_size"], instances["min_depth"]

ROUNDS = 600 if QUICK else 2000


def features_of(tree: SpecTree) -> frozenset[int]:
    """Return the features that a tree uses."""
    if isinstance(tree, SpecLeaf):
        return frozenset()
    return {tree.rule.feature} | features_of(tree.left) | features_of(tree.right)


def supports(E: Examples, S: frozenset[int]) -> bool:
    """Return whether S is a support set, from all pairs."""
    return all(
        any(e.row[f] != other.row[f] for f in S) for e in E for other in E if e.label != other.label
    )


def test_corollary_9_lists_all_minimal_support_sets() -> None:
    rng = np.random.default_rng(9)
    for _ in range(ROUNDS):
        E = random_examples(rng, 7, 5)
        k = int(rng.integers(0, 6))
        support = [S for S in all_subsets(len(E[0].row)) if supports(E, S)]
        minimal = [S for S in support if not any(other < S for other in support)]
        found = minimal_support_sets(E, k)
        assert set(found) == {S for S in minimal if len(S) <= k}
        assert len(set(found)) == len(found) <= max(delta_max(E), 1) ** k
        assert all(is_minimal(E, S) for S in found)
        assert set(support) == {S for S in all_subsets(len(E[0].row)) if is_support_set(E, S)}


def test_examples_that_contradict_each_other_have_no_support_set() -> None:
    E = (Example((0.0,), 0), Example((0.0,), 1))
    assert minimal_support_sets(E, 1) == []


def test_delta_max_counts_pairs_of_different_classes_only() -> None:
    E = (Example((0.0, 0.0, 0.0), 0), Example((1.0, 1.0, 1.0), 0), Example((1.0, 0.0, 0.0), 1))
    assert delta_max(E) == 2
    assert len(list(unlike_pairs(E))) == 2
    assert delta_max(E[:2]) == 0


def test_lemma_11_features_of_a_smallest_tree_beyond_a_support_set_are_useful() -> None:
    """The features of a smallest tree are a support set (Observation 1)."""
    rng = np.random.default_rng(11)
    beyond = 0
    for _ in range(ROUNDS // 8):
        E = random_examples(rng, 9, 5)
        tree = min_dt(E, 4)
        if tree is not None:
            used = features_of(tree)
            assert supports(E, used)
            for S in all_subsets(len(E[0].row)):
                if used > S and supports(E, S):
                    beyond += 1
                    assert is_useful(E, S, used - S)
                    assert (used - S) & branching_set(E, S)
    assert beyond > ROUNDS / 400


def test_lemma_11_holds_for_minimum_depth_with_the_fewest_features() -> None:
    rng = np.random.default_rng(110)
    beyond = 0
    for _ in range(ROUNDS // 2):
        E = random_examples(rng, 9, 5)
        depth, subsets = min_depth(E), all_subsets(len(E[0].row))
        used = next(S for S in subsets if min_depth(E, tuple(S)) == depth)
        for S in subsets:
            if used > S and supports(E, S):
                beyond += 1
                assert is_useful(E, S, used - S)
                assert (used - S) & branching_set(E, S)
    assert beyond > ROUNDS / 400


def test_lemma_11_fails_for_minimum_depth_with_superfluous_features() -> None:
    """Departure 1: a tree of minimum depth may split by feature 2 where one class is left."""
    E = tuple(
        Example(row, label)
        for row, label in (
            ((0.0, 0.0, 0.0), 0),
            ((0.0, 1.0, 0.0), 1),
            ((1.0, 0.0, 0.0), 1),
            ((1.0, 0.0, 1.0), 1),
        )
    )
    # Root 0, then 1 on the left and 2 on the right: no tree is shallower.
    assert min_depth(E) == 2
    assert min_depth(E, (0, 1)) == 2
    assert supports(E, frozenset({0, 1}))
    assert not is_useful(E, frozenset({0, 1}), frozenset({2}))


def test_lemma_12_every_useful_set_meets_the_branching_set() -> None:
    """In any order of the examples: the first are gamma and the representatives."""
    rng = np.random.default_rng(12)
    useful = 0
    for _ in range(ROUNDS // 4):
        E = random_examples(rng, 7, 4)
        E = tuple(E[k] for k in rng.permutation(len(E)))
        everything = frozenset(range(len(E[0].row)))
        for S in minimal_support_sets(E, 3):
            for R in all_subsets(len(everything)):
                if R and not R & S and is_useful(E, S, R):
                    useful += 1
                    assert R & branching_set(E, S)
    assert useful > ROUNDS / 100


def test_lemmas_13_and_14_bound_the_branching_set() -> None:
    rng = np.random.default_rng(13)
    for _ in range(ROUNDS // 4):
        E = random_examples(rng, 8, 6)
        max_values = max(len(domain(E, f)) for f in range(len(E[0].row)))
        if len({e.label for e in E}) > 1:
            assert all(len(delta(e, other)) <= 2 * delta_max(E) for e in E for other in E)
            for S in minimal_support_sets(E, 3):
                R0 = branching_set(E, S)
                assert not R0 & S
                assert len(representatives(E, S)) <= max_values ** len(S)
                assert len(R0) <= max_values ** len(S) * 2 * delta_max(E)


def test_useful_and_branching_sets_of_a_small_example() -> None:
    # Feature 1 separates the examples as S = {0} does; feature 2 takes both values for each class.
    rows = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 0.0), (1.0, 1.0, 1.0)]
    E = tuple(Example(row, int(row[0])) for row in rows)
    S = frozenset({0})
    assert is_useful(E, S, frozenset({1}))
    assert not is_useful(E, S, frozenset({2}))
    assert [e.row for e in representatives(E, S)] == [rows[0], rows[2]]
    assert branching_set(E, S) == {1}
