"""A failing instance made smaller, as long as it fails alike."""

from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

from .cases import Case

__all__ = ["shrunk"]

# Lists with a place for every row, and names of parameters that name features.
_BY_ROW = ("X", "y", "sample_weight")
_OF_FEATURES = ("categories", "features", "process_time_cst", "feature_penalty", "constraints")


def shrunk(case: Case, fails: Callable[[Case], bool], seconds: float = 30) -> Case:
    """Return the smallest instance that was found; every step leaves out or simplifies one thing.

    Parameters
    ----------
    case : Case
        An instance that fails.
    fails : callable
        Tells whether an instance fails as this one does.
    seconds : float
        Of the processor, that it may take.
    """
    began = process_time()
    while True:
        for smaller in _smaller(case):
            if process_time() - began > seconds:
                return case
            if fails(smaller):
                case = smaller
                break
        else:
            return case


def _smaller(case: Case) -> Iterator[Case]:
    """List what is a step simpler, the largest steps first."""
    stated, how = case.stated, case.how
    for name in how:
        yield Case(stated, _without(how, name))
    for name in stated:
        if name not in ("X", "y", "minimize", "limits"):
            yield Case(_without(stated, name), how)
    for name in stated["limits"]:
        yield Case(stated | {"limits": _without(stated["limits"], name)}, how)
    rows = len(stated["y"])
    step = rows // 2
    while step:
        for start in range(0, rows, step):
            kept = [*range(start), *range(start + step, rows)]
            if kept:
                yield Case(_with_rows(stated, kept), how)
        step //= 2
    if not any(name in stated for name in _OF_FEATURES):
        for column in range(len(stated["X"][0]) if len(stated["X"][0]) > 1 else 0):
            X = [[*row[:column], *row[column + 1 :]] for row in stated["X"]]
            yield Case(stated | {"X": X}, how)
    if isinstance(stated["minimize"], list):
        for name in stated["minimize"]:
            yield Case(stated | {"minimize": name}, how)
    if rows <= 20:
        yield from _simpler_numbers(case)


def _simpler_numbers(case: Case) -> Iterator[Case]:
    """List what has one simpler weight or value."""
    stated, how = case.stated, case.how
    for i, weight in enumerate(stated.get("sample_weight", [])):
        for simpler in (1, 2, weight // 2 if isinstance(weight, int) else 1):
            if 0 < simpler < weight:
                weights = [*stated["sample_weight"]]
                weights[i] = simpler
                yield Case(stated | {"sample_weight": weights}, how)
    for i, row in enumerate(stated["X"]):
        for j, value in enumerate(row):
            if value not in (0, 1) and not isinstance(value, str):
                X = [list(row) for row in stated["X"]]
                X[i][j] = 0
                yield Case(stated | {"X": X}, how)


def _with_rows(stated: dict[str, Any], kept: list[int]) -> dict[str, Any]:
    return stated | {
        name: [stated[name][row] for row in kept] for name in _BY_ROW if name in stated
    }


def _without(stated: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in stated.items() if key != name}
