"""The definition agrees with independent enumerations, and returns small trees."""

import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree import Limits, MethodRefused, Problem, Status
from exactree.problem.quantities import as_tuple
from exactree.spec import min_cost
from exactree.spec.effort import MAX_SUBSETS, subsets_to_visit
from exactree.testing import check_solver, problems, regressions

QUICK = settings.get_current_profile_name() == "quick"

ALL_TREES = runpy.run_path(str(Path(__file__).parent / "all_trees.py"))
answers = ALL_TREES["answers"]


def check_against_all_trees(problem: Problem) -> None:
    outcome = min_cost(problem)
    check_solver(problem, outcome)
    names = problem.quantities
    best = min(answers(problem), key=lambda answer: answer.vector(names), default=None)
    if best is None:
        assert outcome.status is Status.INFEASIBLE
        assert outcome.reason
    else:
        assert outcome.status is Status.OPTIMAL
        assert outcome.cost == outcome.lower_bound
        assert as_tuple(outcome.cost) == best.reported(names)
        assert isinstance(outcome.cost, tuple) == isinstance(problem.minimize, tuple)


@settings(max_examples=40 if QUICK else 100, deadline=None)
@given(problems(max_rows=6, max_features=2, max_depth=3))
def test_the_errors_are_the_minimum_over_all_trees(problem: Problem) -> None:
    check_against_all_trees(problem)


@settings(max_examples=50 if QUICK else 150, deadline=None)
@given(problems(max_rows=5, max_features=2, max_depth=3, every_kind=True))
def test_the_cost_of_any_kind_is_the_minimum_over_all_trees(problem: Problem) -> None:
    check_against_all_trees(problem)


@settings(max_examples=50 if QUICK else 150, deadline=None)
@given(regressions(max_rows=5, max_features=2, every_kind=True))
def test_the_cost_of_a_regression_is_the_minimum_over_all_trees(problem: Problem) -> None:
    check_against_all_trees(problem)


def test_a_regression_finds_the_steps_and_their_means() -> None:
    X, y = [[0], [1], [2], [3], [4]], [0.1, 0.2, 5, 5.5, 7]
    squared = Problem(X, y, [1, 1, 1, 1, 0], minimize="squared_error", limits=Limits(max_depth=1))
    outcome = min_cost(squared)
    assert outcome.cost == outcome.lower_bound == 0.13  # 2 * 0.05**2 + 2 * 0.25**2
    assert outcome.tree is not None
    assert outcome.tree.predict([[1], [2]]).tolist() == [0.15000000000000002, 5.25]
    absolute = Problem(X, y, minimize="absolute_error", limits=Limits(max_size=1))
    outcome = min_cost(absolute)
    assert outcome.cost == 2.1  # 0.1 + (0.5 + 1.5)
    assert outcome.tree is not None
    assert outcome.tree.predict([[0], [9]]).tolist() == [0.1, 5.5]  # 0.1 is the lower median


@settings(max_examples=50 if QUICK else 150, deadline=None)
@given(problems())
def test_the_tree_keeps_the_limits_and_cannot_be_reduced(problem: Problem) -> None:
    check_solver(problem, min_cost(problem))


def test_exclusive_or_needs_three_nodes() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    cost = {size: min_cost(Problem(X, y, limits=Limits(max_size=size))).cost for size in range(5)}
    assert cost == {0: 2, 1: 2, 2: 1, 3: 0, 4: 0}


def test_contradictions_are_errors_of_every_tree() -> None:
    outcome = min_cost(Problem([[1], [1], [1], [2]], ["a", "b", "b", "a"]))
    assert outcome.cost == 1


def test_one_class_is_a_leaf() -> None:
    outcome = min_cost(Problem([[1], [2]], [7, 7], limits=Limits(max_depth=3)))
    assert (outcome.cost, outcome.tree.size, outcome.lower_bound) == (0, 0, 0)


def test_a_penalty_is_paid_per_leaf_on_the_total_weight() -> None:
    X, y = [[0], [1]], [0, 1]
    low = min_cost(Problem(X, y, leaf_penalty=Fraction(1, 5)))
    assert (low.cost, low.tree.leaves) == (Fraction(4, 5), 2)
    high = min_cost(Problem(X, y, leaf_penalty=0.51))
    assert (high.cost, high.tree.leaves) == (1 + Fraction(102, 100), 1)
    equal = min_cost(Problem(X, y, leaf_penalty=0.5))
    assert (equal.cost, equal.tree.leaves) == (2, 1)  # the smaller of two equally good trees


def test_values_one_ulp_apart_are_split() -> None:
    X = [[1.0], [np.nextafter(1.0, 2.0)]]
    outcome = min_cost(Problem(X, [0, 1]))
    assert outcome.cost == 0
    assert outcome.tree.predict(X).tolist() == [0, 1]


