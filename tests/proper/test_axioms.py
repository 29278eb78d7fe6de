"""The check of the axioms of proper trees names the violated axiom."""

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from tests.proper.shared_rules import examples, rules

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


def violated_axiom(tree, xs=XS) -> int:
    with pytest.raises(AxiomViolated, match="axiom") as caught:
        check_axioms(tree, xs)
    return caught.value.axiom


def passes(tree, xs) -> bool:
    try:
        check_axioms(tree, xs)
    except AxiomViolated:
        return False
    return True


def leaf(*points):
    return Leaf(tuple(points))


def test_a_proper_tree_passes() -> None:
    check_axioms(Leaf(XS), XS)
    check_axioms(Node(leaf(*XS[:2]), FIRST, leaf(*XS[2:])), XS)
    below = Node(leaf(XS[0]), SECOND, leaf(XS[1]))
    check_axioms(Node(below, FIRST, leaf(*XS[2:])), XS)


@dataclass(frozen=True)
class StrictRule:
    """A rule that puts examples with the value 0 on neither side."""

    objects: tuple

    def side(self, point) -> int:
        return (point[0] > 0) - (point[0] < 0)


def test_axiom_1_gives_every_example_a_side() -> None:
    """Violated by an example on neither side, and by a node without a rule."""
    assert violated_axiom(Node(leaf(), StrictRule(((0, 0),)), leaf())) == 1
    assert violated_axiom(Node(leaf(), None, leaf())) == 1


def test_axiom_2_puts_every_example_in_a_leaf() -> None:
    """Violated if an example of the table is in no leaf."""
    assert violated_axiom(Node(leaf(*XS[:2]), FIRST, leaf(*XS[3:]))) == 2
    assert violated_axiom(Leaf(())) == 2


def test_axiom_3_puts_a_rule_where_its_objects_are() -> None:
    """Violated by a rule that is defined by an example of the other side."""
    far = ThresholdAt(1, (2, 1))
    below = Node(leaf(*XS[:2]), far, leaf())
    assert violated_axiom(Node(below, FIRST, leaf(*XS[2:]))) == 3
    across = Hyperplane(((0, 0), (2, 2)))
    below = Node(leaf(*XS[:2]), across, leaf())
    assert violated_axiom(Node(below, FIRST, leaf(*XS[2:]))) == 3


def test_axiom_4_puts_every_rule_on_one_side_only() -> None:
    """Violated by a rule in both subtrees, twice on a path, and by rules without objects."""
    left = Node(leaf(XS[0]), SECOND, leaf(XS[1]))
    right = Node(leaf(XS[2]), SECOND, leaf(*XS[3:]))
    assert violated_axiom(Node(left, FIRST, right)) == 4
    assert violated_axiom(Node(Node(leaf(*XS[:2]), FIRST, leaf()), FIRST, leaf(*XS[2:]))) == 4

    @dataclass(frozen=True)
    class BinaryTest:
        feature: int
        objects: tuple = ()

        def side(self, point) -> int:
            return 1 if point[self.feature] else -1

    assert violated_axiom(Node(leaf(*XS[2:]), BinaryTest(0), leaf(*XS[:2]))) == 4


@given(rules(4))
def test_axiom_3_holds_for_chains_of_valid_permutations(rs) -> None:
    """A chain of right children is proper exactly if every rule can be right of all above it."""
    tree = Leaf(None)
    for rule in reversed(rs):
        tree = Node(Leaf(None), rule, tree)
    chain = complete(proper(rs), tree, ())
    K = ancestry(rs, relation)
    is_proper = all(K[a, b] == -1 for i, a in enumerate(rs) for b in rs[i + 1 :])
    if is_proper:
        check_axioms(chain, ())
        assert valid(K, level_order(chain))
    else:
        assert violated_axiom(chain, ()) == 3


@given(rules(3), examples())
def test_the_trees_that_satisfy_the_axioms_are_the_generated_trees(rs, xs) -> None:
    """Of all trees that use each rule once, the complete generator yields the proper trees."""
    space = proper(rs)
    every = [complete(space, tree, xs) for tree in gen_bts(Space(splits_bf, None), tuple(rs))]
    passed = [tree for tree in every if passes(tree, xs)]
    assert Counter(passed) == Counter(gen_dts(space, tuple(rs), xs))
