"""An initial incumbent changes no optimum, whether it is good or bad, ours or scikit-learn's."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from exactree import (
    Constraints,
    Limits,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Problem,
    Status,
    Tree,
    pareto_front,
    rules,
    solve,
)
from exactree.engine import branch_and_bound
from exactree.problem.encoding.incumbent import as_incumbent
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import broken_limits, cost_of_found

QUICK = settings.get_current_profile_name() == "quick"

PARAMETERS: list[dict[str, Any]] = [
    {"limits": Limits(max_depth=2)},
    {"limits": Limits(max_size=2, min_samples_leaf=2)},
    {"leaf_penalty": 0.05},
    {"minimize": "size"},
    {"minimize": "depth"},
    {"minimize": "size", "limits": Limits(max_errors=2, min_samples_leaf=2)},
    {"minimize": ("errors", "size"), "limits": Limits(max_depth=2)},
    {"minimize": ("size", "errors"), "limits": Limits(max_errors=3)},
    {"minimize": ("depth", "size", "errors"), "limits": Limits(max_errors=3)},
]
# Trees that satisfy the constraints are made from an incumbent by pruning, where possible.
OTHERS: list[dict[str, Any]] = [
    {"minimize": "balanced_error", "limits": Limits(max_depth=2)},
    {"cost_matrix": {0: {1: 3, 2: 1}, 1: {0: 2}}, "limits": Limits(max_size=2)},
    {"minimize": ("gini", "size"), "limits": Limits(max_depth=2)},
    {"minimize": "log_loss", "leaf_penalty": 0.05, "limits": Limits(max_depth=2)},
    {"leaf_penalty": 0.05, "limits": Limits(max_depth=2, max_errors=4)},
    {"constraints": Constraints(max_features=1), "limits": Limits(max_depth=2)},
    {"feature_penalty": 0.1, "limits": Limits(max_depth=2, max_errors=4)},
    {"minimize": ("size", "errors"), "constraints": Constraints(required=[0])},
    {"limits": Limits(max_depth=2, max_leaves_of={0: 1})},
]
TWO_CLASSES: list[dict[str, Any]] = [
    {"minimize": "f1_error", "limits": Limits(max_depth=2)},
    {"minimize": ("precision_error", "size"), "limits": Limits(max_depth=2)},
    {"minimize": "recall_error", "leaf_penalty": 0.05, "limits": Limits(max_depth=2)},
    {"monotonic_cst": {0: 1}, "limits": Limits(max_depth=2)},
    {"minimize": "gini", "monotonic_cst": {0: -1}, "limits": Limits(max_depth=2)},
]
REGRESSIONS: list[dict[str, Any]] = [
    {"minimize": "squared_error", "limits": Limits(max_depth=2)},
    {"minimize": "squared_error", "limits": Limits(max_size=2, min_samples_leaf=2)},
    {"minimize": "absolute_error", "leaf_penalty": 0.1},
]


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, list[int], list[int]]:
    """Return a small table without contradictions, perhaps with missing values, and weights."""
    width = draw(st.integers(1, 3))
    cell = st.integers(0, 4) if draw(st.booleans()) else st.sampled_from([0, 1, 2, None])
    rows = draw(st.lists(st.tuples(*[cell] * width), min_size=3, max_size=8, unique=True))
    y = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    weights = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    X = np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=float)
    return X, y, weights


def fitted_tree(X: np.ndarray, y: list[int], how: str, seed: int) -> Any:
    """Return a tree of exactree or of scikit-learn, or one fitted to permuted labels."""
    rng = np.random.default_rng(seed)
    labels = np.array(y) if how != "permuted" else rng.permutation(y)
    if how == "exactree":
        return OptimalTreeClassifier(max_depth=int(rng.integers(0, 4))).fit(X, labels)
    return DecisionTreeClassifier(random_state=seed, splitter="random").fit(X, labels)


@settings(max_examples=70 if QUICK else 200, deadline=None)
@given(
    table=tables(),
    parameters=st.sampled_from(PARAMETERS),
    how=st.sampled_from(["exactree", "scikit-learn", "permuted"]),
    codes=st.booleans(),
    seed=st.integers(0, 99),
)
def test_no_incumbent_changes_the_optimum(
    table: Any, parameters: dict[str, Any], how: str, codes: bool, seed: int
) -> None:
    X, y, weights = table
    problem = Problem(X, y, weights, **parameters, categories=[0] if codes else None)
    start = fitted_tree(X, y, how, seed)
    alone = solve(problem)
    try:
        outcome = solve(problem, incumbent=start)
    except ValueError:  # a threshold on a column of codes, or more errors than max_errors
        if not codes and problem.max_errors is None:
            raise
        return
    assert outcome.status is alone.status is Status.OPTIMAL
    assert outcome.cost == alone.cost
    if len(X) <= 5:
        assert outcome.cost == solve(problem, implementation="spec").cost


@settings(max_examples=120 if QUICK else 400, deadline=None)
@given(
    table=tables(),
    parameters=st.sampled_from([*OTHERS, *TWO_CLASSES]),
    how=st.sampled_from(["exactree", "scikit-learn", "permuted", "best"]),
    seed=st.integers(0, 99),
)
def test_no_incumbent_changes_the_optimum_of_other_errors_or_under_constraints(
    table: Any, parameters: dict[str, Any], how: str, seed: int
) -> None:
    X, y, weights = table
    if parameters in TWO_CLASSES:
        X, y = np.nan_to_num(X), [0, 1, *[min(label, 1) for label in y[2:]]]
    elif "cost_matrix" in parameters:
        y = [0, 1, 2, *y[3:]]
    elif "max_leaves_of" in str(parameters):
        y = [0, *y[1:]]
    problem = Problem(X, y, weights, **parameters)
    alone = solve(problem)
    start = alone.tree if how == "best" else fitted_tree(X, y, how, seed)
    try:
        outcome = solve(problem, incumbent=start)
    except (TypeError, ValueError):  # there is no tree, or no pruning satisfies the constraints
        monotone = bool(problem.feature_constraints.directions)
        assert alone.tree is None or (how != "best" or monotone)
        return
    assert outcome.status is alone.status
    if problem.exact_errors:
        assert outcome.cost == alone.cost
    else:
        assert as_tuple(outcome.cost) == pytest.approx(as_tuple(alone.cost), rel=1e-9, abs=1e-11)


@settings(max_examples=35 if QUICK else 100, deadline=None)
@given(table=tables(), parameters=st.sampled_from(REGRESSIONS), seed=st.integers(0, 99))
def test_no_incumbent_changes_the_optimum_of_a_regression(
    table: Any, parameters: dict[str, Any], seed: int
) -> None:
    X, y, weights = table
    problem = Problem(X, y, weights, **parameters)
    theirs = DecisionTreeRegressor(splitter="random", random_state=seed).fit(X, y)
    ours = OptimalTreeRegressor(max_depth=1).fit(X, np.roll(y, seed))
    alone = solve(problem)
    for start in (theirs, ours, alone.tree):
        outcome = solve(problem, incumbent=start)
        assert outcome.status is Status.OPTIMAL
        assert outcome.cost == pytest.approx(alone.cost, rel=1e-9, abs=1e-12)


@settings(max_examples=35 if QUICK else 100, deadline=None)
@given(
    table=tables(), parameters=st.sampled_from([*PARAMETERS, *REGRESSIONS]), seed=st.integers(0, 99)
)
def test_an_incumbent_keeps_the_limits_and_costs_at_least_the_optimum(
    table: Any, parameters: dict[str, Any], seed: int
) -> None:
    X, y, weights = table
    problem = Problem(X, y, weights, **parameters)
    try:
        found = as_incumbent(problem, fitted_tree(X, y, "permuted", seed)).tree
    except ValueError:
        if problem.max_errors is None:
            raise
        return
    assert not list(broken_limits(problem, found))
    best = solve(problem).cost
    assert best is not None
    assert cost_of_found(problem, found) >= best


def noisy_table(rows: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 4)).round(1)
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=rows) > 0).astype(int)


@pytest.mark.parametrize(
    "parameters",
    [
        {"limits": Limits(max_depth=4)},
        {"minimize": "squared_error", "limits": Limits(max_depth=4)},
        {"minimize": "balanced_error"},
        {"minimize": "gini"},
        {"minimize": ("log_loss", "size")},
        {"minimize": "f1_error"},
        {"minimize": "precision_error", "limits": Limits(max_depth=2, min_recall=0.5)},
        {"leaf_penalty": 0.01, "limits": Limits(max_depth=2, max_errors=60)},
        {"feature_penalty": 0.01},
        {"minimize": "absolute_error", "constraints": Constraints(max_features=1)},
        {"minimize": ("errors", "size"), "constraints": Constraints(required=[0])},
    ],
    ids=lambda parameters: ", ".join(map(str, parameters.values())),
)
def test_a_search_that_is_stopped_immediately_has_the_incumbent(parameters: dict[str, Any]) -> None:
    X, y = noisy_table()
    problem = Problem(X, y, **{"limits": Limits(max_depth=2), **parameters})
    best = solve(problem)
    outcome = solve(problem, incumbent=best.tree, time_limit=1e-9)
    assert outcome.cost == best.cost
    assert outcome.status is Status.FEASIBLE
    assert outcome.lower_bound <= best.cost
    assert outcome.stopped_by == "time limit"


def test_an_optimal_incumbent_saves_nodes_and_is_returned() -> None:
    X, y = noisy_table()
    for parameters in ({}, {"minimize": ("errors", "size")}):
        problem = Problem(X, y, limits=Limits(max_depth=3), **parameters)
        best = as_incumbent(problem, solve(problem).tree)
        # With these switches on, the search itself finds an incumbent that is nearly as good.
        off = {"switches": {"incumbent": False, "early_bound": False}}
        without = branch_and_bound(problem, **off)
        outcome = branch_and_bound(problem, **off, incumbent=best)
        assert outcome.tree == best.tree
        assert outcome.stats["nodes"] < without.stats["nodes"]


@pytest.mark.parametrize(
    "cost",
    [
        {"minimize": "gini"},
        {"minimize": "log_loss", "smoothing": "laplace"},
        {"minimize": "balanced_error"},
        {"cost_matrix": {0: {1: 3, 2: 1}, 1: {0: 2}}},
        {"minimize": "squared_error"},
    ],
    ids=lambda cost: "".join(map(str, cost.values())),
)
def test_a_search_for_other_costs_starts_from_the_incumbent(cost: dict[str, Any]) -> None:
    X, y = noisy_table(300)
    problem = Problem(X, y + (X[:, 2] > 1), limits=Limits(max_depth=3), **cost)
    best = solve(problem)
    begun = solve(problem, incumbent=best.tree)
    assert begun.cost == best.cost
    assert best.stats["first_incumbent"] >= best.cost
    assert begun.stats["first_incumbent"] == pytest.approx(best.cost)
    assert begun.stats["nodes"] <= best.stats["nodes"]


def test_progress_and_gap_start_from_the_incumbent() -> None:
    X, y = noisy_table(300)
    problem = Problem(X, y, limits=Limits(max_depth=4))
    best = solve(problem)
    reports: list[Any] = []
    outcome = solve(problem, incumbent=best.tree, on_progress=reports.append)
    assert all(progress.cost == best.cost for progress in [*reports, *outcome.stats["progress"]])
    within_gap = solve(problem, incumbent=best.tree, stop_at_gap=0.9)
    assert (within_gap.stopped_by, within_gap.cost) == ("gap", best.cost)
    assert within_gap.gap <= 0.9


def test_an_incumbent_is_pruned_to_the_limits() -> None:
    X, y = noisy_table()
    cart = DecisionTreeClassifier(random_state=0).fit(X, y)
    for limits in (Limits(max_depth=2), Limits(max_size=4), Limits(min_samples_leaf=20)):
        problem = Problem(X, y, limits=limits)
        found = as_incumbent(problem, cart).tree
        assert not list(broken_limits(problem, found))
        assert 0 < found.size < cart.get_n_leaves() - 1


def test_an_incumbent_is_pruned_to_a_size_at_minimum_cost() -> None:
    X = [[i] for i in range(8)]
    y = [0, 0, 0, 1, 1, 1, 1, 0]
    whole = solve(Problem(X, y, minimize="size")).tree
    assert isinstance(whole, Tree)
    assert whole.size == 2
    problem = Problem(X, y, limits=Limits(max_size=1))
    kept = as_incumbent(problem, whole).tree
    assert cost_of_found(problem, kept) == solve(problem).cost == 1


def test_levels_keep_their_meaning_when_codes_change() -> None:
    X = [["a"], ["b"], ["c"], ["d"]]
    tree = OptimalTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 0]).tree_
    problem = Problem([["c"], ["d"], ["c"], ["d"]], [1, 0, 1, 0])
    assert as_incumbent(problem, tree).tree.predict([["c"], ["d"]]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"incumbent": DecisionTreeClassifier()}, "not fitted"),
        ({"incumbent": "a tree"}, "got str"),
        ({"method": "witness"}, "method='branch-and-bound'"),
        ({"implementation": "spec"}, "implementation='spec'"),
    ],
)
def test_invalid_incumbents_methods_and_implementations_are_refused(
    change: dict[str, Any], message: str
) -> None:
    problem = Problem([[0], [1], [2]], [0, 1, 0], minimize="size")
    tree = solve(problem).tree
    with pytest.raises((TypeError, ValueError), match=message):
        solve(problem, **({"incumbent": tree} | change))


def test_an_incumbent_of_another_problem_is_refused() -> None:
    X, y = np.array([[0.0, 5], [1, 6], [2, 5], [3, 6]]), [0, 1, 0, 1]
    tree = OptimalTreeClassifier(max_depth=1).fit(X, y)
    for problem, message in (
        (Problem(X[:, :1], y), "incumbent was fitted on 2 features, X has 1"),
        (Problem(X, y, rules=rules.AxisParallel(features=[0])), "no rule of the problem"),
        (Problem(X, y, rules=rules.Hypersurfaces(2, features=(0,))), "no rule of the problem"),
        (Problem(X, [0, 1, 1, 1], limits=Limits(max_errors=0)), "1 errors are above max_errors=0"),
        (
            Problem(X, y, constraints=Constraints(required=[0])),
            "no pruning of it satisfies all limits and constraints",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            solve(problem, incumbent=tree)
    infeasible = Problem(X, y, limits=Limits(min_samples_leaf=5))
    assert solve(infeasible, incumbent=tree).status is Status.INFEASIBLE


def test_searches_from_the_outcomes_of_a_front_find_the_same_costs() -> None:
    X, y = noisy_table(40)
    problem = Problem(X, y, limits=Limits(max_depth=2))
    for outcome in pareto_front(problem, ("size", "errors")):
        within = problem.within(Limits(max_depth=2, max_size=outcome.tree.size))
        assert solve(within, incumbent=outcome.tree).cost == outcome.cost[1]


def test_a_node_that_costs_more_than_it_saves_is_kept_for_the_limit_on_errors() -> None:
    X, y = [[i] for i in range(6)], [0, 0, 1, 0, 0, 0]
    problem = Problem(X, y, leaf_penalty=0.5, limits=Limits(max_depth=2, max_errors=0))
    best = solve(problem)
    assert best.tree.size == 2
    assert solve(problem, incumbent=best.tree).cost == best.cost
    assert solve(problem, incumbent=best.tree, time_limit=1e-9).cost == best.cost
