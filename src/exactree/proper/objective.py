"""Objectives: the cost of a leaf and of a node, and the laws that dynamic programming needs.

Departures
  1. The cost of a node may depend on its rule, as in section 3.2.3 but not in Definition 4.12.
  2. There are two laws. Theorem 4.13 needs the second, which Definition 4.12 does not mention.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Generic, TypeVar

from exactree.proper.tree import DTree, folded

R = TypeVar("R")
D = TypeVar("D")
C = TypeVar("C")
X = TypeVar("X")


@dataclass(frozen=True)
class TreeObjective(Generic[R, D, C]):
    """A cost of trees that is computed from the leaves upwards and minimized (Definition 4.12).

    Attributes
    ----------
    leaf : callable
        Returns the cost of a leaf from its data: the paper's f.
    join : callable
        Returns the cost of a node from the cost of its left child, its rule, and the cost of its
        right child: the paper's g.
    value : callable
        Returns the number by which costs are compared.
    """

    leaf: Callable[[D], C]
    join: Callable[[C, R, C], C]
    value: Callable[[C], Any]


def cost(objective: TreeObjective[R, D, C], tree: DTree[R, D]) -> C:
    """Return the cost of a complete tree: the paper's E.

    Parameters
    ----------
    objective : TreeObjective
        The objective.
    tree : Leaf or Node
        A tree with the data in its leaves.
    """
    return folded(tree, objective.leaf, objective.join)


def check_laws(
    objective: TreeObjective[R, D, C], rules: Iterable[R], costs: Sequence[Sequence[C]]
) -> None:
    """Check the laws that Theorem 4.13 needs, on given costs.

    *Inflating*: a join costs at least as much as each child. *Monotone*: a more expensive child
    never makes a cheaper join. The paper mentions only the first law; its proof uses the second.

    Parameters
    ----------
    objective : TreeObjective
        The objective.
    rules : iterable
        Rules of nodes.
    costs : sequence of sequence
        Groups of costs of trees; the trees of a group have the same data. Every group is joined
        with every group, also with itself.

    Raises
    ------
    ValueError
        With the broken law and the costs.
    """
    value, join = objective.value, objective.join
    for rule, left, right in product(rules, costs, costs):
        for a, b in product(left, right):
            joined = value(join(a, rule, b))
            if joined < max(value(a), value(b)):
                raise ValueError(f"not inflating: the join of {a} and {b} costs less.")
            for costlier in (join(c, rule, b) for c in left if value(c) >= value(a)):
                if value(costlier) < joined:
                    raise ValueError(f"not monotone on the left of {b}, at {a}.")
            for costlier in (join(a, rule, c) for c in right if value(c) >= value(b)):
                if value(costlier) < joined:
                    raise ValueError(f"not monotone on the right of {a}, at {b}.")


def errors(label: Callable[[X], Hashable]) -> TreeObjective[Any, tuple[X, ...], int]:
    """Return the objective (22): the number of misclassified examples.

    Parameters
    ----------
    label : callable
        Returns the class of an example.
    """

    def leaf(xs: tuple[X, ...]) -> int:
        return len(xs) - max(Counter(map(label, xs)).values(), default=0)

    return TreeObjective(leaf, lambda left, _, right: left + right, lambda cost: cost)
