"""Accelerators that are off have no effect, and those that are on save work."""

import numpy as np
import pytest

from exactree import Limits, Problem
from exactree.engine import accelerators, branch_and_bound


def many_valued(depth=3, rows=120, features=4, values=40, **limits):
    rng = np.random.default_rng(7)
    X = rng.integers(0, values, (rows, features)).astype(float)
    y = (X[:, 0] + X[:, 1] > values) ^ (rng.random(rows) < 0.1)
    return Problem(X, y, limits=Limits(max_depth=depth, **limits))


def with_and_without(name, problem, **other_switches):
    """Return the outcomes of two searches: with the named switch on, and with it off."""
    return tuple(
        branch_and_bound(problem, switches={name: is_on, **other_switches})
        for is_on in (True, False)
    )


@pytest.mark.parametrize("name", ["interval_bound", "similarity_bound", "feature_bounds"])
def test_a_bound_that_is_off_prunes_nothing(name):
    on, off = with_and_without(name, many_valued(), bit_columns=False)
    assert on.stats["pruned"][name] > 0
    # The search always drops an interval of thresholds whose stored lower bound is not below the
    # incumbent, and counts it as pruned by the interval bound, also without the switch.
    if name != "interval_bound":
        assert off.stats["pruned"][name] == 0
    assert off.cost == on.cost


def two_valued(depth=4, leaf_penalty=0):
    rng = np.random.default_rng(7)
    numbers = rng.integers(0, 12, (150, 2))
    # Columns of neighbouring thresholds differ in few rows, which the similarity bound needs.
    above_thresholds = numbers[:, :, None] > np.arange(1, 11, 2)
    random_columns = rng.integers(0, 2, (150, 2))
    X = np.hstack([above_thresholds.reshape(150, -1), random_columns]).astype(float)
    y = (numbers.sum(axis=1) % 9 < 4) ^ (rng.random(150) < 0.1)
    return Problem(X, y, limits=Limits(max_depth=depth), leaf_penalty=leaf_penalty)


@pytest.mark.parametrize("name", ["similarity_bound", "path_cache"])
def test_bounds_for_two_valued_columns_save_calls_unless_they_are_off(name):
    on, off = with_and_without(name, two_valued())
    assert on.stats["pruned"][name] > 0 == off.stats["pruned"][name]
    assert on.stats["depth_two_calls"] < off.stats["depth_two_calls"]
    assert on.cost == off.cost


def test_sparse_lists_are_used_for_sparse_tables_unless_they_are_off():
    rng = np.random.default_rng(7)
    X = np.zeros((400, 120))
    X[np.arange(400).repeat(2), rng.integers(0, 120, 800)] = 1
    # Flip 3 of 10 columns: a column of many ones splits like its opposite, with few ones.
    X = np.where(rng.random(120) < 0.3, 1 - X, X)
    y = (X[:, :40].sum(axis=1) + X[:, 30:60].sum(axis=1)) % 2
    sparse = Problem(X, y, limits=Limits(max_depth=3))
    on, off = with_and_without("sparse_lists", sparse)
    assert on.stats["pruned"]["sparse_lists"] > 0 == off.stats["pruned"]["sparse_lists"]
    assert (on.cost, on.lower_bound) == (off.cost, off.lower_bound)
    assert on.cost == (on.tree.predict(X) != y).sum()


def test_look_ahead_saves_nodes_for_two_valued_columns_with_a_leaf_penalty():
    problem = two_valued(depth=6, leaf_penalty=0.02)
    on, off = with_and_without("look_ahead", problem)
    assert on.stats["nodes"] < off.stats["nodes"]
    assert on.cost == off.cost


def test_two_valued_columns_are_searched_without_stump_evaluations():
    on, off = with_and_without("binary", two_valued())
    assert on.stats["stump_evaluations"] == 0 < off.stats["stump_evaluations"]
    assert on.cost == off.cost


def test_the_interval_bound_saves_evaluations():
    on, off = with_and_without("interval_bound", many_valued(), bit_columns=False)
    assert on.stats["stump_evaluations"] < off.stats["stump_evaluations"]


def test_a_depth_two_solver_that_is_off_is_never_called():
    outcome = branch_and_bound(many_valued(depth=2, rows=40), switches={"depth_two": False})
    assert outcome.stats["depth_two_calls"] == 0
    assert outcome.cost == branch_and_bound(many_valued(depth=2, rows=40)).cost


def test_a_cache_that_is_off_has_no_entries_and_no_lookups():
    outcome = branch_and_bound(many_valued(), switches={"cache": False})
    assert outcome.stats["cache_entries"] == outcome.stats["cache_lookups"] == 0


def test_a_search_with_the_incumbent_off_reports_no_first_incumbent():
    assert branch_and_bound(many_valued()).stats["first_incumbent"] is not None
    off = branch_and_bound(many_valued(), switches={"incumbent": False})
    assert off.stats["first_incumbent"] is None


def test_the_first_incumbent_is_not_worse_with_descent():
    on, off = with_and_without("descent", many_valued())
    assert on.stats["first_incumbent"] <= off.stats["first_incumbent"]


def test_the_two_set_bound_replaces_most_exact_costs_under_a_minimum_leaf_size():
    limited = many_valued(depth=3, rows=60, min_samples_leaf=3)
    on, off = with_and_without("two_set_bound", limited)
    assert on.stats["pruned"]["two_set_bound"] > on.stats["stump_evaluations"] / 2
    assert on.stats["stump_evaluations"] < off.stats["stump_evaluations"] / 2


def test_leaf_classes_prune_subsets_with_fewer_rows_of_a_class_than_a_leaf_must_hold():
    """Of 43 rows, three have the second class: a leaf of ten that predicts it makes 7 errors."""
    x = np.arange(43.0)[:, np.newaxis]
    limited = Problem(x, np.arange(43) % 20 == 1, limits=Limits(max_depth=3, min_samples_leaf=10))
    outcome = branch_and_bound(limited)
    assert (outcome.cost, outcome.stats["depth_two_calls"]) == (3, 0)
    assert outcome.stats["pruned"]["leaf_classes"] > 0


def test_an_unknown_switch_is_refused_by_name():
    with pytest.raises(ValueError, match='no switch named "magic"'):
        branch_and_bound(many_valued(), switches={"magic": False})


def test_every_accelerator_has_a_description():
    assert all(len(description) > 20 for description in accelerators().values())


def test_the_same_call_gives_the_same_tree():
    trees = {branch_and_bound(many_valued()).tree for _ in range(3)}
    assert len(trees) == 1


def test_evaluating_all_thresholds_together_saves_evaluations_for_random_labels():
    rng = np.random.default_rng(7)
    problem = Problem(
        rng.random((60_000, 2)), rng.integers(0, 2, 60_000), limits=Limits(max_depth=2)
    )
    on, off = with_and_without("all_thresholds", problem)
    assert on.stats["pruned"]["all_thresholds"] > 0 == off.stats["pruned"]["all_thresholds"]
    assert on.stats["stump_evaluations"] < off.stats["stump_evaluations"]
    assert on.cost == off.cost
    in_two_threads = branch_and_bound(problem, n_jobs=2)
    assert in_two_threads.cost == on.cost
