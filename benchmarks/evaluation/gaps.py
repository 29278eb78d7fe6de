"""Gaps between incumbents and best known trees, at given times and as integrals over time."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import mean

from benchmarks.evaluation.anytime_record import Anytime, Moment, TableResult
from benchmarks.peers import OURS

__all__ = ["CART", "FIRST", "best_known", "gap", "known_by", "mean_gaps", "primal_integral"]

# Compared besides the recorded solvers: CART, and exactree if it kept its first incumbent.
CART, FIRST = "CART", "first incumbent"

Moments = Sequence[Moment]


def known_by(table: TableResult) -> dict[str, Moments]:
    """Return the moments of every solver, and of CART and our first incumbent as solvers."""
    known: dict[str, Moments] = {curve.solver: curve.moments for curve in table.curves}
    first = [moment for moment in known[OURS] if moment.errors is not None][:1]
    cart = [Moment(table.greedy_seconds, table.greedy_errors)]
    return {OURS: known.pop(OURS), FIRST: first, CART: cart, **known}


def best_known(table: TableResult) -> int:
    """Return the fewest errors that any solver found."""
    found = [moment.errors for moments in known_by(table).values() for moment in moments]
    return min(errors for errors in found if errors is not None)


def gap(upper: int | None, lower: int | None) -> float:
    """Return (upper - lower) / upper; 0 if they are equal, 1 if one of them is unknown."""
    if upper is None or lower is None:
        return 1.0
    return 0.0 if upper == lower else (upper - lower) / upper


def primal_integral(moments: Moments, best: int, limit: float) -> float:
    """Return the mean gap between incumbent and best tree over the time limit.

    It is 0 for a solver that has the best tree at once, and 1 for one that never has a tree.

    Parameters
    ----------
    moments : sequence of Moment
        Incumbents of the solver.
    best : int
        Errors of the best known tree.
    limit : float
        The time limit in seconds.
    """
    steps = [(0.0, 1.0)]
    steps += [(m.seconds, gap(m.errors, best)) for m in moments if m.seconds < limit]
    steps.append((limit, 0.0))
    area = sum(height * (until - since) for (since, height), (until, _) in pairwise(steps))
    return area / limit


def mean_gaps(record: Anytime, kind: str, times: Iterable[float]) -> dict[str, list[float]]:
    """Return for each solver the mean gap over the tables of a kind, at some times.

    The gaps of solvers are those between incumbents and best known trees. The entry "proof" is the
    gap between our lower bound and our incumbent, as a user sees it.

    Parameters
    ----------
    record : Anytime
        The run.
    kind : str
        "continuous" or "binary".
    times : iterable of float
        CPU seconds.
    """
    of_kind = [table for table in record.tables if table.kind == kind]
    tables = [(known_by(table), best_known(table)) for table in of_kind]
    solvers = list(tables[0][0]) if tables else []
    gaps: dict[str, list[float]] = {name: [] for name in (*solvers, "proof")}
    for seconds in times:
        for name in solvers:
            moments = [(_at(known[name], seconds), best) for known, best in tables]
            gaps[name].append(mean(gap(m.errors, best) for m, best in moments))
        ours = [_at(known[OURS], seconds) for known, _ in tables]
        gaps["proof"].append(mean(gap(m.errors, m.lower_bound) for m in ours))
    return gaps


def _at(moments: Moments, seconds: float) -> Moment:
    """Return incumbent and lower bound at a time."""
    earlier = [moment for moment in moments if moment.seconds <= seconds]
    return earlier[-1] if earlier else Moment(0.0, None)
