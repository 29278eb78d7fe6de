"""Trees of surfaces while the time lasts: never worse than thresholds, valid, and improved."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactree as xt
from exactree.engine.oblique import proper
from exactree.engine.oblique.anytime import Anytime
from exactree.engine.oblique.local_search import LocalSearch
from exactree.engine.oblique.threshold_trees import problem_of_thresholds, threshold_tree
from exactree.problem.verification.recount import cost_of_found, keeps_limits
from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces, Mixed
from exactree.testing import drawn_weights

some_rows = runpy.run_path(str(Path(__file__).parents[1] / "real_tables.py"))["some_rows"]
QUICK = settings.get_current_profile_name() == "quick"

FAMILIES = [
    Hyperplanes(),
    Hypersurfaces(2),
    Mixed([AxisParallel(), Hyperplanes([0])]),
    Mixed([AxisParallel([0]), Hypersurfaces(2, features=[1])]),
]
LIMITS = [
    {"limits": xt.Limits(max_depth=1)},
    {"limits": xt.Limits(max_depth=2)},
    {"limits": xt.Limits(max_size=2, min_samples_leaf=2)},
    {"limits": xt.Limits(max_depth=2, max_leaves_of={0: 1})},
    {"leaf_penalty": 0.05, "limits": xt.Limits(max_depth=2)},
    {"minimize": ("errors", "size"), "limits": xt.Limits(max_depth=2)},
    {"minimize": "size", "limits": xt.Limits(max_errors=2)},
]


def solved(problem, _):
    return proper.run_proper(problem)


@st.composite
def tables(draw):
    """Draw up to 14 examples of two features: numbers of a grid, decimals or any numbers."""
    n, kind = draw(st.integers(4, 14)), draw(st.integers(0, 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = [rng.integers(0, 4, (n, 2)), rng.integers(0, 30, (n, 2)) / 10, rng.normal(size=(n, 2))][
        kind
    ]
    y = np.append([0, 1], rng.integers(0, draw(st.integers(2, 3)), n - 2))
    return X.astype(np.float64), y, drawn_weights(n, lambda low, high: draw(st.integers(low, high)))


@settings(max_examples=25 if QUICK else 120, deadline=None)
@given(tables(), st.sampled_from(FAMILIES), st.sampled_from(LIMITS))
def test_thresholds_are_surfaces_of_every_family(table, rules, parameters) -> None:
    """The first tree has the optimal cost of thresholds, and is a tree of the problem."""
    problem = xt.Problem(*table, rules=rules, **parameters)
    thresholds = problem_of_thresholds(problem)
    best = xt.solve(thresholds, method="proper")
    tree = threshold_tree(problem, None, None, 1, solved)
    if best.tree is None:
        assert tree is None
        return
    if problem.limits.max_leaves_of is None:  # superfluous nodes may be needed for this limit
        assert tree is not None
    if tree is not None:
        assert keeps_limits(problem, tree)
        assert cost_of_found(problem, tree) == best.cost


@settings(max_examples=12 if QUICK else 40, deadline=None)
@given(tables(), st.sampled_from(FAMILIES), st.sampled_from(LIMITS))
def test_trees_and_bounds_on_the_way_are_valid(table, rules, parameters) -> None:
    """Every tree costs at least the optimum over the list of all dichotomies, no bound is above."""
    problem = xt.Problem(*table, rules=rules, **parameters)
    best = xt.solve(problem, method="proper")
    search = Anytime(problem, None)
    search.first_trees(solved, None, 1)
    search.raise_bound(search.timer.seconds() + 10, max_listed=100)
    search.improve(search.timer.seconds() + 0.1)
    found = search.outcome("time limit")
    if best.status is xt.Status.INFEASIBLE:
        assert found.tree is None
        return
    assert found.lower_bound <= best.cost
    if found.tree is not None:
        assert keeps_limits(problem, found.tree)
        assert best.cost <= found.cost == cost_of_found(problem, found.tree)


@pytest.mark.parametrize("rules", [Hyperplanes(), Hypersurfaces(2), FAMILIES[2]])
def test_exclusive_or_beside_noise_is_found_and_proved(rules) -> None:
    X = np.random.default_rng(0).normal(size=(1000, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    problem = xt.Problem(X, y, rules=rules, limits=xt.Limits(max_depth=2))
    found = xt.solve(problem, time_limit=60)
    assert (found.status, found.cost) == (xt.Status.OPTIMAL, 0)


@pytest.mark.parametrize(("name", "depth"), [("iris", 2), ("wine", 2), ("breast_cancer", 1)])
def test_surfaces_are_never_worse_than_thresholds_on_real_tables(name: str, depth: int) -> None:
    X, y = some_rows(name, 120, seed=0)
    limits = xt.Limits(max_depth=depth)
    thresholds = xt.solve(xt.Problem(X, y, limits=limits))
    assert thresholds.status is xt.Status.OPTIMAL
    found = xt.solve(xt.Problem(X, y, rules=Hyperplanes(), limits=limits), time_limit=3)
    assert found.cost <= thresholds.cost
    assert found.status is xt.Status.OPTIMAL or found.stopped_by == "time limit"


def test_the_local_search_finds_a_slanted_tree() -> None:
    """Two crossing slanted lines, which neither thresholds nor one regression find."""
    X = np.random.default_rng(1).normal(size=(300, 3))
    y = ((X[:, 0] + X[:, 1] > 0) ^ (X[:, 0] - X[:, 1] > 0)).astype(int)
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=2))
    costs: list[object] = []
    search = LocalSearch(problem, None, lambda tree: costs.append(cost_of_found(problem, tree)))
    rounds = iter(range(20_000))
    search.run(lambda: next(rounds, None) is not None and costs[-1:] != [0])
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] <= 10


def test_a_search_for_surfaces_reports_its_progress_and_stops_with_the_callback() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(400, 4)), rng.integers(0, 2, 400)
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=2))
    reports = []

    def stop(progress: xt.Progress) -> bool:
        reports.append(progress)
        return len(reports) == 5

    found = xt.solve(problem, time_limit=600, on_progress=stop)
    assert found.stopped_by == "callback"
    assert any(report.cost is not None for report in reports)
    near = xt.solve(problem, time_limit=600, stop_at_gap=0.99999)
    assert near.stopped_by == "gap"
    assert near.lower_bound > 0
