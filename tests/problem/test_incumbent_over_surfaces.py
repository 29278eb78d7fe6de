"""An initial incumbent of a search over surfaces changes no optimum, and needs no list of them."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from exactree import (
    Limits,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Problem,
    Status,
    rules,
    solve,
)
from exactree.engine import run_proper
from exactree.engine.oblique.rule_list import AllRules, NoRule, all_rules
from exactree.methods import chosen_form
from exactree.problem.encoding.incumbent import as_incumbent
from exactree.problem.encoding.surfaces import splits_exactly, surface_between
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import broken_limits, cost_of_found
from exactree.rules.dichotomies import no_check

HYPERPLANES = rules.Hyperplanes()
FAMILIES = [
    HYPERPLANES,
    rules.Hypersurfaces(2, features=(0,)),
    rules.Hypersurfaces(2),
    rules.Mixed((rules.AxisParallel(features=(0,)), HYPERPLANES)),
    rules.FixedRules([rules.SurfaceRule.linear((1, k), k) for k in range(1, 5)]),
]
LIMITS = [
    Limits(max_depth=2),
    Limits(max_size=2, min_samples_leaf=2),
    Limits(max_depth=3, max_size=3),
    Limits(max_depth=2, max_errors=2),
]
ERRORS: list[dict[str, Any]] = [
    {},
    {"leaf_penalty": 0.05},
    {"minimize": "size"},
    {"minimize": "depth"},
    {"minimize": ("errors", "size")},
    {"minimize": ("depth", "size", "errors")},
]
OTHER_COSTS: list[dict[str, Any]] = [
    {"minimize": "balanced_error"},
    {"minimize": "gini"},
    {"minimize": ("log_loss", "size")},
    {"minimize": "f1_error"},
    {"cost_matrix": [[0, 2], [1, 0]]},
    {"leaf_penalty": 0.05, "max_errors": 3},
    {"minimize": "squared_error"},
    {"minimize": "absolute_error"},
    {"max_leaves_of": {0: 1}},
]


def table(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw points in general position, on a grid of integers or on a grid of tenths."""
    match rng.integers(3):
        case 0:
            X = rng.normal(size=(rows, 2))
        case 1:
            X = rng.integers(0, 4, size=(rows, 2)).astype(float)
        case _:
            X = rng.integers(0, 5, size=(rows, 2)) / 10
    y = rng.integers(0, 2, size=rows)
    y[:2] = 0, 1
    return X, y


def starts(problem: Problem, rng: np.random.Generator, regression: bool) -> list[Any]:
    """Return good, bad and foreign trees for the table of a problem."""
    X, y = problem.dataset.X, problem.dataset.labels
    permuted = rng.permutation(y)
    theirs = DecisionTreeRegressor if regression else DecisionTreeClassifier
    ours = OptimalTreeRegressor if regression else OptimalTreeClassifier
    seed = int(rng.integers(99))
    return [
        theirs(random_state=seed).fit(X, y),
        theirs(random_state=seed, splitter="random").fit(X, permuted),
        ours(max_depth=2, rules=rules.Hyperplanes()).fit(X, permuted),
        ours(max_depth=1, rules=rules.Hypersurfaces(2)).fit(X + 1, y),
    ]


def check_against_search_alone(seed: int, methods: tuple[str, ...]) -> tuple[int, int]:
    """Solve a random problem from all its starts; return how many were used, and refused."""
    rng = np.random.default_rng(seed)
    X, y = table(rng, int(rng.integers(5, 9)))
    weights = rng.integers(1, 4, size=len(X)) if rng.random() < 0.5 else None
    parameters = dict(ERRORS[seed % len(ERRORS)], limits=LIMITS[int(rng.integers(len(LIMITS)))])
    family = FAMILIES[int(rng.integers(len(FAMILIES)))]
    try:
        problem = Problem(X, y, weights, rules=family, **parameters)
    except ValueError:  # a leaf penalty with minimum errors
        return 0, 0
    alone = solve(problem)
    used = refused = 0
    for start in [*([] if alone.tree is None else [alone.tree]), *starts(problem, rng, False)]:
        for method in methods:
            if chosen_form(problem, "auto", "native").is_loop and method == "proper":
                method = "auto"
            try:
                outcome = solve(problem, method=method, incumbent=start, n_jobs=1 + seed % 2)
            except ValueError as raised:
                refusal = str(raised)
                refused += 1
            else:
                refusal = ""
            if refusal:
                assert "no rule of the problem" in refusal or "max_errors" in refusal
                assert start is not alone.tree
                continue
            assert (outcome.status, outcome.cost) == (alone.status, alone.cost), (seed, method)
            assert outcome.lower_bound == alone.lower_bound, (seed, method)
            used += 1
    return used, refused


