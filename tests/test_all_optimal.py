"""Counting and listing all optimal trees and ensembles through the public functions."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from exactree import (
    Limits,
    MethodRefused,
    Problem,
    Tree,
    count_optimal,
    enumerate_optimal,
    solve,
)

CHAIN = [[value] for value in range(60)]


def hard() -> Problem:
    """Return a problem whose search takes long."""
    rng = np.random.default_rng(0)
    return Problem(rng.random((250, 8)), rng.integers(0, 2, 250), minimize="size")


def trees_of_a_chain(n: int) -> int:
    """Count the trees for n examples of one class and one feature, where any split is optimal."""
    counts = [0, 1]
    for m in range(2, n + 1):
        counts.append(1 + sum(counts[i] * counts[m - i] for i in range(1, m)))
    return counts[n]


def test_counts_are_exact_beyond_64_bits() -> None:
    count = count_optimal(Problem(CHAIN, [0] * 60))
    assert count == trees_of_a_chain(60)
    assert count is not None
    assert count > 2**100


def test_trees_are_listed_lazily() -> None:
    listing = enumerate_optimal(Problem(CHAIN, [0] * 60), limit=2000)
    assert len(set(listing)) == 2000
    assert not listing.complete


def test_a_list_reports_whether_it_is_complete() -> None:
    problem = Problem([[0, 5], [1, 6]], [0, 1], minimize="size")
    listing = enumerate_optimal(problem)
    assert next(listing) is not None
    assert not listing.complete
    assert len(list(listing)) == 1
    assert listing.complete
    assert list(listing) == []
    assert listing.complete
    limited = enumerate_optimal(problem, limit=1)
    assert len(list(limited)) == 1
    assert not limited.complete
    assert count_optimal(problem) == 2


def test_lists_and_counts_of_infeasible_problems_are_empty() -> None:
    for minimize in ("size", "depth", ("size", "depth")):
        problem = Problem([[0], [0]], [0, 1], minimize=minimize)
        listing = enumerate_optimal(problem)
        assert list(listing) == []
        assert listing.complete
        assert count_optimal(problem) == 0
    too_few_rows = Problem([[0], [1]], [0, 1], limits=Limits(min_samples_leaf=3))
    assert list(enumerate_optimal(too_few_rows)) == []
    assert count_optimal(too_few_rows) == 0


def test_ensembles_and_trees_with_limits_on_leaves_are_counted() -> None:
    ensembles = Problem([[0], [1]], [0, 1], minimize="total_size", n_trees=2)
    assert len(list(enumerate_optimal(ensembles))) == count_optimal(ensembles) == 1
    limits = Limits(max_leaves_of={1: 1})
    problem = Problem([[0], [1], [2]], [0, 1, 0], minimize="size", limits=limits)
    listing = enumerate_optimal(problem)
    assert len(list(listing)) == count_optimal(problem) == 2
    assert listing.complete


def test_a_time_limit_is_reported() -> None:
    listing = enumerate_optimal(hard(), time_limit=0.2)
    assert list(listing) == []
    assert not listing.complete
    assert count_optimal(hard(), time_limit=0.2) is None
    # Here the proof is quick, and the list is too long to be completed.
    endless = enumerate_optimal(Problem(CHAIN, [0] * 60), time_limit=0.3)
    assert sum(1 for _ in endless) > 0
    assert not endless.complete


INTERRUPTED = """
import signal, threading
import numpy as np
from exactree import Problem, count_optimal, enumerate_optimal
rng = np.random.default_rng(0)
hard = Problem(rng.random((250, 8)), rng.integers(0, 2, 250), minimize="size")
endless = Problem([[row] for row in range(60)], [0] * 60)
threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    "call",
    [
        "count_optimal(hard)",
        "list(enumerate_optimal(hard))",
        "sum(1 for _ in enumerate_optimal(endless))",
    ],
    ids=["count", "proof", "list"],
)
def test_ctrl_c_is_raised(call: str) -> None:
    # In a process of its own: an interrupt that comes late would end the process of the tests.
    script = INTERRUPTED.format(call=call)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_the_order_is_the_same_every_time() -> None:
    rng = np.random.default_rng(3)
    problem = Problem(
        rng.integers(0, 3, (12, 3)), rng.integers(0, 2, 12), limits=Limits(max_depth=3)
    )
    first, second = list(enumerate_optimal(problem)), list(enumerate_optimal(problem))
    assert len(first) > 3
    assert first == second


def test_listed_trees_are_frozen_and_can_be_serialized() -> None:
    problem = Problem([[0.0, 5], [1, 6], [2, 5]], ["a", "b", "c"], sample_weight=[1, 0.5, 2])
    trees = list(enumerate_optimal(problem))
    assert len(trees) == count_optimal(problem)
    for tree in trees:
        assert isinstance(tree, Tree)
        assert Tree.from_dict(tree.to_dict()) == tree == pickle.loads(pickle.dumps(tree))
        for name in ("threshold", "value", "errors", "feature", "children_left", "classes"):
            assert not getattr(tree, name).flags.writeable
            assert getattr(tree, name).base is None
    assert solve(problem).tree in trees


def test_wrong_arguments_are_refused_when_the_functions_are_called() -> None:
    problem = Problem([[0]], [0])
    with pytest.raises(ValueError, match="time_limit must be a positive number"):
        enumerate_optimal(problem, time_limit=0)
    with pytest.raises(ValueError, match="time_limit must be a positive number"):
        count_optimal(problem, time_limit=-1)
    with pytest.raises(TypeError, match="problem must be a Problem"):
        count_optimal([[0]])  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    large = Problem(
        rng.random((300, 9)),
        rng.integers(0, 2, 300),
        limits=Limits(max_leaves_of={0: 3}, max_depth=6),
    )
    with pytest.raises(MethodRefused, match="300 rows"):
        count_optimal(large)


def test_huge_limits_have_no_effect() -> None:
    for limits in (Limits(max_size=10**12), Limits(max_total_size=10**12)):
        limited = Problem([[0], [1]], [0, 1], n_trees=2, minimize="total_size", limits=limits)
        unlimited = Problem([[0], [1]], [0, 1], n_trees=2, minimize="total_size")
        assert list(enumerate_optimal(limited)) == list(enumerate_optimal(unlimited))
