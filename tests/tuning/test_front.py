"""Fronts by sequences of searches agree with the definition, and contain every optimal tree."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree import Limits, Outcome, Problem, pareto_front, solve
from exactree.tuning import best_at, choose, front_along, settings_along

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


def test_every_search_starts_from_the_last_tree() -> None:
    searches: list[tuple[Any, Outcome]] = []

    def search(problem: Problem, incumbent: Any, time_limit: Any) -> Outcome:
        outcome = solve(problem, incumbent=incumbent)
        searches.append((incumbent, outcome))
        return outcome

    _, proved = front_along(drawn(np.random.default_rng(7), rows=30), "size", search)
    assert proved
    assert len(searches) > 2
    best = None
    for incumbent, outcome in searches:
        assert incumbent is (None if best is None else best.tree)
        if best is None or outcome.cost < best.cost:
            best = outcome


def test_a_time_limit_ends_a_front_after_its_first_tree() -> None:
    problem = drawn(np.random.default_rng(4), rows=30)
    front, proved = front_along(problem, "size", solve, time_limit=1e-9)
    assert len(front) == 1
    assert not proved
    assert front[0].tree is not None


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
