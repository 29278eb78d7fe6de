"""Several quantities with errors of any kind, and leaf prices with limited errors, as defined."""

import runpy
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.engine import class_costs_tree
from exactree.engine.lexicographic.bisection import lexicographic_tree
from exactree.methods import NATIVE
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import as_tuple
from exactree.testing import drawn_weights
from exactree.testing.irreducible import check_irreducible

TERMS = ["balanced_error", "log_loss", "gini", "squared_error", "absolute_error", "cost_matrix"]
TUPLES = [
    ("{}", "size"),
    ("size", "{}"),
    ("{}", "depth"),
    ("depth", "{}", "size"),
    ("{}", "size", "depth"),
]
AGREEMENT = runpy.run_path(str(Path(__file__).parents[1] / "composition" / "agreement.py"))
check_as_defined = AGREEMENT["check_as_defined"]
CASES = [200, pytest.param(4_000, marks=pytest.mark.long)]


def random_problem(random: Random, term: str, minimize: Any) -> xt.Problem:
    """Draw a small problem, half of the time with a price of leaves or with constraints."""
    rng = np.random.default_rng(random.randrange(2**32))
    n, d = random.randint(3, 7), random.randint(1, 2)
    X = rng.integers(0, random.randint(2, 4), (n, d)).astype(float)
    y: Any = rng.integers(0, 3 if term == "cost_matrix" else 2, n)
    parameters: dict[str, Any] = {}
    if term == "cost_matrix":
        labels = sorted({*y.tolist()})
        prices = [0, 1, 2, Fraction(1, 3)]
        parameters["cost_matrix"] = {
            true: {other: random.choice(prices) for other in labels if other != true}
            for true in labels
        }
    elif term in ("squared_error", "absolute_error"):
        y = rng.integers(0, 6, n) / random.choice([1, 2, 10])
    limits = {"max_depth": random.choice([1, 2, 3])}
    if random.random() < 0.3:
        limits["max_size"] = random.randint(0, 3)
    if random.random() < 0.2:
        limits["min_samples_leaf"] = 2
    if term == "errors" and random.random() < 0.7:
        limits["max_errors"] = random.choice([0, 1, 1, 2, 10**15])
    if random.random() < 0.5 or (term == "errors" and isinstance(minimize, str)):
        parameters["leaf_penalty"] = random.choice([Fraction(1, 7), 0.05, 0.3, 0.6])
    if random.random() < 0.15:
        parameters["feature_penalty"] = {0: random.choice([0.1, 0.3])}
    if random.random() < 0.15:
        parameters["constraints"] = xt.Constraints(required=[0])
    if random.random() < 0.15 and len({*y.tolist()}) == 2:
        parameters["monotonic_cst"] = {0: 1}
    weights = drawn_weights(n, random.randint) if random.random() < 0.6 else None
    return xt.Problem(X, y, weights, minimize=minimize, limits=xt.Limits(**limits), **parameters)


@pytest.mark.parametrize("problems", CASES)
def test_tuples_of_other_errors_are_minimized_as_defined(problems: int) -> None:
    random, counts = Random(problems), Counter[str]()
    while sum(counts.values()) < problems:
        term = random.choice(TERMS)
        name = "errors" if term == "cost_matrix" else term
        names = tuple(each.format(name) for each in random.choice(TUPLES))
        problem = random_problem(random, term, names)
        outcome = xt.solve(problem)
        check_as_defined(problem, outcome, xt.solve(problem, implementation="spec"), problem)
        counts[term] += outcome.status is xt.Status.OPTIMAL
        if outcome.tree is not None and not problem.constrained:
            check_irreducible(problem, outcome.tree)
    assert min(counts[term] for term in TERMS) > 5, counts


@pytest.mark.parametrize("problems", CASES)
def test_prices_of_leaves_and_limits_on_errors_go_together(problems: int) -> None:
    random, counts = Random(problems), Counter[str]()
    minimize = ["errors", "errors", ("errors", "size"), ("size", "errors"), ("errors", "depth")]
    while sum(counts.values()) < problems:
        problem = random_problem(random, "errors", random.choice(minimize))
        outcome = xt.solve(problem)
        check_as_defined(problem, outcome, xt.solve(problem, implementation="spec"), problem)
        no_limit = problem.within(replace(problem.limits, max_errors=None))
        unlimited = xt.solve(no_limit.minimizing(problem.minimize))
        matters = outcome.cost != unlimited.cost
        counts["infeasible" if outcome.cost is None else f"limit matters: {matters}"] += 1
    assert len(counts) == 3
    assert min(counts.values()) > 4, counts


