"""The check that a tree is proper: the four axioms of Definition 3.4, on given data."""

from collections.abc import Iterator
from typing import Any, TypeVar

from exactree.proper.rule import ProperRule, divide
from exactree.proper.tree import DTree, Leaf, Node, level_order

X = TypeVar("X")
P = TypeVar("P", bound=ProperRule[Any])


class AxiomViolated(ValueError):
    """Raised for a tree that is not proper.

    Parameters
    ----------
    axiom : int
        The number of the axiom, 1 to 4.
    reason : str
        The place and kind of the violation.
    """

    def __init__(self, axiom: int, reason: str) -> None:
        super().__init__(f"axiom {axiom}: {reason}")
        self.axiom = axiom


def check_axioms(tree: DTree[P, tuple[X, ...]], xs: tuple[X, ...]) -> None:
    """Check that a tree with its examples in the leaves is proper.

    The axioms, as they are checked here:

    1. A node has one rule, and each example is on one of the two sides of it. (The paper also wants
       each side to be connected, which examples do not show.)
    2. A leaf holds the examples that agree with all rules of its path.
    3. A rule is defined by objects that are on its side of every rule above it.
    4. Of two rules, one can be only on the left side of the other, only on the right side, or not
       below it. So a rule has objects and occurs once.

    They are checked in the order 1, 4, 3, 2, so a rule that occurs twice is reported as such even
    if it is also defined by objects outside its region.

    Parameters
    ----------
    tree : Leaf or Node
        A tree with the examples in its leaves.
    xs : tuple
        The examples of the root.

    Raises
    ------
    AxiomViolated
        With the first violated axiom.
    """
    for rule in level_order(tree):
        _check_sides(rule, xs)
    _check_unique(tree)
    for above, side, below in _descents(tree):
        for defining in below.objects:
            if above.side(defining) != side:
                raise AxiomViolated(3, f"{below!r} is not made on its side of {above!r}.")
    _check_leaves(tree, xs)


def _check_sides(rule: Any, xs: tuple[X, ...]) -> None:
    """Check axiom 1: a node has one rule, and each example is on one side of it."""
    if not hasattr(rule, "side"):
        raise AxiomViolated(1, f"a node has no rule, but {rule!r}.")
    for x in xs:
        if rule.side(x) not in (1, -1):
            raise AxiomViolated(1, f"{x!r} is on neither side of {rule!r}.")


def _check_unique(tree: DTree[P, tuple[X, ...]]) -> None:
    """Check what axiom 4 demands of the rules of a tree: each has objects and occurs once."""
    rules = level_order(tree)
    for rule in rules:
        if not rule.objects:
            raise AxiomViolated(4, f"{rule!r} has no objects: it can be on both sides.")
    seen: set[P] = set()
    for rule in rules:
        if rule in seen:
            raise AxiomViolated(4, f"{rule!r} occurs twice.")
        seen.add(rule)


def _descents(tree: DTree[P, tuple[X, ...]]) -> Iterator[tuple[P, int, P]]:
    """List all pairs of a rule and a rule below it, with the side."""
    if isinstance(tree, Node):
        for below, side in ((tree.left, 1), (tree.right, -1)):
            for rule in level_order(below):
                yield tree.rule, side, rule
            yield from _descents(below)


def _check_leaves(tree: DTree[P, tuple[X, ...]], xs: tuple[X, ...]) -> None:
    """Check axiom 2: the data of a leaf agree with all rules of its path."""
    if isinstance(tree, Leaf):
        if tree.data != xs:
            raise AxiomViolated(2, f"a leaf holds {tree.data!r}, but {xs!r} reach it.")
    else:
        left, right = divide(tree.rule, xs)
        _check_leaves(tree.left, left)
        _check_leaves(tree.right, right)
