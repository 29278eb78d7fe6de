"""Ensembles under constraints agree with all ensembles, listed and checked one by one."""

import runpy
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.spec.all_trees import answers

from exactree import (
    Constraints,
    Limits,
    MethodRefused,
    Problem,
    Status,
    enumerate_optimal,
    pareto_front,
    solve,
)
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import broken_limits, cost_of_found

LISTS = runpy.run_path(str(Path(__file__).with_name("test_lists_under_constraints.py")))
CONSTRAINTS, check_list = LISTS["CONSTRAINTS"], LISTS["check_list"]
QUANTITIES: list[Any] = [
    "errors",
    "total_size",
    "largest_depth",
    ("errors", "total_size"),
    ("total_depth", "errors"),
    "f1_error",
    "precision_error",
]


def random_problem(random: Random, name: str, quantities: list[Any] = QUANTITIES) -> Problem:
    """Return a problem of ensembles; a price of features needs errors to minimize."""
    allowed = [q for q in quantities if name != "feature_penalty" or "errors" in as_name(q)]
    while True:
        try:
            return LISTS["random_problem"](random, name, 2, random.choice(allowed))
        except ValueError:  # limits that do not go with a rate
            continue


def as_name(minimize: Any) -> tuple[str, ...]:
    return minimize if isinstance(minimize, tuple) else (minimize,)


@pytest.mark.parametrize("name", CONSTRAINTS)
@pytest.mark.parametrize("seeds", [30, pytest.param(300, marks=pytest.mark.long)])
def test_the_best_ensemble_under_constraints_is_that_of_all_ensembles(
    name: str, seeds: int
) -> None:
    binding = 0
    for seed in range(seeds):
        problem = random_problem(Random(f"{name}/{seed}"), name)
        names = problem.quantities
        vectors = [answer.vector(names) for answer in answers(problem)]
        outcome = solve(problem)
        if not vectors:
            assert outcome.status is Status.INFEASIBLE, (name, seed)
            continue
        assert outcome.status is Status.OPTIMAL, (name, seed)
        assert as_tuple(outcome.cost) == min(vectors), (name, seed)
        assert outcome.ensemble is not None
        assert not [*broken_limits(problem, outcome.ensemble)]
        free = relaxed(problem)
        binding += min(vectors) != min(answer.vector(names) for answer in answers(free))
    assert binding >= 2


def relaxed(problem: Problem) -> Problem:
    """Return the problem without constraints."""
    free = Limits(**{**vars(problem.limits), "min_weight_fraction_leaf": 0})
    return Problem(
        problem.dataset.X,
        problem.dataset.labels,
        sample_weight=problem.dataset.weights,
        minimize=problem.minimize,
        leaf_penalty=problem.leaf_penalty,
        n_trees=problem.n_trees,
        categories=list(problem.categories),
        limits=free,
    )


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_all_best_ensembles_under_constraints_are_listed_once(name: str) -> None:
    several = 0
    for seed in range(12):
        quantities = [q for q in QUANTITIES if "_error" not in str(q)]
        problem = random_problem(Random(seed), name, quantities)
        several += check_list(problem, (name, seed)) > 1
    assert several > 1


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_fronts_of_ensembles_under_constraints_are_those_of_all_ensembles(name: str) -> None:
    for seed in range(10):
        problem = random_problem(Random(seed), name, ["errors"])
        quantities = [("errors", "total_size"), ("largest_size", "errors", "total_depth")][seed % 2]
        costs = {answer.vector(quantities) for answer in answers(problem)}
        expected = sorted(
            cost
            for cost in costs
            if not any(
                other != cost and all(a <= b for a, b in zip(other, cost, strict=True))
                for other in costs
            )
        )
        front = pareto_front(problem, quantities)
        assert [outcome.cost for outcome in front] == expected, (name, seed)


def test_the_share_of_the_votes_of_a_monotone_ensemble_is_monotone() -> None:
    rows = np.arange(0.0, 3.0, 0.5).reshape(-1, 1)
    for seed in range(40):
        random = Random(seed)
        X, y = [[random.randrange(5)] for _ in range(6)], [0, 1, *random.choices([0, 1], k=4)]
        problem = Problem(X, y, n_trees=3, monotonic_cst=[1], limits=Limits(max_depth=1))
        ensemble = solve(problem).ensemble
        assert ensemble is not None
        votes = ensemble.votes(np.vstack([rows, rows + 3]))[:, 1]
        assert (np.diff(votes) >= 0).all()


def test_an_ensemble_pays_once_for_a_feature_and_its_trees_share_the_maximum() -> None:
    """Three trees that split on one feature each elect the majority of three features."""
    X = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]
    y, stumps = [0] * 4 + [1] * 3, Limits(max_depth=1)
    free = solve(Problem(X, y, n_trees=3, minimize="errors", limits=stumps))
    assert free.cost == 0
    for options in ({"constraints": Constraints(max_features=2)}, {"feature_penalty": 0.05}):
        problem = Problem(X, y, n_trees=3, minimize="errors", limits=stumps, **options)
        outcome = solve(problem, implementation="spec")
        assert outcome.cost == min(a.vector(("errors",)) for a in answers(problem))[0] > 0
        assert outcome.ensemble is not None
        assert outcome.cost == cost_of_found(problem, outcome.ensemble)
    required = Problem(
        X, y, n_trees=3, minimize="total_size", limits=stumps, constraints=Constraints(required=[0])
    )
    listed = list(enumerate_optimal(required))
    assert len(listed) == sum(a.vector(("total_size",)) == (3,) for a in answers(required))


def test_large_ensembles_under_constraints_are_refused() -> None:
    random = Random(1)
    X, y = [[random.random() for _ in range(9)] for _ in range(60)], [0, 1] * 30
    problem = Problem(X, y, n_trees=3, monotonic_cst=[1] * 9, limits=Limits(max_depth=3))
    with pytest.raises(MethodRefused, match="exchanges a tree for any other"):
        solve(problem)
    with pytest.raises(MethodRefused, match="too many"):
        solve(problem, implementation="spec")
    few = [row[:2] for row in X[:9]]
    small = Problem(few, y[:9], n_trees=40, monotonic_cst=[1, 1], limits=Limits(max_depth=1))
    with pytest.raises(MethodRefused, match="ensembles of 40 trees"):
        solve(small, implementation="spec")
