"""The tree of minimum risk bound: comparison with all trees, proofs, and refusals."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import exactree as xt
from exactree.bound_optimal import (
    RiskPrices,
    features_of,
    plot_curve,
    solve_bound_optimal,
)
from exactree.bound_optimal.definition import min_errors_by_shape
from exactree.engine import tree_with_shape
from exactree.theory import Features, TreeShape, enumerate_shapes, risk_bound, shape_of

QUICK = settings.get_current_profile_name() == "quick"

LEAF = TreeShape()
STUMP = TreeShape(LEAF, LEAF)


def random_problem(rng: np.random.Generator, max_rows: int) -> xt.Problem:
    """Return a small table with weights, often with contradictions and sometimes with codes."""
    rows, columns = int(rng.integers(1, max_rows + 1)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.choice([2, 3, 8]), (rows, columns))
    y = rng.integers(0, rng.choice([2, 3]), rows)
    weights = rng.integers(1, rng.choice([2, 40]), rows)
    categories = [0] if rng.random() < 0.25 else None
    return xt.Problem(X, y, weights, categories=categories)


def random_options(rng: np.random.Generator) -> dict[str, float]:
    """Return options for which the bounds of shapes differ by less than one error, or by many."""
    return {
        "delta": float(rng.choice([0.05, 0.5])),
        "r": float(rng.choice([0.5, 1e-2, 1e-4, 1e-9])),
    }


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 4))]
)
def test_no_tree_has_a_smaller_bound(seed: int) -> None:
    """Random tables against the enumeration of all trees."""
    rng = np.random.default_rng(seed)
    leaves: dict[int, int] = {}
    searched = found_by_shape = pruned = 0
    problems = 100 if QUICK else 300
    for number in range(problems):
        problem, options = random_problem(rng, 9), random_options(rng)
        max_leaves = int(rng.integers(1, 7)) if number % 10 else 7
        outcome = solve_bound_optimal(problem, max_leaves, **options)
        bounds_by_shape = all_bounds(problem, max_leaves, options)
        case = (problem.dataset, problem.categories, max_leaves, options)
        assert outcome.status is xt.Status.OPTIMAL
        assert outcome.stopped_by is None
        assert outcome.tree is not None
        assert float(outcome.cost) == pytest.approx(min(bounds_by_shape.values()), rel=1e-12), case
        if number % 10 == 0:
            spec = solve_bound_optimal(problem, max_leaves, implementation="spec", **options)
            assert float(spec.cost) == min(bounds_by_shape.values())
            check_bound(problem, spec, options)
        check_curve(outcome, bounds_by_shape)
        assert outcome.lower_bound == outcome.cost
        check_bound(problem, outcome, options)
        leaves[outcome.tree.leaves] = leaves.get(outcome.tree.leaves, 0) + 1
        searched += outcome.stats["searched_shapes"]
        pruned += outcome.stats["shapes"] - outcome.stats["searched_shapes"]
        found_by_shape += all(entry.tree is not outcome.tree for entry in outcome.stats["curve"])
    # Every part of the search was needed for some problems.
    assert searched >= problems / 60
    assert found_by_shape > 0
    assert pruned > problems * 10 / 3
    assert all(leaves.get(n, 0) > problems / 150 for n in range(1, 5)), leaves


@pytest.mark.parametrize("seed", range(2))
def test_conclusions_from_stopped_searches_are_valid(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches are made to end early with weaker results: all conclusions are still valid."""
    rng = np.random.default_rng(seed)
    proved_with_gaps = 0

    def stopped(problem: xt.Problem, **options: Any) -> xt.Outcome:
        outcome = xt.solve(problem, **options)
        if problem.minimize == "errors" and problem.limits.max_size and rng.random() < 0.7:
            leaf = xt.solve(problem.within(xt.Limits(max_size=0)))
            weaker = (leaf, outcome, replace(outcome, tree=None))[rng.integers(3)]
            lower = int(rng.integers(0, outcome.cost + 1))
        elif problem.minimize != "errors" and outcome.tree is not None and rng.random() < 0.3:
            weaker, lower = replace(outcome, tree=None), (int(rng.integers(outcome.cost[0] + 1)),)
        else:
            return outcome
        status = xt.Status.STOPPED if weaker.tree is None else xt.Status.FEASIBLE
        return replace(weaker, status=status, lower_bound=lower, stopped_by="time limit")

    monkeypatch.setattr("exactree.bound_optimal.search.solve", stopped)
    for _ in range(150):
        problem, options = random_problem(rng, 8), random_options(rng)
        max_leaves = int(rng.integers(2, 6))
        outcome = solve_bound_optimal(problem, max_leaves, **options)
        bounds_by_shape = all_bounds(problem, max_leaves, options)
        assert float(outcome.cost) >= min(bounds_by_shape.values()) * (1 - 1e-12)
        assert float(outcome.lower_bound) <= min(bounds_by_shape.values()) * (1 + 1e-12)
        check_curve(outcome, bounds_by_shape)
        if outcome.status is xt.Status.OPTIMAL:
            assert float(outcome.cost) == pytest.approx(min(bounds_by_shape.values()), rel=1e-12)
            assert outcome.stopped_by is None
            # Proved although the errors of some number of leaves are not known exactly.
            proved_with_gaps += any(
                entry.tree is not None and entry.errors > entry.errors_lower_bound
                for entry in outcome.stats["curve"]
            )
        check_bound(problem, outcome, options)
    assert proved_with_gaps > 10


