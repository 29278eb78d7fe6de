"""Shared code of all calls of the native module: passing of examples, conversion of errors."""

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

__all__ = ["examples_of", "labels_of", "refused_by", "replay_of"]


def examples_of(problem: Problem) -> ExampleArrays:
    """Return the table of a problem in columns, as the native searches take it.

    Parameters
    ----------
    problem : Problem
        The table; all rules are thresholds.
    """
    if problem.rules != AxisParallel():
        # The search would treat codes as numbers.
        raise InternalError("a native search was given a problem that is not encoded in columns")
    labels, weights, n_classes = labels_of(problem)
    return ExampleArrays(
        columns=problem.dataset.X, labels=labels, weights=weights, n_classes=n_classes
    )


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
        raise MethodRefused(f"method={method!r}: {refused}") from refused
