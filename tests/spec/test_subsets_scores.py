"""Precision, recall, F1 and other scores of the confusion matrix, against all trees listed."""

import runpy
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

from exactree import Problem, pareto_front
from exactree.spec.subsets_scores import (
    accuracy,
    confusion_matrix,
    f1,
    precision,
    recall,
    score_front,
    smallest_with_score,
)
from exactree.spec.table import label_of, rows, size

BRUTE = runpy.run_path(str(Path(__file__).with_name("brute_force.py")))
SCORES = [accuracy, precision, recall, f1, partial(precision, positive=0), partial(f1, positive=0)]
PAIRS = [
    (precision, metrics.precision_score),
    (recall, metrics.recall_score),
    (f1, metrics.f1_score),
]


def labeling(predicted: tuple[int, ...], classes: int) -> tuple[int, ...]:
    """Return predicted classes as bit sets R_1, ..., R_c of the examples of each class."""
    return tuple(sum(1 << e for e, c in enumerate(predicted) if c == j) for j in range(classes))


def random_problem(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    classes = int(rng.integers(2, 4))
    return Problem(*BRUTE["random_table"](rng, int(rng.integers(2, 5)), classes))


@pytest.mark.parametrize("score", SCORES)
def test_the_front_has_the_best_score_of_every_size(score) -> None:
    for seed in range(60):
        problem = random_problem(seed)
        classes = len(problem.dataset.classes)
        if classes < 2:
            continue
        all_trees = [
            (s, score(confusion_matrix(problem, labeling(predicted, classes))))
            for predicted, s in BRUTE["min_sizes"](problem.dataset.X, classes).items()
        ]
        front = [(scored.size, scored.score) for scored in score_front(problem, score)]
        sizes = sorted({s for s, _ in all_trees})
        best = {size: max(v for s, v in all_trees if s <= size) for size in sizes}
        assert front == [
            (size, best[size])
            for number, size in enumerate(sizes)
            if not number or best[size] > best[sizes[number - 1]]
        ]
        for threshold in {v for _, v in all_trees}:
            found = smallest_with_score(problem, score, threshold)
            assert found.size == min(s for s, v in all_trees if v >= threshold), seed
        assert smallest_with_score(problem, score, Fraction(2)) is None


@pytest.mark.parametrize("tables", [150, pytest.param(2000, marks=pytest.mark.long)])
def test_the_front_by_accuracy_is_that_of_the_definition_by_errors(tables: int) -> None:
    n_large = 0
    for seed in range(tables):
        problem = random_problem(seed)
        total = Fraction(problem.dataset.total_weight, problem.dataset.weight_scale)
        front = [(s.size, (1 - s.score) * total) for s in score_front(problem, accuracy)]
        assert front == [out.cost for out in pareto_front(problem, ("size", "errors"))], seed
        n_large += len(front) > 2
    assert n_large > tables // 10


def test_trees_of_a_front_have_the_reported_sizes_and_scores() -> None:
    for seed in range(40):
        problem = random_problem(seed)
        y, weights = problem.dataset.labels, problem.dataset.weights
        for scored in score_front(problem, recall):
            predicted = [label_of(scored.tree, row) for row in rows(problem)]
            assert size(scored.tree) == scored.size
            expected = metrics.recall_score(
                y, predicted, labels=[1], average="macro", sample_weight=weights, zero_division=0
            )
            assert float(scored.score) == pytest.approx(expected)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_scores_are_those_of_scikit_learn(ours, theirs) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        y, predicted = rng.integers(0, 2, 4), rng.integers(0, 2, 4)
        problem = Problem(np.zeros((5, 1)), [*y, 1 - y[0]])  # two classes in any case
        predicted = [*predicted.tolist(), int(rng.integers(0, 2))]
        matrix = confusion_matrix(problem, labeling(tuple(predicted), 2))
        assert float(ours(matrix)) == pytest.approx(
            theirs(problem.dataset.labels, predicted, zero_division=0)
        )


def test_zero_over_zero_is_zero() -> None:
    nothing_predicted = ((3, 0), (2, 0))
    scores = precision(nothing_predicted), recall(nothing_predicted), f1(nothing_predicted)
    assert scores == (0, 0, 0)
    no_positives = ((3, 2), (0, 0))
    assert (recall(no_positives), precision(no_positives)) == (0, 0)
    assert f1(((3, 0), (0, 0))) == 0


def test_a_leaf_of_the_lighter_class_has_recall_one() -> None:
    """Leaves predict any class: if they predicted the majority, recall 1 would need a node here."""
    problem = Problem([[0], [1], [2]], [0, 0, 1])
    found = smallest_with_score(problem, recall, Fraction(1))
    assert (found.size, found.score, found.tree.label) == (0, 1, 1)
    precise = smallest_with_score(problem, precision, Fraction(1))
    assert (precise.size, precise.score) == (1, 1)


def test_weights_count_in_the_accuracy() -> None:
    problem = Problem([[0], [1], [2]], [1, 0, 1], [1, 2, 7])
    found = smallest_with_score(problem, accuracy, Fraction(8, 10))
    assert (found.size, found.score) == (0, Fraction(8, 10))
