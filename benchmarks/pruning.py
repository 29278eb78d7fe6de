"""The command `python -m benchmarks pruning`: Table 1 of the paper on pruning by a risk bound.

Greedy trees of at most 40 leaves are fitted to three quarters of a table and pruned in three ways,
for 25 draws and three orders of growth. The paper's program splits the purest node next; those
trees are compared with the paper's numbers. The others show the effect of pruning on trees that are
grown depth-first, or best-first as by scikit-learn. `--bound-optimal` adds the tree of minimum risk
bound for the same draws.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from benchmarks.machine import facts
from benchmarks.pruning_authors import prune_as_the_authors
from benchmarks.pruning_optimal import LOOSE, NOT_GROWN, OPTIMAL, BoundOptimal
from benchmarks.pruning_peer import REPEATS, Peer
from benchmarks.pruning_record import AUTHORS, ORDERS, TABLES, Draws
from benchmarks.pruning_report import markdown
from benchmarks.write import write_under
from exactree.cli.examples import read_examples
from exactree.cli.table_options import TableArguments
from exactree.prune import (
    first_leaves,
    grow_greedily,
    prune_with_bound,
    prune_with_cross_validation,
)
from exactree.trees import Tree

__all__ = ["Replay", "main"]

MAX_LEAVES, N_DRAWS = 40, 25
MANY_CLASSES = 7  # with so many classes the peer takes minutes, so that a ratio is meaningful
NO_DATA = (
    "Nothing was pruned: the environment variable EXACTREE_DATA is not set. "
    "It names the folder with the tables; benchmarks/README.md says which."
)
Numbers = dict[str, float]  # train, test, leaves, depth, seconds, bound


class Replay:
    """A cache of greedy trees by their training rows, which counts the seconds that it saves.

    All orders of growth and both complexities need the same trees in every fold.

    Attributes
    ----------
    saved : float
        CPU seconds that growing the cached trees again would have taken.
    """

    def __init__(self, seed: int) -> None:
        self.seed, self.saved = seed, 0.0
        self._cache: dict[bytes, tuple[Tree, float]] = {}

    def grow(self, order: str, X: Any, y: Any) -> Tree:
        """Return the tree of at most 40 leaves."""
        key = X.tobytes()
        if key in self._cache:
            self.saved += self._cache[key][1]
        else:
            before = time.process_time()
            whole = grow_greedily(X, y, max_leaves=None, random_state=self.seed)
            self._cache[key] = whole, time.process_time() - before
        return first_leaves(self._cache[key][0], MAX_LEAVES, order)  # type: ignore[arg-type]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 for an absent table, 130 for Ctrl-C, else 0, also without data."""
    options = _parser().parse_args(arguments)
    if not os.environ.get("EXACTREE_DATA"):
        print(NO_DATA)
        return 0
    folder = Path(os.environ["EXACTREE_DATA"]) / "continuous"
    paths = {name: folder / f"uci_{name}.csv.gz" for name in options.tables}
    absent = [path.name for path in paths.values() if not path.exists()]
    if absent:
        print(f"The folder that EXACTREE_DATA names has no {absent[0]}.", file=sys.stderr)
        return 1
    record: dict[str, Any] = {
        "name": options.name,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": facts(["scikit-learn", "exactree"]),
        "n_draws": options.draws,
        "complete": True,
    }
    optimal = None
    if options.bound_optimal is not None:
        optimal = BoundOptimal(options.bound_optimal, options.seconds)
        record["bound_optimal"] = vars(optimal)
    peer = None if options.peer is None else Peer(options.peer.resolve(), options.peer_python)
    rows: list[Draws] = []
    peer_rows: list[dict[str, Any]] = []
    try:
        for name, path in paths.items():
            examples = read_examples(TableArguments(path, "target"), quiet=True)
            table = (name, examples.X, examples.labels)
            for row in table_rows(*table, options.orders, options.draws, optimal):
                rows.append(row)
                print(_text(row), flush=True)
            if peer is not None and len(set(examples.labels.tolist())) >= MANY_CLASSES:
                peer_rows.append(compare_with_peer(name, examples.X, examples.labels, peer))
                print(peer_rows[-1], flush=True)
    except KeyboardInterrupt:
        record["complete"] = False
    path = write_under(
        options.out,
        f"{record['date']}-{record['name']}",
        record | {"peer": peer_rows, "rows": [_plain(row) for row in rows]},
        markdown(record, rows, peer_rows),
    )
    print(f"Record: {path}")
    return 0 if record["complete"] else 130