def test_an_infeasible_limit_on_errors_reports_the_unavoidable_errors() -> None:
    problem = Problem([[1], [1], [2]], [0, 1, 1], limits=Limits(max_errors=Fraction(1, 2)))
    outcome = min_cost(problem)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.reason is not None
    assert "max_errors=1/2" in outcome.reason
    assert "at least 1 error" in outcome.reason
    assert (outcome.cost, outcome.tree, outcome.lower_bound) == (None, None, 1)


def test_a_limit_on_errors_may_be_met_exactly() -> None:
    X, y = [[1], [1], [1], [2]], [0, 1, 2, 1]
    assert min_cost(Problem(X, y, limits=Limits(max_errors=2))).cost == 2
    tight = Problem(X, y, [0.5, 1, 0.25, 1], limits=Limits(max_errors=0.75))
    assert min_cost(tight).cost == Fraction(3, 4)


def test_more_rows_per_leaf_than_rows_is_infeasible() -> None:
    outcome = min_cost(Problem([[1], [2]], [0, 1], limits=Limits(min_samples_leaf=3)))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.reason is not None
    assert "min_samples_leaf=3" in outcome.reason


def test_min_samples_leaf_counts_rows_not_weight() -> None:
    X, y = [[0], [1], [1]], [0, 1, 1]
    heavy = Problem(X, y, sample_weight=[9, 1, 1], limits=Limits(min_samples_leaf=2))
    assert min_cost(heavy).tree.size == 0


def test_contradictory_rows_are_named() -> None:
    X, y = [[0], [1], [1], [2], [1]], ["a", "a", "b", "b", "b"]
    outcome = min_cost(Problem(X, y, [1, 1, 1, 0, 1], minimize="size"))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.reason is not None
    assert "rows 1, 2, 4 have equal features and different labels" in outcome.reason
    assert (outcome.cost, outcome.lower_bound) == (None, 0)


def test_limits_that_leave_no_tree_are_named() -> None:
    problem = Problem([[0], [1]], [0, 1], limits=Limits(max_leaves_of={0: 0}, max_depth=3))
    reason = min_cost(problem).reason
    assert reason is not None
    assert "max_depth=3 and max_leaves_of={0: 0}" in reason


def test_the_minimum_of_a_tuple_may_need_children_that_are_not_optimal_alone() -> None:
    """Two nodes avoid the error. If errors come first, or none is allowed, they are needed."""
    X, y = [[0], [1], [2], [3]], [0, 1, 0, 0]
    assert min_cost(Problem(X, y, minimize=("errors", "size"))).cost == (0, 2)
    assert min_cost(Problem(X, y, minimize=("size", "errors"))).cost == (2, 0)
    one = Limits(max_errors=1)
    assert min_cost(Problem(X, y, minimize=("size", "errors"), limits=one)).cost == (0, 1)
    assert min_cost(Problem(X, y, minimize="depth")).cost == 2


def random_problem(rows: int, columns: int, **limits: int) -> Problem:
    rng = np.random.default_rng(0)
    return Problem(rng.random((rows, columns)), rng.integers(0, 2, rows), limits=Limits(**limits))


def test_a_large_table_is_refused_immediately_naming_the_better_method() -> None:
    with pytest.raises(MethodRefused, match="branch-and-bound"):
        min_cost(random_problem(2000, 20, max_depth=3))
    with pytest.raises(MethodRefused, match="branch-and-bound"):
        min_cost(random_problem(30, 3))
    with pytest.raises(MethodRefused, match="branch-and-bound"):
        min_cost(random_problem(100_000, 11, max_depth=1))
    with pytest.raises(MethodRefused, match="branch-and-bound"):
        min_cost(random_problem(3000, 1, max_depth=2))
    constant = Problem(np.zeros((50_000, 2)), [0, 1] * 25_000)
    assert subsets_to_visit(constant) == 1


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(problems(max_rows=7, max_features=2, max_depth=3), st.data())
def test_the_estimate_of_the_effort_is_at_most_four_times_too_low(
    problem: Problem, data: st.DataObject
) -> None:
    from exactree.spec import definition

    calls = 0
    original = definition.front

    def counted(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        return original(*arguments)  # type: ignore[arg-type]

    definition.front = counted  # type: ignore[assignment]
    try:
        min_cost(problem)
    finally:
        definition.front = original
    # The estimate assumes that children of all sizes are equally frequent, and does not know which
    # rules split alike.
    assert calls <= 4 * subsets_to_visit(problem)
    assert subsets_to_visit(problem) <= MAX_SUBSETS


def test_every_code_counts_in_the_estimate_of_the_effort() -> None:
    """One subset for the table, and two children for each of its four codes or three thresholds."""
    X, y, stump = [[5], [6], [8], [9]], [0, 1, 0, 1], Limits(max_depth=1)
    assert subsets_to_visit(Problem(X, y, limits=stump, categories=[0])) == 9
    assert subsets_to_visit(Problem(X, y, limits=stump)) == 7
