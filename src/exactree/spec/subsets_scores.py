"""Smallest trees that reach a score: precision, recall, F1, or any other of the confusion matrix.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023,
            full version, section 6.2, the remark after Corollary 6.8.
Theorem     The remark: the least Q[R] over all labelings R with a score of at least p.
Time        O((c + 1)^n · D·d·n), for the table of Lemma 6.3.
Symbols     n examples, d features, c classes, D distinct values of a feature at most, p the least
            score. The confusion matrix holds, for every class and every given class, the weight
            of the examples of the one that are given the other.
The idea    The table knows the least size for every labeling of the examples, and a labeling
            determines its confusion matrix and so its score. Hence the smallest tree with a score
            of at least p, and, over all p, all trees that are best in size and score.
Departures  1. A score of 0/0 counts as 0, as in scikit-learn: precision where nothing is given
               the positive class, recall where nothing has it, F1 where neither.
            2. Leaves keep the class the table gives them, heaviest or not: one leaf that gives
               every example the positive class has recall 1.
            3. Examples count with their weights, and scores are exact fractions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from exactree.problem import Problem
from exactree.spec.labelings import Labeling, LabelingTable, examples_of, tree_of
from exactree.spec.subsets import all_labelings
from exactree.spec.table import SpecTree

__all__ = [
    "Confusion",
    "Scored",
    "accuracy",
    "confusion_matrix",
    "f1",
    "precision",
    "recall",
    "score_front",
    "smallest_with_score",
]

Confusion = tuple[tuple[int, ...], ...]
Score = Callable[[Confusion], Fraction]


@dataclass(frozen=True)
class Scored:
    """A tree with its size and its score."""

    size: int
    score: Fraction
    tree: SpecTree


def smallest_with_score(problem: Problem, score: Score, at_least: Fraction) -> Scored | None:
    """Return a smallest tree with a score of at least p, of these one of greatest score.

    Parameters
    ----------
    problem : Problem
        The examples; what it minimizes and its limits are not looked at.
    score : callable
        Computes a score, more is better, from a confusion matrix.
    at_least : Fraction
        The p of the source.

    Returns
    -------
    Scored or None
        None if no tree reaches p.
    """
    for scored in score_front(problem, score):
        if scored.score >= at_least:
            return scored
    return None


def score_front(problem: Problem, score: Score) -> list[Scored]:
    """Return the trees that no other tree beats in size or score without losing in the other.

    Parameters
    ----------
    problem : Problem
        The examples; what it minimizes and its limits are not looked at.
    score : callable
        Computes a score, more is better, from a confusion matrix.

    Returns
    -------
    list of Scored
        By size; of trees alike in both the first of the table.
    """
    Q = all_labelings(problem)
    front: list[Scored] = []
    for size, value, R in sorted(_scores(problem, Q, score), key=lambda s: (s[0], -s[1])):
        if not front or value > front[-1].score:
            front.append(Scored(size, value, tree_of(Q, R)))
    return front


def _scores(
    problem: Problem, Q: LabelingTable, score: Score
) -> Iterator[tuple[int, Fraction, Labeling]]:
    """List size and score of every labeling of all examples that a tree has."""
    rows = len(problem.dataset.X)
    for R, entry in Q.items():
        if sum(map(int.bit_count, R)) == rows and entry.size < rows:
            yield int(entry.size), score(confusion_matrix(problem, R)), R


def confusion_matrix(problem: Problem, R: Labeling) -> Confusion:
    """Return the weight of the examples of each class (row) that are given each class (column).

    Parameters
    ----------
    problem : Problem
        The examples.
    R : tuple of int
        A labeling.
    """
    labels, weights = problem.dataset.labels.tolist(), problem.dataset.weights.tolist()
    matrix = [[0] * len(R) for _ in R]
    for example, label in examples_of(R):
        matrix[labels[example]][label] += weights[example]
    return tuple(map(tuple, matrix))


def accuracy(confusion: Confusion) -> Fraction:
    """Return the weight given its own class, over all weight."""
    right = sum(row[label] for label, row in enumerate(confusion))
    return _ratio(right, sum(map(sum, confusion)))


def precision(confusion: Confusion, positive: int = 1) -> Fraction:
    """Return, of the weight given the positive class, the share that has it."""
    return _ratio(confusion[positive][positive], sum(row[positive] for row in confusion))


def recall(confusion: Confusion, positive: int = 1) -> Fraction:
    """Return, of the weight that has the positive class, the share that is given it."""
    return _ratio(confusion[positive][positive], sum(confusion[positive]))


def f1(confusion: Confusion, positive: int = 1) -> Fraction:
    """Return the harmonic mean of precision and recall: 2·TP / (2·TP + FP + FN)."""
    given = sum(row[positive] for row in confusion)
    having = sum(confusion[positive])
    return _ratio(2 * confusion[positive][positive], given + having)


def _ratio(subset: int, whole: int) -> Fraction:
    return Fraction(subset, whole) if whole else Fraction(0)
