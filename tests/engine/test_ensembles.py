"""Native searches for ensembles agree with definition and specifications; how searches end."""

from collections import Counter
from math import comb

import numpy as np
import pytest

import exactree as xt
from exactree.engine import ENSEMBLE_METHODS, accelerators, reason_to_refuse_ensemble, run_ensemble
from exactree.spec import definition_ensemble, witness_ensemble
from exactree.testing import random_errors, random_weights

SWITCHES = list(accelerators("witness", n_trees=2))
MAX_CHOICES = 10_000
QUANTITIES = [
    "total_size",
    "largest_size",
    ("total_size", "largest_size"),
    ("largest_size", "total_size"),
]


def draw(rng, rows, values=(2, 3, 5)):
    """Draw distinct rows in the order of their classes.

    So the native search, which merges equal rows, has the same rows in the same order.
    """
    size, features = int(rng.integers(1, rows)), int(rng.integers(1, 4))
    X = np.unique(rng.integers(0, rng.choice(values), (size, features)), axis=0).astype(float)
    rng.shuffle(X)
    y = np.sort(rng.integers(0, rng.integers(2, 4), len(X)))
    weights = random_weights(rng, len(X), bits=61)
    limits = xt.Limits(
        max_errors=random_errors(rng, weights, 2),
        max_size=int(rng.integers(0, 4)) if rng.random() < 0.3 else None,
        max_total_size=int(rng.integers(0, 6)) if rng.random() < 0.2 else None,
    )
    return xt.Problem(
        X,
        y,
        sample_weight=weights,
        minimize=QUANTITIES[rng.integers(4)],
        n_trees=int(rng.integers(2, 5)),
        limits=limits,
    )


def accepting_methods(problem):
    """Return the names of the methods that accept a problem."""
    return [name for name in ENSEMBLE_METHODS if reason_to_refuse_ensemble(name, problem) is None]


def choices(problem):
    """Return the number of multisets of labelings, which the definition enumerates."""
    labelings = len(problem.dataset.classes) ** len(problem.dataset.X)
    return comb(labelings + problem.n_trees - 1, problem.n_trees)


def problems_with_costs(seed, rows, solve, problems):
    """Yield problems that a specification accepts, with its outcomes and the generator used."""
    rng, done = np.random.default_rng(seed), 0
    while done < problems:
        problem = draw(rng, rows)
        if solve is definition_ensemble.solve and choices(problem) > MAX_CHOICES:
            continue
        try:
            expected = solve(problem)
        except xt.MethodRefused:  # too large for the specification
            continue
        done += 1
        yield rng, problem, expected


@pytest.mark.parametrize("problems", [200, pytest.param(3_000, marks=pytest.mark.long)])
def test_random_problems_agree_with_the_definition(problems):
    for _, problem, expected in problems_with_costs(
        problems, 8, definition_ensemble.solve, problems
    ):
        for method in accepting_methods(problem):
            outcome = xt.solve(problem, method=method)
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
            if outcome.cost is not None:
                assert outcome.lower_bound == outcome.cost


def test_random_problems_agree_with_the_specification_under_random_switches():
    pruned: Counter[str] = Counter()
    for rng, problem, expected in problems_with_costs(20_261_221, 8, witness_ensemble.solve, 200):
        switches = {name: bool(rng.random() < 0.6) for name in SWITCHES}
        outcome = run_ensemble("witness", problem, switches=switches)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        pruned.update({name: n for name, n in outcome.stats.items() if isinstance(n, int)})
    for name in ("equal_trees", "votes_left", "votes_gained", "votes_needed"):
        assert pruned[name] > 0, name


@pytest.mark.parametrize("problems", [120, pytest.param(1_000, marks=pytest.mark.long)])
def test_without_accelerators_the_search_nodes_are_those_of_the_specification(problems):
    off, deep = dict.fromkeys(SWITCHES, False), 0
    for _, problem, expected in problems_with_costs(problems, 7, witness_ensemble.solve, problems):
        outcome = run_ensemble("witness", problem, switches=off)
        if expected.stats:  # a contradiction needs no search
            for name in ("search_nodes", "search_nodes_by_size"):
                assert outcome.stats[name] == expected.stats[name], problem
            deep += expected.stats["search_nodes"] > 100
    assert deep > problems / 30


@pytest.mark.parametrize("problems", [240, pytest.param(5_000, marks=pytest.mark.long)])
def test_the_methods_agree_on_tables_beyond_the_definition(problems):
    rng, classes, costly = np.random.default_rng(problems), Counter(), 0
    for _ in range(problems):
        problem = draw(rng, int(rng.choice((7, 13))))
        if len(problem.dataset.classes) > 2 and len(problem.dataset.X) > 5:
            continue  # method="subsets" would count too many votes
        switches = {name: bool(rng.random() < 0.8) for name in SWITCHES}
        found = run_ensemble("witness", problem, switches=switches)
        for method in accepting_methods(problem):
            outcome = xt.solve(problem, method=method)
            assert (outcome.status, outcome.cost) == (found.status, found.cost), problem
        classes[len(problem.dataset.classes)] += 1
        costly += found.stats.get("search_nodes", 0) > 20
    assert min(classes[2], classes[3]) > problems / 20, classes
    assert costly > problems / 30, costly


