"""Solving within CPU seconds, which depend less on other load than wall seconds do."""

import time

from exactree import Limits, Outcome, Problem, Status, describe, solve

__all__ = ["smallest", "solve_within", "unavoidable_errors"]


def solve_within(problem: Problem, seconds: float) -> tuple[Outcome, float]:
    """Solve within CPU seconds; return the outcome, and the seconds used.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    seconds : float
        The time limit of the first search. As long as a search stops without a tree or an ensemble,
        the problem is solved again with twice the time.

    Returns
    -------
    outcome : Outcome
        With a tree or an ensemble, unless the problem is infeasible.
    taken : float
        CPU seconds of all searches.
    """
    start = time.process_time()
    deadline = start + seconds
    outcome = solve(problem, on_progress=lambda _: time.process_time() >= deadline)
    taken = time.process_time() - start
    if outcome.stopped_by == "interrupt":
        raise KeyboardInterrupt
    if outcome.status is Status.STOPPED:
        outcome, repeated = solve_within(problem, 2 * seconds)
        taken += repeated
    return outcome, taken


def smallest(X: object, y: object, trees: int, minimize: str, errors: int) -> Problem:
    """Return the problem of the smallest tree or ensemble within a number of errors."""
    return Problem(X, y, minimize=minimize, n_trees=trees, limits=Limits(max_errors=errors))


def unavoidable_errors(X: object, y: object) -> int:
    """Return the number of errors that contradictory rows make unavoidable."""
    return int(describe(X, y).min_errors or 0)
