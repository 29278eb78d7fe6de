"""Smallest trees with a given score: precision, recall, F1, or any function of the confusions.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023, full
            version, section 6.2, the remark after Corollary 6.8.
Theorem     The remark: the minimum Q[R] over all labelings R with a score of at least p.
Time        O((c + 1)^n · D·d·n), for the table of Lemma 6.3.
Symbols     n examples, d features, c classes, D maximum number of distinct values of a feature, p
            the required score. The confusion matrix holds, for every true and every predicted
            class, the weight of the examples.
The idea    The table has the minimum size for every labeling of the examples, and a labeling
            determines its confusion matrix and so its score. This gives the smallest tree with a
            score of at least p and, over all p, all nondominated trees in size and score.
Departures  1. A score of 0/0 counts as 0, as in scikit-learn: precision if no example is predicted
               positive, recall if none is positive, F1 if neither.
            2. Leaves keep the class of the table, even if it is not the heaviest: a leaf that gives
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
    """Return a smallest tree with a score of at least p, of these a tree of greatest score.

    Parameters
    ----------
    problem : Problem
        The examples; the objective and the limits are ignored.
    score : callable
        Computes a score, to be maximized, from a confusion matrix.
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
    """Return the nondominated trees in size and score.

    Parameters
    ----------
    problem : Problem
        The examples; the objective and the limits are ignored.
    score : callable
        Computes a score, to be maximized, from a confusion matrix.

    Returns
    -------
    list of Scored
        By size; of trees with equal size and score the first of the table.
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
    """List the size and score of every labeling of all examples that has a tree."""
    rows = len(problem.dataset.X)
    for R, entry in Q.items():
        if sum(map(int.bit_count, R)) == rows and entry.size < rows:
            yield int(entry.size), score(confusion_matrix(problem, R)), R


def confusion_matrix(problem: Problem, R: Labeling) -> Confusion:
    """Return the weight of the examples by true class (row) and predicted class (column).

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
    """Return the share of the weight with a correct prediction."""
    correct = sum(row[label] for label, row in enumerate(confusion))
    return _ratio(correct, sum(map(sum, confusion)))


def precision(confusion: Confusion, positive: int = 1) -> Fraction:
    """Return the share of positive weight in the weight that is predicted positive."""
    return _ratio(confusion[positive][positive], sum(row[positive] for row in confusion))


def recall(confusion: Confusion, positive: int = 1) -> Fraction:
    """Return the share of the positive weight that is predicted positive."""
    return _ratio(confusion[positive][positive], sum(confusion[positive]))


def f1(confusion: Confusion, positive: int = 1) -> Fraction:
    """Return the harmonic mean of precision and recall: 2·TP / (2·TP + FP + FN)."""
    predicted = sum(row[positive] for row in confusion)
    actual = sum(confusion[positive])
    return _ratio(2 * confusion[positive][positive], predicted + actual)


def _ratio(numerator: int, denominator: int) -> Fraction:
    return Fraction(numerator, denominator) if denominator else Fraction(0)
