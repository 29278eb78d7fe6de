"""Counting and listing all optimal answers through the public functions."""

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
    """State a problem that takes long."""
    rng = np.random.default_rng(0)
    return Problem(rng.random((250, 8)), rng.integers(0, 2, 250), minimize="size")


def trees_of_a_chain(n: int) -> int:
    """Count the trees for n examples of one class and one feature: any node divides a chain."""
    trees = [0, 1]
    for m in range(2, n + 1):
        trees.append(1 + sum(trees[i] * trees[m - i] for i in range(1, m)))
    return trees[n]


def test_counts_are_exact_beyond_64_bits() -> None:
    count = count_optimal(Problem(CHAIN, [0] * 60))
    assert count == trees_of_a_chain(60)
    assert count is not None
    assert count > 2**100


def test_more_trees_than_could_be_held_are_listed_lazily() -> None:
    listing = enumerate_optimal(Problem(CHAIN, [0] * 60), limit=2000)
    assert len(set(listing)) == 2000
    assert not listing.complete


def test_a_list_says_whether_it_held_all() -> None:
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


def test_nothing_is_listed_or_counted_when_nothing_meets_the_limits() -> None:
    for minimize in ("size", "depth", ("size", "depth")):
        problem = Problem([[0], [0]], [0, 1], minimize=minimize)
        listing = enumerate_optimal(problem)
        assert list(listing) == []
        assert listing.complete
        assert count_optimal(problem) == 0
    too_few_rows = Problem([[0], [1]], [0, 1], limits=Limits(min_samples_leaf=3))
    assert list(enumerate_optimal(too_few_rows)) == []
    assert count_optimal(too_few_rows) == 0


def test_answers_of_the_specifications_are_counted_too() -> None:
    ensembles = Problem([[0], [1]], [0, 1], minimize="total_size", n_trees=2)
    assert len(list(enumerate_optimal(ensembles))) == count_optimal(ensembles) == 1
    limits = Limits(max_leaves_of={1: 1})
    problem = Problem([[0], [1], [2]], [0, 1, 0], minimize="size", limits=limits)
    listing = enumerate_optimal(problem)
    assert len(list(listing)) == count_optimal(problem) == 2
    assert listing.complete


def test_a_search_that_runs_out_of_time_says_so() -> None:
    listing = enumerate_optimal(hard(), time_limit=0.2)
    assert list(listing) == []
    assert not listing.complete
    assert count_optimal(hard(), time_limit=0.2) is None
    # Here the proof is quick, and the list has no end.
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
    {asked}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    "asked",
    [
        "count_optimal(hard)",
        "list(enumerate_optimal(hard))",
        "sum(1 for _ in enumerate_optimal(endless))",
    ],
    ids=["count", "proof", "list"],
)
def test_ctrl_c_is_raised(asked: str) -> None:
    # In a process of its own: an interrupt that comes late would end the one that runs the tests.
    script = INTERRUPTED.format(asked=asked)
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


def test_listed_trees_are_sound_frozen_trees() -> None:
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


def test_misuse_is_refused_when_called() -> None:
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


def test_limits_that_no_machine_counts_are_no_limits() -> None:
    for limits in (Limits(max_size=10**12), Limits(max_total_size=10**12)):
        asked = Problem([[0], [1]], [0, 1], n_trees=2, minimize="total_size", limits=limits)
        plain = Problem([[0], [1]], [0, 1], n_trees=2, minimize="total_size")
        assert list(enumerate_optimal(asked)) == list(enumerate_optimal(plain))
