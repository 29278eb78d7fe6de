"""Lists of optimal trees under constraints agree with all trees, listed and checked one by one."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from tests.spec.all_trees import answers, plain_trees_of

from exactree import (
    Constraints,
    Limits,
    MethodRefused,
    Problem,
    Tree,
    count_optimal,
    enumerate_optimal,
    solve,
)
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import broken_limits, cost_of_found

# Each constraint: parameters of `Problem` for a generator of random numbers.
CONSTRAINTS: dict[str, Any] = {
    "monotonic_cst": lambda random: {
        "monotonic_cst": [random.choice([1, -1]), random.choice([1, 0, -1])]
    },
    "in the prediction": lambda random: {
        "monotonic_cst": {0: random.choice([1, -1])},
        "constraints": Constraints(monotonic_in="prediction"),
    },
    "required": lambda random: {"constraints": Constraints(required=[random.randrange(2)])},
    "only_below": lambda random: {"constraints": Constraints(only_below={0: 1})},
    "max_features": lambda random: {"constraints": Constraints(max_features=1)},
    "feature_penalty": lambda random: {
        "feature_penalty": random.choice([Fraction(1, 10), {1: Fraction(1, 7)}])
    },
    "leaf weight": lambda random: {},
}


def random_problem(random: Random, name: str, n_trees: int = 1, minimize: Any = None) -> Problem:
    """Return a problem of a small table with a constraint, often with a limit of leaf weight."""
    rows = random.randint(3, 6 if n_trees == 1 else 4)
    least = name == "leaf weight" or random.random() < 0.2
    errors = minimize is None or "errors" in minimize
    return Problem(
        [[random.randrange(3), random.randrange(3)] for _ in range(rows)],
        [0, 1, *(random.randrange(2) for _ in range(rows - 2))],
        sample_weight=[1, 3, *(random.randint(1, 3) for _ in range(rows - 2))],
        minimize=minimize or random.choice(["errors", ("errors", "size"), ("errors", "depth")]),
        n_trees=n_trees,
        categories=[1] if name not in ("monotonic_cst",) and random.random() < 0.3 else None,
        leaf_penalty=Fraction(1, 20) if errors and random.random() < 0.2 else 0,
        limits=Limits(
            max_depth=2 if n_trees == 1 else random.randint(1, 2),
            max_size=2 if random.random() < 0.2 else None,
            max_errors=random.randint(1, 3) if random.random() < 0.3 else None,
            max_leaves_of=random.choice([1, {0: 1}]) if random.random() < 0.2 else None,
            min_weight_fraction_leaf=Fraction(1, 4) if least else 0,
        ),
        **CONSTRAINTS[name](random),
    )


def check_list(problem: Problem, context: Any) -> int:
    """Compare the list with all answers of minimum cost; return their number."""
    every, names = list(answers(problem)), problem.quantities
    least = min((answer.vector(names) for answer in every), default=None)
    expected = [Counter(each.trees) for each in every if each.vector(names) == least]
    listed = list(enumerate_optimal(problem))
    for found in listed:
        assert as_tuple(cost_of_found(problem, found)) == least, context
        assert not [*broken_limits(problem, found)], context
    found_trees = [plain_trees_of(problem, found) for found in listed]
    assert len(found_trees) == len(expected) == count_optimal(problem), context
    assert all(trees in expected for trees in found_trees), context
    return len(expected)


@pytest.mark.parametrize("name", CONSTRAINTS)
@pytest.mark.parametrize("seeds", [30, pytest.param(400, marks=pytest.mark.long)])
def test_all_optimal_trees_under_constraints_are_listed_once(name: str, seeds: int) -> None:
    several = 0
    for seed in range(seeds):
        problem = random_problem(Random(f"{name}/{seed}"), name)
        several += check_list(problem, (name, seed)) > 1
    assert several > seeds / 10


def test_trees_within_a_slack_under_constraints_are_listed_by_cost() -> None:
    longer = 0
    for seed in range(60):
        name = [*CONSTRAINTS][seed % len(CONSTRAINTS)]
        problem = random_problem(Random(seed), name, minimize="errors")
        costs = sorted(answer.vector(("errors",))[0] for answer in answers(problem))
        expected = [cost for cost in costs if cost <= min(costs) + Fraction(1, 2)]
        listed = list(enumerate_optimal(problem, within=0.5))
        assert [cost_of_found(problem, tree) for tree in listed] == expected, seed
        longer += len(expected) > costs.count(min(costs, default=None))
    assert longer > 5


def test_a_list_of_monotone_trees_has_thresholds_that_make_them_monotone() -> None:
    """Several thresholds of the table split a child alike, and only some of them are monotone."""
    for seed in range(40):
        problem = random_problem(Random(seed), "monotonic_cst", minimize=("errors", "size"))
        best = solve(problem)
        for tree in enumerate_optimal(problem):
            assert isinstance(tree, Tree)
            assert cost_of_found(problem, tree) == best.cost


def test_large_tables_and_stops_end_lists_under_constraints() -> None:
    random = Random(1)
    X, y = [[random.random() for _ in range(9)] for _ in range(100)], [0, 1] * 50
    few = Constraints(max_features=1)
    with pytest.raises(MethodRefused, match="too many"):
        enumerate_optimal(Problem(X, y, constraints=few, limits=Limits(max_depth=4)))
    problem = Problem(X[:8], y[:8], constraints=few, limits=Limits(max_depth=2))
    listing = enumerate_optimal(problem, time_limit=1e-9)
    assert list(listing) == []
    assert not listing.complete
    contradictory = Constraints(max_features=0, required=[0])
    within = {"constraints": contradictory, "limits": Limits(max_depth=2)}
    assert list(enumerate_optimal(Problem(X[:8], y[:8], **within))) == []
