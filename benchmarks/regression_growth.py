"""The command `python -m benchmarks.regression_growth`: growth of the times of regressions.

It searches for regression trees of random rows of real tables, with all thresholds, and writes a
record of the CPU seconds of one thread and of the evaluated stumps.
"""

import json
import os
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import facts
from exactree import Limits, Problem, solve

__all__ = ["PROBLEMS", "as_markdown", "drawn", "row"]

RECORDS = Path(__file__).with_name("records")
Examples = tuple[NDArray[np.float64], NDArray[np.float64]]
# Table, number of rows, maximum depth, minimized quantity.
PROBLEMS = [
    *(("uci_casp", n, 2, "squared_error") for n in (1_000, 4_000, 16_000, 45_730)),
    *(("uci_casp", n, 3, "squared_error") for n in (125, 250, 500, 1_000)),
    *(("quantbnb_concrete", n, 3, "squared_error") for n in (250, 500, 1_030)),
    *(("pmlb_547_no2", n, 3, "squared_error") for n in (125, 250, 500)),
    *(("uci_casp", n, 2, "absolute_error") for n in (1_000, 4_000)),
    *(("uci_casp", n, 3, "absolute_error") for n in (125, 250)),
    *(("quantbnb_concrete", n, 3, "absolute_error") for n in (250, 500, 1_030)),
    *(("pmlb_547_no2", n, 3, "absolute_error") for n in (125, 250, 500)),
]
LIMIT = 900.0  # wall seconds of a search


def drawn(folder: Path, table: str, rows: int) -> Examples:
    """Return a random sample of the rows of a table, drawn with a fixed seed."""
    numbers = np.loadtxt(folder / f"{table}.csv.gz", delimiter=",", skiprows=1, ndmin=2)
    if rows < len(numbers):
        numbers = numbers[np.random.default_rng(0).permutation(len(numbers))[:rows]]
    return np.ascontiguousarray(numbers[:, :-1]), numbers[:, -1]


def row(examples: Examples, depth: int, minimize: str, limit: float) -> dict[str, Any]:
    """Return time and result of one search."""
    X, y = examples
    problem = Problem(X, y, minimize=minimize, limits=Limits(max_depth=depth))
    started = time.process_time()
    outcome = solve(problem, time_limit=limit)
    return {
        "examples": len(X),
        "features": X.shape[1],
        "depth": depth,
        "minimize": minimize,
        "status": outcome.status.value,
        "gap": float(outcome.gap),
        "cpu_seconds": round(time.process_time() - started, 3),
        "nodes": outcome.stats["nodes"],
        "roots_evaluated": outcome.stats["stump_evaluations"],
    }


def as_markdown(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the record's table."""
    yield "| table | examples | features | depth | minimize | CPU seconds | evaluated | |"
    yield "|---|---|---|---|---|---|---|---|"
    for entry in rows:
        proved = "proved" if entry["status"] == "optimal" else f"gap {entry['gap']:.1%}"
        end = f"{entry['cpu_seconds']:.2f} | {entry['roots_evaluated']} | {proved} |"
        yield (
            f"| {entry['table']} | {entry['examples']} | {entry['features']} | {entry['depth']} "
            f"| {entry['minimize']} | {end}"
        )


def main() -> None:
    """Measure and write the record."""
    folder = Path(os.environ["EXACTREE_DATA"]) / "regression"
    rows, machine = [], facts(["exactree"])
    for table, count, depth, minimize in PROBLEMS:
        rows.append({"table": table} | row(drawn(folder, table, count), depth, minimize, LIMIT))
        print(list(as_markdown(rows))[-1], flush=True)
    name = f"{date.today()}-regression-cost"
    record = {"name": "regression-cost", "machine": machine, "limit": LIMIT, "rows": rows}
    (RECORDS / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    text = "\n".join(["# Growth of the running time of regressions", "", *as_markdown(rows), ""])
    (RECORDS / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
