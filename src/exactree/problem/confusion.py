"""Binary classification: the positive class, false positives and false negatives, and rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exactree.data.dataset import Dataset
from exactree.objectives.errors import weight_by_class
from exactree.objectives.rates import PrecisionError, RecallError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exactree.problem.problem import Problem
    from exactree.trees import Ensemble, Tree

__all__ = ["KINDS_OF_ERRORS", "broken_rates", "confusion_of", "keeps_rates", "positive_class"]

# The two quantities of a Pareto front of errors of two classes.
KINDS_OF_ERRORS = ("false_positives", "false_negatives")


def positive_class(dataset: Dataset, positive: Any, needed: bool) -> int:
    """Return the index of the positive class.

    Parameters
    ----------
    dataset : Dataset
        The table.
    positive : object
        The label the user named, None for the last class.
    needed : bool
        Whether the objective needs two classes.

    Raises
    ------
    ValueError
        If the table does not have two classes, or the label is not a class.
    """
    labels: list[Any] = dataset.classes.tolist()
    if needed and len(labels) != 2:
        raise ValueError(
            f"F1, precision and recall need two classes, but y has {len(labels)}: {labels!r}."
        )
    if positive is None:
        return len(labels) - 1
    if positive not in labels:
        raise ValueError(f"positive={positive!r} is not a label of y.")
    return labels.index(positive)


def confusion_of(problem: Problem, found: Tree | Ensemble) -> tuple[int, int]:
    """Return the integer weights of false positives and false negatives of a tree or an ensemble.

    Parameters
    ----------
    problem : Problem
        The solved problem, with two classes.
    found : Tree or Ensemble
        The tree or the ensemble.
    """
    dataset = problem.dataset
    predicted_positive = found.predict_index(dataset.X) == problem.positive
    true = dataset.labels == problem.positive
    return int(dataset.weights[predicted_positive & ~true].sum()), int(
        dataset.weights[~predicted_positive & true].sum()
    )


def keeps_rates(problem: Problem, false_positives: int, false_negatives: int) -> bool:
    """Return whether precision and recall reach `min_precision` and `min_recall`.

    Parameters
    ----------
    problem : Problem
        The solved problem, with two classes.
    false_positives, false_negatives : int
        Integer weights.
    """
    limits = problem.limits
    positives = weight_by_class(problem.dataset)[problem.positive]
    return all(
        minimum is None
        or 1 - term(positives=positives).rate(false_positives, false_negatives) >= minimum
        for term, minimum in (
            (PrecisionError, limits.min_precision),
            (RecallError, limits.min_recall),
        )
    )


def broken_rates(problem: Problem, found: Tree | Ensemble) -> Iterator[str]:
    """Yield a message if a tree or an ensemble breaks a limit on precision or recall.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    found : Tree or Ensemble
        The tree or the ensemble.
    """
    limits = problem.limits
    if limits.min_precision is None and limits.min_recall is None:
        return
    wrong = confusion_of(problem, found)
    if not keeps_rates(problem, *wrong):
        limits_text = f"min_precision={limits.min_precision} or min_recall={limits.min_recall}"
        yield f"weights {wrong} of false positives and negatives break {limits_text}"