def test_a_smaller_tree_with_equal_errors_is_found_although_the_search_rounds() -> None:
    # The first feature has every label, the other two have them together.
    X = [[0, 0, 0], [1, 0, 1], [2, 1, 0], [3, 1, 1]]
    for minimize in ("gini", "log_loss", "squared_error", "absolute_error"):
        problem = xt.Problem(X, [0, 1, 1, 1], minimize=(minimize, "size", "depth"))
        outcome = xt.solve(problem)
        assert (outcome.status, outcome.cost) == (xt.Status.OPTIMAL, (0, 1, 1))


def test_errors_that_differ_by_less_than_the_rounding_are_not_called_different() -> None:
    """A search that rounds proves its tree optimal, but not that no smaller tree is as good."""
    problem = xt.Problem([[0], [1], [2]], [0, 1, 0], minimize=("log_loss", "size"))

    def rounding(problem: xt.Problem, **options: Any) -> xt.Outcome:
        found = class_costs_tree(problem, **options)
        assert found.cost is not None
        # As if the cost of every tree could be wrong by its whole amount.
        rounded = {**found.stats, "rounding": float(as_tuple(found.cost)[0])}
        return xt.Outcome(found.status, found.cost, found.lower_bound, found.tree, rounded)

    exact = lexicographic_tree(problem, solve=class_costs_tree)
    assert (exact.status, exact.cost) == (xt.Status.OPTIMAL, (0.0, 2))
    unsure = lexicographic_tree(problem, solve=rounding)
    assert (unsure.status, unsure.stopped_by) == (xt.Status.FEASIBLE, ROUNDED)
    assert unsure.cost == (0.0, 2)
    assert unsure.lower_bound == (0.0, 0)


@pytest.mark.parametrize(
    "parameters",
    [
        {"minimize": ("gini", "size")},
        {"minimize": ("size", "log_loss")},
        {"minimize": ("squared_error", "depth", "size")},
        {"leaf_penalty": 0.05, "limits": xt.Limits(max_depth=3, max_errors=15)},
        {"minimize": ("f1_error", "size"), "leaf_penalty": 0.02},
    ],
)
def test_a_stopped_loop_has_a_valid_bound(parameters: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (40, 3)).astype(float), rng.integers(0, 2, 40)
    parameters = {"limits": xt.Limits(max_depth=3, max_size=4), **parameters}
    problem = xt.Problem(X, y, **parameters)
    minimum = as_tuple(xt.solve(problem).cost)
    ends = set()
    for stop_at in range(1, 40, 3):
        calls = 0

        def stop(progress: xt.Progress, stop_at: int = stop_at) -> bool:
            nonlocal calls
            calls += 1
            assert as_tuple(progress.lower_bound) <= minimum
            assert progress.cost is None or as_tuple(progress.cost) >= minimum
            return calls >= stop_at

        outcome = xt.solve(problem, on_progress=stop)
        ends.add(outcome.status)
        assert as_tuple(outcome.lower_bound) <= minimum
        assert outcome.cost is None or as_tuple(outcome.cost) >= minimum
        assert outcome.status is xt.Status.OPTIMAL or outcome.stopped_by == "callback"
    assert xt.Status.OPTIMAL in ends
    immediately = xt.solve(problem, time_limit=1e-9)
    assert as_tuple(immediately.lower_bound) <= minimum


def test_only_what_no_single_search_solves_is_a_loop() -> None:
    def form(**parameters: Any) -> Any:
        return NATIVE["branch-and-bound"](xt.Problem([[0], [1], [1]], [0, 1, 0], **parameters))

    assert not form(minimize="gini").is_loop
    assert not form(leaf_penalty=0.1).is_loop
    assert form(minimize=("gini", "size")).is_loop
    assert form(leaf_penalty=0.1, limits=xt.Limits(max_errors=1)).is_loop
    assert form(minimize="f1_error").is_loop


def test_a_refusal_of_the_errors_alone_is_the_refusal_of_the_tuple() -> None:
    heavy = {0: {1: 2**40, 2: 1}, 1: {0: 1, 2: 2**41}, 2: {0: 3, 1: 1}}
    X, y = [[0], [1], [2]], [0, 1, 2]
    problem = xt.Problem(X, y, [2**30] * 3, minimize=("errors", "size"), cost_matrix=heavy)
    with pytest.raises(xt.MethodRefused, match="integers of more than 62 bits"):
        xt.solve(problem)
