"""Fronts contain exactly the costs that are not dominated, compared with a list of all trees."""

import runpy
from operator import le
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree import Limits, Problem, Status, pareto_front
from exactree.objectives import ERROR_TERMS, RATES
from exactree.problem.quantities import allowed_quantities
from exactree.testing import problems, regressions

QUICK = settings.get_current_profile_name() == "quick"

ALL_TREES = runpy.run_path(str(Path(__file__).parent / "all_trees.py"))
XOR = Problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])


def random_quantities(n_trees: int) -> st.SearchStrategy[tuple[str, ...]]:
    """Draw two or three quantities; the only error term is "errors"."""
    others = {*ERROR_TERMS, *RATES} - {"errors"}
    names = st.sampled_from([q for q in allowed_quantities(n_trees) if q not in others])
    return st.lists(names, min_size=2, max_size=3, unique=True).map(tuple)


def check_the_front(problem: Problem, quantities: tuple[str, ...]) -> None:
    if problem.leaf_penalty and problem.error_term not in quantities:
        with pytest.raises(ValueError, match="leaf_penalty must be 0 unless 'errors' is in quant"):
            pareto_front(problem, quantities, "spec")
        return
    plain = problem.minimizing((problem.error_term,))  # without the limit that a default would set
    costs = {answer.reported(quantities) for answer in ALL_TREES["answers"](plain)}
    not_dominated = [
        cost
        for cost in sorted(costs)
        if not any(other != cost and all(map(le, other, cost)) for other in costs)
    ]
    outcomes = pareto_front(problem, quantities, "spec")
    assert [outcome.cost for outcome in outcomes] == not_dominated
    for outcome in outcomes:
        assert outcome.status is Status.OPTIMAL
        assert outcome.lower_bound == outcome.cost
        assert len(outcome.trees) == problem.n_trees


@settings(max_examples=40 if QUICK else 100, deadline=None)
@given(problems(max_rows=5, max_features=2, max_depth=3, every_kind=True), random_quantities(1))
def test_the_front_of_trees_is_that_of_all_trees(
    problem: Problem, quantities: tuple[str, ...]
) -> None:
    check_the_front(problem, quantities)


@settings(max_examples=25 if QUICK else 50, deadline=None)
@given(regressions(max_rows=5), st.sampled_from([("size",), ("depth",), ("size", "depth")]))
def test_the_front_of_a_regression_is_that_of_all_trees(
    problem: Problem, others: tuple[str, ...]
) -> None:
    check_the_front(problem, (*others, problem.error_term))


@settings(max_examples=12 if QUICK else 40, deadline=None)
@given(
    problems(
        max_rows=4, max_features=2, max_classes=3, max_depth=2, n_trees=2, every_kind=True
    ).filter(lambda problem: problem.limits.max_depth in range(3)),
    random_quantities(2),
)
def test_the_front_of_ensembles_is_that_of_all_ensembles(
    problem: Problem, quantities: tuple[str, ...]
) -> None:
    check_the_front(problem, quantities)


def test_the_front_of_exclusive_or() -> None:
    costs = [outcome.cost for outcome in pareto_front(XOR, ("size", "errors"))]
    assert costs == [(0, 2), (2, 1), (3, 0)]
    costs = [outcome.cost for outcome in pareto_front(XOR, ("errors", "depth"))]
    assert costs == [(0, 2), (2, 0)]


@pytest.mark.parametrize("engine", ["spec", "native"])
def test_errors_below_the_smallest_float_are_no_point_of_the_front(engine: str) -> None:
    """A split saves (4/5) * (5e-324)**2, which is 0.0 as a float: both trees cost 0.0."""
    problem = Problem([[0], [0], [0], [1], [0]], [0, 0, 0, 0, 5e-324], minimize="squared_error")
    assert [o.cost for o in pareto_front(problem, ("size", "squared_error"), engine)] == [(0, 0.0)]


def test_only_given_limits_apply_to_a_front() -> None:
    """The default max_errors=0 of sizes does not apply; max_errors=1 in the limits does."""
    X, y = XOR.dataset.X, XOR.dataset.labels
    size = Problem(X, y, minimize="size")
    assert len(pareto_front(size, ("size", "errors"))) == 3
    limited = Problem(X, y, limits=Limits(max_errors=1))
    assert [o.cost for o in pareto_front(limited, ("size", "errors"))] == [(2, 1), (3, 0)]
    assert limited.minimize == "errors"


def test_the_front_of_an_infeasible_problem_is_empty() -> None:
    assert (
        pareto_front(Problem([[0], [0]], [0, 1], limits=Limits(max_errors=0)), ("size", "depth"))
        == []
    )
    strict = Problem([[0], [1]], [0, 1], limits=Limits(max_leaves_of={0: 0}))
    assert pareto_front(strict, ("size", "errors")) == []


@pytest.mark.parametrize(
    ("quantities", "sentence"),
    [
        ("size", "quantities must be a tuple of at least two names, got 'size'"),
        (("size",), "at least two names"),
        (["size", "errors"], "at least two names"),
        (("size", "loss"), "quantities must be 'errors', .* 'size', 'depth'"),
        (("size", "squared_error"), "do not go with a classification, which minimizes 'errors'"),
        (("size", "size"), "quantities must name every quantity once"),
        (("size", "total_size"), "does not go with n_trees=1"),
    ],
)
def test_invalid_quantities_are_refused(quantities: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        pareto_front(XOR, quantities)
