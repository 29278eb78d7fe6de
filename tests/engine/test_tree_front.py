"""The engine's fronts agree with the definition; results of stopped fronts are valid."""

import runpy
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from exactree import Limits, Outcome, Problem, Status, pareto_front, solve
from exactree.engine import (
    ParallelSolver,
    branch_and_bound,
    errors_front,
    front,
    reason_to_refuse_errors_front,
)
from exactree.engine.fronts.errors_front import FRONT_ACCELERATORS

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
        quantities = QUANTITIES[seed % len(QUANTITIES)]
        if problem.leaf_penalty and "errors" not in quantities:
            continue
        if seed % 7 == 0 and not problem.leaf_penalty:
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


def test_the_front_of_a_real_table_decreases_strictly():
    X, y = load_iris(return_X_y=True)
    problem = Problem(X, y, limits=Limits(max_depth=3))
    costs = [outcome.cost for outcome in pareto_front(problem, ("size", "errors"))]
    assert costs[0] == (0, 100)
    assert all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(costs))


def test_another_implementation_is_refused():
    with pytest.raises(ValueError, match="implementation must be 'native' or 'spec', got 'fast'"):
        pareto_front(Problem([[0], [1]], [0, 1]), ("size", "errors"), "fast")


def costs(outcomes):
    return [outcome.cost for outcome in outcomes]


def noisy(seed, rows=60, features=4, depth=3, **limits):
    rng = np.random.default_rng([6, seed])
    X = rng.integers(0, int(rng.choice([2, 6, 40])), (rows, features)).astype(float)
    y = (X[:, 0] > X[:, -1]) ^ (rng.random(rows) < 0.2)
    return Problem(X, y, limits=Limits(max_depth=depth, **limits))


def default_solver():
    return ParallelSolver(branch_and_bound, time_limit=None)


@pytest.mark.parametrize("quantities", [q for q in QUANTITIES if "errors" in q])
def test_searches_for_errors_find_the_front_of_lexicographic_searches(quantities):
    for seed in range(6):
        limits = [{}, {"min_samples_leaf": 5}, {"max_size": 4}, {"max_errors": 12}][seed % 4]
        problem = noisy(seed, **limits).minimizing(quantities)
        assert reason_to_refuse_errors_front(problem) is None
        outcomes = errors_front(problem, default_solver())
        assert costs(outcomes) == costs(front(problem, default_solver())), (seed, quantities)
        assert {outcome.status for outcome in outcomes} <= {Status.OPTIMAL}


class CountedSearches:
    """Solves and records problems that minimize errors; search number `stop_at` is stopped."""

    def __init__(self, stop_at=None, jobs=1):
        self.problems, self.stop_at, self.jobs = [], stop_at, jobs

    def __call__(self, problems):
        outcomes = []
        for problem in problems:
            self.problems.append(problem)
            outcome = branch_and_bound(problem)
            if len(self.problems) == self.stop_at:
                bound = tuple(max(cost - 2, 0) for cost in outcome.lower_bound)
                status = Status.STOPPED if outcome.tree is None else Status.FEASIBLE
                found = (outcome.cost, bound, outcome.tree, outcome.stats)
                return [*outcomes, Outcome(status, *found, "time limit")]
            outcomes.append(outcome)
        return outcomes


def test_a_front_within_a_depth_takes_no_more_searches_than_there_are_sizes():
    X, y = load_breast_cancer(return_X_y=True)
    problem = Problem(X, y, limits=Limits(max_depth=2))
    searches = CountedSearches()
    outcomes = errors_front(problem.minimizing(("size", "errors")), searches)
    assert len(searches.problems) == len(outcomes) == 4
    for outcome in outcomes:
        size, errors = outcome.cost
        within = Limits(max_depth=2, max_size=size)
        assert solve(Problem(X, y, limits=within)).cost == errors


def requested_sizes(problem):
    """Return the costs of the front, and the limits on the size of its searches in order."""
    searches = CountedSearches()
    outcomes = errors_front(problem.minimizing(("size", "errors")), searches)
    return costs(outcomes), [searched.limits.max_size for searched in searches.problems]


def test_nothing_is_searched_for_below_unavoidable_errors():
    X, y = [[0], [0], [0], [1], [2], [3]], [0, 0, 1, 1, 1, 1]
    assert requested_sizes(Problem(X, y)) == ([(0, 2), (1, 1)], [0, 1])


