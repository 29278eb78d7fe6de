"""Gaps between incumbents and best known trees, at a time and as integrals."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import mean

from benchmarks.evaluation.anytime_record import Anytime, Moment, Watched
from benchmarks.peers import OURS

__all__ = ["CART", "FIRST", "best_known", "gap", "known_by", "mean_gaps", "primal_integral"]

# Compared besides the recorded solvers: CART, and exactree if it kept its first incumbent.
CART, FIRST = "CART", "first incumbent"

Moments = Sequence[Moment]


def known_by(table: Watched) -> dict[str, Moments]:
    """Return the moments of every solver, also of CART and of our first incumbent."""
    known: dict[str, Moments] = {curve.solver: curve.moments for curve in table.curves}
    first = [one for one in known[OURS] if one.errors is not None][:1]
    cart = [Moment(table.greedy_seconds, table.greedy_errors)]
    return {OURS: known.pop(OURS), FIRST: first, CART: cart, **known}


def best_known(table: Watched) -> int:
    """Return the fewest errors that any solver found."""
    found = [one.errors for moments in known_by(table).values() for one in moments]
    return min(errors for errors in found if errors is not None)


def gap(worse: int | None, better: int | None) -> float:
    """Return the difference as a share of the greater number; 1 where one is not known."""
    if worse is None or better is None:
        return 1.0
    return 0.0 if worse == better else (worse - better) / max(worse, better)


def primal_integral(moments: Moments, best: int, limit: float) -> float:
    """Return the mean gap between incumbent and best tree over the time limit.

    It is 0 for a solver that has the best tree at once, and 1 for one that never has a tree.

    Parameters
    ----------
    moments : sequence of Moment
        What the solver knew.
    best : int
        The fewest errors that are known.
    limit : float
        Seconds.
    """
    steps = [(0.0, 1.0)]
    steps += [(m.seconds, gap(m.errors, best)) for m in moments if m.seconds < limit]
    steps.append((limit, 0.0))
    area = sum(height * (until - since) for (since, height), (until, _) in pairwise(steps))
    return area / limit


def mean_gaps(made: Anytime, kind: str, times: Iterable[float]) -> dict[str, list[float]]:
    """Return for each solver the mean gap over the tables of a kind, at some times.

    Beside the gaps between incumbents and the best trees that are known, by solver, there is that
    between our lower bound and our incumbent, which a user sees, as "proof".

    Parameters
    ----------
    made : Anytime
        The run.
    kind : str
        "continuous" or "binary".
    times : iterable of float
        CPU seconds.
    """
    tables = [(known_by(one), best_known(one)) for one in made.tables if one.kind == kind]
    solvers = list(tables[0][0]) if tables else []
    gaps: dict[str, list[float]] = {name: [] for name in (*solvers, "proof")}
    for seconds in times:
        for name in solvers:
            there = [(_at(known[name], seconds), best) for known, best in tables]
            gaps[name].append(mean(gap(m.errors, best) for m, best in there))
        ours = [_at(known[OURS], seconds) for known, _ in tables]
        gaps["proof"].append(mean(gap(m.errors, m.lower_bound) for m in ours))
    return gaps


def _at(moments: Moments, seconds: float) -> Moment:
    """Return incumbent and lower bound at a time."""
    known = [one for one in moments if one.seconds <= seconds]
    return known[-1] if known else Moment(0.0, None)
