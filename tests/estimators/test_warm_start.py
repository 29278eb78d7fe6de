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


def drawn(seed: int, rows: int = 30) -> tuple[np.ndarray, np.ndarray]:
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
@given(steps=st.lists(LIMITS, min_size=2, max_size=5), seed=st.integers(0, 5))
def test_every_fit_has_the_cost_of_a_cold_one(steps: list[dict[str, Any]], seed: int) -> None:
    X, y = drawn(seed)
    before, searched = None, []
    for step in steps:
        problem = Problem(X, y, limits=Limits(**step))
        outcome, cold = solve_after(problem, before), solve(problem)
        assert (outcome.status, outcome.cost) == (cold.status, cold.cost)
        assert outcome.lower_bound == cold.lower_bound
        before = proved_by(problem, outcome)
        searched.append(outcome.stats.get("nodes", 0))
    # The same problem again is solved without a search.
    again = solve_after(problem, before)
    assert again.cost == outcome.cost
    assert again.status is Status.INFEASIBLE or again.stats["nodes"] == 0


@pytest.mark.parametrize("estimator", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_a_growing_depth_begins_with_the_tree_before(estimator: Any) -> None:
    X, y = drawn(0)
    model = estimator(warm_start=True)
    for depth in range(4):
        model.set_params(max_depth=depth).fit(X, y)
        cold = estimator(max_depth=depth).fit(X, y)
        assert model.outcome_.cost == pytest.approx(cold.outcome_.cost, rel=1e-9)
        assert model.outcome_.status is Status.OPTIMAL
    model.set_params(max_depth=2).fit(X, y)
    model.set_params(max_size=3).fit(X, y)  # a depth of two allows no more nodes
    assert model.outcome_.stats["nodes"] == 0


def test_a_lower_bound_is_kept_for_tighter_limits_only() -> None:
    X, y = drawn(1, rows=200)
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
def test_other_limits_let_no_bound_through(change: dict[str, Any]) -> None:
    X, y = drawn(2)
    problem = Problem(X, y, limits=Limits(max_depth=2, max_size=2, min_samples_leaf=8))
    stated = {"max_depth": 2, "max_size": 2, "min_samples_leaf": 8} | change
    other = Problem(X, y, limits=Limits(**stated))
    found = solve_after(other, proved_by(problem, solve(problem)), time_limit=20)
    assert found.cost == solve(other).cost


@pytest.mark.parametrize("other", ["rows", "labels", "weights", "penalty", "minimize"])
def test_another_question_begins_anew(other: str) -> None:
    X, y = drawn(3)
    X2, y2, weights = X.copy(), y.copy(), np.ones(len(y), dtype=int)
    asked: dict[str, Any] = {}
    if other == "rows":
        X2[0, 0] += 0.5
    elif other == "labels":
        y2[0] = 1 - y2[0]
    elif other == "weights":
        weights[0] = 2
    elif other == "penalty":
        asked = {"leaf_penalty": 0.01}
    else:
        asked = {"minimize": ("errors", "size")}
    first = Problem(X, y, limits=Limits(max_depth=2))
    second = Problem(X2, y2, weights, limits=Limits(max_depth=2), **asked)
    outcome = solve_after(second, proved_by(first, solve(first)))
    assert outcome.stats["nodes"] == solve(second).stats["nodes"] > 0
    assert outcome.cost == solve(second).cost


@dataclass(frozen=True)
class Numbered(FixedRules):
    """A user's own list of rules, with an array of numbers."""

    numbers: Any = None


@pytest.mark.parametrize(("place", "change"), [(0, 1e-12), (1500, 1.0)])
def test_rules_that_look_alike_when_printed_are_another_question(place: int, change: float) -> None:
    # numpy prints eight digits, and of a long array the first and last three numbers.
    X, y = [[0.0], [1.0]], [0, 1]
    rules = (SurfaceRule.linear([1.0], 0.5),)
    numbers, others = np.ones(3000), np.ones(3000)
    others[place] += change
    assert repr(numbers) == repr(others)
    keys = [
        proved_by(problem, solve(problem)).key
        for problem in (Problem(X, y, rules=Numbered(rules, some)) for some in (numbers, others))
    ]
    assert None not in keys
    assert keys[0] != keys[1]


def test_rules_that_cannot_be_kept_exactly_let_nothing_through() -> None:
    class Mine(FixedRules):  # a class of a function cannot be pickled
        pass

    problem = Problem([[0.0], [1.0]], [0, 1], rules=Mine((SurfaceRule.linear([1.0], 0.5),)))
    before = proved_by(problem, solve(problem))
    assert before.key is None
    assert solve_after(problem, before).stats["nodes"] > 0


def test_a_kept_tree_passes_the_recount_of_every_outcome(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    X, y = drawn(0)
    problem = Problem(X, y, limits=Limits(max_depth=2))
    before = proved_by(problem, solve(problem))
    kept = solve_after(problem, before)
    assert kept.stats["nodes"] == 0
    assert kept.stats["weight_scale"] == 1
    assert kept.problem_text == solve(problem).problem_text
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(warm_start, "cost_of_found", lambda *_: kept.cost - 1)
    with pytest.raises(InternalError, match=f"the tree costs {kept.cost}, not {kept.cost - 1}"):
        solve_after(problem, before)


def test_what_takes_no_incumbent_is_searched_as_ever() -> None:
    X, y = drawn(4, rows=8)
    model = OptimalTreeClassifier(max_depth=1, implementation="spec", warm_start=True)
    assert model.fit(X, y).outcome_.cost == model.fit(X, y).outcome_.cost


def test_without_a_warm_start_nothing_is_kept() -> None:
    X, y = drawn(5)
    model = OptimalTreeClassifier().fit(X, y)
    assert model._proved is None
    assert model.fit(X, y).outcome_.stats["nodes"] > 0


def test_a_warm_start_survives_pickle() -> None:
    X, y = drawn(5)
    model = OptimalTreeClassifier(warm_start=True).fit(X, y)
    again = pickle.loads(pickle.dumps(model)).fit(X, y)
    assert again.outcome_.stats["nodes"] == 0
    assert again.tree_ == model.tree_


def test_an_unfinished_fit_goes_on_from_its_tree() -> None:
    X, y = drawn(6, rows=200)
    model = OptimalTreeClassifier(max_depth=4, warm_start=True, time_limit=1e-6)
    with pytest.warns(UserWarning, match="not proved optimal"):
        first = model.fit(X, y).outcome_
    with pytest.warns(UserWarning, match="not proved optimal"):
        second = model.fit(X, y).outcome_
    assert second.cost <= first.cost
    assert second.lower_bound >= first.lower_bound
    assert model.set_params(time_limit=None).fit(X, y).outcome_.status is Status.OPTIMAL
