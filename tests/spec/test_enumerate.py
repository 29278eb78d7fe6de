"""Lists of all optimal answers agree with all trees filtered by cost, without duplicates."""

import runpy
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from exactree import (
    Ensemble,
    Limits,
    MethodRefused,
    Problem,
    RegressionTree,
    Tree,
    count_optimal,
    enumerate_optimal,
)
from exactree.spec import min_cost
from exactree.spec.enumerate import optimal_trees
from exactree.spec.table import fitted_tree
from exactree.testing import problems

QUICK = settings.get_current_profile_name() == "quick"

ALL_TREES = runpy.run_path(str(Path(__file__).parent / "all_trees.py"))


def key(trees: Any) -> frozenset[Any]:
    """Return a value that is equal for the same trees in any order."""
    return frozenset(Counter(trees).items())


def check_the_list(problem: Problem) -> None:
    """Check the lists of the package and of the specification for one tree, and the count."""
    all_answers = list(ALL_TREES["answers"](problem))
    names = problem.quantities
    minimum = min((answer.vector(names) for answer in all_answers), default=None)
    best = [key(answer.trees) for answer in all_answers if answer.vector(names) == minimum]
    lists: list[Iterable[Tree | Ensemble]] = [enumerate_optimal(problem)]
    if problem.n_trees == 1:
        lists.append(fitted_tree(problem, tree) for tree in optimal_trees(problem))
    for found in lists:
        listed = [key(ALL_TREES["plain_trees_of"](problem, answer)) for answer in found]
        assert len(set(listed)) == len(listed)
        assert set(listed) == set(best)
    assert count_optimal(problem) == len(best)


@settings(max_examples=50 if QUICK else 150, deadline=None)
@given(problems(max_rows=5, max_features=2, max_depth=3, every_kind=True))
def test_all_optimal_trees_are_listed_once(problem: Problem) -> None:
    check_the_list(problem)


@settings(max_examples=20 if QUICK else 40, deadline=None)
@given(
    problems(
        max_rows=4, max_features=2, max_classes=3, max_depth=2, n_trees=2, every_kind=True
    ).filter(lambda problem: problem.limits.max_depth in range(3))
)
def test_all_optimal_ensembles_are_listed_once(problem: Problem) -> None:
    check_the_list(problem)


def test_three_trees_are_listed_once_in_any_order() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    for minimize in ("total_size", "largest_size"):
        limits = Limits(max_depth=1)
        check_the_list(Problem(X, y, minimize=minimize, n_trees=3, limits=limits))


def test_two_features_that_split_alike_give_two_trees() -> None:
    found = list(enumerate_optimal(Problem([[0, 5], [1, 6]], [0, 1], minimize="size")))
    assert [tree.feature[0] for tree in found] == [0, 1]


def test_reducible_trees_are_listed() -> None:
    problem = Problem([[0], [1], [2]], [0, 0, 1])
    found = list(enumerate_optimal(problem))
    assert sorted(tree.size for tree in found) == [1, 2, 2]
    assert [fitted_tree(problem, tree).size for tree in optimal_trees(problem)] == [1, 2, 2]
    assert len(list(enumerate_optimal(Problem([[0], [1], [2]], [0, 0, 1], minimize="size")))) == 1


def test_the_list_is_lazy_and_can_be_limited() -> None:
    rng = np.random.default_rng(0)
    problem = Problem(rng.integers(0, 2, (9, 6)), [0] * 9)
    first = next(iter(enumerate_optimal(problem)))
    assert isinstance(first, Tree)
    assert first == min_cost(problem).tree
    assert len(list(enumerate_optimal(problem, limit=3))) == 3
    assert list(enumerate_optimal(problem, limit=0)) == []


def test_an_ensemble_is_listed_for_a_problem_of_several_trees() -> None:
    (found,) = enumerate_optimal(Problem([[0], [1]], [0, 0], minimize="total_size", n_trees=2))
    assert isinstance(found, Ensemble)


def test_the_list_of_an_infeasible_problem_is_empty() -> None:
    X, y = [[0], [0]], [0, 1]
    assert list(enumerate_optimal(Problem(X, y, minimize="size"))) == []
    assert list(enumerate_optimal(Problem(X, y, minimize="total_size", n_trees=2))) == []


def test_wrong_arguments_and_large_tables_are_refused_when_called() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 9)), rng.integers(0, 2, 200)
    with pytest.raises(MethodRefused, match="200 rows"):
        enumerate_optimal(Problem(X, y, limits=Limits(max_depth=4, max_leaves_of={0: 3})))
    with pytest.raises(MethodRefused, match="ensembles of 2 trees"):
        enumerate_optimal(Problem(X, y, n_trees=2, limits=Limits(max_depth=4)))
    with pytest.raises(ValueError, match="limit must be an integer >= 0 or None, got -1"):
        enumerate_optimal(Problem([[0]], [0]), limit=-1)
    with pytest.raises(TypeError, match="problem must be a Problem"):
        enumerate_optimal([[0]])  # type: ignore[arg-type]


def test_all_optimal_trees_of_a_regression_are_listed() -> None:
    X, y = [[0, 5], [1, 6], [2, 7]], [0.1, 0.2, 0.4]
    problem = Problem(X, y, minimize="squared_error", limits=Limits(max_size=1))
    found = list(enumerate_optimal(problem))
    assert [(tree.feature[0], tree.threshold[0]) for tree in found] == [(0, 1.0), (1, 6.0)]
    assert all(isinstance(tree, RegressionTree) for tree in found)
    assert count_optimal(problem) == 2