@pytest.mark.parametrize("problems", [120, pytest.param(3_000, marks=pytest.mark.long)])
def test_an_ensemble_of_one_tree_is_a_smallest_tree(problems):
    """The methods for ensembles solve a single tree with minimize="size"."""
    rng, classes = np.random.default_rng(problems), Counter()
    for _ in range(problems):
        several = draw(rng, 8)
        data, limits = several.dataset, several.limits
        tree_limits = xt.Limits(max_errors=limits.max_errors, max_size=limits.max_size)
        problem = xt.Problem(
            data.X, data.labels, sample_weight=data.weights, minimize="size", limits=tree_limits
        )
        expected = xt.solve(problem, implementation="spec")
        for method in ENSEMBLE_METHODS:
            outcome = xt.solve(problem, method=method)
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        # Further trees can be leaves, so the total size is at most that of a single tree.
        if expected.cost is not None and limits.max_total_size is None:
            together = xt.Problem(
                data.X,
                data.labels,
                sample_weight=data.weights,
                minimize="total_size",
                n_trees=several.n_trees,
                limits=tree_limits,
            )
            assert xt.solve(together, method="witness").cost <= expected.cost
        classes[len(problem.dataset.classes)] += 1
    assert min(classes[2], classes[3]) > problems / 10


def hard():
    rng = np.random.default_rng(0)
    X, y = rng.random((150, 6)), rng.integers(0, 2, 150)
    return xt.Problem(X, y, minimize="total_size", n_trees=3)


def test_a_time_limit_keeps_the_ensemble_and_its_bound():
    problem = hard()
    outcome = xt.solve(problem, method="witness", time_limit=0.5)
    assert outcome.status is xt.Status.FEASIBLE
    assert outcome.stopped_by == "time limit"
    assert 0 < outcome.lower_bound < outcome.cost
    data = problem.dataset
    assert (outcome.ensemble.predict_index(data.X) == data.labels).all()


def test_a_callback_receives_progress_and_can_stop():
    reports = []

    def stop_after_three(progress):
        reports.append(progress)
        return len(reports) >= 3

    outcome = xt.solve(hard(), method="witness", on_progress=stop_after_three)
    assert outcome.stopped_by == "callback"
    assert outcome.status in (xt.Status.FEASIBLE, xt.Status.STOPPED)
    assert len(reports) == 3
    assert all(p.cost is None or p.lower_bound <= p.cost for p in reports)


def test_lower_bounds_of_stopped_searches_are_valid():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 6, (24, 4)).astype(float)
    y = (X[:, 0] > 2) ^ (X[:, 1] > 3) ^ (rng.random(24) < 0.1)
    problem = xt.Problem(X, y, minimize="total_size", n_trees=3, limits=xt.Limits(max_errors=4))
    optimum = xt.solve(problem, method="witness").cost
    for step in range(1, 6):
        outcome = xt.solve(problem, method="witness", time_limit=0.002 * step)
        assert outcome.lower_bound <= optimum
        assert outcome.cost is None or optimum <= outcome.cost


def test_limits_that_exclude_every_ensemble_are_proved_with_a_reason():
    X = [[float(row)] for row in range(8)]
    limits = xt.Limits(max_size=1)
    problem = xt.Problem(X, [0, 1] * 4, minimize="total_size", n_trees=3, limits=limits)
    for method in ENSEMBLE_METHODS:
        outcome = xt.solve(problem, method=method)
        assert outcome.status is xt.Status.INFEASIBLE
        assert "max_size=1" in outcome.reason


@pytest.mark.parametrize(
    ("parameters", "clause"),
    [
        ({"minimize": "total_depth"}, "minimize='total_size', 'largest_size' or 'errors'"),
        ({"limits": xt.Limits(max_depth=2)}, "no max_depth"),
        ({"limits": xt.Limits(min_samples_leaf=2)}, "no min_samples_leaf"),
        ({"limits": xt.Limits(max_leaves_of={0: 1})}, "no max_leaves_of"),
    ],
)
def test_problems_that_the_method_subsets_refuses_are_refused_in_one_clause(parameters, clause):
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    problem = xt.Problem(X, y, n_trees=3, **({"minimize": "total_size"} | parameters))
    with pytest.raises(xt.MethodRefused, match=clause):
        xt.solve(problem, method="subsets")
    assert xt.solve(problem, method="witness").cost == xt.solve(problem, implementation="spec").cost


def test_a_table_too_large_for_the_dynamic_program_is_refused_with_numbers():
    rng = np.random.default_rng(0)
    problem = xt.Problem(
        rng.random((40, 3)), rng.integers(0, 2, 40), n_trees=3, minimize="total_size"
    )
    with pytest.raises(xt.MethodRefused, match=r"entries, .* MB"):
        xt.solve(problem, method="subsets")


def test_a_small_memory_limit_refuses_and_does_not_crash():
    with pytest.raises(xt.MethodRefused, match="MB it may take"):
        xt.solve(hard(), method="witness", memory_limit=1000)
