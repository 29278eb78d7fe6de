"""Comparison of claimed optima with each other, with all trees of a run, and with known results."""

from collections.abc import Iterable
from fractions import Fraction

from benchmarks.measurement import End, Measurement
from benchmarks.peers import OURS, PEERS
from benchmarks.record import Row

__all__ = ["check"]


def check(rows: Iterable[Row]) -> tuple[list[str], list[str]]:
    """Return the errors of a run, and its remarks.

    All errors are recounted from predictions and all limits are checked, so a tree refutes every
    lower bound above its own value. A refuted proof of exactree is an error. A refuted proof of a
    peer is a remark if a known weakness explains it; otherwise it is an error, because the adapter
    may have stated a different problem. Programs report only the sizes of their trees, which are
    believed.

    Parameters
    ----------
    rows : iterable of Row
        The measurements.

    Returns
    -------
    wrong : list of str
        A sentence with the row for each error; a run with errors has failed.
    remarks : list of str
        A sentence with the row for each remark.
    """
    wrong: list[str] = []
    remarks: list[str] = []
    for row in rows:
        for name, measurement in row.measurements.items():
            if measurement.end is End.FAILED:
                sentence = f"{row.place}: {name} failed ({measurement.reason})."
                (wrong if name == OURS else remarks).append(sentence)
        for name, sentence in _refuted(row).items():
            weakness = PEERS[name].weakness
            if weakness:
                remarks.append(f"{row.place}: {name} too high: {sentence} Known: {weakness}.")
            else:
                wrong.append(f"{row.place}: {name} is refuted: {sentence}")
        wrong += _contradictions_to_known(row)
        remarks += _weaker_than_known(row)
    return wrong, remarks


def _refuted(row: Row) -> dict[str, str]:
    """Return a sentence for each solver whose proof a better tree refutes."""
    values = {name: row.value(name) for name in row.measurements}
    found = {name: value for name, value in values.items() if value is not None}
    if not found:
        return {}
    best = min(found, key=lambda name: found[name])
    unit, verb = _words(row)
    return {
        name: f"it claims a minimum of {bound} {unit}, a tree of {best} {verb} {found[best]}."
        for name, measurement in row.measurements.items()
        if (bound := _lower_bound(measurement, found.get(name))) is not None
        and bound > found[best] * (1 + _tolerance(name, row))
    }


def _tolerance(name: str, row: Row) -> float:
    """Return the relative error allowed for a solver's proof, because numbers are rounded."""
    return PEERS[name].tolerance if row.minimize == "squared_error" else 0


def _words(row: Row) -> tuple[str, str]:
    """Return the unit of the minimized quantity, and the verb for it."""
    if row.minimize == "size":
        return "nodes", "has"
    if row.minimize == "squared_error":
        return "of squared error", "has"
    return ("errors", "makes") if row.leaf_penalty is None else ("errors and leaves", "costs")


def _lower_bound(
    measurement: Measurement, value: float | Fraction | None
) -> float | Fraction | None:
    """Return the lower bound claimed by a solver."""
    return value if measurement.end is End.PROVED else measurement.lower_bound


def _contradictions_to_known(row: Row) -> list[str]:
    """Return contradictions of trees or lower bounds with earlier proofs."""
    if row.known is None:
        return []
    wrong = []
    for name, measurement in row.measurements.items():
        value, bound = row.value(name), _lower_bound(measurement, row.value(name))
        if value is not None and value < row.known.lower_bound:
            wrong.append(f"{row.place}: {name} has {value} nodes, known is {row.known}.")
        if row.known.minimum is not None and bound is not None and bound > row.known.minimum:
            wrong.append(
                f"{row.place}: {name} claims at least {bound} nodes, known is {row.known}."
            )
    return wrong


def _weaker_than_known(row: Row) -> list[str]:
    """Return a remark if the lower bound of exactree is less than a known lower bound."""
    ours = row.measurements.get(OURS)
    if row.known is None or ours is None or ours.lower_bound is None:
        return []
    if ours.lower_bound >= row.known.lower_bound:
        return []
    return [f"{row.place}: lower bound {ours.lower_bound}, known is {row.known}."]
