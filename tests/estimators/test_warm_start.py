"""A warm start reuses only valid proofs: every fit has the optimum of a cold start."""

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree import (
    Constraints,
    InternalError,
    Limits,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Problem,
    solve,
    warm_start,
)
from exactree.problem import Status
from exactree.rules import FixedRules
from exactree.rules.surface import SurfaceRule
from exactree.warm_start import proved_by, solve_after

QUICK = settings.get_current_profile_name() == "quick"


def random_table(seed: int, rows: int = 30) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(rows, 3)).astype(float)
    return X, ((X[:, 0] > X[:, 1]) ^ (rng.random(rows) < 0.2)).astype(int)


LIMITS = st.builds(
    dict,
    max_depth=st.sampled_from([0, 1, 2, 3, None]),
    max_size=st.sampled_from([0, 1, 3, 5]),
    min_samples_leaf=st.sampled_from([1, 2, 5]),
    max_errors=st.sampled_from([None, None, 12]),
)


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(sequence=st.lists(LIMITS, min_size=2, max_size=5), seed=st.integers(0, 5))
def test_every_search_has_the_cost_of_a_cold_start(
    sequence: list[dict[str, Any]], seed: int
) -> None:
    X, y = random_table(seed)
    before = None
    for limits in sequence:
        problem = Problem(X, y, limits=Limits(**limits))
        outcome, cold = solve_after(problem, before), solve(problem)
        assert (outcome.status, outcome.cost) == (cold.status, cold.cost)
        assert outcome.lower_bound == cold.lower_bound
        before = proved_by(problem, outcome)
    # The same problem again is solved without a search.
    again = solve_after(problem, before)
    assert again.cost == outcome.cost
    assert again.status is Status.INFEASIBLE or again.stats["nodes"] == 0


