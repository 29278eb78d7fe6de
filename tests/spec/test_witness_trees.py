"""Witness trees: Lemma 4.2, and one-step refinements (001, section 4)."""

import runpy
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.rules import AxisRule
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, label_of, leaves
from exactree.spec.witness_trees import (
    TrainingData,
    WitnessLeaf,
    more_than,
    one_step_refinements,
    training_data,
)

INSTANCES = runpy.run_path(str(Path(__file__).with_name("witness_instances.py")))
random_problem, plain_tree_of = INSTANCES["random_problem"], INSTANCES["plain_tree_of"]
SEEDS = st.integers(0, 2**32 - 1)


def identity(E: TrainingData, tree: SpecTree) -> Any:
    """Return a value equal for equal witness trees: features, left subsets, classes, witnesses."""
    return plain_tree_of(E.X, tree, lambda leaf: (leaf.label, leaf.witness))


def witnesses(tree: SpecTree) -> list[int]:
    return [leaf.witness for leaf in leaves(tree) if isinstance(leaf, WitnessLeaf)]


def leaf_of(E: TrainingData, tree: SpecTree, e: int) -> SpecLeaf:
    while isinstance(tree, SpecNode):
        tree = tree.left if E.X[e][tree.rule.feature] <= tree.rule.low else tree.right
    return tree


def random_refinement(
    E: TrainingData, tree: SpecTree, rng: np.random.Generator
) -> tuple[SpecTree, WitnessLeaf] | None:
    """Return a random one-step refinement and the leaf it introduces, None if there is none."""
    found = [
        (refined, leaf)
        for e in range(len(E.X))
        for label in range(E.classes)
        for leaf in [WitnessLeaf(label, e)]
        for refined in one_step_refinements(E, tree, leaf)
    ]
    return found[rng.integers(len(found))] if found else None


def random_witness_tree(
    E: TrainingData, rng: np.random.Generator, steps: int
) -> tuple[SpecTree, list[WitnessLeaf]]:
    """Return a witness tree after some random steps, and the leaves introduced."""
    leaf = WitnessLeaf(int(rng.integers(E.classes)), int(rng.integers(len(E.X))))
    tree: SpecTree = leaf
    introduced = [leaf]
    for _ in range(steps):
        step = random_refinement(E, tree, rng)
        if step is not None:
            tree = step[0]
            introduced.append(step[1])
    return tree, introduced


def test_lemma_4_2_the_order_of_witnesses_is_immaterial() -> None:
    """If R refines T, and Q refines R by e, then some R' refines T by e, and Q refines R'."""
    checked = 0
    for seed in range(900):
        rng = np.random.default_rng(seed)
        E = training_data(random_problem(rng, "size", 1, 9))
        T, _ = random_witness_tree(E, rng, int(rng.integers(0, 4)))
        first = random_refinement(E, T, rng)
        second = None if first is None else random_refinement(E, first[0], rng)
        if first is not None and second is not None:
            Q = identity(E, second[0])
            assert any(
                identity(E, both) == Q
                for other in one_step_refinements(E, T, second[1])
                for both in one_step_refinements(E, other, first[1])
            ), f"seed {seed}"
            checked += 1
    assert checked > 300


def by_definition(E: TrainingData, tree: SpecTree, leaf: WitnessLeaf) -> Iterator[SpecTree]:
    """List refinements as defined in section 4: on any edge, any threshold that keeps witnesses."""

    def inserted(below: SpecTree) -> Iterator[SpecTree]:
        for f in range(len(E.X[0])):
            for low, high in pairwise(sorted({row[f] for row in E.X})):
                yield SpecNode(AxisRule(f, low, high), leaf, below)
                yield SpecNode(AxisRule(f, low, high), below, leaf)
        if isinstance(below, SpecNode):
            yield from (SpecNode(below.rule, left, below.right) for left in inserted(below.left))
            yield from (SpecNode(below.rule, below.left, right) for right in inserted(below.right))

    kept = [other for other in leaves(tree) if isinstance(other, WitnessLeaf)]
    for refined in inserted(tree):
        if all(leaf_of(E, refined, other.witness) is other for other in [*kept, leaf]):
            yield refined


@given(SEEDS)
def test_all_refinements_are_listed_each_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    E = training_data(random_problem(rng, "size", 1, 8))
    tree, _ = random_witness_tree(E, rng, int(rng.integers(0, 5)))
    for e in range(len(E.X)):
        leaf = WitnessLeaf(0, e)
        listed = [identity(E, refined) for refined in one_step_refinements(E, tree, leaf)]
        defined = {identity(E, refined) for refined in by_definition(E, tree, leaf)}
        assert len(listed) == len(set(listed))
        assert set(listed) == defined


@given(SEEDS)
def test_every_refinement_is_important_and_keeps_the_witnesses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    E = training_data(random_problem(rng, "size", 1, 8))
    tree, introduced = random_witness_tree(E, rng, int(rng.integers(0, 5)))
    assert sorted(witnesses(tree)) == sorted(leaf.witness for leaf in introduced)
    for leaf in introduced:
        assert leaf_of(E, tree, leaf.witness) is leaf
    for e in range(len(E.X)):
        old = leaf_of(E, tree, e)
        assert isinstance(old, WitnessLeaf)
        for refined in one_step_refinements(E, tree, WitnessLeaf(1, e)):
            rule = parent(refined, e).rule
            low, high = sorted([E.X[e][rule.feature], E.X[old.witness][rule.feature]])
            assert low <= rule.low < rule.high <= high
            # Other leaves only lose examples.
            for x in range(len(E.X)):
                now = leaf_of(E, refined, x)
                assert now == WitnessLeaf(1, e) or now is leaf_of(E, tree, x)


def parent(tree: SpecTree, witness: int) -> SpecNode:
    """Return the node above the leaf of a witness, in a tree that is no leaf."""
    assert isinstance(tree, SpecNode)
    child = tree.left if witness in witnesses(tree.left) else tree.right
    return tree if isinstance(child, SpecLeaf) else parent(child, witness)


@pytest.mark.parametrize(
    ("t", "expected"), [(0, [0]), (1, [0, 1]), (2, [0, 1]), (3, [0, 1, 2]), (9, [0, 1, 2, 3])]
)
def test_more_than_returns_examples_until_they_weigh_more_than_t(
    t: int, expected: list[int]
) -> None:
    E = TrainingData(((0.0,),) * 4, (0,) * 4, (1, 2, 1, 5), 2, t)
    assert list(more_than(E, range(4))) == expected


def test_there_is_one_refinement_for_each_separating_threshold() -> None:
    E = TrainingData(((0.0,), (3.0,), (1.0,), (2.0,)), (0, 1, 0, 0), (1,) * 4, 2, 0)
    tree = WitnessLeaf(0, witness=0)
    found = list(one_step_refinements(E, tree, WitnessLeaf(1, witness=1)))
    assert [node.rule.low for node in found] == [0.0, 1.0, 2.0]
    assert all(label_of(node, E.X[1]) == 1 for node in found)
    # Equal examples cannot be distinguished, whatever their labels.
    assert not list(one_step_refinements(E, tree, WitnessLeaf(1, witness=0)))
