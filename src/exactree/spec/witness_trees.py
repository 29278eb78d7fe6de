"""Witness trees: one-step refinements and dirty examples, for both witness searches.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023, full
            version, section 4 and, for errors, section 6.2.
Theorem     Lemma 4.2: the order in which witnesses are introduced is immaterial. Both searches
            (witness.py, witness_ensemble.py) rely on it; a property test checks it.
Time        A tree of size s has at most (s + 1)·δ·D one-step refinements that introduce a given
            example with a given class. If the given class may equal the class of the leaf that the
            example reaches, the factor is 2δ instead of δ: then the example and the witness of
            this leaf may have the same label, and differ in up to 2δ features.
Symbols     E examples with their labels; T a witness tree, wit(leaf) the witness of a leaf; D
            largest number of values of a feature, δ largest number of features in which two
            examples of different classes differ; t the allowed weight of errors. A dirty example
            is an example that the current trees misclassify.
The idea    Every leaf keeps one of its examples as its witness. A one-step refinement introduces
            a witness e: it puts a new node above a subtree on e's path, which sends e to a new leaf
            and all witnesses of the subtree to the subtree. Small trees grow into every
            larger tree by such steps, and a dirty example determines the useful steps.
Departures  1. A new root is the subdivision of an edge that leads to the root, as in the proof of
               Lemma 4.2, so both kinds of refinement are one recursion.
            2. An important refinement has a feature f with e[f] ≠ w[f] and a threshold between e[f]
               and w[f], where w = wit(leaf(e)). Here all witnesses of the subtree, including w,
               have to be in the other child than e: every refinement listed is important, and no
               important refinement is left out.
            3. Thresholds that split the examples at the new node alike count once. They remain
               alike, because refinements only remove examples from a node.
            4. With weights, t + 1 dirty examples become dirty examples that weigh more than t.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exactree.problem import Problem
from exactree.rules import AxisRule
from exactree.spec.table import (
    SpecLeaf,
    SpecNode,
    SpecTree,
    goes_left,
    label_of,
    leaves,
    rows,
    thresholds,
)

__all__ = [
    "TrainingData",
    "WitnessLeaf",
    "dirty",
    "majority",
    "more_than",
    "one_step_refinements",
    "separating",
    "training_data",
]


@dataclass(frozen=True)
class WitnessLeaf(SpecLeaf):
    """A leaf of a witness tree: its class and its witness, an example that it holds.

    A witness tree is a tree of nodes and these leaves.
    """

    witness: int


@dataclass(frozen=True)
class TrainingData:
    """The examples E with labels and weights, the number of classes, and the allowed errors t."""

    X: tuple[tuple[float, ...], ...]
    labels: tuple[int, ...]
    weights: tuple[int, ...]
    classes: int
    t: int

    def weight(self, subset: Sequence[int]) -> int:
        """Return the weight of some examples."""
        return sum(self.weights[e] for e in subset)


def training_data(problem: Problem) -> TrainingData:
    """Return the data of a problem for the searches."""
    data, t = problem.dataset, problem.max_error_weight
    weights = tuple(data.weights.tolist())
    labels = tuple(data.labels.tolist())
    return TrainingData(
        rows(problem), labels, weights, len(data.classes), sum(weights) if t is None else t
    )


def dirty(E: TrainingData, trees: Sequence[SpecTree]) -> list[int]:
    """List the examples that the majority of the trees misclassifies, ties to the earlier class."""
    return [e for e, label in enumerate(E.labels) if majority(E, trees, e) != label]


def majority(E: TrainingData, trees: Sequence[SpecTree], e: int) -> int:
    """Return the class with the most votes for an example, ties to the earlier class."""
    votes = [0] * E.classes
    for tree in trees:
        votes[label_of(tree, E.X[e])] += 1
    return votes.index(max(votes))


def more_than(E: TrainingData, subset: Sequence[int]) -> Iterator[int]:
    """Yield the first examples of a subset until they weigh more than t.

    A tree or ensemble with at most t errors classifies one of them correctly. If t = 0, a single
    example is yielded.
    """
    weight = 0
    for e in subset:
        if weight <= E.t:
            yield e
        weight += E.weights[e]


def one_step_refinements(
    E: TrainingData, tree: SpecTree, leaf: WitnessLeaf, subset: Sequence[int] | None = None
) -> Iterator[SpecTree]:
    """Yield the one-step refinements of a witness tree that introduce a leaf with its witness.

    Parameters
    ----------
    E : TrainingData
        The table.
    tree : SpecTree
        A witness tree, or a subtree on the path of the new witness.
    leaf : WitnessLeaf
        The new leaf: a class and an example e.
    subset : sequence of int, optional
        The examples that reach the subtree, all by default.
    """
    e = leaf.witness
    subset = range(len(E.X)) if subset is None else subset
    for rule in separating(E, tree, e, subset):
        yield SpecNode(rule, leaf, tree) if goes_left(rule, E.X[e]) else SpecNode(rule, tree, leaf)
    if isinstance(tree, SpecNode):
        left = goes_left(tree.rule, E.X[e])
        subset_below = [x for x in subset if goes_left(tree.rule, E.X[x]) == left]
        if left:
            for refined in one_step_refinements(E, tree.left, leaf, subset_below):
                yield SpecNode(tree.rule, refined, tree.right)
        else:
            for refined in one_step_refinements(E, tree.right, leaf, subset_below):
                yield SpecNode(tree.rule, tree.left, refined)


def separating(
    E: TrainingData, tree: SpecTree, e: int, subset: Sequence[int]
) -> Iterator[AxisRule]:
    """Yield the rules with e in one child and all witnesses of a subtree in the other."""
    witnesses = [leaf.witness for leaf in leaves(tree) if isinstance(leaf, WitnessLeaf)]
    for f in range(len(E.X[e])):
        for rule in thresholds(E.X, subset, f):
            left = goes_left(rule, E.X[e])
            if all(goes_left(rule, E.X[w]) != left for w in witnesses):
                yield rule
