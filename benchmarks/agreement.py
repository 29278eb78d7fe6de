"""Hold the errors that solvers claim to be least against each other and against every tree."""

from collections.abc import Iterable

from benchmarks.measurement import End
from benchmarks.peers import OURS, PEERS
from benchmarks.record import Row

__all__ = ["check"]


def check(rows: Iterable[Row]) -> tuple[list[str], list[str]]:
    """Return what is wrong in a run, and what is only worth a remark.

    All errors are recounted from predictions and all depths are checked, so the tree of fewest
    errors refutes every proof of more errors. That of exactree being refuted is always wrong. A
    peer's is remarked when a weakness is known that explains it; otherwise it is wrong too,
    because the adapter may have asked it another question.

    Parameters
    ----------
    rows : iterable of Row
        The measurements.

    Returns
    -------
    wrong : list of str
        Sentences that name the table and the depth; the run has failed when there is one.
    remarks : list of str
        Likewise, for the record.
    """
    wrong: list[str] = []
    remarks: list[str] = []
    for row in rows:
        place = f"{row.table}, depth {row.depth}"
        for name, measurement in row.measurements.items():
            if measurement.end is End.FAILED:
                sentence = f"{place}: {name} failed ({measurement.reason})."
                (wrong if name == OURS else remarks).append(sentence)
        refuted = _refuted(row)
        for name, sentence in refuted.items():
            weakness = PEERS[name].weakness
            if weakness:
                remarks.append(f"{place}: {name} too high: {sentence} Known: {weakness}.")
            else:
                wrong.append(f"{place}: {name} is refuted: {sentence}")
    return wrong, remarks


def _refuted(row: Row) -> dict[str, str]:
    """Return the solvers whose proof a tree of fewer errors refutes, and the sentence."""
    found = {name: m.errors for name, m in row.measurements.items() if m.errors is not None}
    if not found:
        return {}
    best = min(found, key=lambda name: found[name])
    return {
        name: f"it claims {errors} errors are least, a tree of {best} makes {found[best]}."
        for name, errors in found.items()
        if row.measurements[name].end is End.PROVED and errors > found[best]
    }