def all_bounds(
    problem: xt.Problem, max_leaves: int, options: dict[str, float]
) -> dict[TreeShape, float]:
    """Return the minimum risk bound of the trees of each shape, by enumeration of all trees."""
    prices = RiskPrices(problem, **options)
    everything = tuple(range(len(problem.dataset.X)))
    found = min_errors_by_shape(problem, everything, max_leaves)
    return {shape: prices.bound(shape, errors) for shape, (errors, _) in found.items()}


def check_curve(outcome: xt.Outcome, bounds_by_shape: dict[TreeShape, float]) -> None:
    """Compare the lower bounds of the curve with the minimum bounds of all shapes."""
    for entry in outcome.stats["curve"]:
        bounds = [bound for shape, bound in bounds_by_shape.items() if shape.leaves == entry.leaves]
        assert entry.risk_lower_bound <= min(bounds, default=np.inf) * (1 + 1e-12)
        if entry.tree is not None:
            assert entry.errors_lower_bound <= entry.errors


def check_bound(problem: xt.Problem, outcome: xt.Outcome, options: dict[str, float]) -> None:
    """Compare the cost with the formula for the shape and the errors of the tree."""
    tree, dataset = outcome.tree, problem.dataset
    assert tree is not None
    wrong = tree.predict_index(dataset.X) != dataset.labels
    errors = int(dataset.weights[wrong].sum())
    assert outcome.stats["errors"] == errors
    assert float(outcome.cost) == pytest.approx(
        risk_bound(
            shape_of(tree),
            n_features=features_of(problem),
            n_examples=int(dataset.weights.sum()),
            n_classes=len(dataset.classes),
            n_errors=errors,
            **options,
        ),
        rel=1e-12,
    )


@pytest.mark.parametrize("seed", range(2))
def test_minimum_errors_of_every_shape_agree_with_the_definition(seed: int) -> None:
    """The native search for one shape agrees with the enumeration of its trees."""
    rng = np.random.default_rng(seed)
    without_tree = large = 0
    for number in range(100):
        problem = random_problem(rng, 6 if number % 10 else 8)
        everything = tuple(range(len(problem.dataset.X)))
        min_errors = min_errors_by_shape(problem, everything, 5)
        total = int(problem.dataset.weights.sum())
        for shape in [s for n in range(1, 6) for s in enumerate_shapes(n)]:
            order = [*shape.proper_subtrees(), shape]
            children = [s.children and tuple(map(order.index, s.children)) for s in order]
            max_errors = total if total < 100 else total // 4
            tree, complete = tree_with_shape(problem, children, (0, max_errors), None)
            assert complete
            if shape in min_errors and min_errors[shape][0] <= max_errors:
                assert tree is not None
                assert shape_of(tree) == shape
                assert tree.errors[tree.children_left < 0].sum() == min_errors[shape][0]
                large += shape.leaves > 3
            else:
                assert tree is None
                without_tree += 1
    assert without_tree > 50
    assert large > 20


def test_the_curve_agrees_with_the_front_of_size_and_errors() -> None:
    table = xt.datasets.load_raisin()
    problem = xt.Problem(table.X[::6], table.y[::6])
    outcome = solve_bound_optimal(problem, 4)
    assert outcome.status is xt.Status.OPTIMAL
    curve = outcome.stats["curve"]
    assert [entry.leaves for entry in curve] == [1, 2, 3, 4]
    front = {
        o.cost[0] + 1: o.cost[1]
        for o in xt.pareto_front(problem.within(xt.Limits(max_size=3)), ("size", "errors"))
    }
    for entry in curve:
        if entry.tree is not None:
            assert entry.errors == entry.errors_lower_bound
            assert entry.errors == min(e for leaves, e in front.items() if leaves <= entry.leaves)
            assert entry.risk_lower_bound <= entry.risk_bound
    assert min(entry.risk_bound for entry in curve if entry.tree is not None) >= outcome.cost


