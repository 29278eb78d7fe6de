"""The command `python -m benchmarks.gaps`: gaps between incumbent and lower bound in a minute.

Tables of 100,000 and a million rows at depth three, and smaller tables whose proof takes minutes:
at depth four, over binary features at depth five, with a leaf penalty, and regressions. Large
tables are planted trees with noise, labels of a hyperplane with noise, and two public tables,
repeated with jittered columns. Two threads search. `early` is the lower bound after a tenth of the
limit. ``--tables`` selects some tables, and ``--without`` turns accelerators off, for example
block_bound.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.planted import planted
from benchmarks.machine import fact_lines, facts
from benchmarks.tables import read_table
from exactree import Limits, Problem, Progress
from exactree.engine import branch_and_bound
from exactree.problem.quantities import as_tuple

CONTREE = "continuous/contree_{}_train"
LIMIT = 60.0
THREADS = 2

Table = tuple[NDArray[np.float64], NDArray[Any]]


@dataclass(frozen=True)
class GapRequest:
    """A table and the problem of its trees."""

    name: str
    depth: int | None
    make: Callable[[Path], Table]
    leaf_penalty: float = 0.0
    minimize: str = "errors"


def oblique(rows: int, features: int, noise: float, seed: int) -> Table:
    """Return a table whose labels are the sides of a hyperplane, some of them drawn anew."""
    rng = np.random.default_rng(seed)
    X = rng.random((rows, features))
    distance = X @ rng.normal(size=features)
    y = (distance > np.median(distance)).astype(np.int64)
    drawn = rng.random(rows) < noise
    y[drawn] = rng.integers(0, 2, int(drawn.sum()))
    return X, y


def repeated(table: Table, rows: int, seed: int) -> Table:
    """Return a table of more rows, with columns moved by a thousandth of their spread."""
    X, y = table
    rng = np.random.default_rng(seed)
    copies = rng.permutation(np.resize(np.arange(len(X)), rows))
    spread = X.std(axis=0)
    return X[copies] + rng.normal(size=(rows, X.shape[1])) * spread / 1000, y[copies]


def requests(sizes: tuple[int, ...] = (100_000, 1_000_000)) -> Iterator[GapRequest]:
    """Yield the tables of the record, the large ones with each number of rows."""

    def public(name: str) -> Callable[[Path], Table]:
        return lambda data: read_table(data / f"{name}.csv.gz")

    def many(name: str, rows: int) -> Callable[[Path], Table]:
        return lambda data: repeated(public(CONTREE.format(name))(data), rows, seed=0)

    def tree(rows: int) -> Callable[[Path], Table]:
        return lambda _: planted(rows, 10, 2, depth=4, noise=0.1, seed=0)

    def plane(rows: int) -> Callable[[Path], Table]:
        return lambda _: oblique(rows, 10, 0.1, seed=0)

    for rows in sizes:
        yield GapRequest(f"planted_{rows}", 3, tree(rows))
        yield GapRequest(f"oblique_{rows}", 3, plane(rows))
        yield GapRequest(f"eeg_{rows}", 3, many("eeg", rows))
        yield GapRequest(f"htru_{rows}", 3, many("htru", rows))
    for name in ("eeg", "bean", "htru", "rice"):
        yield GapRequest(name, 4, public(CONTREE.format(name)))
    yield GapRequest("ionosphere", 5, public("binary/cp4im_ionosphere"))
    for name, penalty in (("branches_nursery", 0.001), ("gosdt_coupon_carryout", 0.01)):
        yield GapRequest(name, None, public(f"binary/{name}"), penalty)
    for name in ("227_cpu_small", "666_rmftsa_ladata"):
        table = public(f"regression/pmlb_{name}")
        yield GapRequest(name, 4, table, minimize="squared_error")


def row(request: GapRequest, data: Path, limit: float = LIMIT, without: Sequence[str] = ()) -> str:
    """Search for the best tree of a table within the limit, and return its line of the page."""
    X, y = request.make(data)
    moments: list[Progress] = []

    def listen(moment: Progress) -> None:
        moments.append(moment)

    problem = Problem(
        X,
        y,
        minimize=request.minimize,
        leaf_penalty=request.leaf_penalty,
        limits=Limits(request.depth),
    )
    outcome = branch_and_bound(
        problem,
        time_limit=limit,
        n_jobs=THREADS,
        on_progress=listen,
        switches=dict.fromkeys(without, False),
    )
    bounds = [each.lower_bound for each in moments if each.seconds <= limit / 10]
    early = max(bounds, key=as_tuple, default=0)
    if outcome.stats["seconds"] <= limit / 10:
        early = outcome.lower_bound
    gap = 100 * outcome.gap
    assert outcome.cost is not None  # a leaf is always found
    numbers = (as_tuple(cost)[0] for cost in (outcome.cost, early, outcome.lower_bound))
    costs = (f"{float(number):.6g}" for number in numbers)
    cells = (request.name, f"{len(X)} x {X.shape[1]}", request.depth or "any", *costs)
    ends = (f"{gap:.1f}", f"{outcome.stats['seconds']:.1f}")
    return f"| {' | '.join(map(str, (*cells, *ends)))} |"


def page(data: Path, options: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of the record: the machine, and a table of gaps."""
    yield "# Gaps in a minute"
    yield ""
    yield from fact_lines(facts(("exactree",)))
    yield f"- limit: {LIMIT:.0f} s, {THREADS} threads"
    if options.without:
        yield f"- without: {', '.join(options.without)}"
    yield ""
    yield "| table | n x p | depth | cost | early | lower bound | gap, % | s |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for request in requests():
        if not options.tables or request.name in options.tables:
            yield row(request, data, without=options.without)


if __name__ == "__main__":
    if "EXACTREE_DATA" not in os.environ:
        sys.exit("Set EXACTREE_DATA to the folder with the tables.")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gaps", description=__doc__)
    parser.add_argument("--tables", nargs="+", metavar="NAME", help="some tables only")
    parser.add_argument("--without", nargs="+", metavar="NAME", default=[], help="accelerators")
    for line in page(Path(os.environ["EXACTREE_DATA"]), parser.parse_args()):
        print(line, flush=True)
