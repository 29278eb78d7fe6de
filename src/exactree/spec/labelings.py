"""Smallest trees for all labelings of all sets of examples, in one table.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023, full
            version, sections 5.1 and 6.1.
Theorem     Lemma 5.1 (two classes), Lemma 6.3 (any number of classes).
Time        O((c + 1)^n · D·d·n); the table restricted to the examples' own classes, as in Theorems
            5.2 and 6.4, takes O(2^n · D·d·n).
Symbols     n examples E, d features, c classes, D maximum number of distinct values of a feature.
            Q[B, R]: minimum size of a tree that labels exactly B blue among the examples of B and
            R; with c classes Q[R_1, ..., R_c]: minimum size of a tree that gives exactly the
            examples R_j the class j. Thr(i): one threshold for each split of feature i. A cut is a
            rule, identified with the examples that it sends left.
The idea    A leaf gives all examples one class, so Q is 0 if at most one of the sets holds
            examples. Every other tree begins with a cut that has examples in both children, and its
            two subtrees label these children; so Q is 1 plus the minimum sum over all cuts. Both
            children hold fewer examples, so the table is filled by number of examples.
Departures  1. A set of examples is an integer whose bit i stands for example i, so that `&` and `|`
               are intersection and union.
            2. An entry stores its cut, so that the tree can be read from the table.
            3. Examples may be equal. Labelings that give equal examples different classes have no
               tree: no cut separates these examples, and the minimum over no cuts is infinite.
            4. Of all cuts, for any feature, that split the whole table in the same way, only one
               is tried.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf

import numpy as np

from exactree.problem import Problem
from exactree.rules import Rule
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree

__all__ = [
    "Labeling",
    "LabelingCut",
    "LabelingEntry",
    "LabelingTable",
    "cuts",
    "examples_of",
    "labelings",
    "labelings_table",
    "tree_of",
]

Labeling = tuple[int, ...]


@dataclass(frozen=True)
class LabelingCut:
    """A rule, and the set of examples that it sends left, as an integer."""

    rule: Rule
    left: int


@dataclass(frozen=True)
class LabelingEntry:
    """An entry Q[R]: the minimum size, infinite without a tree, and the cut at the root."""

    size: float
    cut: LabelingCut | None = None


LabelingTable = dict[Labeling, LabelingEntry]


def labelings_table(problem: Problem, allowed: Sequence[Sequence[int]]) -> LabelingTable:
    """Fill Q for every labeling of every set of examples.

    Parameters
    ----------
    problem : Problem
        A problem with a small table.
    allowed : sequence of sequence of int
        The classes that each example may be given: all classes for Lemmas 5.1 and 6.3, its own
        class for Theorems 5.2 and 6.4.
    """
    thr = cuts(problem)
    Q: LabelingTable = {}
    for R in labelings(allowed, len(problem.dataset.classes)):
        one_class = sum(map(bool, R)) <= 1
        Q[R] = LabelingEntry(0) if one_class else best_cut(Q, R, thr)
    return Q


def best_cut(Q: LabelingTable, R: Labeling, thr: Sequence[LabelingCut]) -> LabelingEntry:
    """Return the entry of R: 1 + the minimum of Q[left child] + Q[right child] over all cuts.

    Only cuts that have labelled examples in both children count.
    """
    best = LabelingEntry(inf)
    for cut in thr:
        left, right = child_labelings(R, cut)
        if any(left) and any(right):
            size = 1 + Q[left].size + Q[right].size
            if size < best.size:
                best = LabelingEntry(size, cut)
    return best


def child_labelings(R: Labeling, cut: LabelingCut) -> tuple[Labeling, Labeling]:
    """Split every set of a labeling by a cut."""
    return tuple([r & cut.left for r in R]), tuple([r & ~cut.left for r in R])


def labelings(allowed: Sequence[Sequence[int]], classes: int) -> list[Labeling]:
    """List all assignments of an allowed class or none to each example, fewest examples first."""
    found: list[Labeling] = []
    for choice in product(*([None, *classes_of_example] for classes_of_example in allowed)):
        R = [0] * classes
        for example, label in enumerate(choice):
            if label is not None:
                R[label] |= 1 << example
        found.append(tuple(R))
    return sorted(found, key=lambda R: sum(map(int.bit_count, R)))


def cuts(problem: Problem) -> list[LabelingCut]:
    """List Thr(1), ..., Thr(d)."""
    X = problem.dataset.X
    rules = problem.rules.distinct(X, np.arange(len(X)))
    return [
        LabelingCut(rule, sum(1 << example for example in np.flatnonzero(rule.holds(X)).tolist()))
        for rule in rules
    ]


def examples_of(R: Labeling) -> Iterator[tuple[int, int]]:
    """List the labelled examples with their classes."""
    for label, r in enumerate(R):
        for example in range(r.bit_length()):
            if r >> example & 1:
                yield example, label


def tree_of(Q: LabelingTable, R: Labeling) -> SpecTree:
    """Read the tree for a labeling from the cuts of the table.

    Parameters
    ----------
    Q : dict
        The table.
    R : tuple of int
        A labeling of at least one example, of finite size.
    """
    cut = Q[R].cut
    if cut is None:
        return SpecLeaf(next(label for label, r in enumerate(R) if r))
    left, right = child_labelings(R, cut)
    return SpecNode(cut.rule, tree_of(Q, left), tree_of(Q, right))
