"""Costs of leaves other than errors where surfaces are too many to list."""

from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.engine.oblique.anytime import Anytime
from exactree.engine.single_objective import class_costs, regression_tree
from exactree.problem.quantities import as_tuple
from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces, Mixed

COSTS = ["squared_error", "absolute_error", "gini", "log_loss", "balanced_error", "matrix"]
MATRIX = [[0, 1, 5], [2, 0, 1], [1, 3, 0]]


def problem(cost: str, n: int, seed: int, rules: Any, limits: xt.Limits, **options: Any) -> Any:
    """Return a problem on a grid, where many examples are on common lines, or in the plane."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(n, 2)) if n < 30 else rng.normal(size=(n, 2))
    noise = rng.normal(size=n) * 0.5
    y: Any = X[:, 0] + X[:, 1] + noise > X[:, 0].mean() + X[:, 1].mean()
    if cost in ("squared_error", "absolute_error"):
        y = np.round(y + noise, 1)
    elif cost == "matrix":
        y = np.where(rng.random(n) < 0.3, 2, y)
        y[:3] = [0, 1, 2]
    else:
        y[:2] = [False, True]
    if seed % 2:
        options["sample_weight"] = rng.integers(1, 4, size=n)
    if cost == "matrix":
        options["cost_matrix"] = MATRIX
    else:
        options["minimize"] = cost
    return xt.Problem(X, y, rules=rules, limits=limits, **options)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that solves a problem over the list of all surfaces."""

    def solve(to_solve: xt.Problem) -> xt.Outcome:
        with monkeypatch.context() as patched:
            for module in (class_costs, regression_tree):
                patched.setattr(module, "takes_one_surface", lambda *_: False)
            return xt.solve(to_solve)

    return solve


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(
    "rules", [Hyperplanes(), Hypersurfaces(2, [0]), Mixed([AxisParallel(), Hyperplanes()])], ids=str
)
def test_one_surface_is_as_good_as_the_best_of_all_listed_surfaces(
    cost: str, rules: Any, listed: Any
) -> None:
    for seed in range(6):
        limits = xt.Limits(max_depth=1, min_samples_leaf=1 + seed % 3)
        penalty = {"leaf_penalty": 0.05} if seed % 3 == 0 else {}
        to_solve = problem(cost, 14, seed, rules, limits, **penalty)
        expected, found = listed(to_solve), xt.solve(to_solve)
        assert found.status is expected.status is xt.Status.OPTIMAL
        assert float(as_tuple(found.cost)[0]) == pytest.approx(float(as_tuple(expected.cost)[0]))
        assert found.lower_bound == found.cost
        assert found.tree.size <= 1
        assert not found.stats.get("surfaces_left_out")


@pytest.mark.parametrize("cost", COSTS)
def test_a_thousand_examples_take_no_list(cost: str) -> None:
    to_solve = problem(cost, 1000, 2, Hyperplanes(), xt.Limits(max_depth=1))
    found = xt.solve(to_solve)
    assert found.status is xt.Status.OPTIMAL
    best = xt.solve(to_solve.with_rules(AxisParallel()))
    assert found.cost < best.cost


@pytest.mark.parametrize("cost", COSTS)
def test_trees_are_never_worse_than_those_of_thresholds_and_their_bounds_hold(cost: str) -> None:
    to_solve = problem(cost, 700, 4, Hyperplanes(), xt.Limits(max_depth=2))
    found = xt.solve(to_solve, time_limit=2.0)
    assert found.tree is not None
    assert found.stopped_by == "time limit"
    assert found.cost <= xt.solve(to_solve.with_rules(AxisParallel())).cost
    assert 0 <= found.lower_bound <= found.cost
    if cost in ("squared_error", "absolute_error"):
        assert found.lower_bound > 0, "small subsets have errors"


@pytest.mark.parametrize("cost", ["squared_error", "gini"])
def test_without_a_time_limit_the_message_names_the_ways_out(cost: str) -> None:
    to_solve = problem(cost, 700, 5, Hyperplanes(), xt.Limits(max_depth=2))
    with pytest.raises(xt.MethodRefused, match=r"different examples at most.*give a time_limit"):
        xt.solve(to_solve)


@pytest.mark.parametrize("cost", COSTS)
def test_bounds_by_subsets_are_at_most_the_optimum(
    cost: str, listed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search without a list, on tables that are small enough for one."""
    to_solve = problem(cost, 16, 6, Hyperplanes(), xt.Limits(max_depth=2))
    optimum = listed(to_solve)

    def is_whole(some: xt.Problem, _: Any) -> Any:
        return "Too many." if len(some.dataset.X) == 16 and some.rules == Hyperplanes() else None

    for module in (class_costs, regression_tree):
        monkeypatch.setattr(module, "has_many_surfaces", is_whole)
    monkeypatch.setattr("exactree.engine.oblique.anytime._too_many", is_whole)
    monkeypatch.setattr("exactree.engine.oblique.anytime._FEW_LISTED", 100)
    found = xt.solve(to_solve, time_limit=0.6)
    assert float(found.lower_bound) <= float(optimum.cost) * (1 + 1e-12)
    assert float(found.cost) >= float(optimum.cost) * (1 - 1e-12)


def test_an_incumbent_is_never_lost() -> None:
    to_solve = problem("squared_error", 300, 7, Hyperplanes(), xt.Limits(max_depth=2))
    good = xt.solve(to_solve, time_limit=2.0)
    again = xt.solve(to_solve, time_limit=0.2, incumbent=good.tree)
    assert again.cost <= good.cost


def test_the_search_over_a_list_goes_on_reporting_where_the_first_trees_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its seconds begin there, and it reports no worse cost or bound than is known."""
    moments: list[xt.Progress] = []
    best = Anytime(
        problem("squared_error", 60, 9, Hyperplanes(), xt.Limits(max_depth=2)),
        time_limit=20.0,
        on_progress=moments.append,
        cost=5.0,
    )
    best.bound = 1.0
    monkeypatch.setattr(best.timer, "seconds", lambda: 3.0)
    listener = best.later_listener()
    assert listener is not None
    for moment in (xt.Progress(None, 0, 0.5), xt.Progress(6.0, 2.0, 1.0), xt.Progress(4.0, 2, 2.0)):
        listener(moment)
    expected = [xt.Progress(5.0, 1.0, 3.5), xt.Progress(5.0, 2.0, 4.0), xt.Progress(4.0, 2, 5.0)]
    assert moments == expected
    assert Anytime(best.problem, time_limit=20.0).later_listener() is None


def test_ctrl_c_and_callbacks_end_the_search_with_a_tree() -> None:
    to_solve = problem("absolute_error", 700, 8, Hyperplanes(), xt.Limits(max_depth=2))
    found = xt.solve(to_solve, time_limit=20.0, on_progress=lambda progress: progress.seconds > 0.5)
    assert found.stopped_by == "callback"
    assert found.tree is not None