@pytest.mark.parametrize("estimator", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_a_sequence_of_depths_has_the_costs_of_cold_starts(estimator: Any) -> None:
    X, y = random_table(0)
    model = estimator(warm_start=True)
    for depth in range(4):
        model.set_params(max_depth=depth).fit(X, y)
        cold = estimator(max_depth=depth).fit(X, y)
        assert model.outcome_.cost == pytest.approx(cold.outcome_.cost, rel=1e-9)
        assert model.outcome_.status is Status.OPTIMAL
    model.set_params(max_depth=2).fit(X, y)
    model.set_params(max_size=3).fit(X, y)  # trees of depth two have at most three nodes
    assert model.outcome_.stats["nodes"] == 0


@pytest.mark.parametrize(
    "parameters",
    [
        {"minimize": "balanced_error"},
        {"minimize": "gini"},
        {"minimize": ("log_loss", "size")},
        {"minimize": "f1_error"},
        {"leaf_penalty": 0.01, "max_errors": 14},
        {"monotonic_cst": {0: 1}},
        {"minimize": "log_loss", "feature_penalty": 0.02},
        {"minimize": ("errors", "size"), "constraints": Constraints(max_features=1)},
    ],
    ids=lambda parameters: ", ".join(map(str, parameters.values())),
)
def test_other_errors_and_constraints_have_the_costs_of_cold_starts(
    parameters: dict[str, Any],
) -> None:
    X, y = random_table(3)
    warm = OptimalTreeClassifier(**parameters, warm_start=True, time_limit=None)
    for depth in (1, 2, 2, 1, 0):
        warm.set_params(max_depth=depth).fit(X, y)
        cold = OptimalTreeClassifier(**parameters, max_depth=depth, time_limit=None).fit(X, y)
        assert warm.outcome_.status == cold.outcome_.status == "optimal"
        assert warm.outcome_.cost == cold.outcome_.cost


def test_a_lower_bound_is_kept_for_tighter_limits_only() -> None:
    X, y = random_table(1, rows=200)
    stop = {"on_progress": lambda _: True}
    problem = Problem(X, y, limits=Limits(max_depth=4))
    best = solve(problem)
    assert best.cost
    proved = proved_by(problem, best)
    for depth, kept in ((4, True), (3, True), (5, False)):
        other = problem.within(Limits(max_depth=depth))
        stopped = solve_after(other, proved, **stop)
        assert (stopped.lower_bound >= best.cost) is kept
        assert stopped.lower_bound <= solve(other).cost


@pytest.mark.parametrize(
    "change", [{"max_leaves_of": {0: 9}}, {"min_samples_leaf": 1}, {"max_size": 40}]
)
def test_with_other_limits_the_cost_is_that_of_a_cold_start(change: dict[str, Any]) -> None:
    X, y = random_table(2)
    limits = {"max_depth": 2, "max_size": 2, "min_samples_leaf": 8}
    problem = Problem(X, y, limits=Limits(**limits))
    other = Problem(X, y, limits=Limits(**(limits | change)))
    outcome = solve_after(other, proved_by(problem, solve(problem)), time_limit=20)
    assert outcome.cost == solve(other).cost


@pytest.mark.parametrize("difference", ["rows", "labels", "weights", "penalty", "minimize"])
def test_another_problem_is_searched_from_the_beginning(difference: str) -> None:
    X, y = random_table(3)
    X2, y2, weights = X.copy(), y.copy(), np.ones(len(y), dtype=int)
    arguments: dict[str, Any] = {}
    if difference == "rows":
        X2[0, 0] += 0.5
    elif difference == "labels":
        y2[0] = 1 - y2[0]
    elif difference == "weights":
        weights[0] = 2
    elif difference == "penalty":
        arguments = {"leaf_penalty": 0.01}
    else:
        arguments = {"minimize": ("errors", "size")}
    first = Problem(X, y, limits=Limits(max_depth=2))
    second = Problem(X2, y2, weights, limits=Limits(max_depth=2), **arguments)
    outcome = solve_after(second, proved_by(first, solve(first)))
    assert outcome.stats["nodes"] == solve(second).stats["nodes"] > 0
    assert outcome.cost == solve(second).cost


@dataclass(frozen=True)
class Numbered(FixedRules):
    """A family of rules defined by a user, with an array of numbers."""

    numbers: Any = None


@pytest.mark.parametrize(("index", "change"), [(0, 1e-12), (1500, 1.0)])
def test_families_of_equal_text_and_different_numbers_have_different_keys(
    index: int, change: float
) -> None:
    # numpy prints eight digits, and only the first and last three numbers of a long array.
    X, y = [[0.0], [1.0]], [0, 1]
    rules = (SurfaceRule.linear([1.0], 0.5),)
    numbers, others = np.ones(3000), np.ones(3000)
    others[index] += change
    assert repr(numbers) == repr(others)
    problems = [Problem(X, y, rules=Numbered(rules, array)) for array in (numbers, others)]
    keys = [proved_by(problem, solve(problem)).key for problem in problems]
    assert None not in keys
    assert keys[0] != keys[1]


def test_rules_that_cannot_be_pickled_are_searched_again() -> None:
    class Local(FixedRules):  # a class defined in a function cannot be pickled
        pass

    problem = Problem([[0.0], [1.0]], [0, 1], rules=Local((SurfaceRule.linear([1.0], 0.5),)))
    before = proved_by(problem, solve(problem))
    assert before.key is None
    assert solve_after(problem, before).stats["nodes"] > 0


def test_a_reused_tree_is_verified_like_every_outcome(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    X, y = random_table(0)
    problem = Problem(X, y, limits=Limits(max_depth=2))
    before = proved_by(problem, solve(problem))
    reused = solve_after(problem, before)
    assert reused.stats["nodes"] == 0
    assert reused.stats["weight_scale"] == 1
    assert reused.problem_text == solve(problem).problem_text
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    wrong = reused.cost - 1
    monkeypatch.setattr(warm_start, "cost_of_found", lambda *_: wrong)
    with pytest.raises(InternalError, match=f"the tree costs {reused.cost}, not {wrong}"):
        solve_after(problem, before)


def test_a_specification_has_no_warm_start_and_the_same_cost() -> None:
    X, y = random_table(4, rows=8)
    model = OptimalTreeClassifier(max_depth=1, implementation="spec", warm_start=True)
    assert model.fit(X, y).outcome_.cost == model.fit(X, y).outcome_.cost


def test_without_a_warm_start_no_proof_is_stored() -> None:
    X, y = random_table(5)
    model = OptimalTreeClassifier().fit(X, y)
    assert model._proved is None
    assert model.fit(X, y).outcome_.stats["nodes"] > 0


def test_a_warm_start_survives_pickle() -> None:
    X, y = random_table(5)
    model = OptimalTreeClassifier(warm_start=True).fit(X, y)
    again = pickle.loads(pickle.dumps(model)).fit(X, y)
    assert again.outcome_.stats["nodes"] == 0
    assert again.tree_ == model.tree_


def test_the_fit_after_an_unfinished_fit_is_at_least_as_good() -> None:
    X, y = random_table(6, rows=200)
    model = OptimalTreeClassifier(max_depth=4, warm_start=True, time_limit=1e-6)
    with pytest.warns(UserWarning, match="not proved optimal"):
        first = model.fit(X, y).outcome_
    with pytest.warns(UserWarning, match="not proved optimal"):
        second = model.fit(X, y).outcome_
    assert second.cost <= first.cost
    assert second.lower_bound >= first.lower_bound
    assert model.set_params(time_limit=None).fit(X, y).outcome_.status is Status.OPTIMAL
