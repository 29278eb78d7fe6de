"""Two threads have the guarantees of one thread in every search: cost, limits, gap, Ctrl-C."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import exactree as xt

from .test_stopping import assert_valid_but_unproved

ROOT = str(Path(__file__).parents[2])

# Values of columns, and leaf penalty; they determine which search is used.
KINDS = {
    "continuous": ("continuous", 0),
    "two values": ("two values", 0),
    "few values": ("few values", 0),
    "mixed": ("mixed", 0),
    "continuous, priced": ("continuous", 0.01),
    "two values, priced": ("two values", 0.01),
    "mixed, priced": ("mixed", 0.01),
}


def drawn_problem(kind, rows, features, depth, noise=1.0, seed=21):
    """Return a problem with a kind of columns and a share `noise` of random labels."""
    columns, leaf_penalty = KINDS[kind]
    rng = np.random.default_rng(seed)
    X = rng.random((rows, features))
    plain = (X[:, 0] + X[:, 1] > 1) ^ (X[:, 2] * X[:, 3] > 0.3)
    values = {"continuous": [0], "two values": [2], "few values": [4], "mixed": [0, 2, 5]}
    for feature in range(features):
        levels = values[columns][feature % len(values[columns])]
        if levels:
            X[:, feature] = np.floor(X[:, feature] * levels)
    y = np.where(rng.random(rows) < noise, rng.integers(0, 2, rows), plain)
    return xt.Problem(X, y, leaf_penalty=leaf_penalty, limits=xt.Limits(max_depth=depth))


def hard(kind):
    """Return a problem that no search ends in a minute."""
    return drawn_problem(kind, rows=4000, features=60, depth=None if "priced" in kind else 7)


@pytest.mark.parametrize("kind", KINDS)
def test_one_two_and_three_threads_find_the_same_cost(kind):
    depth = 4 if kind == "two values" else 3
    for seed in range(3):
        problem = drawn_problem(kind, rows=300, features=8, depth=depth, noise=0.2, seed=seed)
        one_thread = xt.solve(problem)
        assert one_thread.status is xt.Status.OPTIMAL
        for n_jobs in (2, 3):
            outcome = xt.solve(problem, n_jobs=n_jobs)
            found = (outcome.status, outcome.cost, outcome.lower_bound)
            assert found == (one_thread.status, one_thread.cost, one_thread.lower_bound)


@pytest.mark.parametrize("kind", KINDS)
def test_a_time_limit_stops_both_threads(kind):
    problem = hard(kind)
    outcome = xt.solve(problem, time_limit=0.3, n_jobs=2)
    assert outcome.stopped_by == "time limit"
    assert_holds(outcome, problem)


@pytest.mark.parametrize("kind", KINDS)
def test_a_gap_stops_both_threads(kind):
    # Contradictions make the lower bound positive from the start; the proof takes long.
    problem = drawn_problem(kind, rows=200, features=8, depth=5)
    X, y = problem.dataset.X, problem.dataset.labels
    X, y = np.vstack([X] * 9), np.concatenate([y, *[1 - y] * 2, *[y] * 6])
    problem = xt.Problem(X, y, leaf_penalty=problem.leaf_penalty, limits=problem.limits)
    for _ in range(3):  # either thread may be first at the root
        outcome = xt.solve(problem, n_jobs=2, stop_at_gap=0.5, time_limit=60)
        assert outcome.stopped_by == "gap"
        assert outcome.gap <= 0.5
        assert_holds(outcome, problem)


def assert_holds(outcome, problem):
    """Check tree, cost and lower bound of an outcome without a proof."""
    if problem.leaf_penalty == 0:
        assert_valid_but_unproved(outcome, problem)
        return
    assert outcome.status is xt.Status.FEASIBLE
    assert 0 <= outcome.lower_bound < outcome.cost
    wrong = (outcome.tree.predict(problem.dataset.X) != problem.dataset.labels).sum()
    price = problem.leaf_penalty * problem.dataset.total_weight
    assert outcome.cost == wrong + price * (outcome.tree.size + 1)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("kind", KINDS)
def test_ctrl_c_stops_both_threads_and_keeps_the_tree(kind):
    program = """
        import sys
        import exactree as xt
        from tests.engine.test_two_threads import assert_holds, hard

        problem = hard(sys.argv[1])
        outcome = xt.solve(
            problem, n_jobs=2, time_limit=60, on_progress=lambda _: print("searching", flush=True)
        )
        assert_holds(outcome, problem)
        print(outcome.stopped_by)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([ROOT, *sys.path])},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "searching\n", process.communicate()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        # Far less than the time limit, which would end the search in another way.
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert out.splitlines()[-1] == "interrupt"