def test_after_a_search_without_improvement_the_largest_size_comes_next():
    # One node saves no error of exclusive or. Three nodes save all errors in a single search.
    exclusive = Problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    assert requested_sizes(exclusive) == ([(0, 2), (2, 1), (3, 0)], [0, 1, 3, 2])
    # With at least three rows in every leaf one error remains, even with seven nodes.
    labels = [0, 1, *[0] * 10, *[1] * 12]
    limits = Limits(max_depth=4, min_samples_leaf=3)
    wrong = Problem(np.arange(24.0)[:, None], labels, limits=limits)
    assert requested_sizes(wrong) == ([(0, 11), (1, 1)], [0, 1, 2, 7])


@pytest.mark.parametrize("off", [[*FRONT_ACCELERATORS], *([name] for name in FRONT_ACCELERATORS)])
def test_fronts_are_the_same_with_one_or_all_accelerators_off(off):
    with_errors = [quantities for quantities in QUANTITIES if "errors" in quantities]
    for seed in range(30):
        rng = np.random.default_rng([8, seed])
        problem = random_problem(rng, 200)
        problem = problem.minimizing(with_errors[seed % len(with_errors)])
        if reason_to_refuse_errors_front(problem) is not None:
            continue
        searches, all_on = CountedSearches(), CountedSearches(jobs=1 + seed % 2)
        outcomes = errors_front(problem, searches, dict.fromkeys(off, False))
        assert costs(outcomes) == costs(errors_front(problem, all_on)), seed
        assert {outcome.status for outcome in outcomes} <= {Status.OPTIMAL}


def test_each_accelerator_changes_the_searches_as_documented():
    exclusive = Problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    problem = exclusive.minimizing(("size", "errors"))
    by_accelerator_off = {}
    for name in (None, *FRONT_ACCELERATORS):
        searches = CountedSearches()
        errors_front(problem, searches, {} if name is None else {name: False})
        limits = [searched.limits for searched in searches.problems]
        by_accelerator_off[name] = [(limit.max_size, limit.max_errors) for limit in limits]
    assert by_accelerator_off == {
        None: [(0, None), (1, 1), (3, 1), (2, 1)],
        "less_than_known": [(0, None), (1, None), (3, None), (2, None)],
        "wider_bounds": [(0, None), (1, 1), (3, 1), (2, 1)],
        "widest_first": [(0, None), (1, 1), (2, 1), (3, 0)],
    }
    # "wider_bounds" saves no search of exclusive or; on a table with one class it saves searches.
    flat = CountedSearches()
    errors_front(
        Problem([[0], [1]], [0, 0]).minimizing(("size", "errors")), flat, {"wider_bounds": False}
    )
    assert len(flat.problems) == 2


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("quantities", [q for q in QUANTITIES if "errors" in q])
def test_outcomes_and_lower_bounds_of_a_stopped_front_are_valid(quantities, jobs):
    for problem in (noisy(2, rows=40), numbered_exclusive_or(3), numbered_exclusive_or(5)):
        problem = problem.minimizing(quantities)
        whole = errors_front(problem, CountedSearches(jobs=jobs))
        assert costs(whole) == costs(errors_front(problem, CountedSearches()))
        for stop_at in range(1, 30):
            searches = CountedSearches(stop_at, jobs)
            *before, last = errors_front(problem, searches)
            if len(searches.problems) < stop_at:
                break
            assert last.stopped_by == "time limit"
            missing = [cost for cost in costs(whole) if cost not in costs(before)]
            assert set(costs(before)) <= set(costs(whole))
            assert all(last.lower_bound <= cost for cost in missing)
            assert last.cost is None or last.lower_bound <= last.cost
        assert stop_at > 3


def numbered_exclusive_or(depth):
    """Return exclusive or with a number for each row: one more node may save no error."""
    X = [[0, 0, 0], [0, 1, 1], [1, 0, 2], [1, 1, 3], [1, 1, 4], [0, 0, 5], [0, 1, 6], [1, 0, 7]]
    return Problem(X, [0, 1, 1, 0, 0, 0, 1, 1], limits=Limits(max_depth=depth))


def test_fronts_with_a_leaf_penalty_are_native():
    for seed in range(20):
        rng = np.random.default_rng([9, seed])
        X, y = rng.integers(0, 4, (10, 2)), rng.integers(0, 3, 10)
        problem = Problem(X, y, leaf_penalty=Fraction(1, 25), limits=Limits(max_depth=3))
        for quantities in (("size", "errors"), ("errors", "depth", "size")):
            assert reason_to_refuse_errors_front(problem.minimizing(quantities)) is None
            expected = pareto_front(problem, quantities, "spec")
            assert costs(pareto_front(problem, quantities)) == costs(expected), seed
