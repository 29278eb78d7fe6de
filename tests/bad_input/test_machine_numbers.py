"""Limits and values of features at the limits of machine numbers."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from exactree import (
    Limits,
    OptimalTreeClassifier,
    Problem,
    Status,
    count_optimal,
    enumerate_optimal,
    pareto_front,
    solve,
)

from .mistakes import X, Y, is_short_line

HUGE = [2**31, 2**32, 2**63, 2**64, 10**30, 10**400]


@pytest.mark.parametrize("huge", HUGE, ids=lambda huge: f"2**{huge.bit_length() - 1}")
@pytest.mark.parametrize("name", ["max_depth", "max_size", "max_errors", "max_total_size"])
def test_a_limit_larger_than_every_tree_has_no_effect(name: str, huge: int) -> None:
    limits = Limits(**{name: huge})
    for minimize in ("errors", "size", "depth", "gini", "f1_error", "squared_error"):
        if name == "max_errors" and minimize not in ("errors", "size", "depth"):
            continue
        # For size and depth, max_errors is 0 by default, so a large limit is not the default.
        counts_nodes = name == "max_errors" and minimize != "errors"
        unlimited = Limits(max_errors=4) if counts_nodes else Limits()
        outcome, expected = (
            solve(Problem(X, Y, minimize=minimize, limits=tried)) for tried in (limits, unlimited)
        )
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost)
        assert outcome.status is Status.OPTIMAL
    if name != "max_errors":
        assert count_optimal(Problem(X, Y, minimize="size", limits=limits)) == 2
        assert len(list(enumerate_optimal(Problem(X, Y, minimize="size", limits=limits)))) == 2
        front = pareto_front(Problem(X, Y, limits=limits), ("size", "errors"))
        assert [outcome.cost for outcome in front] == [(0, 2), (1, 0)]
        ensemble = Problem(X, Y, minimize="total_size", n_trees=3, limits=limits)
        assert solve(ensemble).cost == solve(Problem(X, Y, minimize="total_size", n_trees=3)).cost


@pytest.mark.parametrize("huge", HUGE, ids=lambda huge: f"2**{huge.bit_length() - 1}")
def test_a_huge_limit_on_leaves_of_a_class_has_no_effect(huge: int) -> None:
    problem = Problem(X, Y, minimize="size", limits=Limits(max_leaves_of={0: huge, 1: 1}))
    assert solve(problem).cost == 1


@pytest.mark.parametrize("huge", HUGE, ids=lambda huge: f"2**{huge.bit_length() - 1}")
def test_a_minimum_leaf_size_larger_than_the_table_is_infeasible(huge: int) -> None:
    for minimize in ("errors", "size", "gini", "squared_error"):
        outcome = solve(Problem(X, Y, minimize=minimize, limits=Limits(min_samples_leaf=huge)))
        assert outcome.status is Status.INFEASIBLE
        assert "min_samples_leaf" in (outcome.reason or "")


@pytest.mark.parametrize("huge", [*HUGE, 1e19, 1e300], ids=lambda huge: f"{type(huge).__name__}")
def test_huge_limits_on_time_and_memory_have_no_effect(huge: float) -> None:
    for minimize in ("errors", "size", "gini", "squared_error"):
        problem = Problem(X, Y, minimize=minimize, limits=Limits(max_depth=2))
        optimum = 1 if minimize == "size" else 0
        assert solve(problem, time_limit=huge).cost == optimum
        if isinstance(huge, int):
            assert solve(problem, memory_limit=huge).cost == optimum
    assert OptimalTreeClassifier(max_depth=2, time_limit=huge).fit(X, Y).outcome_.cost == 0


@pytest.mark.parametrize("huge", [1_001, *HUGE])
def test_too_many_trees_are_refused(huge: int) -> None:
    with pytest.raises(ValueError, match="n_trees must be at most 1,000") as caught:
        Problem(X, Y, minimize="total_size", n_trees=huge)
    assert is_short_line(str(caught.value))


def test_numbers_of_any_type_that_float64_represents_are_accepted() -> None:
    plain = Problem(X, Y).dataset.X
    for table in (X.astype(np.longdouble), X.astype(np.longdouble).tolist()):
        assert Problem(table, Y).dataset.X.tolist() == plain.tolist()
    tenths = [[Decimal("0.1")], [Fraction(1, 3)], [np.longdouble(0.5)], [2**60]]
    assert Problem(tenths, Y).dataset.X[:, 0].tolist() == [0.1, 1 / 3, 0.5, 2.0**60]
    missing = np.array([[0.5], [np.nan], [1.0], [2.0]], dtype=np.longdouble)
    assert np.isnan(Problem(missing, Y).dataset.X[1, 0])
