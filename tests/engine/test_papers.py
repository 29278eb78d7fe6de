"""The papers' own methods: the native form finds what the specification finds."""

import numpy as np
import pytest

import exactree as xt
from exactree.engine import PAPERS
from exactree.spec.methods import METHODS


def draw(rng, method):
    rows, features = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.choice([2, 4]), (rows, features)).astype(float)
    errors = int(rng.integers(0, 3)) if "errors" in PAPERS[method] else None
    leaves = {0: int(rng.integers(1, 3))} if "leaves" in PAPERS[method] else None
    y = rng.integers(0, rng.integers(1, 4), rows)
    y[0] = 0
    size = int(rng.integers(0, 5)) if rng.random() < 0.3 else None
    limits = xt.Limits(max_size=size, max_errors=errors, max_leaves_of=leaves)
    return xt.Problem(X, y, minimize="size", limits=limits)


@pytest.mark.parametrize("method", PAPERS)
def test_three_hundred_random_problems_agree_with_the_specification(method):
    rng = np.random.default_rng(20_261_120)
    done = 0
    while done < 300:
        problem = draw(rng, method)
        try:
            expected = METHODS[method].spec(problem)
        except xt.MethodRefused:  # too large for the specification
            continue
        done += 1
        outcome = xt.solve(problem, method=method)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
        if outcome.cost is not None:
            assert outcome.lower_bound == outcome.cost


@pytest.mark.parametrize("method", PAPERS)
def test_what_the_native_form_does_not_take_is_refused_in_one_clause(method):
    problem = xt.Problem([[0.0], [1.0]], [0, 1], minimize="depth")
    with pytest.raises(xt.MethodRefused, match="minimize='size' only"):
        xt.solve(problem, method=method)


def test_a_table_too_large_for_a_dynamic_programme_is_refused_with_the_reason():
    rng = np.random.default_rng(0)
    problem = xt.Problem(rng.random((80, 6)), rng.integers(0, 2, 80), minimize="size")
    with pytest.raises(xt.MethodRefused, match="method='subsets'"):
        xt.solve(problem, method="subsets")


def test_a_threshold_search_stops_in_time_with_a_tree_and_a_bound():
    rng = np.random.default_rng(0)
    X, y = rng.random((120, 5)), rng.integers(0, 2, 120)
    problem = xt.Problem(X, y, minimize="size")
    outcome = xt.solve(problem, method="threshold", time_limit=0.3)
    assert outcome.stopped_by == "time limit"
    assert (outcome.tree.predict(X) == y).all()
    assert 1 <= outcome.lower_bound < outcome.cost
