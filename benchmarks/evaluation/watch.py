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

__all__ = ["caught_up", "greedy", "watched", "watched_peer"]

# Calls of CART, whose least CPU seconds count: the first ones load code and tables.
REPEATS = 7
# At most that many calls of exactree, until one is in time. Their moments are upper bounds, and
# good ones where nothing else computes in between, which a busy machine grants now and then.
MOST_CALLS = 30
# CPU seconds after which a search that is worse than CART is late in any case.
LATEST = 1.0
# The first time limit of the other package, by the clock. It tells nobody what it knows while it
# runs, so it runs anew with twice as many seconds until the CPU seconds are used up.
FIRST = 0.02


def greedy(X: NDArray[Any], y: NDArray[Any], depth: int) -> tuple[int, float]:
    """Return the errors of scikit-learn's tree of a depth, and the least CPU seconds of fitting."""
    taken = []
    for _ in range(REPEATS):
        start = time.process_time()
        model = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
        taken.append(time.process_time() - start)
    return int((model.predict(X) != y).sum()), min(taken)


def watched(X: NDArray[Any], y: NDArray[Any], depth: int, limit: float) -> Curve:
    """Return the curve of exactree within a number of CPU seconds from the table on."""
    seen = _solved(X, y, depth, limit)
    proved = seen.outcome.status is Status.OPTIMAL
    return Curve(OURS, tuple(_moments(seen)), round(seen.seconds, 6), proved)


def caught_up(
    X: NDArray[Any], y: NDArray[Any], depth: int, errors: int, in_time: float
) -> float | None:
    """Return the CPU seconds until exactree had a tree as good, the minimum of some calls.

    Parameters
    ----------
    X, y : ndarray
        The table.
    depth : int
        Greatest depth of the tree.
    errors : int
        How few errors.
    in_time : float
        Seconds that are few enough: then there are no more calls.

    Returns
    -------
    float or None
        None when no call came so far.
    """
    least: float | None = None
    for _ in range(MOST_CALLS):
        seen = _solved(X, y, depth, LATEST, enough=errors)
        good = [m.seconds for m in _moments(seen) if m.errors is not None and m.errors <= errors]
        least = min([*good[:1], *([] if least is None else [least])], default=None)
        if least is not None and least <= in_time:
            break
    return least


@dataclass(frozen=True)
class _Seen:
    """A search with the times of its clock and of the CPU.

    Attributes
    ----------
    outcome : Outcome
        With its progress.
    begun : float
        CPU seconds when the search began, at most.
    heard : list of (float, float)
        Some seconds of the search's own clock, and the CPU seconds since the beginning then.
    seconds : float
        CPU seconds in all.
    """

    outcome: Outcome
    begun: float
    heard: list[tuple[float, float]]
    seconds: float


def _solved(X: NDArray[Any], y: NDArray[Any], depth: int, limit: float, enough: int = -1) -> _Seen:
    """Solve within CPU seconds, or until a tree has so few errors."""
    start = time.process_time()
    heard: list[tuple[float, float]] = []
    waited: list[float] = []

    def hear(now: Progress) -> bool:
        taken = time.process_time() - start
        waited.append(time.perf_counter() - called - now.seconds)
        heard.append((now.seconds, taken))
        return taken >= limit or (isinstance(now.cost, int) and now.cost <= enough)

    problem = Problem(X, y, limits=Limits(max_depth=depth))
    made = time.process_time() - start
    called = time.perf_counter()
    outcome = solve(problem, on_progress=hear)
    whole = time.perf_counter() - called
    if outcome.stopped_by == "interrupt":
        raise KeyboardInterrupt
    begun = made + min([*waited, whole - outcome.stats["seconds"]])
    return _Seen(outcome, begun, heard, time.process_time() - start)


def _moments(seen: _Seen) -> Iterator[Moment]:
    """Yield the progress of a search in CPU seconds.

    The search tells the time by the clock. Until then the CPU cannot have worked longer than the
    clock went, nor longer than until the next time that both are known. The lesser of the two is at
    most too late, which is against exactree.
    """
    for now in seen.outcome.stats["progress"]:
        known = [cpu for clock, cpu in seen.heard if clock >= now.seconds]
        latest = min([*known, seen.seconds])
        seconds = min(seen.begun + now.seconds, latest)
        assert now.cost is None or isinstance(now.cost, int)
        assert isinstance(now.lower_bound, int)
        yield Moment(round(seconds, 6), now.cost, now.lower_bound)


def watched_peer(peer: Peer, X: NDArray[Any], y: NDArray[Any], depth: int, limit: float) -> Curve:
    """Return the curve of a peer that is stopped after increasing times.

    The errors are counted from the predictions of the tree that it returns; a tree that is worse
    than one before is no step.
    """
    fit = import_module(peer.adapter).fit
    fit(*tiny_table(), depth=depth, time_limit=1.0)  # loads what is loaded late
    moments: list[Moment] = []
    allowed, taken, proved = FIRST, 0.0, False
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
    """Yield the moments with fewer errors than all that come earlier in time."""
    least: int | None = None
    for moment in sorted(moments, key=lambda m: m.seconds):
        assert moment.errors is not None
        if least is None or moment.errors < least:
            least = moment.errors
            yield moment
