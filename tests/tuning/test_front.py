"""Fronts by sequences of searches agree with the definition, and contain every optimal tree."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree import Limits, Outcome, Problem, Status, pareto_front, solve
from exactree.tuning import best_at, choose, front_along, front_within, settings_along

QUICK = settings.get_current_profile_name() == "quick"

TABLES = st.integers(0, 10**6).map(np.random.default_rng)


def drawn(rng: np.random.Generator, rows: int = 12, **options: Any) -> Problem:
    X = rng.integers(0, 4, size=(rows, 2)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    weights = rng.integers(1, 4, size=rows)
    limits = Limits(max_depth=int(rng.integers(1, 4)), min_samples_leaf=int(rng.integers(1, 3)))
    return Problem(X, rng.integers(0, 3, size=rows), weights, limits=limits, **options)


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(
    rng=TABLES,
    along=st.sampled_from(["size", "depth"]),
    errors=st.sampled_from(["squared_error", "errors"]),
)
def test_the_front_is_that_of_the_definition(
    rng: np.random.Generator, along: str, errors: str
) -> None:
    problem = drawn(rng, rows=8, minimize=errors)
    found = [
        (getattr(outcome.tree, along), pytest.approx(float(outcome.cost), rel=1e-9, abs=1e-9))
        for outcome in front_along(problem, along, solve)[0]
    ]
    exact = pareto_front(problem, (along, errors), implementation="spec")
    assert [tuple(map(float, outcome.cost)) for outcome in exact] == found


@settings(max_examples=15 if QUICK else 40, deadline=None)
@given(rng=TABLES, penalty=st.fractions(0, Fraction(1, 2)))
def test_the_best_tree_at_every_leaf_penalty_is_on_the_front(
    rng: np.random.Generator, penalty: Fraction
) -> None:
    problem = drawn(rng)
    total = Fraction(problem.dataset.total_weight)
    found = best_at(front_along(problem, "leaf_penalty", solve)[0], "leaf_penalty", penalty, total)
    penalized = _with_penalty(problem, penalty)
    assert found.tree is not None
    assert found.cost + penalty * total * found.tree.leaves == solve(penalized).cost


def _with_penalty(problem: Problem, penalty: Fraction) -> Problem:
    dataset = problem.dataset
    labels = dataset.classes[dataset.labels]
    return Problem(dataset.X, labels, dataset.weights, leaf_penalty=penalty, limits=problem.limits)


@settings(max_examples=15 if QUICK else 40, deadline=None)
@given(rng=TABLES)
def test_the_settings_give_each_tree_once_by_increasing_size(rng: np.random.Generator) -> None:
    problem = drawn(rng, rows=20)
    total = Fraction(problem.dataset.total_weight)
    front, proved = front_along(problem, "leaf_penalty", solve)
    assert proved
    for along in ("size", "leaf_penalty"):
        chosen = [best_at(front, along, v, total) for v in settings_along(front, along, total)]
        sizes = [outcome.tree.size for outcome in chosen if outcome.tree is not None]
        assert sizes == sorted(set(sizes))
        assert sizes[0] == 0
        assert chosen[-1].cost == front[-1].cost
        if along == "size":
            assert chosen == list(front)


def searches_of(problem: Problem, along: str) -> list[tuple[Problem, Any, Outcome]]:
    """Return problem, incumbent and outcome of every search for a front."""
    searches: list[tuple[Problem, Any, Outcome]] = []

    def search(problem: Problem, incumbent: Any, time_limit: Any) -> Outcome:
        outcome = solve(problem, incumbent=incumbent)
        searches.append((problem, incumbent, outcome))
        return outcome

    _, proved = front_along(problem, along, search)
    assert proved
    assert len(searches) > 2
    return searches


def test_every_search_starts_from_the_last_tree() -> None:
    problem = drawn(np.random.default_rng(7), rows=30)
    best = None
    for within, incumbent, outcome in searches_of(problem, "size"):
        assert incumbent is (None if best is None else best.tree)
        if within is not problem and (best is None or outcome.cost < best.cost):
            best = outcome


def test_the_tree_within_all_limits_is_searched_once_and_ends_the_front() -> None:
    problem = drawn(np.random.default_rng(7), rows=30)
    searches = searches_of(problem, "size")
    (widest,) = [outcome for within, _, outcome in searches if within is problem]
    assert searches[1][0] is problem
    assert widest.tree is not None
    limits = [within.limits.max_size for within, _, _ in searches if within is not problem]
    assert limits == list(range(len(limits)))
    assert limits[-1] <= widest.tree.size
    assert all(outcome.cost > widest.cost for _, _, outcome in searches[2:-1])
    assert all(within is not problem for within, _, _ in searches_of(problem, "depth"))


def test_a_front_without_time_has_a_leaf_and_a_tree_within_all_limits() -> None:
    problem = drawn(np.random.default_rng(4), rows=30)
    front = front_within(problem, "size", solve, time_limit=1e-9)
    sizes = [outcome.tree.size for outcome in front.outcomes if outcome.tree is not None]
    assert sizes == sorted(set(sizes))
    assert len(sizes) in (1, 2)
    assert not front.proved


def test_a_stopped_front_says_to_which_size_it_is_proved() -> None:
    problem = drawn(np.random.default_rng(7), rows=30)

    def search(problem: Problem, incumbent: Any, time_limit: Any) -> Outcome:
        size = problem.limits.max_size
        # Sizes from 2 on are stopped at once.
        seconds = None if size is None or size < 2 else 1e-9
        outcome = solve(problem, incumbent=incumbent, time_limit=seconds)
        if seconds is None or outcome.status is not Status.OPTIMAL:
            return outcome
        return replace(outcome, status=Status.FEASIBLE, stopped_by="time limit")

    front = front_within(problem, "size", search)
    assert (front.proved, front.proved_to) == (False, 1)
    best = solve(problem)
    assert front.outcomes[-1].cost == best.cost, "the tree within all limits is compared"
    costs = [outcome.cost for outcome in front.outcomes]
    assert costs == sorted(set(costs), reverse=True)
    assert front_within(problem, "depth", solve).proved


@pytest.mark.parametrize(
    ("along", "parameters", "message"),
    [
        ("size", {}, "needs max_depth or max_size"),
        ("depth", {"limits": Limits(max_size=3)}, "needs max_depth"),
        ("size", {"minimize": "size"}, "needs errors in minimize"),
        ("size", {"minimize": ("errors", "size")}, "needs errors in minimize"),
        ("leaf_penalty", {"leaf_penalty": 0.1}, "must be 0"),
    ],
)
def test_problems_without_a_front_are_refused(
    along: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        front_along(Problem([[0], [1]], [0, 1], **parameters), along, solve)


@pytest.mark.parametrize("along", ["size", "depth", "leaf_penalty"])
def test_the_front_of_one_class_is_a_single_leaf(along: str) -> None:
    problem = Problem([[0], [1]], ["a", "a"], limits=Limits(max_depth=2))
    front, _ = front_along(problem, along, solve)
    assert settings_along(front, along, Fraction(2)) == [0]


def test_ties_go_to_the_smaller_tree() -> None:
    third = 1 / 3
    # Scores of three folds; settings 1 and 2 have the same scores in another order.
    scores = np.array([[0.5, 0.5, 0.5], [0.9, 0.5, third], [third, 0.9, 0.5], [0.9, 0.1, 0.1]])
    choice = choose("max_size", [0, 1, 2, 5], scores)
    assert choice.index == 1
    assert choice.results["rank_test_score"].tolist() == [3, 1, 1, 4]
    assert choice.results["params"][1] == {"max_size": 1}
    assert choice.results["split2_test_score"].tolist() == scores[:, 2].tolist()