def test_no_incumbent_changes_the_optimum() -> None:
    counts = [
        check_against_search_alone(seed, ("proper", "branch-and-bound")) for seed in range(90)
    ]
    used, refused = map(sum, zip(*counts, strict=True))
    assert used > 300, (used, refused)
    assert refused > 30, (used, refused)


@pytest.mark.long
def test_no_incumbent_changes_the_optimum_of_many_problems() -> None:
    for seed in range(1000, 6000):
        check_against_search_alone(seed, ("proper", "branch-and-bound"))


@pytest.mark.parametrize("parameters", OTHER_COSTS, ids=str)
def test_no_incumbent_changes_the_optimum_of_other_costs(parameters: dict[str, Any]) -> None:
    used = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = table(rng, 8)
        given = dict(parameters)
        limits = {
            name: given.pop(name) for name in ("max_errors", "max_leaves_of") if name in given
        }
        family = FAMILIES[seed % len(FAMILIES)]
        limits = Limits(max_depth=2, **limits)
        problem = Problem(X, y, rng.integers(1, 4, size=8), rules=family, limits=limits, **given)
        alone = solve(problem)
        for start in [alone.tree, *starts(problem, rng, problem.regression)]:
            try:
                outcome = solve(problem, incumbent=start)
            except (TypeError, ValueError):  # no tree of the problem
                assert start is not alone.tree or alone.tree is None
                continue
            assert outcome.status is alone.status
            if alone.cost is None:
                continue
            assert as_tuple(outcome.cost) == pytest.approx(
                as_tuple(alone.cost), rel=1e-9, abs=1e-11
            )
            used += 1
    assert used > 12


def noisy(rows: int = 30, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=rows) > 0).astype(int)


@pytest.mark.parametrize("method", ["auto", "branch-and-bound"])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"minimize": ("errors", "size")},
        {"minimize": "gini"},
        {"minimize": "balanced_error"},
        {"minimize": "f1_error"},
        {"minimize": "squared_error"},
        {"leaf_penalty": 0.01, "limits": Limits(max_depth=2, max_errors=25)},
    ],
    ids=str,
)
def test_a_search_that_is_stopped_immediately_has_the_incumbent(
    parameters: dict[str, Any], method: str
) -> None:
    X, y = noisy(16)
    problem = Problem(X, y, rules=HYPERPLANES, **{"limits": Limits(max_depth=2), **parameters})
    best = solve(problem, method=method)
    outcome = solve(problem, method=method, incumbent=best.tree, time_limit=1e-9)
    assert outcome.cost == best.cost
    assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, "time limit")
    assert as_tuple(outcome.lower_bound) <= as_tuple(best.cost)


def test_an_optimal_incumbent_saves_nodes_and_is_returned() -> None:
    X, y = noisy()
    for parameters in ({}, {"minimize": ("errors", "size")}):
        problem = Problem(X, y, rules=HYPERPLANES, limits=Limits(max_depth=3), **parameters)
        best = as_incumbent(problem, solve(problem).tree)
        off = {"switches": {"incumbent": False}}
        without = run_proper(problem, **off)
        outcome = run_proper(problem, **off, incumbent=best)
        assert outcome.tree.apply(X).tolist() == best.tree.apply(X).tolist()
        assert outcome.stats["nodes"] < without.stats["nodes"]


def test_progress_and_gap_start_from_the_incumbent() -> None:
    X, y = noisy(80)
    problem = Problem(X, y, rules=HYPERPLANES, limits=Limits(max_depth=2))
    best = solve(problem)
    reports: list[Any] = []
    outcome = solve(problem, incumbent=best.tree, on_progress=reports.append)
    searched = [report for report in reports if report.cost is not None]
    assert all(point.cost == best.cost for point in [*searched, *outcome.stats["progress"]])
    deeper = Problem(X, y, rules=HYPERPLANES, limits=Limits(max_depth=4, max_size=5))
    within_gap = solve(deeper, incumbent=best.tree, stop_at_gap=0.9)
    assert within_gap.stopped_by == "gap"
    assert within_gap.cost <= best.cost
    assert within_gap.gap <= 0.9


