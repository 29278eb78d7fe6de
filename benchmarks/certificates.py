"""The command `python -m benchmarks.certificates`: sizes of certificates and times of their checks.

For tables of the suite `continuous` within depth 3: seconds of solving, of writing the certificate
and of checking it (one call each), its claims, and the bytes of its file. Prints the record.
"""

import gzip
import os
import sys
from pathlib import Path
from time import perf_counter

from benchmarks.machine import facts
from benchmarks.tables import read_table
from exactree import Limits, Problem, certify, check, solve

DEPTH = 3
TABLES = (
    "bank", "bean", "eeg", "htru", "occupancy", "raisin", "rice", "room", "segment", "wilt",
)  # fmt: skip


def measured(name: str, data: Path) -> str:
    """Return the row of a table."""
    X, y = read_table(data / f"contree_{name}_train.csv.gz")
    problem = Problem(X, y, limits=Limits(max_depth=DEPTH))
    started = perf_counter()
    outcome = solve(problem)
    solved = perf_counter()
    certificate = certify(problem, outcome)
    written = perf_counter()
    verified = check(certificate, X, y)
    checked = perf_counter()
    assert verified.cost == verified.lower_bound == outcome.cost
    rows, columns = X.shape
    solving, writing, checking = solved - started, written - solved, checked - written
    packed = len(gzip.compress(certificate.content, mtime=0))
    cells = (
        name, f"{rows:,} x {columns}", len(set(y)), outcome.cost, f"{solving:.2f}",
        f"{writing:.2f}", f"{checking:.2f}", f"{checking / solving:.1f}",
        f"{certificate.header.claims:,}", f"{packed:,}",
    )  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> int:
    """Print the record; 0 also without data."""
    if not os.environ.get("EXACTREE_DATA"):
        print("Nothing was measured: the environment variable EXACTREE_DATA is not set.")
        return 0
    data = Path(os.environ["EXACTREE_DATA"]) / "continuous"
    print("# certificates\n")
    for name, value in facts(()).items():
        shown = ", ".join(map(" ".join, value.items())) if isinstance(value, dict) else value
        print(f"- {name}: {shown}")
    print(
        f"\nWall seconds of one call each, within depth {DEPTH}; `ratio`: of checking to solving.\n"
    )
    heads = "table rows classes errors solve_s certify_s check_s ratio claims bytes".split()
    print("| " + " | ".join(heads).replace("_", " ") + " |")
    print("| --- " * 10 + "|")
    for name in TABLES:
        print(measured(name, data), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
