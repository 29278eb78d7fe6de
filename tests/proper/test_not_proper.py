"""Other constraints in place of axiom 4: counts, and their dynamic programmes."""

from collections import Counter
from itertools import product
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.proper import (
    AxiomViolated,
    Leaf,
    Memory,
    Space,
    check_axioms,
    complete,
    errors,
    gen_bts,
    gen_dts,
    level_order,
    min_e,
    sodt,
    splits_bf,
    splits_catalan,
    splits_lists,
)

Row = tuple[int, ...]
MODELS = {"splits_bf": splits_bf, "splits_lists": splits_lists, "splits_catalan": splits_catalan}
each_model = pytest.mark.parametrize("splits", MODELS.values(), ids=MODELS)


def divide(feature: int, xs: tuple[Row, ...]) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Split by a binary feature, 1 to the left; the last number of a row is its class."""
    return tuple(x for x in xs if x[feature]), tuple(x for x in xs if not x[feature])


def trees(splits, k: int) -> list:
    return gen_bts(Space(splits, divide), tuple(range(k)))


def test_the_models_have_the_published_numbers_of_trees() -> None:
    """The counts of Lemma 6.2, and those in the text for the two other models."""
    counts = {name: [len(trees(s, k)) for k in range(1, 6)] for name, s in MODELS.items()}
    assert counts["splits_bf"] == [1, 4, 30, 336, 5040]
    assert counts["splits_lists"] == [1, 4, 27, 248, 2830]
    assert counts["splits_catalan"] == [1, 2, 5, 14, 42]
    catalan = [comb(2 * k, k) // (k + 1) for k in range(1, 6)]
    assert counts["splits_bf"] == [factorial(k) * c for k, c in enumerate(catalan, start=1)]
    assert counts["splits_catalan"] == catalan


def test_without_rules_the_only_tree_is_a_leaf() -> None:
    assert [trees(splits, 0) for splits in MODELS.values()] == [[Leaf(None)]] * 3


def test_each_model_has_the_trees_of_the_next() -> None:
    """Inclusion (32) of the paper; and no model generates a tree twice."""
    for k in range(1, 5):
        catalan, lists, all_trees = (
            trees(splits, k) for splits in (splits_catalan, splits_lists, splits_bf)
        )
        assert set(catalan) <= set(lists) <= set(all_trees)
        for generated in (catalan, lists, all_trees):
            assert len(set(generated)) == len(generated)


def test_every_labelled_tree_is_generated() -> None:
    """Every shape occurs with every order of its rules."""
    n_shapes = len(trees(splits_catalan, 4))
    assert len(trees(splits_bf, 4)) == n_shapes * factorial(4)
    trees_by_order = Counter(map(level_order, trees(splits_bf, 3)))
    assert len(trees_by_order) == factorial(3)
    assert set(trees_by_order.values()) == {5}  # the shapes of three nodes


def test_the_list_partitions_of_the_paper_s_example() -> None:
    """With r3 at the root there are four partitions of the other rules."""
    roots = [(left, right) for left, root, right in splits_lists((1, 2, 3, 4)) if root == 3]
    assert roots == [((), (1, 2, 4)), ((1,), (2, 4)), ((1, 2), (4,)), ((1, 2, 4), ())]


tables = st.lists(st.tuples(*[st.integers(0, 1)] * 4), max_size=10).map(tuple)


@each_model
@given(xs=tables)
def test_the_dynamic_programme_finds_the_best_tree_of_the_generator(splits, xs) -> None:
    space, objective = Space(splits, divide), errors(lambda x: x[-1])
    for rs in ((), (0,), (1, 0), (0, 1, 2), (2, 0, 1)):
        best_listed = min_e(objective, gen_dts(space, rs, xs))
        for memory in (None, Memory()):
            best = sodt(space, objective, rs, xs, memory)
            assert best.cost == best_listed.cost
            assert best.tree in gen_dts(space, rs, xs)


@each_model
@given(xs=tables)
def test_the_complete_generator_is_fused(splits, xs) -> None:
    space = Space(splits, divide)
    for rs in ((), (0,), (2, 0, 1)):
        assert gen_dts(space, rs, xs) == [complete(space, t, xs) for t in gen_bts(space, rs)]


def test_exclusive_or_needs_a_rule_on_both_sides() -> None:
    """So no model of section 6 has a tree without errors, unless a rule is listed twice."""
    xs = tuple((a, b, a ^ b) for a, b in product((0, 1), repeat=2))
    objective = errors(lambda x: x[-1])
    once = sodt(Space(splits_bf, divide), objective, (0, 1), xs)
    twice = sodt(
        Space(splits_bf, lambda rule, xs: divide(rule[0], xs)),
        objective,
        ((0, "first"), (1, "first"), (1, "again")),
        xs,
    )
    assert (once.cost, twice.cost) == (1, 0)


def test_rules_without_objects_are_not_proper() -> None:
    """They violate axiom 4."""

    class BinaryTest:
        objects = ()

        def side(self, row) -> int:
            return 1 if row[0] else -1

    space = Space(splits_bf, lambda r, xs: divide(0, xs))
    [tree] = gen_dts(space, (BinaryTest(),), ((0, 0), (1, 1)))
    with pytest.raises(AxiomViolated, match="axiom 4"):
        check_axioms(tree, ((0, 0), (1, 1)))