def test_too_many_surfaces_to_list_leave_the_incumbent() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) ^ (rng.random(400) < 0.1)
    problem = Problem(X, y, rules=HYPERPLANES, limits=Limits(max_depth=2))
    cut = DecisionTreeClassifier(max_depth=2).fit(X, y)  # greedy, so it misses the product
    exact = solve(Problem(X, y, limits=Limits(max_depth=2))).tree
    for start in (cut, exact):
        outcome = solve(problem, incumbent=start, time_limit=0.05)
        assert outcome.status is Status.FEASIBLE
        assert outcome.cost <= cost_of_found(problem, as_incumbent(problem, start).tree)
    assert outcome.tree.predict(X).tolist() == exact.predict(X).tolist()


def test_a_cluster_and_a_resumed_search_start_from_the_incumbent(tmp_path: Path) -> None:
    X, y = noisy(22)
    for extra in ({}, {"min_samples_leaf": 2}, {"max_leaves_of": {1: 2}}):
        problem = Problem(X, y, rules=HYPERPLANES, limits=Limits(max_depth=3, max_size=4, **extra))
        alone = solve(problem)
        cart = DecisionTreeClassifier(random_state=0, max_leaf_nodes=3).fit(X, y)
        for start in (alone.tree, cart):
            with ThreadPoolExecutor(2) as workers:
                outcome = solve(problem, incumbent=start, cluster=workers)
            assert (outcome.status, outcome.cost) == (Status.OPTIMAL, alone.cost)
            path = tmp_path / f"{len(list(tmp_path.iterdir()))}.json"
            first = solve(problem, incumbent=start, resume=path, time_limit=1e-9)
            assert first.lower_bound <= alone.cost <= first.cost
            assert first.cost <= cost_of_found(problem, as_incumbent(problem, start).tree)
            second = solve(problem, incumbent=start, resume=path)
            assert (second.status, second.cost) == (Status.OPTIMAL, alone.cost)


@pytest.mark.parametrize("minimize", ["errors", "gini"])
def test_a_warm_start_over_surfaces_keeps_tree_and_proof(minimize: str) -> None:
    X, y = noisy(18)
    model = OptimalTreeClassifier(minimize=minimize, rules=HYPERPLANES, warm_start=True)
    for depth in (1, 2):
        cold = OptimalTreeClassifier(minimize=minimize, rules=HYPERPLANES, max_depth=depth)
        model.set_params(max_depth=depth).fit(X, y)
        assert model.outcome_.cost == pytest.approx(cold.fit(X, y).outcome_.cost, rel=1e-9)
    model.fit(X, y)
    assert model.outcome_.stats["nodes"] == 0


def test_the_tree_is_converted_within_the_limits() -> None:
    X, y = noisy(40)
    cart = DecisionTreeClassifier(random_state=0).fit(X, y)
    for limits in (Limits(max_depth=3), Limits(max_size=4), Limits(min_samples_leaf=3)):
        problem = Problem(X, y, rules=HYPERPLANES, limits=limits)
        found = as_incumbent(problem, cart).tree
        assert not list(broken_limits(problem, found))
        assert 0 < found.size < cart.get_n_leaves() - 1
    # All its splits are dichotomies of the list.
    problem = Problem(X, y, rules=HYPERPLANES)
    nodes = all_rules(problem, no_check).nodes_of(as_incumbent(problem, cart).tree, no_check)
    assert len(nodes) > 10


def test_an_incumbent_with_a_dichotomy_without_a_rule_does_not_start_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = noisy(20)
    problem = Problem(X, y, rules=HYPERPLANES, limits=Limits(max_depth=1))
    best = solve(problem)
    start = as_incumbent(problem, best.tree)
    listed = all_rules(problem, no_check)
    root = listed.left(listed.nodes_of(start.tree, no_check)[0][0])

    def column(self: AllRules, k: int) -> Any:
        if (self.left(k) == root).all() or (self.left(k) != root).all():
            raise NoRule(k)
        return original(self, k)

    original = AllRules.column
    monkeypatch.setattr(AllRules, "column", column)
    without, outcome = run_proper(problem), run_proper(problem, incumbent=start)
    assert outcome.stats["surfaces_left_out"] > 0
    assert (outcome.status, outcome.cost) == (without.status, without.cost)
    stopped = solve(problem, incumbent=best.tree, time_limit=1e-9)
    assert (stopped.status, stopped.cost) == (Status.FEASIBLE, best.cost)


