"""Solving within CPU seconds, which depend less on other load than wall seconds."""

import time

from exactree import Limits, Outcome, Problem, describe, solve

__all__ = ["least_errors", "smallest", "solve_within"]


def solve_within(problem: Problem, seconds: float) -> tuple[Outcome, float]:
    """Return the outcome within CPU seconds, and the seconds used.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    seconds : float
        CPU seconds. A search without a tree is repeated with twice as many, and so on.

    Returns
    -------
    outcome : Outcome
        With a tree or an ensemble.
    taken : float
        CPU seconds.
    """
    start = time.process_time()
    deadline = start + seconds
    outcome = solve(problem, on_progress=lambda _: time.process_time() >= deadline)
    taken = time.process_time() - start
    if outcome.stopped_by == "interrupt":
        raise KeyboardInterrupt
    if outcome.tree is None and outcome.ensemble is None:
        outcome, more = solve_within(problem, 2 * seconds)
        taken += more
    return outcome, taken


def smallest(X: object, y: object, trees: int, minimize: str, errors: int) -> Problem:
    """Return the problem of the smallest tree or ensemble within a number of errors."""
    return Problem(X, y, minimize=minimize, n_trees=trees, limits=Limits(max_errors=errors))


def least_errors(X: object, y: object) -> int:
    """Return the number of errors that contradictory rows make unavoidable."""
    return int(describe(X, y).min_errors or 0)
