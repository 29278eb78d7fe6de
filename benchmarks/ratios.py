"""How many times more CPU time a peer takes than exactree, per row and over all rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import geometric_mean

from benchmarks.measurement import End
from benchmarks.peers import OURS, PEERS
from benchmarks.record import Row

__all__ = ["Mean", "Ratio", "means", "ratio"]


@dataclass(frozen=True)
class Ratio:
    """CPU seconds of a peer over those of exactree.

    Attributes
    ----------
    value : float
        The quotient of the counted seconds.
    sign : str
        ">=" when the peer did not finish, "<=" when exactree did not, "~" over several rows of
        both kinds, else empty.
    """

    value: float
    sign: str = ""

    def __str__(self) -> str:
        return f"{self.sign} {self.value:.3g}".strip()


@dataclass(frozen=True)
class Mean:
    """The ratios of one peer at one depth, together.

    Attributes
    ----------
    depth : int
        Depth of the rows.
    peer : str
        The solver.
    mean, least : Ratio
        Geometric mean and smallest of the ratios.
    rows : int
        How many ratios there are.
    left_out : tuple of str
        Tables without a ratio: a solver failed there, or neither finished.
    """

    depth: int
    peer: str
    mean: Ratio
    least: Ratio
    rows: int
    left_out: tuple[str, ...]


def ratio(row: Row, peer: str) -> Ratio | None:
    """Return the ratio of a peer in a row, or None where there is none.

    There is none for greedy peers, where a solver failed, and where neither finished.
    """
    ours, theirs = row.measurements.get(OURS), row.measurements.get(peer)
    if ours is None or theirs is None or peer == OURS or not PEERS[peer].exact:
        return None
    above, below = theirs.counted(row.limit), ours.counted(row.limit)
    if above is None or below is None:
        return None
    match theirs.end, ours.end:
        case End.UNFINISHED, End.UNFINISHED:
            return None
        case End.UNFINISHED, _:
            sign = ">="
        case _, End.UNFINISHED:
            sign = "<="
        case _:
            sign = ""
    return Ratio(above / below, sign)


def means(rows: Iterable[Row]) -> list[Mean]:
    """Return the mean for every depth and every peer that has a ratio at that depth."""
    rows = list(rows)
    found = [
        _mean(depth, peer, [row for row in rows if row.depth == depth])
        for depth in sorted({row.depth for row in rows})
        for peer in PEERS
    ]
    return [mean for mean in found if mean is not None]


def _mean(depth: int, peer: str, rows: list[Row]) -> Mean | None:
    ratios = {row.table: ratio(row, peer) for row in rows}
    known = [one for one in ratios.values() if one is not None]
    if not known:
        return None
    signs = {one.sign for one in known if one.sign}
    sign = "~" if len(signs) > 1 else "".join(signs)
    return Mean(
        depth=depth,
        peer=peer,
        mean=Ratio(geometric_mean(one.value for one in known), sign),
        least=min(known, key=lambda one: one.value),
        rows=len(known),
        left_out=tuple(table for table, one in ratios.items() if one is None),
    )
