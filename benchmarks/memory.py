"""The command `python -m benchmarks.memory`: cache hits of searches.

The paper of He and Little says that caching is of no use for trees with many rules. The command
prints the share of cache hits among the look-ups, which are those of subproblems of more than two
levels.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from exactree import Limits, Problem, solve
from exactree.rules import AxisParallel, Hyperplanes, RuleFamily

Examples = tuple[NDArray[np.float64], NDArray[np.int64]]


def binary(n: int = 400, d: int = 16) -> Examples:
    """Return random binary features, and classes that are a noisy function of three of them."""
    rng = np.random.default_rng(1)
    X = rng.random((n, d)) < 0.5
    y = ((X[:, 0] ^ X[:, 1]) | X[:, 2]) ^ (rng.random(n) < 0.15)
    return X.astype(np.float64), y.astype(np.int64)


def numbers(n: int, d: int, classes: int) -> Examples:
    """Return random numeric features, and random classes."""
    rng = np.random.default_rng(1)
    return rng.normal(size=(n, d)), rng.integers(0, classes, n)


# Name -> examples, rules and depths.
PROBLEMS: dict[str, tuple[Examples, RuleFamily, tuple[int, ...]]] = {
    "binary features": (binary(), AxisParallel(), (4, 5, 6)),
    "thresholds": (numbers(60, 2, 3), AxisParallel(), (3, 4, 5)),
    "hyperplanes": (numbers(36, 2, 4), Hyperplanes(), (3, 4)),
}


def rows() -> Iterator[tuple[str, int, int, int, int]]:
    """Yield rules, depth, nodes, look-ups and hits of each problem."""
    for name, ((X, y), rules, depths) in PROBLEMS.items():
        for depth in depths:
            problem = Problem(X, y, rules=rules, limits=Limits(max_depth=depth))
            stats = solve(problem, time_limit=60).stats
            yield name, depth, stats["nodes"], stats["cache_lookups"], stats["cache_hits"]


def main() -> None:
    """Print the table of the page on the paper."""
    table = Table("rules", "depth", "nodes", "look-ups", "hits", "share", title="Cache hits")
    for name, depth, nodes, lookups, hits in rows():
        share = f"{hits / max(lookups, 1):.1%}"
        table.add_row(name, str(depth), str(nodes), str(lookups), str(hits), share)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
