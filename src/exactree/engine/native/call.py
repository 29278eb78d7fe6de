"""Shared code of all calls of the native module: passing of examples, conversion of errors."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from exactree import _native
from exactree.engine.native.request import SearchOptions
from exactree.errors import InternalError, MethodRefused
from exactree.problem import Problem
from exactree.problem.verification.recount import write_replay
from exactree.rules import AxisParallel

__all__ = ["answer", "answer_on_examples", "refused_by", "replay_of"]

ResultT = TypeVar("ResultT")


def answer(
    search: Callable[..., ResultT],
    problem: Problem,
    settings: dict[str, Any],
    options: SearchOptions,
) -> ResultT:
    """Run a native search; rules are thresholds only.

    Parameters
    ----------
    search : callable
        The function of the native module.
    problem : Problem
        The table.
    settings : dict
        The problem and its limits, as the search takes them.
    options : SearchOptions
        Limits of the search.
    """
    if problem.rules != AxisParallel():
        # The search would take codes for numbers.
        raise InternalError("a native search was given a problem that is not stated in columns")
    return answer_on_examples(search, problem, settings, options)


def answer_on_examples(
    search: Callable[..., ResultT],
    problem: Problem,
    settings: dict[str, Any],
    options: SearchOptions,
) -> ResultT:
    """Run a native search on the examples of a problem, whatever its rules.

    Parameters
    ----------
    search, problem, settings, options
        As in `answer`.
    """
    settings |= {
        "time_limit": options.time_limit,
        "memory_limit": options.memory_limit,
        "switches": options.switches,
    }
    dataset = problem.dataset
    with replay_of(problem):
        return search(
            dataset.X,
            dataset.labels.astype(np.uint32),
            dataset.weights.astype(np.uint64),
            len(dataset.classes),
            settings,
            options.callback,
        )


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
            f"{error}. Please report this bug of exactree with the file {path}, which holds "
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
