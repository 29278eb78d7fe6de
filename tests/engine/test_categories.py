"""Codes, and rules on some features: every method agrees with the definition."""

import runpy
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree.engine import PAPERS, branch_and_bound
from exactree.engine.native import minimum_errors
from exactree.engine.native.request import Caps, SearchOptions
from exactree.problem.verification.recount import recount
from exactree.rules import AxisParallel
from exactree.spec import min_cost
from exactree.spec.methods import METHODS
from exactree.testing import check_irreducible

INSTANCES = runpy.run_path(str(Path(__file__).with_name("instances.py")))
random_problem_of_codes = INSTANCES["random_problem_of_codes"]


FORMS = [(name, "native") for name in PAPERS]
FORMS += [(name, "spec") for name in METHODS if name != "branch-and-bound"]


def comparisons_used(outcome):
    """Count the comparisons of the trees of an outcome."""
    return Counter(
        comparison
        for tree in outcome.trees
        for comparison in tree.comparison.tolist()
        if comparison
    )


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.long) for s in range(1, 5))]
)
def test_the_engine_finds_the_cost_of_the_definition(seed):
    rng = np.random.default_rng([4, seed])
    comparisons, minimized, n_done = Counter(), Counter(), 0
    while n_done < 500:
        problem = random_problem_of_codes(rng)
        try:
            outcome = branch_and_bound(problem)
        except xt.MethodRefused:
            continue
        n_done += 1
        expected = min_cost(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        assert bool(outcome.reason) == (outcome.cost is None)
        recount(problem, outcome)
        if outcome.tree is not None:
            assert outcome.lower_bound == outcome.cost
            if problem.quantities != ("depth",):  # off the longest path, nodes may be superfluous
                check_irreducible(problem, outcome.tree)
            used = set(outcome.tree.feature.tolist()) - {-2}
            assert used <= {c.feature for c in problem.rules.columns(problem.dataset.X)}
        comparisons += comparisons_used(outcome)
        minimized[problem.quantities] += 1
    assert comparisons["=="] > 150
    assert comparisons["<="] > 60
    assert len(minimized) > 5


@pytest.mark.parametrize("problems", [100, pytest.param(300, marks=pytest.mark.long)])
@pytest.mark.parametrize(("method", "form"), FORMS)
def test_problems_of_each_method_agree_with_the_definition(method, form, problems):
    rng = np.random.default_rng([44, len(method)])
    max_rows = {"subsets": 6, "box": 7}.get(method, 9)  # the tables of these two grow fastest
    comparisons, n_done = Counter(), 0
    while n_done < problems:
        minimize = "depth" if method == "support-sets" and n_done % 3 == 0 else "size"
        problem = random_problem_of_codes(rng, minimize=minimize, max_rows=max_rows)
        try:
            outcome = xt.solve(problem, method=method, implementation=form)
        except xt.MethodRefused:
            continue
        n_done += 1
        expected = min_cost(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        if outcome.cost is not None:
            assert outcome.lower_bound == outcome.cost
        comparisons += comparisons_used(outcome)
    assert comparisons["=="] > problems // 10
    assert comparisons["<="] > problems // 20


def test_rules_on_some_features_are_those_of_a_table_of_these_features():
    rng = np.random.default_rng(45)
    better = 0
    for _ in range(100):
        X, y = rng.integers(0, 3, (10, 3)).astype(float), rng.integers(0, 2, 10)
        features = sorted(rng.permutation(3)[:2].tolist())
        limits = xt.Limits(max_depth=2)
        restricted = xt.solve(xt.Problem(X, y, rules=AxisParallel(features), limits=limits))
        assert restricted.cost == xt.solve(xt.Problem(X[:, features], y, limits=limits)).cost
        free = xt.solve(xt.Problem(X, y, limits=limits))
        assert free.cost <= restricted.cost
        better += free.cost < restricted.cost
    assert better > 10


def test_too_many_columns_of_codes_are_refused_with_numbers():
    X = np.arange(100_000.0)[:, None]
    problem = xt.Problem(X, np.arange(100_000) % 2, categories=[0], limits=xt.Limits(max_depth=1))
    message = (
        "100,000 rows and 100,000 codes, 100,000 of them in column 'x0', make 10,000,000,000 num"
    )
    with pytest.raises(xt.MethodRefused, match=message):
        xt.solve(problem)


def test_a_native_search_refuses_codes_that_are_not_encoded():
    problem = xt.Problem([[0], [1]], [0, 1], categories=[0])
    options = SearchOptions(None, None, 0.0, None, {})
    with pytest.raises(xt.InternalError, match="not encoded in columns"):
        minimum_errors(problem, Caps(None, None, None), options)


def test_a_feature_with_two_codes_takes_one_column():
    rng = np.random.default_rng(46)
    X, y = rng.integers(0, 2, (30, 4)).astype(float), rng.integers(0, 2, 30)
    limits = xt.Limits(max_depth=2)
    by_code = xt.solve(xt.Problem(X, y, categories=range(4), limits=limits))
    by_number = xt.solve(xt.Problem(X, y, limits=limits))
    assert by_code.cost == by_number.cost
    assert by_code.stats["nodes"] == by_number.stats["nodes"]