@pytest.mark.parametrize("family", [HYPERPLANES, rules.Hypersurfaces(2, features=(0,))], ids=str)
def test_an_exact_split_is_a_dichotomy_and_most_dichotomies_are_found(family: Any) -> None:
    """Every row set is tried, against the listed dichotomies, which are computed exactly."""
    exact = found = impossible = missed = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = np.unique(table(rng, 7)[0], axis=0)
        problem = Problem(X, [0] * len(X), rules=family)
        listed = all_rules(problem, no_check)
        lefts = {listed.left(k).tobytes() for k in range(len(listed.bits))}
        for mask in range(1, 2 ** len(X) - 1):
            left = np.array([bool(mask >> row & 1) for row in range(len(X))])
            exists = left.tobytes() in lefts or (~left).tobytes() in lefts
            rule = surface_between(family, X, left, {})
            if rule is not None:
                assert (rule.holds(X) == left).all()
                is_exact = holds_exactly(rule, X) == left.tolist()
                assert splits_exactly(rule, X) == is_exact
                assert exists or not is_exact, (seed, mask)
                exact += is_exact
            found += rule is not None
            impossible += not exists
            missed += exists and rule is None
    assert min(exact, impossible) > 100
    assert missed <= found / 50, (exact, found, missed)


def holds_exactly(rule: rules.SurfaceRule, X: np.ndarray) -> list[bool]:
    """Return whether a rule holds for rows in rational numbers."""
    held = []
    for row in X.tolist():
        total = Fraction(0)
        for monomial, weight in zip(rule.monomials, rule.weights, strict=True):
            product = Fraction(weight)
            for value, power in zip(row, monomial, strict=True):
                product *= Fraction(value) ** power
            total += product
        held.append(total <= Fraction(rule.threshold))
    return held


def test_a_split_by_roundings_alone_is_not_exact() -> None:
    """Examples on one line have rounded sums that differ, and equal real sums."""
    seen = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        slope = rng.integers(1, 50, size=2)
        X = np.outer(np.arange(1, 9), slope) * 2.0 ** float(rng.integers(-900, 900))
        weights = rng.random() * np.array([slope[1], -slope[0]])
        sums = rules.SurfaceRule.linear(weights, 0).sums(X)
        rule = rules.SurfaceRule.linear(weights, float(rng.choice(sums)))
        is_exact = holds_exactly(rule, X) == rule.holds(X).tolist()
        assert splits_exactly(rule, X) == is_exact
        seen += not is_exact
    assert seen > 30


def test_an_incumbent_that_exists_in_floating_point_only_proves_nothing() -> None:
    """It is returned by a search that stops, and not by one that proves another tree optimal."""
    rng = np.random.default_rng(8)
    slope = rng.integers(1, 50, size=2)
    X = np.outer(np.arange(1.0, 9.0), slope)  # on one line, so that sums differ by roundings
    weights = rng.random() * np.array([slope[1], -slope[0]])
    threshold = float(rules.SurfaceRule.linear(weights, 0).sums(X).min())
    cut = rules.SurfaceRule.linear(weights, threshold)
    y = cut.holds(X).astype(int)
    assert y.tolist() == [1, 1, 0, 1, 1, 0, 0, 1]
    given = solve(Problem(X, y, rules=rules.FixedRules([cut]), limits=Limits(max_depth=1)))
    assert given.cost == 0
    for minimize in ("errors", "gini", "f1_error", ("gini", "size"), "balanced_error"):
        for method in ("auto", "branch-and-bound"):
            limits = Limits(max_depth=1)
            problem = Problem(X, y, minimize=minimize, rules=HYPERPLANES, limits=limits)
            start = as_incumbent(problem, given.tree)
            assert not start.exact
            alone = solve(problem, method=method)
            outcome = solve(problem, method=method, incumbent=given.tree)
            assert (outcome.status, outcome.cost) == (alone.status, alone.cost)
            assert as_tuple(outcome.cost) > as_tuple(cost_of_found(problem, start.tree))
