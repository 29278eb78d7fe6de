"""The checker of the axioms names the one that is violated."""

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from tests.proper.rules_at_hand import examples, rules

from exactree.proper import (
    AxiomViolated,
    Hyperplane,
    Leaf,
    Node,
    Space,
    ThresholdAt,
    ancestry,
    check_axioms,
    complete,
    gen_bts,
    gen_dts,
    proper,
    relation,
    splits_bf,
    valid,
)
from exactree.proper.tree import level_order

XS = ((0, 0), (0, 1), (1, 0), (1, 1), (2, 2))
FIRST, SECOND = ThresholdAt(0, (0, 0)), ThresholdAt(1, (0, 0))


def violated(tree, xs=XS) -> int:
    with pytest.raises(AxiomViolated, match="axiom") as caught:
        check_axioms(tree, xs)
    return caught.value.axiom


def passes(tree, xs) -> bool:
    try:
        check_axioms(tree, xs)
    except AxiomViolated:
        return False
    return True


def leaf(*places):
    return Leaf(tuple(places))


def test_a_proper_tree_passes() -> None:
    check_axioms(Leaf(XS), XS)
    check_axioms(Node(leaf(*XS[:2]), FIRST, leaf(*XS[2:])), XS)
    below = Node(leaf(XS[0]), SECOND, leaf(XS[1]))
    check_axioms(Node(below, FIRST, leaf(*XS[2:])), XS)


@dataclass(frozen=True)
class Strict:
    """A rule with a gap: examples on it are on neither side."""

    objects: tuple

    def side(self, thing) -> int:
        return (thing[0] > 0) - (thing[0] < 0)


def test_axiom_1() -> None:
    """An example on neither side; a node without a rule, as in matrix chains."""
    assert violated(Node(leaf(), Strict(((0, 0),)), leaf())) == 1
    assert violated(Node(leaf(), None, leaf())) == 1


def test_axiom_2() -> None:
    assert violated(Node(leaf(*XS[:2]), FIRST, leaf(*XS[3:]))) == 2
    assert violated(Leaf(())) == 2


def test_axiom_3() -> None:
    """A rule made from an example of the other side."""
    far = ThresholdAt(1, (2, 1))
    below = Node(leaf(*XS[:2]), far, leaf())
    assert violated(Node(below, FIRST, leaf(*XS[2:]))) == 3
    across = Hyperplane(((0, 0), (2, 2)))
    below = Node(leaf(*XS[:2]), across, leaf())
    assert violated(Node(below, FIRST, leaf(*XS[2:]))) == 3


def test_axiom_4() -> None:
    """Binary features: "exclusive or" asks the second feature on both children of the first."""
    twice = Node(leaf(XS[0]), SECOND, leaf(XS[1]))
    other = Node(leaf(XS[2]), SECOND, leaf(*XS[3:]))
    assert violated(Node(twice, FIRST, other)) == 4
    assert violated(Node(Node(leaf(*XS[:2]), FIRST, leaf()), FIRST, leaf(*XS[2:]))) == 4

    @dataclass(frozen=True)
    class Question:
        feature: int
        objects: tuple = ()

        def side(self, thing) -> int:
            return 1 if thing[self.feature] else -1

    assert violated(Node(leaf(*XS[2:]), Question(0), leaf(*XS[:2]))) == 4


@given(rules(4))
def test_axiom_3_is_what_makes_permutations_valid(rs) -> None:
    """A chain of rules, each on the right of the last, is proper exactly if K says so."""
    tree = Leaf(None)
    for rule in reversed(rs):
        tree = Node(Leaf(None), rule, tree)
    whole = complete(proper(rs), tree, ())
    K = ancestry(rs, relation)
    chained = all(K[a, b] == -1 for i, a in enumerate(rs) for b in rs[i + 1 :])
    if chained:
        check_axioms(whole, ())
        assert valid(K, level_order(whole))
    else:
        assert violated(whole, ()) == 3


@given(rules(3), examples())
def test_what_passes_is_what_is_generated(rs, xs) -> None:
    """Of all trees that use each rule once, the axioms are those of the complete generator."""
    space = proper(rs)
    every = [complete(space, tree, xs) for tree in gen_bts(Space(splits_bf, None), tuple(rs))]
    passed = [tree for tree in every if passes(tree, xs)]
    assert Counter(passed) == Counter(gen_dts(space, tuple(rs), xs))
