"""Reduction of a failing instance to a smaller instance that fails alike."""

from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

from .cases import Case

__all__ = ["shrunk"]

# Parameters with an entry for every row, and parameters that refer to features by number.
_BY_ROW = ("X", "y", "sample_weight")
_ABOUT_FEATURES = ("categories", "features", "monotonic_cst", "feature_penalty", "constraints")


def shrunk(case: Case, fails: Callable[[Case], bool], seconds: float = 30) -> Case:
    """Return the smallest failing instance found by leaving out or simplifying one thing at a time.

    Parameters
    ----------
    case : Case
        An instance that fails.
    fails : callable
        Returns whether an instance fails as the given instance does.
    seconds : float
        Maximum CPU seconds.
    """
    start = process_time()
    while True:
        for simpler in _simpler_cases(case):
            if process_time() - start > seconds:
                return case
            if fails(simpler):
                case = simpler
                break
        else:
            return case


def _simpler_cases(case: Case) -> Iterator[Case]:
    """List instances that are one step simpler, the largest steps first."""
    parameters, options = case.parameters, case.options
    for name in options:
        yield Case(parameters, _without(options, name))
    for name in parameters:
        if name not in ("X", "y", "minimize", "limits"):
            yield Case(_without(parameters, name), options)
    for name in parameters["limits"]:
        yield Case(parameters | {"limits": _without(parameters["limits"], name)}, options)
    rows = len(parameters["y"])
    step = rows // 2
    while step:
        for start in range(0, rows, step):
            kept = [*range(start), *range(start + step, rows)]
            if kept:
                yield Case(_with_rows(parameters, kept), options)
        step //= 2
    if not any(name in parameters for name in _ABOUT_FEATURES):
        n_columns = len(parameters["X"][0])
        for column in range(n_columns if n_columns > 1 else 0):
            X = [[*row[:column], *row[column + 1 :]] for row in parameters["X"]]
            yield Case(parameters | {"X": X}, options)
    if isinstance(parameters["minimize"], list):
        for name in parameters["minimize"]:
            yield Case(parameters | {"minimize": name}, options)
    if rows <= 20:
        yield from _simpler_numbers(case)


def _simpler_numbers(case: Case) -> Iterator[Case]:
    """List instances with one simpler weight or value."""
    parameters, options = case.parameters, case.options
    for i, weight in enumerate(parameters.get("sample_weight", [])):
        for simpler in (1, 2, weight // 2 if isinstance(weight, int) else 1):
            if 0 < simpler < weight:
                weights = [*parameters["sample_weight"]]
                weights[i] = simpler
                yield Case(parameters | {"sample_weight": weights}, options)
    for i, row in enumerate(parameters["X"]):
        for j, value in enumerate(row):
            if value not in (0, 1) and not isinstance(value, str):
                X = [list(row) for row in parameters["X"]]
                X[i][j] = 0
                yield Case(parameters | {"X": X}, options)


def _with_rows(parameters: dict[str, Any], kept: list[int]) -> dict[str, Any]:
    return parameters | {
        name: [parameters[name][row] for row in kept] for name in _BY_ROW if name in parameters
    }


def _without(parameters: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in parameters.items() if key != name}
