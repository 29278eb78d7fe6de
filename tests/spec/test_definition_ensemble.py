"""The definition for ensembles agrees with independent lists of all ensembles."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree import Limits, MethodRefused, Problem, Status
from exactree.problem.quantities import as_tuple
from exactree.spec import min_cost
from exactree.spec.effort import labelings_to_join, refuse_large_ensemble
from exactree.testing import check_solver, problems

QUICK = settings.get_current_profile_name() == "quick"

ALL_TREES = runpy.run_path(str(Path(__file__).parent / "all_trees.py"))


@settings(max_examples=30 if QUICK else 80, deadline=None)
@given(
    st.integers(2, 3)
    .flatmap(lambda k: problems(4, 2, 6 - k, 4 - k, n_trees=k, every_kind=True))
    .filter(lambda problem: problem.limits.max_depth in range(3))
)
def test_the_cost_is_the_minimum_over_all_ensembles(problem: Problem) -> None:
    outcome = min_cost(problem)
    check_solver(problem, outcome)
    costs = {answer.vector(problem.quantities) for answer in ALL_TREES["answers"](problem)}
    if outcome.status is Status.INFEASIBLE:
        assert not costs
        assert outcome.reason
    else:
        assert as_tuple(outcome.cost) == min(costs)


def test_three_trees_can_be_smaller_together_than_one() -> None:
    """At least two of three stumps are correct at every corner; a single tree needs five nodes."""
    X = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    y = [int(sum(row) >= 2) for row in X]
    within = Limits(max_depth=1)
    three = min_cost(Problem(X, y, minimize="total_size", n_trees=3, limits=within))
    assert three.cost == 3
    assert three.ensemble.votes(X).max(axis=1).tolist() == [3, 2, 2, 2, 2, 2, 2, 3]
    assert min_cost(Problem(X, y, minimize="size")).cost == 5


def test_ties_go_to_the_earlier_class() -> None:
    """With two trees a row of class 0 needs one vote, a row of class 1 two."""
    X = [[0], [1], [2]]
    outcome = min_cost(Problem(X, [0, 1, 0], minimize=("largest_size", "total_size"), n_trees=2))
    assert outcome.cost == (1, 2)
    assert outcome.ensemble.votes(X).tolist() == [[1, 1], [0, 2], [1, 1]]
    assert outcome.ensemble.predict(X).tolist() == [0, 1, 0]


def test_limits_hold_for_each_tree_or_in_total() -> None:
    X, y = [[0], [1], [2], [3]], [0, 1, 2, 2]

    def cost(n_trees: int = 2, **limits: object) -> object:
        minimize = ("errors", "total_size" if n_trees == 2 else "size")
        within = Limits(**limits)  # type: ignore[arg-type]
        return min_cost(Problem(X, y, minimize=minimize, n_trees=n_trees, limits=within)).cost

    assert cost() == cost(1) == (0, 2)
    assert cost(max_size=1) == (0, 2)  # two stumps, which no single stump can replace
    assert cost(1, max_size=1) == (1, 1)
    assert cost(max_total_size=1) == (1, 1)
    assert cost(max_leaves_of={2: 0}) == (2, 1)
    assert cost(1, max_leaves_of={2: 0}) is None  # the majority of some leaf is class 2


def test_a_large_table_is_refused_naming_better_methods() -> None:
    rng = np.random.default_rng(0)
    problem = Problem(rng.random((20, 3)), rng.integers(0, 2, 20), n_trees=3)
    with pytest.raises(MethodRefused, match=r"enumerates all ensembles of 3 trees.*witness"):
        min_cost(problem)
    assert labelings_to_join(problem) == (float("inf"), 0)
    many = Problem([[0], [1], [2], [3], [4], [5]], [0, 1, 0, 1, 2, 2], n_trees=5)
    with pytest.raises(MethodRefused, match="5 trees"):
        refuse_large_ensemble(many)
