"""Known minimum sizes to compare a run with, from `min_size.csv` in the folder `reference`."""

import csv
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Known", "known_sizes"]


@dataclass(frozen=True)
class Known:
    """Earlier proofs about a table.

    Attributes
    ----------
    minimum : int or None
        The minimum number of nodes of a tree without errors, None if it is not known.
    lower_bound : int
        The greatest proved lower bound on this number.
    """

    minimum: int | None
    lower_bound: int

    def __str__(self) -> str:
        return f">= {self.lower_bound}" if self.minimum is None else str(self.minimum)


def known_sizes(data: Path) -> dict[str, Known]:
    """Return earlier results by name of the table; empty if there is no list.

    Parameters
    ----------
    data : Path
        The data folder; the folder `reference` is next to it.
    """
    path = data.resolve().parent / "reference" / "min_size.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        return {line["instance"]: _known(line) for line in csv.DictReader(lines)}


def _known(line: dict[str, str]) -> Known:
    floor = max(int(line["lower_bound"]), int(line["pair_lp_bound"]))
    return Known(int(line["optimal_size"]) if line["optimal_size"] else None, floor)
