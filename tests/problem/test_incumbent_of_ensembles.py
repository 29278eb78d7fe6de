"""Ensembles from which searches start: the optimum stays the same, and a stop returns them."""

from random import Random
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from exactree import (
    Ensemble,
    Limits,
    OptimalEnsembleClassifier,
    OptimalTreeClassifier,
    Problem,
    Status,
    pareto_front,
    rules,
    solve,
)
from exactree.problem.encoding.incumbent import as_ensemble_incumbent
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import cost_of_found

QUANTITIES: list[Any] = [
    "errors",
    "total_size",
    "largest_size",
    "total_depth",
    "largest_depth",
    ("errors", "total_size"),
    ("largest_size", "errors"),
    "f1_error",
]


def random_problem(random: Random, minimize: Any) -> Problem:
    """Return a problem of two or three trees on a small table."""
    rows, classes = random.randint(3, 6), 2 if minimize == "f1_error" else random.randint(2, 3)
    return Problem(
        [[random.randrange(4), random.randrange(3)] for _ in range(rows)],
        [*range(classes), *(random.randrange(classes) for _ in range(rows - classes))],
        sample_weight=[random.randint(1, 3) for _ in range(rows)],
        n_trees=random.randint(2, 3) if rows < 5 else 2,
        minimize=minimize,
        categories=[1] if random.random() < 0.3 else None,
        limits=Limits(
            max_depth=2,
            max_errors=random.randint(1, 3)
            if minimize != "f1_error" and random.random() < 0.5
            else None,
        ),
    )


@pytest.mark.parametrize("minimize", QUANTITIES)
def test_any_ensemble_keeps_the_optimum_and_a_stopped_search_returns_it(minimize: Any) -> None:
    """The ensembles are optimal for other quantities of the same table."""
    counts = {"better": 0, "kept": 0}
    for seed in range(30):
        random = Random(f"{minimize}/{seed}")
        problem = random_problem(random, minimize)
        expected = solve(problem)
        other = "errors" if minimize != "errors" else ("total_depth", "errors")
        given = solve(problem.minimizing(other)).ensemble
        if given is None or expected.cost is None:
            continue
        try:
            start = as_ensemble_incumbent(problem, given)
        except ValueError:  # more errors than the default of max_errors
            continue
        X = problem.dataset.X
        assert (start.ensemble.predict_index(X) == given.predict_index(X)).all()
        cost = cost_of_found(problem, given)
        assert cost_of_found(problem, start.ensemble) == cost
        found = solve(problem, incumbent=given)
        assert (found.status, found.cost) == (Status.OPTIMAL, expected.cost), seed
        if cost == expected.cost:
            assert found.ensemble == start.ensemble
        stopped = solve(problem, incumbent=given, time_limit=1e-9)
        assert as_tuple(expected.cost) <= as_tuple(stopped.cost) <= as_tuple(cost)
        assert as_tuple(stopped.lower_bound) <= as_tuple(expected.cost)
        counts["kept" if cost == expected.cost else "better"] += 1
    assert counts["kept"] + counts["better"] > 5, counts


def test_a_search_from_an_ensemble_searches_only_within_its_first_quantity() -> None:
    X, y = np.random.default_rng(0).integers(0, 6, (14, 3)), [0, 1] * 7
    problem = Problem(X, y, n_trees=2, minimize="total_size")
    best = solve(problem)
    assert best.ensemble is not None
    start = as_ensemble_incumbent(problem, best.ensemble)
    within, options = start.problem_and_options(problem)
    assert (within.limits.max_total_size, options) == (best.cost, {})
    again = solve(problem, incumbent=best.ensemble)
    assert (again.cost, again.status, again.ensemble) == (best.cost, Status.OPTIMAL, start.ensemble)
    stopped = solve(problem, incumbent=best.ensemble, time_limit=1e-9)
    assert (stopped.cost, stopped.status) == (best.cost, Status.FEASIBLE)
    assert stopped.lower_bound < best.cost


def test_estimators_and_ensembles_with_other_orders_of_labels_are_incumbents() -> None:
    X, y = np.random.default_rng(1).integers(0, 4, (12, 2)), np.array(["b", "a"] * 6)
    model = OptimalEnsembleClassifier(2, minimize="errors", max_depth=1).fit(X, y)
    problem = Problem(X, y, n_trees=2, limits=Limits(max_depth=2))
    assert solve(problem, incumbent=model).cost == solve(problem).cost
    three = Problem(X, ["c", *y[1:]], n_trees=2, limits=Limits(max_depth=1))
    start = as_ensemble_incumbent(three, model)
    assert (start.ensemble.predict(X) == model.predict(X)).all()


def test_an_ensemble_over_hyperplanes_is_an_incumbent() -> None:
    X, y = np.random.default_rng(2).integers(0, 5, (7, 2)), [0, 1, 1, 0, 1, 0, 0]
    lines = {"rules": rules.Hyperplanes(), "n_trees": 2, "limits": Limits(max_depth=1)}
    problem = Problem(X, y, **lines)
    best = solve(problem)
    stopped = solve(problem, incumbent=best.ensemble, time_limit=1e-9)
    assert stopped.cost == best.cost == solve(problem, incumbent=best.ensemble).cost


def test_deep_trees_of_an_ensemble_are_pruned() -> None:
    X, y = np.random.default_rng(3).integers(0, 6, (20, 3)), [0, 1] * 10
    tree = OptimalTreeClassifier(max_depth=3).fit(X, y).tree_
    problem = Problem(X, y, n_trees=2, limits=Limits(max_depth=1, min_samples_leaf=3))
    start = as_ensemble_incumbent(problem, Ensemble((tree, tree)))
    assert start.ensemble.largest_depth <= 1
    assert solve(problem, incumbent=Ensemble((tree, tree))).cost == solve(problem).cost


def test_fronts_of_numbers_of_trees_start_from_an_ensemble() -> None:
    X, y = np.random.default_rng(4).integers(0, 4, (9, 2)), [0, 1, 1] * 3
    problem = Problem(X, y, n_trees=2, limits=Limits(max_depth=1))
    best = solve(problem)
    expected = [outcome.cost for outcome in pareto_front(problem, ("n_trees", "errors"))]
    front = pareto_front(problem, ("n_trees", "errors"), incumbent=best.ensemble)
    assert [outcome.cost for outcome in front] == expected


def test_models_that_are_no_ensembles_of_the_problem_are_refused() -> None:
    X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    problem = Problem(X, y, n_trees=2, minimize="total_size")
    ensemble = solve(problem).ensemble
    assert ensemble is not None
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    for model, error, message in (
        (ensemble.trees[0], TypeError, "must be a fitted ensemble of exactree for n_trees=2"),
        (forest, TypeError, "got RandomForestClassifier"),
        (OptimalEnsembleClassifier(2), TypeError, "not fitted"),
        (Ensemble(ensemble.trees[:1]), ValueError, "incumbent has 1 trees"),
    ):
        with pytest.raises(error, match=message):
            solve(problem, incumbent=model)
    for other, message in (
        (Problem(X, [0, 2, 0, 2], n_trees=2), "predicts 1, which is not a label"),
        (Problem([[0, 0]] * 4, y, n_trees=2), "fitted on 1 features, X has 2"),
        (problem.within(Limits(max_total_size=1)), "above max_total_size=1"),
    ):
        with pytest.raises(ValueError, match=message):
            solve(other, incumbent=ensemble)