def test_the_picture_of_the_curve_has_its_values() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (40, 3))
    curve = solve_bound_optimal(xt.Problem(X, X[:, 0] > X[:, 1]), 5).stats["curve"]
    axes = plot_curve(curve)
    found = [entry for entry in curve if entry.tree is not None]
    assert axes.lines[0].get_ydata().tolist() == [entry.risk_bound for entry in found]
    assert axes.lines[1].get_ydata().tolist() == [entry.risk_lower_bound for entry in curve]
    right = next(other for other in axes.figure.axes if other is not axes)
    assert right.lines[0].get_ydata().tolist() == [entry.errors for entry in found]
    assert (axes.get_xlabel(), axes.get_ylabel(), right.get_ylabel()) == (
        "leaves",
        "risk bound",
        "errors",
    )
    assert plot_curve(curve, axes) is axes
    pyplot.close(axes.figure)


def test_a_stopped_search_has_a_tree_and_a_valid_lower_bound() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0).astype(int)
    problem = xt.Problem(X, y)
    for time_limit in (1e-6, 0.5):
        outcome = solve_bound_optimal(problem, 9, time_limit=time_limit, r=1e-12)
        assert outcome.status is xt.Status.FEASIBLE
        assert outcome.stopped_by == "time limit"
        assert 0 < outcome.lower_bound < outcome.cost
        assert all(e.errors is None or e.errors_lower_bound <= e.errors for e in curve_of(outcome))
    reports: list[xt.Progress] = []

    def stop(progress: xt.Progress) -> bool:
        reports.append(progress)
        return len(reports) > 2

    outcome = solve_bound_optimal(problem, 9, r=1e-12, on_progress=stop)
    assert outcome.stopped_by == "callback"
    assert outcome.tree is not None
    assert isinstance(outcome.cost, Fraction)
    costs = [progress.cost for progress in reports if progress.cost is not None]
    assert costs == sorted(costs, reverse=True)
    assert all(progress.lower_bound <= outcome.cost for progress in reports)


def curve_of(outcome: xt.Outcome) -> tuple[Any, ...]:
    curve: tuple[Any, ...] = outcome.stats["curve"]
    return curve


def test_a_shape_that_is_no_better_than_the_best_is_not_searched() -> None:
    X = np.arange(64).reshape(-1, 1)
    # One threshold separates the classes, so a larger tree has a larger bound.
    outcome = solve_bound_optimal(xt.Problem(X, X[:, 0] >= 32), 14)
    assert outcome.tree is not None
    assert (outcome.tree.leaves, outcome.stats["errors"]) == (2, 0)
    assert outcome.stats["searched_shapes"] == 0
    assert [entry.errors for entry in curve_of(outcome)] == [32, 0] + [None] * 12


def test_the_features_of_a_problem_are_described_for_bounds() -> None:
    X = [[0, 1, 5.0], [1, 2, 6.5], [2, 1, 7.0]]
    y = [0, 1, 0]
    assert features_of(xt.Problem(X, y)) == Features(3)
    assert features_of(xt.Problem(X, y, categories=[0, 1])) == Features(1, nominal=(4, 3))
    some = xt.rules.AxisParallel(features=[0, 2])
    assert features_of(xt.Problem(X, y, rules=some)) == Features(2)
    assert features_of(xt.Problem(X, y, rules=some, categories=[0])) == Features(1, nominal=(4,))


def test_the_maximum_errors_below_a_bound_invert_the_bound() -> None:
    prices = RiskPrices(xt.Problem(np.arange(50).reshape(-1, 1), np.arange(50) % 2))
    for errors in range(50):
        bound = prices.bound(STUMP, errors)
        assert prices.max_errors_below(STUMP, bound) == errors - 1
        assert prices.max_errors_below(STUMP, np.nextafter(bound, np.inf)) == errors
    assert prices.max_errors_below(STUMP, -1.0) == -1


@pytest.mark.parametrize(
    ("problem", "options", "sentence"),
    [
        ({}, {"max_leaves": 0}, "max_leaves must be an integer from 1 to 14"),
        ({}, {"max_leaves": 15}, "max_leaves must be an integer from 1 to 14, got 15"),
        ({}, {"delta": 1.0}, "delta must be a number between 0 and 1"),
        ({}, {"r": 0}, "r must be a number between 0 and 1"),
        ({}, {"implementation": "fast"}, "implementation must be 'native' or 'spec'"),
        ({}, {"time_limit": 0}, "time_limit must be"),
        ({"minimize": "size"}, {}, "the problem must minimize errors of one tree"),
        ({"leaf_penalty": 1}, {}, "without leaf_penalty"),
        ({"limits": xt.Limits(max_depth=2)}, {}, "allows no limit except max_leaves"),
        ({"sample_weight": [1, 0.5]}, {}, "sample_weight must be integers for a risk bound"),
    ],
)
def test_wrong_problems_and_options_are_refused(
    problem: dict[str, Any], options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        solve_bound_optimal(xt.Problem([[0], [1]], [0, 1], **problem), **options)


def test_tables_too_large_for_the_definition_are_refused() -> None:
    X = np.random.default_rng(0).normal(size=(200, 10))
    with pytest.raises(xt.MethodRefused, match="enumerates all trees"):
        solve_bound_optimal(xt.Problem(X, X[:, 0] > 0), 8, implementation="spec")
