"""Depths of ensembles, and limits on their leaves: the native search agrees with the definition."""

import runpy
from collections import Counter
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree.engine import accelerators, reason_to_refuse_ensemble, run_ensemble
from exactree.testing import check_irreducible, random_errors, random_weights

QUANTITIES = ["total_size", "largest_size", "total_depth", "largest_depth", "errors"]
INSTANCES = runpy.run_path(str(Path(__file__).with_name("instances.py")))
SWITCHES = list(accelerators("witness", n_trees=2))
ensemble_problems, draw_rows = INSTANCES["ensemble_problems"], INSTANCES["draw_rows"]


def draw(rng):
    """Draw a table of two or three classes, weights, and any limits and quantities."""
    X = draw_rows(rng)
    y = rng.integers(0, rng.integers(2, 4), len(X))
    names = tuple(rng.permutation(QUANTITIES)[: rng.integers(1, 4)].tolist())

    def limit(probability, end):
        return int(rng.integers(0, end)) if rng.random() < probability else None

    leaves = {int(label): int(rng.integers(0, 3)) for label in np.unique(y) if rng.random() < 0.5}
    weights = random_weights(rng, len(X), bits=61)
    return xt.Problem(
        X,
        y,
        sample_weight=weights,
        minimize=names if len(names) > 1 else names[0],
        n_trees=int(rng.integers(2, 4)),
        limits=xt.Limits(
            max_errors=random_errors(rng, weights, 3) if rng.random() < 0.5 else None,
            max_size=limit(0.2, 4),
            max_depth=limit(0.2, 3),
            max_total_size=limit(0.2, 6),
            min_samples_leaf=int(rng.integers(2, 4)) if rng.random() < 0.3 else 1,
            max_leaves_of=leaves if rng.random() < 0.3 else None,
        ),
    )


@pytest.mark.parametrize("problems", [100, pytest.param(4_000, marks=pytest.mark.long)])
def test_random_problems_agree_with_the_definition(problems):
    kinds: Counter[str] = Counter()
    for rng, problem in ensemble_problems(draw, problems, problems):
        assert reason_to_refuse_ensemble("witness", problem) is None
        expected = xt.solve(problem, implementation="spec")
        switches = {name: bool(rng.random() < 0.7) for name in SWITCHES}
        for outcome in (
            run_ensemble("witness", problem, switches=switches),
            xt.solve(problem, method="witness"),
            xt.solve(problem),
        ):
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
            if outcome.ensemble is not None:
                assert outcome.lower_bound == outcome.cost
                check_irreducible(problem, outcome.ensemble.trees)
        kinds["infeasible"] += expected.status is xt.Status.INFEASIBLE
        kinds["three classes"] += len(problem.dataset.classes) == 3
        kinds["weights"] += problem.dataset.weight_scale > 1
        solved = expected.status is xt.Status.OPTIMAL
        kinds["rows in leaves"] += solved and problem.min_rows > 1
        kinds["leaves of a class"] += solved and bool(problem.leaf_limits)
        for name in problem.quantities:
            kinds[name] += solved
    assert min(kinds.values()) > problems / 30, kinds


def test_three_trees_of_depth_1_make_the_fewest_errors_of_all_choices_of_three_stumps():
    """A stump is a number whose bits are the rows that it assigns to one class."""
    raisins = xt.datasets.load_raisin()
    X, y = raisins.X[::24], raisins.y[::24]
    bits = np.uint64(1) << np.arange(len(X), dtype=np.uint64)
    correct, all_rows = bits[y == y[0]].sum(), bits.sum()
    left = [bits[column <= value].sum() for column in X.T for value in column]
    stumps = np.unique([*left, *(all_rows ^ np.array(left)), np.uint64(0), all_rows])
    min_errors = len(X)
    for a, b in combinations_with_replacement(stumps, 2):
        votes = (a & b) | ((a | b) & stumps)  # with each stump as the third tree
        min_errors = min(min_errors, int(np.bitwise_count(votes ^ correct).min()))
    assert min_errors > 0

    def depth(errors):
        limits = xt.Limits(max_errors=errors)
        return xt.solve(xt.Problem(X, y, minimize="largest_depth", n_trees=3, limits=limits)).cost

    assert depth(min_errors) == 1
    assert depth(min_errors - 1) > 1


def test_the_minimum_total_depth_is_the_depth_of_a_single_tree():
    """Trees can be appended to the leaves of each other: then their depths add up in one tree."""
    instance = xt.instances.Parity(3, 1).apply()
    one = xt.solve(xt.Problem(instance.X, instance.y, minimize="depth")).cost
    parameters = {"minimize": ("total_depth", "total_size"), "n_trees": 3}
    free = xt.solve(xt.Problem(instance.X, instance.y, **parameters))
    assert (one, free.cost) == (3, (3, 3))
    shallow = xt.Limits(max_depth=1)
    assert xt.solve(xt.Problem(instance.X, instance.y, **parameters, limits=shallow)).cost == (3, 3)
    deepest = xt.Problem(instance.X, instance.y, minimize="largest_depth", n_trees=3)
    assert xt.solve(deepest).cost == 1


def hard(**parameters):
    rng = np.random.default_rng(0)
    X, y = rng.random((150, 6)), rng.integers(0, 3, 150)
    return xt.Problem(X, y, n_trees=3, **parameters)


@pytest.mark.parametrize("minimize", ["total_depth", ("largest_depth", "errors")])
def test_a_search_that_is_stopped_keeps_its_ensemble_and_a_bound(minimize):
    problem = hard(minimize=minimize, limits=xt.Limits(min_samples_leaf=1))
    outcome = xt.solve(problem, time_limit=0.5)
    assert outcome.status is xt.Status.FEASIBLE
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound < outcome.cost
    stopped = xt.solve(problem, on_progress=lambda progress: True)
    assert stopped.stopped_by == "callback"


def test_huge_limits_are_no_limits():
    limits = xt.Limits(max_leaves_of={0: 2**80}, max_errors=2**60)
    problem = xt.Problem([[0.0], [1.0]], [0, 1], minimize="total_depth", n_trees=2, limits=limits)
    assert xt.solve(problem).cost == 0


def test_auto_uses_the_definition_for_small_tables_that_no_native_method_accepts():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    problem = xt.Problem(X, y, minimize="errors", n_trees=3, leaf_penalty=0.1)
    outcome = xt.solve(problem)
    assert outcome.status is xt.Status.OPTIMAL
    assert outcome.cost == xt.solve(problem, implementation="spec").cost
    large = hard(minimize="errors", leaf_penalty=0.1)
    with pytest.raises(xt.MethodRefused, match=r"no leaf_penalty; use .*, which takes small"):
        xt.solve(large)
    with pytest.raises(xt.MethodRefused, match="no leaf_penalty"):
        xt.solve(problem, method="witness")  # a method that was named stays
