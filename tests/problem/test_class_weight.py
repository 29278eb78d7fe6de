"""Weights of classes: exact factors, the same minimum cost as the definition, balanced accuracy."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, recall_score

from exactree import (
    Limits,
    OptimalEnsembleClassifier,
    OptimalTreeClassifier,
    Problem,
    Status,
    solve,
)
from exactree.problem.outcome import Outcome

QUICK = settings.get_current_profile_name() == "quick"

FACTORS = st.fractions(Fraction(1, 7), 5, max_denominator=7)
FACTORS_OF_EVERY_KIND: dict[Any, Any] = {"a": Fraction(1, 3), "b": 0.1, "c": 2}


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, list[str], list[int]]:
    """Return a small table with contradictions, two or three classes and whole weights."""
    rows = draw(st.integers(2, 9))
    cells = st.lists(st.integers(0, 3), min_size=2, max_size=2)
    X = draw(st.lists(cells, min_size=rows, max_size=rows))
    y = draw(st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows))
    weights = draw(st.lists(st.integers(1, 4), min_size=rows, max_size=rows))
    return np.array(X, dtype=float), y, weights


def recounted(problem: Problem, outcome: Outcome, given: Any, y: list[str], weights: Any) -> Any:
    """Return the cost of a tree, computed from its predictions in fractions."""
    assert outcome.tree is not None
    predicted = outcome.tree.predict(problem.dataset.X)
    if given == "balanced":
        totals = {c: sum(w for w, label in zip(weights, y, strict=True) if label == c) for c in y}
        given = {c: Fraction(sum(weights), len(totals) * total) for c, total in totals.items()}
    factors = {c: Fraction(str(given.get(c, 1))) for c in y}
    rows = zip(weights, y, predicted, strict=True)
    errors = sum(
        w * factors[label] for w, label, predicted_class in rows if label != predicted_class
    )
    total = sum(w * factors[label] for w, label in zip(weights, y, strict=True))
    return errors + problem.leaf_penalty * total * outcome.tree.leaves


@settings(max_examples=100 if QUICK else 300, deadline=None)
@given(
    tables(),
    st.one_of(st.just("balanced"), st.fixed_dictionaries(dict.fromkeys("abc", FACTORS))),
    st.integers(0, 2),
    st.sampled_from([0, Fraction(1, 50)]),
)
def test_engine_definition_and_recount_agree(
    table: tuple[np.ndarray, list[str], list[int]], given: Any, depth: int, penalty: Any
) -> None:
    X, y, weights = table
    parameters = {"leaf_penalty": penalty, "limits": Limits(max_depth=depth), "class_weight": given}
    problem = Problem(X, y, weights, **parameters)
    outcome = solve(problem)
    assert outcome.status is Status.OPTIMAL
    assert outcome.cost == solve(problem, implementation="spec").cost
    assert outcome.cost == recounted(problem, outcome, given, y, weights)
    assert outcome.stats["weight_rounding"] == 0


def test_whole_factors_are_weights_of_rows() -> None:
    X = np.arange(6).reshape(-1, 1) % 4
    y = list("abaabb")
    weighted = Problem(X, y, class_weight={"a": 3, "b": 2}).dataset
    assert weighted.weights.tolist() == [3, 2, 3, 3, 2, 2]
    assert weighted.weight_scale == 1
    other = Problem(X, y, class_weight={"a": 4, "b": 2}).dataset
    assert other.weights.tolist() == [4, 2, 4, 4, 2, 2]


def test_floats_are_read_by_their_shortest_decimal_form() -> None:
    dataset = Problem([[0], [1], [2]], list("abc"), class_weight=FACTORS_OF_EVERY_KIND).dataset
    factors = [Fraction(int(w), dataset.weight_scale) for w in dataset.weights]
    assert factors == [Fraction(1, 3), Fraction(1, 10), Fraction(2)]


def test_balanced_errors_are_one_minus_the_balanced_accuracy() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 5, (60, 3))
    y = (rng.random(60) < 0.2).astype(int)
    model = OptimalTreeClassifier(max_depth=2, class_weight="balanced").fit(X, y)
    share = balanced_accuracy_score(y, model.predict(X))
    assert float(model.outcome_.cost) / len(y) == pytest.approx(1 - share)


def test_no_stump_has_a_greater_balanced_accuracy() -> None:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, (40, 2))
    y = (rng.random(40) < 0.15 + 0.2 * X[:, 0]).astype(int)
    balanced = OptimalTreeClassifier(max_depth=1, class_weight="balanced").fit(X, y)
    stumps = [
        np.where(X[:, j] <= t, left, 1 - left) for j in (0, 1) for t in (0, 1) for left in (0, 1)
    ]
    best = max(balanced_accuracy_score(y, predicted) for predicted in stumps)
    assert balanced_accuracy_score(y, balanced.predict(X)) == best
    plain = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert recall_score(y, plain.predict(X)) < recall_score(y, balanced.predict(X))


def test_ensembles_use_class_weights() -> None:
    X, y = [[0], [0], [0], [1]], list("aabb")
    plain, weighted = (
        OptimalEnsembleClassifier(3, "errors", max_depth=1, class_weight=given).fit(X, y)
        for given in (None, {"b": 3})
    )
    # Where X is 0, there are two "a" and one "b", which then weighs 3.
    assert (plain.outcome_.cost, weighted.outcome_.cost) == (1, 2)


def test_factors_whose_common_denominator_exceeds_62_bits_are_rounded_and_this_is_reported() -> (
    None
):
    given = {"a": Fraction(1, 2**31 - 1), "b": Fraction(1, 2**19 - 1), "c": Fraction(1, 3**12)}
    outcome = solve(Problem([[0], [1], [1]], list("abc"), [1, 2**20, 1], class_weight=given))
    # At X = 1 class "b" weighs 2**20 / (2**19 - 1), about 2, so "c" is misclassified.
    assert 0 < outcome.stats["weight_rounding"] < 1e-9
    assert float(outcome.cost) == pytest.approx(float(given["c"]), rel=1e-9)


def test_a_factor_for_a_class_that_a_fold_lacks_is_accepted() -> None:
    assert solve(Problem([[0], [1]], list("ab"), class_weight=FACTORS_OF_EVERY_KIND)).cost == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": 2, "B": 3}, "class_weight names 'B', which is not a label of y, and has no factor"),
        ({"a": 0}, r"class_weight\['a'\] must be a finite number > 0, got 0"),
        ({"a": -1}, r"class_weight\['a'\] must be a finite number > 0"),
        ({"a": float("nan")}, r"class_weight\['a'\] must be a finite number > 0"),
        ({"a": "2"}, r"class_weight\['a'\] must be a finite number > 0"),
        ("even", "class_weight must be a mapping of labels to numbers"),
        ([1, 2], "class_weight must be a mapping of labels to numbers"),
    ],
)
def test_invalid_class_weights_are_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Problem([[0], [1]], list("ab"), class_weight=given)


def test_class_weights_of_a_regression_are_refused() -> None:
    with pytest.raises(ValueError, match="class_weight weighs classes; a regression has none"):
        Problem([[0], [1]], [0.5, 1.5], minimize="squared_error", class_weight="balanced")


@pytest.mark.parametrize("factor", [1e300, 10**400, Fraction(10) ** 5000])
def test_factors_that_are_too_large_are_blamed_on_their_parameter(factor: Any) -> None:
    with pytest.raises(ValueError, match=r"^class_weight: the total .* must be below"):
        Problem([[0], [1]], [0, 1], class_weight={0: factor, 1: 1})
    with pytest.raises(ValueError, match=r"^cost_matrix: the total .* must be below"):
        solve(Problem([[0], [1]], [0, 1], cost_matrix={0: {1: factor}}))


def test_factors_that_are_too_small_leave_every_row_in_the_table() -> None:
    table = {"X": [[0], [1]], "y": [0, 1], "sample_weight": [1e-150, 1e-150]}
    assert (Problem(**table, class_weight={0: 1e-200}).dataset.weights >= 1).all()
    with pytest.raises(ValueError, match=r"^class_weight: the total .* is too small"):
        Problem([[0], [1]], [0, 1], class_weight={0: 1e-300, 1: 1e-320})