def table_rows(
    name: str,
    X: NDArray[np.float64],
    y: NDArray[Any],
    orders: Sequence[str],
    n_draws: int,
    optimal: BoundOptimal | None = None,
) -> Iterator[Draws]:
    """Yield the results of each model on a table, for trees of each order."""
    results: dict[tuple[str, str], list[Numbers]] = {}
    for draw in range(n_draws):
        # The seeds of the authors' program: the draws are equal if the rows have the same order.
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=0.25, random_state=10 * draw + 1
        )
        replay = Replay(draw)
        for order in orders:
            for model, numbers in one_draw(
                X_train, X_test, y_train, y_test, partial(replay.grow, order), replay, draw
            ):
                if model != LOOSE or optimal is not None:
                    results.setdefault((order, model), []).append(numbers)
        if optimal is not None:
            numbers = optimal.numbers(X_train, y_train, X_test, y_test)
            results.setdefault((NOT_GROWN, OPTIMAL), []).append(numbers)
    (examples, features), classes = X.shape, len(set(y.tolist()))
    for (order, model), drawn in results.items():
        lists = {quantity: [numbers[quantity] for numbers in drawn] for quantity in drawn[0]}
        yield Draws(name, order, model, examples, features, classes, lists)


def compare_with_peer(
    name: str, X: NDArray[np.float64], y: NDArray[Any], peer: Peer
) -> dict[str, Any]:
    """Return the times of the authors' program and of exactree for the first draw."""
    rows, _, labels, _ = train_test_split(X, y, test_size=0.25, random_state=1)
    tree = Replay(0).grow("purest-first", rows, labels)
    taken = []
    for _ in range(REPEATS):
        before = time.process_time()
        pruning = prune_with_bound(tree, rows, labels, form="paper")
        taken.append(time.process_time() - before)
    ours = {
        "seconds": median(taken),
        "leaves_before": tree.leaves,
        "leaves": pruning.tree.leaves,
        "bound": pruning.bound,
    }
    return {"table": name, "peer": peer.measured(rows, labels), "exactree": ours}


def one_draw(
    X: NDArray[np.float64],
    X_test: NDArray[np.float64],
    y: NDArray[Any],
    y_test: NDArray[Any],
    grow: Callable[[Any, Any], Tree],
    replay: Replay,
    seed: int,
) -> Iterator[tuple[str, Numbers]]:
    """Yield name and numbers of every model for one draw; X and y are the training rows."""
    tree = grow(X, y)
    pruners: dict[str, Callable[[], tuple[Tree, float]]] = {
        "original": lambda: (tree, float("nan")),
        "cart": lambda: (_by_complexity("leaves"), float("nan")),
        "m-cart": lambda: (_by_complexity("dimension"), float("nan")),
        "bound": lambda: _by_bound("paper"),
        LOOSE: lambda: _by_bound("loose"),
        AUTHORS[0]: lambda: (prune_as_the_authors(tree, X, y, grow, modified=False), float("nan")),
        AUTHORS[1]: lambda: (prune_as_the_authors(tree, X, y, grow, modified=True), float("nan")),
    }

    def _by_complexity(complexity: Any) -> Tree:
        return prune_with_cross_validation(
            tree, X, y, complexity=complexity, grow=grow, random_state=seed
        ).tree

    def _by_bound(form: Any) -> tuple[Tree, float]:
        pruning = prune_with_bound(tree, X, y, form=form)
        return pruning.tree, pruning.bound

    for model, prune in pruners.items():
        replay.saved, before = 0.0, time.process_time()
        pruned, bound = prune()
        seconds = time.process_time() - before + replay.saved
        numbers = {
            "train": float((pruned.predict(X) == y).mean()),
            "test": float((pruned.predict(X_test) == y_test).mean()),
            "leaves": float(pruned.leaves),
            "depth": float(pruned.depth),
        }
        if model != "original":
            numbers["seconds"] = seconds
        if model in ("bound", LOOSE):
            numbers["bound"] = bound
        yield model, numbers


def _text(row: Draws) -> str:
    shown = ", ".join(f"{name} {row.of(name)[0]:.3f}" for name in row.numbers)
    return f"{row.table}, {row.order}, {row.model}: {shown}"


def _plain(row: Draws) -> dict[str, Any]:
    numbers = {name: [round(number, 4) for number in drawn] for name, drawn in row.numbers.items()}
    return vars(row) | {"numbers": numbers}


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks pruning", description=__doc__)
    add = parser.add_argument
    add("--tables", nargs="+", choices=TABLES, default=TABLES, metavar="NAME", help="some tables")
    add("--orders", nargs="+", choices=ORDERS, default=ORDERS, help="some orders of growth")
    add("--draws", type=int, default=N_DRAWS, metavar="N", help=f"number of draws ({N_DRAWS})")
    add("--peer", type=Path, metavar="DIR", help="a checkout of the authors' program to time")
    add("--peer-python", type=Path, default=Path(sys.executable), metavar="PYTHON", help="for it")
    add("--bound-optimal", type=int, metavar="LEAVES", help="also the tree of minimum bound")
    add("--seconds", type=float, default=5.0, metavar="S", help="for each such tree (5)")
    add("--name", default="pruning", help="name of the record (pruning)")
    records = Path(__file__).resolve().parent / "records"
    add("--out", type=Path, default=records, metavar="DIR", help="folder of the record")
    return parser
