"""Shared code of all calls of the native module: passing of examples, conversion of errors."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.settings import ExampleArrays
from exactree.errors import InternalError, MethodRefused
from exactree.problem import Problem
from exactree.problem.verification.recount import write_replay
from exactree.rules import AxisParallel

__all__ = [
    "RegressionArrays",
    "examples_of",
    "labels_of",
    "refused_by",
    "regression_arrays_of",
    "replay_of",
]

# Columns, targets and weights.
RegressionArrays = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint64]]

# The papers of methods whose tables can be too large, and the theorem in the refusal of a table.
_PAPERS = {"box": "Kobourov et al. (AAAI 2023)", "subsets": "Komusiewicz et al. (ICML 2023)"}
_THEOREM = re.compile(r"((?:Theorem|Lemma|Corollary) \d+\.\d+)")


def examples_of(problem: Problem) -> ExampleArrays:
    """Return the table of a problem in columns, as the native searches take it.

    Parameters
    ----------
    problem : Problem
        The table; all rules are thresholds.
    """
    columns = _columns_of(problem)
    labels, weights, n_classes = labels_of(problem)
    return ExampleArrays(columns=columns, labels=labels, weights=weights, n_classes=n_classes)


def regression_arrays_of(problem: Problem) -> RegressionArrays:
    """Return the table of a regression in columns, as the native searches take it.

    Parameters
    ----------
    problem : Problem
        The table; all rules are thresholds.
    """
    dataset = problem.dataset
    return _columns_of(problem), dataset.targets, dataset.weights.astype(np.uint64)


def _columns_of(problem: Problem) -> NDArray[np.float64]:
    if problem.rules != AxisParallel():
        # The search would treat codes as numbers.
        raise InternalError("a native search was given a problem that is not encoded in columns")
    return problem.dataset.X


def labels_of(problem: Problem) -> tuple[NDArray[np.uint32], NDArray[np.uint64], int]:
    """Return class indices, weights and the number of classes, as the native searches take them.

    Parameters
    ----------
    problem : Problem
        The table.
    """
    dataset = problem.dataset
    labels, weights = dataset.labels.astype(np.uint32), dataset.weights.astype(np.uint64)
    return labels, weights, len(dataset.classes)


@contextmanager
def replay_of(problem: Problem) -> Iterator[None]:
    """Turn an internal error of the native module into `InternalError` with a replay file.

    Parameters
    ----------
    problem : Problem
        The problem to write into the file.
    """
    try:
        yield
    except _native.CoreError as error:
        path = write_replay(problem, [str(error)])
        raise InternalError(
            f"{error} Please report this bug of exactree with the file {path}, which holds "
            "the problem."
        ) from error


@contextmanager
def refused_by(method: str) -> Iterator[None]:
    """Turn the refusal of a table that is too large into `MethodRefused`.

    Parameters
    ----------
    method : str
        The method that refuses.
    """
    try:
        yield
    except _native.TableTooLarge as refused:
        text = str(refused)
        # A theorem is named with its paper.
        if method in _PAPERS:
            text = _THEOREM.sub(rf"\1 of {_PAPERS[method]}", text)
        raise MethodRefused(f"method={method!r}: {text}") from refused
