"""Counting the votes of an ensemble, up to the number that decides for the correct class.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023, full
            version, sections 5.1 and 6.1.
Theorem     The vectors of Theorem 5.3 (two classes), corrected for Theorem 6.5 (three or more).
Time        O(n) for adding a tree's votes; with three or more classes O(c·n).
Symbols     n examples, c classes, l trees. r: for every example the number of trees that classify
            it correctly, truncated at the number that it needs.
The idea    Once an example has the votes that it needs, further correct votes change nothing, so a
            vector does not count them.
Departures  1. With an even number of trees the class order breaks ties: an example of the first
               class needs ⌈l/2⌉ correct votes, an example of the second class ⌊l/2⌋ + 1.
            2. With three or more classes the number of correct votes does not decide: five trees
               that vote 0, 0, 1, 2, 1 elect class 0, and trees that vote 0, 0, 1, 1, 1 do not. Then
               r has the votes for every class and every example, without truncation.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb, prod
from operator import add

from exactree.problem import Problem
from exactree.spec.labelings import Labeling

__all__ = ["Count", "Votes"]

Votes = tuple[int, ...]


@dataclass(frozen=True)
class Count:
    """The counting of votes for the examples of a problem."""

    problem: Problem

    @cached_property
    def counted(self) -> list[tuple[int, int]]:
        """The example and the class of each entry of r."""
        labels = self.problem.dataset.labels.tolist()
        if self._two_classes:
            return list(enumerate(labels))
        classes = range(len(self.problem.dataset.classes))
        return [(example, label) for example in range(len(labels)) for label in classes]

    @cached_property
    def needed(self) -> Votes:
        """The votes at which counting stops, for two classes the votes that an example needs."""
        trees = self.problem.n_trees
        if self._two_classes:
            needed = ((trees + 1) // 2, trees // 2 + 1)
            return tuple(needed[label] for _, label in self.counted)
        return (trees,) * len(self.counted)

    def votes_of(self, R: Labeling) -> Votes:
        """Return the votes of a tree that gives the examples R_j the class j."""
        return tuple(R[label] >> example & 1 for example, label in self.counted)

    def with_votes(self, r: Votes, votes: Votes) -> Votes:
        """Return r + votes, truncated at the votes needed."""
        return tuple(map(min, map(add, r, votes), self.needed))

    def wrong_weight(self, r: Votes) -> int:
        """Return the weight of the examples for which the ensemble elects a wrong class."""
        dataset = self.problem.dataset
        weights: list[int] = dataset.weights.tolist()
        labels: list[int] = dataset.labels.tolist()
        if self._two_classes:
            correct = [votes >= needed for votes, needed in zip(r, self.needed, strict=True)]
        else:
            classes = len(dataset.classes)
            rows = [r[first : first + classes] for first in range(0, len(r), classes)]
            # `index` finds the first of equal entries: ties go to the earlier class.
            pairs = zip(rows, labels, strict=True)
            correct = [row.index(max(row)) == label for row, label in pairs]
        return sum(weight for weight, right in zip(weights, correct, strict=True) if not right)

    def vectors(self, trees: int) -> int:
        """Return the maximum number of vectors of votes of a number of trees."""
        classes, rows = len(self.problem.dataset.classes), len(self.problem.dataset.X)
        if self._two_classes:
            return prod(min(trees, needed) + 1 for needed in self.needed)
        return int(comb(trees + classes - 1, classes - 1) ** rows)

    @property
    def _two_classes(self) -> bool:
        return len(self.problem.dataset.classes) <= 2
