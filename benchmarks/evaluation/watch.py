"""Recording of incumbents and bounds of one solver on one table, by CPU seconds."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from benchmarks.evaluation.anytime_record import Curve, Moment
from benchmarks.peers import OURS, Peer
from benchmarks.tables import tiny_table
from exactree import Limits, Outcome, Problem, Progress, Status, solve

__all__ = ["curve_of_exactree", "curve_of_peer", "greedy", "seconds_to_catch_up"]

# Calls of CART, whose minimum CPU seconds count: the first calls load code and tables.
REPEATS = 7
# Maximum number of calls of exactree; the first call that is fast enough is the last. The times of
# incumbents are upper bounds, which are tight only in calls during which no other process computes.
MAX_CALLS = 30
# CPU seconds after which a search that is worse than CART is given up.
MAX_SECONDS = 1.0
# First time limit of a peer, in wall seconds. A peer reports nothing while it runs, so it is run
# again with twice the time limit, until a run has a proof or takes all allowed CPU seconds.
FIRST_LIMIT = 0.02


def greedy(X: NDArray[Any], y: NDArray[Any], depth: int) -> tuple[int, float]:
    """Return the errors of scikit-learn's tree of a depth, and the minimum CPU seconds of a fit."""
    taken = []
    for _ in range(REPEATS):
        start = time.process_time()
        model = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
        taken.append(time.process_time() - start)
    return int((model.predict(X) != y).sum()), min(taken)


def curve_of_exactree(X: NDArray[Any], y: NDArray[Any], depth: int, limit: float) -> Curve:
    """Return the curve of exactree within a limit in CPU seconds, which includes `Problem(...)`."""
    search = _solved(X, y, depth, limit)
    proved = search.outcome.status is Status.OPTIMAL
    return Curve(OURS, tuple(_moments(search)), round(search.seconds, 6), proved)


def seconds_to_catch_up(
    X: NDArray[Any], y: NDArray[Any], depth: int, errors: int, fast_enough: float
) -> float | None:
    """Return the CPU seconds until exactree has a tree with few errors, the minimum over calls.

    Parameters
    ----------
    X, y : ndarray
        The table.
    depth : int
        Maximum depth of the tree.
    errors : int
        The maximum number of errors.
    fast_enough : float
        CPU seconds. After a call that took at most this time to find such a tree, there is no
        other call.

    Returns
    -------
    float or None
        None if no call found such a tree.
    """
    fastest: float | None = None
    for _ in range(MAX_CALLS):
        search = _solved(X, y, depth, MAX_SECONDS, enough=errors)
        good = [m.seconds for m in _moments(search) if m.errors is not None and m.errors <= errors]
        fastest = min([*good[:1], *([] if fastest is None else [fastest])], default=None)
        if fastest is not None and fastest <= fast_enough:
            break
    return fastest


@dataclass(frozen=True)
class _Search:
    """A finished search, with wall seconds and CPU seconds of its reports.

    Attributes
    ----------
    outcome : Outcome
        The outcome, with its progress.
    start : float
        Upper bound on the CPU seconds from the beginning of `Problem(...)` to the search.
    samples : list of (float, float)
        For every report: wall seconds of the search's own clock, and CPU seconds since the
        beginning of `Problem(...)`, at the same time.
    seconds : float
        CPU seconds of `Problem(...)` and the search.
    """

    outcome: Outcome
    start: float
    samples: list[tuple[float, float]]
    seconds: float


def _solved(
    X: NDArray[Any], y: NDArray[Any], depth: int, limit: float, enough: int = -1
) -> _Search:
    """Solve within CPU seconds, or until a tree has so few errors that it is enough."""
    beginning = time.process_time()
    samples: list[tuple[float, float]] = []
    delays: list[float] = []  # wall seconds from the call of `solve` to the start of its clock

    def on_progress(now: Progress) -> bool:
        used = time.process_time() - beginning
        delays.append(time.perf_counter() - called - now.seconds)
        samples.append((now.seconds, used))
        return used >= limit or (isinstance(now.cost, int) and now.cost <= enough)

    problem = Problem(X, y, limits=Limits(max_depth=depth))
    problem_seconds = time.process_time() - beginning
    called = time.perf_counter()
    outcome = solve(problem, on_progress=on_progress)
    wall_seconds = time.perf_counter() - called
    if outcome.stopped_by == "interrupt":
        raise KeyboardInterrupt
    start = problem_seconds + min([*delays, wall_seconds - outcome.stats["seconds"]])
    return _Search(outcome, start, samples, time.process_time() - beginning)


def _moments(search: _Search) -> Iterator[Moment]:
    """Yield the progress of a search in CPU seconds.

    The search reports wall seconds of its clock. The CPU seconds at that time are at most the wall
    seconds, and at most the CPU seconds of the next sample. The minimum of both upper bounds may be
    too late, to the disadvantage of exactree, but never too early.
    """
    for now in search.outcome.stats["progress"]:
        later = [cpu for clock, cpu in search.samples if clock >= now.seconds]
        seconds = min(search.start + now.seconds, *later, search.seconds)
        assert now.cost is None or isinstance(now.cost, int)
        assert isinstance(now.lower_bound, int)
        yield Moment(round(seconds, 6), now.cost, now.lower_bound)


def curve_of_peer(peer: Peer, X: NDArray[Any], y: NDArray[Any], depth: int, limit: float) -> Curve:
    """Return the curve of a peer that is stopped after increasing times.

    The errors are counted from the predictions of the returned trees; a tree that is no better than
    an earlier tree is left out.
    """
    fit = import_module(peer.adapter).fit
    fit(*tiny_table(), depth=depth, time_limit=1.0)  # so that lazy imports are not measured
    moments: list[Moment] = []
    allowed, taken, proved = FIRST_LIMIT, 0.0, False
    while not proved and taken < limit:
        start = time.process_time()
        answer = fit(X, y, depth=depth, time_limit=allowed)
        taken = time.process_time() - start
        proved = answer.proved
        if answer.predict is not None:
            errors = int(np.count_nonzero(answer.predict(X) != y))
            moments.append(Moment(round(taken, 6), errors))
        allowed *= 2
    return Curve(peer.name, tuple(_better(moments)), round(taken, 6), proved)


def _better(moments: list[Moment]) -> Iterator[Moment]:
    """Yield the moments with fewer errors than all earlier moments."""
    fewest: int | None = None
    for moment in sorted(moments, key=lambda m: m.seconds):
        assert moment.errors is not None
        if fewest is None or moment.errors < fewest:
            fewest = moment.errors
            yield moment
