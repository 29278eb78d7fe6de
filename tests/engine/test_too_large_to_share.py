"""Fewest nodes of tables with too many rows for the search that shares nodes among children.

The engine then searches for the fewest errors of each size.
"""

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree.engine import branch_and_bound
from exactree.engine.lexicographic.branch_and_bound import ENGINE
from exactree.problem.verification.recount import recount
from exactree.spec.effort import subsets_to_visit

draw = runpy.run_path(str(Path(__file__).with_name("test_quantities.py")))["draw"]


def squares(rows: int = 66_000, side: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Return a chess board: greedy trees are large, and no tree is small."""
    X = np.random.default_rng(0).random((rows, 2))
    return X, (np.floor(X * side).sum(axis=1) % 2).astype(int)


def size_of_at_most_three_rows(problem, caps, options):
    """Search for fewest nodes, but refuse tables of more than three rows."""
    if len(problem.dataset.X) > 3:
        raise xt.MethodRefused("too many rows")
    return ENGINE.size(problem, caps, options)


def test_both_searches_find_the_same_costs_of_random_problems(monkeypatch):
    monkeypatch.setattr("exactree.engine.lexicographic.one_quantity._FEW_ROWS", 3)
    rng = np.random.default_rng(0)
    searches = replace(ENGINE, size=size_of_at_most_three_rows)
    done = 0
    while done < 150:
        problem = draw(rng)
        names = problem.quantities
        is_searched_by_size = (
            "size" in names[:2] and problem.min_rows == 1 and problem.limits.max_depth is None
        )
        if not is_searched_by_size or problem.leaf_penalty or subsets_to_visit(problem) > 300:
            continue
        done += 1
        expected = branch_and_bound(problem)
        found = branch_and_bound(problem, searches=searches)
        recount(problem, found)
        assert (found.status, found.cost) == (expected.status, expected.cost), problem


@pytest.mark.parametrize("minimize", ["size", ("size", "depth")])
def test_the_smallest_tree_of_a_large_table_is_found(minimize):
    X, _ = squares()
    y = (X[:, 0] > 0.3) & (X[:, 1] > 0.6)
    for max_errors in (None, 2):
        limits = xt.Limits(max_errors=max_errors)
        outcome = xt.solve(xt.Problem(X, y, minimize=minimize, limits=limits))
        assert outcome.status is xt.Status.OPTIMAL
        assert outcome.cost == (2 if minimize == "size" else (2, 2))


def test_a_stopped_search_of_a_large_table_has_a_tree_a_bound_and_a_reason():
    X, y = squares()
    lower_bounds = []

    def stop_at_three(progress):
        lower_bounds.append(progress.lower_bound)
        return progress.lower_bound >= 3

    outcome = xt.solve(xt.Problem(X, y, minimize="size"), on_progress=stop_at_three)
    assert outcome.status is xt.Status.FEASIBLE
    assert outcome.stopped_by == "callback"
    assert 3 <= outcome.lower_bound < outcome.cost
    assert str(outcome).startswith("stopped by the callback: ")
    assert lower_bounds == sorted(lower_bounds)


def test_limits_on_leaves_of_large_tables_are_refused_with_numbers():
    X, y = squares()
    problem = xt.Problem(X, y, minimize="size", limits=xt.Limits(max_leaves_of={0: 3}))
    with pytest.raises(xt.MethodRefused, match="up to 65536 distinct rows, but there are 66000"):
        xt.solve(problem)
