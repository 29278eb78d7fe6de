"""The list of comparisons: which tables, which depths, which peers."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import PEERS

__all__ = ["SUITES", "Suite"]


@dataclass(frozen=True)
class Suite:
    """Tables of one kind that the same peers are compared on.

    Attributes
    ----------
    name : str
        What the command line and the records call it.
    file : str
        Where a table is in the data folder, with ``{table}`` for its name.
    tables : tuple of str
        The tables of a full run.
    depths : tuple of int
        The depths of a full run.
    peers : tuple of str
        The solvers, exactree among them.
    """

    name: str
    file: str
    tables: tuple[str, ...]
    depths: tuple[int, ...]
    peers: tuple[str, ...] = tuple(PEERS)

    def path(self, data: Path, table: str) -> Path:
        """Return the file of a table."""
        return data / self.file.format(table=table)


SUITES = {
    suite.name: suite
    for suite in (
        Suite(
            "continuous",
            file="continuous/contree_{table}_train.csv.gz",
            tables=("bank", "wilt", "occupancy", "raisin", "rice", "room", "segment", "htru"),
            depths=(2, 3),
        ),
    )
}
