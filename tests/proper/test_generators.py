"""Generators of all proper trees, their permutations, and Theorems 3.5, 4.2, 4.8 and 4.10."""

from collections import Counter
from functools import partial
from itertools import permutations
from math import factorial

import pytest
from hypothesis import given
from tests.proper.shared_rules import FIGURE_5, GRID, examples, partition, polygon, rules

from exactree.proper import (
    Leaf,
    Node,
    ThresholdAt,
    ancestry,
    check_axioms,
    complete,
    dacc,
    gen_bts,
    gen_dts,
    kcombs,
    kperms,
    level_order,
    map_d,
    path_red,
    paths,
    proper,
    relation,
    tree_of,
    valid,
)


def test_figure_5_has_three_trees_and_two_partitions() -> None:
    trees = gen_dts(proper(FIGURE_5), tuple(FIGURE_5), GRID)
    assert len(trees) == len(gen_bts(proper(FIGURE_5), tuple(FIGURE_5))) == 3
    assert len({partition(tree) for tree in trees}) == 2
    assert FIGURE_5[0] not in {tree.rule for tree in trees}


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_the_sides_of_a_convex_polygon_have_k_factorial_trees(k: int) -> None:
    """Lemma 4.14: every side can be the root, and has all other sides on one side."""
    rs = tuple(polygon(k))
    trees = gen_bts(proper(rs), rs)
    assert len(trees) == len(set(trees)) == factorial(k)
    assert {len(level_order(tree)) for tree in trees} == {k}
    assert all(isinstance(tree.left, Leaf) or isinstance(tree.right, Leaf) for tree in trees)


@given(rules())
def test_trees_correspond_to_valid_permutations(rs) -> None:
    """Corollary 3.6 in both directions, and the bound of Lemma 3.7."""
    K = ancestry(rs, relation)
    trees = gen_bts(proper(rs), tuple(rs))
    orders = [order for order in permutations(rs) if valid(K, order)]
    assert [tree_of(K, level_order(tree)) for tree in trees] == trees
    assert Counter(map(level_order, trees)) == Counter(orders)
    assert len(trees) <= factorial(len(rs))


@given(rules())
def test_invalid_permutations_have_no_tree(rs) -> None:
    K = ancestry(rs, relation)
    for order in permutations(rs):
        if not valid(K, order):
            assert tree_of(K, order) is None


def test_an_order_may_satisfy_no_case_of_theorem_3_5() -> None:
    """In the order p, q, m, r, rule r comes after q on a lower level, but not below q."""
    p, q, m, r = rs = tuple(ThresholdAt(0, (x,)) for x in (1, 0, 2, 3))
    tree = Node(_node(q), p, Node(Leaf(None), m, _node(r)))
    assert tree in gen_bts(proper(rs), rs)
    assert level_order(tree) == (p, q, m, r)


def _node(rule):
    return Node(Leaf(None), rule, Leaf(None))


@given(rules(4))
def test_theorem_4_2_equates_valid_permutations_and_trees_of_k_rules(rs) -> None:
    """The valid permutations of any k rules are the level orders of all trees of k rules."""
    K, space = ancestry(rs, relation), proper(rs)
    for k in range(len(rs) + 1):
        orders = [order for order in kperms(k, rs) if valid(K, order)]
        trees = [tree for chosen in kcombs(k, rs) for tree in gen_bts(space, chosen)]
        assert Counter(orders) == Counter(map(level_order, trees))


def test_combinations_and_permutations_are_listed_in_order() -> None:
    assert kcombs(2, "abc") == [("a", "b"), ("a", "c"), ("b", "c")]
    assert kperms(2, "abc")[:3] == [("a", "b"), ("b", "a"), ("a", "c")]
    assert len(kperms(3, range(6))) == 20 * 6


@given(rules(4))
def test_theorem_4_8_accumulates_through_a_node(rs) -> None:
    """Downward accumulation distributes over a node, here with operators that do not commute."""

    def h(a: str) -> str:
        return f"<{a}>"

    def f(r: object) -> str:
        return f"f{rs.index(r)}"

    def g(r: object) -> str:
        return f"g{rs.index(r)}"

    def plus(a: str, b: str) -> str:
        return f"({a}+{b})"

    def times(a: str, b: str) -> str:
        return f"({a}*{b})"

    for tree in gen_bts(proper(rs), tuple(rs)):
        labelled = map_d(lambda _: "leaf", tree)
        accumulated = map_d(lambda p: path_red(h, plus, times, p), paths(f, g, labelled))
        assert accumulated == dacc(h, f, g, plus, times, labelled)
        if isinstance(labelled, Node):
            root = labelled.rule
            u, v = (dacc(h, f, g, plus, times, side) for side in (labelled.left, labelled.right))
            joined = Node(
                map_d(partial(plus, f(root)), u),
                root,
                map_d(partial(times, g(root)), v),
            )
            assert accumulated == joined


@given(rules(), examples())
def test_theorem_4_10_fuses_generation_and_accumulation(rs, xs) -> None:
    """The complete generator equals the partial generator followed by accumulation."""
    space = proper(rs)
    afterwards = [complete(space, tree, xs) for tree in gen_bts(space, tuple(rs))]
    assert gen_dts(space, tuple(rs), xs) == afterwards


@given(rules(), examples())
def test_all_generated_trees_are_proper(rs, xs) -> None:
    """Lemma 4.5; axiom 2, about the examples, is added by the complete generator."""
    for tree in gen_dts(proper(rs), tuple(rs), xs):
        check_axioms(tree, xs)
