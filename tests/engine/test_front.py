"""The engine's fronts are those of the definition; a stopped one keeps what it has proved."""

import runpy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from exactree import Limits, Problem, Status, pareto_front

random_problem = runpy.run_path(str(Path(__file__).parent / "instances.py"))["random_problem"]
QUANTITIES = [
    ("size", "errors"),
    ("errors", "size"),
    ("depth", "errors"),
    ("depth", "size"),
    ("size", "depth", "errors"),
    ("errors", "depth", "size"),
]


def test_random_fronts_agree_with_the_definition():
    longest = 0
    for seed in range(600):
        rng = np.random.default_rng([5, seed])
        problem = random_problem(rng, 60)
        if problem.leaf_penalty:
            continue
        quantities = QUANTITIES[seed % len(QUANTITIES)]
        if seed % 7 == 0:
            problem = problem.within(replace(problem.limits, max_errors=int(rng.integers(0, 4))))
        native = pareto_front(problem, quantities)
        expected = pareto_front(problem, quantities, "spec")
        assert [o.cost for o in native] == [o.cost for o in expected], seed
        assert {o.status for o in native} <= {Status.OPTIMAL}
        longest = max(longest, len(native))
    assert longest >= 4


def test_a_stopped_front_ends_with_the_search_that_was_stopped():
    rng = np.random.default_rng(0)
    problem = Problem(rng.random((150, 6)), rng.integers(0, 2, 150))
    outcomes = pareto_front(problem, ("size", "errors"), time_limit=0.3)
    assert all(outcome.status is Status.OPTIMAL for outcome in outcomes[:-1])
    assert outcomes[-1].status in (Status.FEASIBLE, Status.STOPPED)
    assert outcomes[-1].stopped_by == "time limit"


def test_a_front_of_a_real_table_falls_to_no_errors():
    X, y = load_iris(return_X_y=True)
    problem = Problem(X, y, limits=Limits(max_depth=3))
    costs = [outcome.cost for outcome in pareto_front(problem, ("size", "errors"))]
    assert costs[0] == (0, 100)
    assert all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(costs))


def test_another_implementation_is_refused():
    with pytest.raises(ValueError, match="implementation must be 'native' or 'spec', got 'fast'"):
        pareto_front(Problem([[0], [1]], [0, 1]), ("size", "errors"), "fast")
