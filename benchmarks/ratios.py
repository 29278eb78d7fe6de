"""Ratios of the CPU times of peers and exactree, for each row and over all rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from benchmarks.measurement import End, Measurement
from benchmarks.peers import OURS, PEERS
from benchmarks.record import Row

__all__ = ["BEST", "Mean", "Ratio", "mean_of", "means", "quotient", "ratio"]

# For each row, the exact peer with the fewest counted seconds.
BEST = "the best peer"


@dataclass(frozen=True)
class Ratio:
    """CPU seconds of one measurement over those of another, of a peer over those of exactree.

    Attributes
    ----------
    value : float
        The quotient of the counted seconds.
    sign : str
        ">=" if the dividend did not finish, "<=" if the divisor did not, "~" for a mean over rows
        of both kinds, else empty.
    """

    value: float
    sign: str = ""

    def __str__(self) -> str:
        return f"{self.sign} {self.value:.3g}".strip()


@dataclass(frozen=True)
class Mean:
    """Summary of the ratios of one peer for the same problem on a group of tables.

    Attributes
    ----------
    group : str
        Name of the group of tables.
    depth : int or None
        Maximum depth of the trees.
    leaf_penalty : str or None
        Leaf penalty.
    peer : str
        The solver, or `BEST`.
    mean, minimum : Ratio
        Geometric mean and minimum of the ratios.
    rows : int
        Number of ratios.
    left_out : tuple of str
        Tables without a ratio because a solver was not measured or failed, or because neither
        finished. Tables on which the peer is too quick are not listed.
    above : float
        CPU seconds above which a peer is not too quick for a ratio.
    finished : tuple of int and float
        Number of tables that both finished, and the geometric mean of their ratios (0 for none).
    """

    group: str
    depth: int | None
    leaf_penalty: str | None
    peer: str
    mean: Ratio
    minimum: Ratio
    rows: int
    left_out: tuple[str, ...]
    above: float = 0.0
    finished: tuple[int, float] = (0, 0.0)


def ratio(row: Row, peer: str) -> Ratio | None:
    """Return the ratio of a peer, or of the best peer, in a row; None without a ratio.

    Greedy peers have no ratio. There is none either if a solver failed, if neither finished, or if
    the peer is too quick.
    """
    solver = _solver(row, peer)
    ours, theirs = row.measurements.get(OURS), row.measurements.get(solver)
    if ours is None or theirs is None or solver == OURS or not PEERS[solver].exact:
        return None
    return None if _is_quick(row, peer) else quotient(theirs, ours, row.limit)


def quotient(dividend: Measurement, divisor: Measurement, limit: float) -> Ratio | None:
    """Return the ratio of the counted seconds of two measurements.

    There is none if one of them failed, or if neither finished.
    """
    dividend_seconds, divisor_seconds = dividend.counted(limit), divisor.counted(limit)
    if dividend_seconds is None or divisor_seconds is None:
        return None
    match dividend.end, divisor.end:
        case End.UNFINISHED, End.UNFINISHED:
            return None
        case End.UNFINISHED, _:
            sign = ">="
        case _, End.UNFINISHED:
            sign = "<="
        case _:
            sign = ""
    return Ratio(dividend_seconds / divisor_seconds, sign)


def _solver(row: Row, peer: str) -> str:
    """Return the solver that a peer stands for in a row.

    That of `BEST` is the exact peer with the fewest counted seconds, or exactree without such a
    peer. Other peers stand for themselves.
    """
    if peer != BEST:
        return peer
    counted = {
        name: seconds
        for name, measurement in row.measurements.items()
        if name != OURS and PEERS[name].exact
        if (seconds := measurement.counted(row.limit)) is not None
    }
    return min(counted, key=lambda name: counted[name], default=OURS)


def means(rows: Iterable[Row]) -> list[Mean]:
    """Return the means for every problem and peer with a ratio, and for the best peer."""
    by_problem: dict[tuple[str, int | None, str | None], list[Row]] = {}
    for row in rows:
        by_problem.setdefault((row.group, row.depth, row.leaf_penalty), []).append(row)
    results = []
    for rows_of_problem in by_problem.values():
        of_peers = [mean for peer in PEERS if (mean := _mean(peer, rows_of_problem)) is not None]
        best = _mean(BEST, rows_of_problem) if len(of_peers) > 1 else None
        results += [*of_peers, *([] if best is None else [best])]
    return results


def _mean(peer: str, rows: list[Row]) -> Mean | None:
    by_table = {row.table: ratio(row, peer) for row in rows if not _is_quick(row, peer)}
    ratios = [found for found in by_table.values() if found is not None]
    if not ratios:
        return None
    of_finished = [found.value for found in ratios if not found.sign]
    return Mean(
        group=rows[0].group,
        depth=rows[0].depth,
        leaf_penalty=rows[0].leaf_penalty,
        peer=peer,
        mean=mean_of(ratios),
        minimum=min(ratios, key=lambda found: found.value),
        rows=len(ratios),
        left_out=tuple(table for table, found in by_table.items() if found is None),
        above=rows[0].quick,
        finished=(len(of_finished), geometric_mean(of_finished) if of_finished else 0.0),
    )


def mean_of(ratios: Sequence[Ratio]) -> Ratio:
    """Return the geometric mean of ratios, with its sign."""
    signs = {found.sign for found in ratios if found.sign}
    sign = "~" if len(signs) > 1 else "".join(signs)
    return Ratio(geometric_mean(found.value for found in ratios), sign)


def _is_quick(row: Row, peer: str) -> bool:
    """Return whether the peer, or the best peer, is too quick for a meaningful ratio."""
    solver = _solver(row, peer)
    measurement = None if solver == OURS else row.measurements.get(solver)
    seconds = None if measurement is None else measurement.counted(row.limit)
    return seconds is not None and seconds <= row.quick
