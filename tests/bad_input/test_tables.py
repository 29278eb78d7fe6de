"""Wrong tables, labels, weights and parameters: one error message each, and no side effects."""

import re
from typing import Any

import numpy as np
import pytest

from exactree import Infeasible, Limits, MethodRefused, Problem, Status, solve

from .mistakes import FRAME, MISTAKES, Mistake, X, Y, is_short_line, small


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_bad_table_is_refused_in_one_sentence(mistake: Mistake) -> None:
    model = small()
    table = X if mistake.X is None else mistake.X
    labels = Y if mistake.y is None and mistake.name != "no labels" else mistake.y
    with pytest.raises(mistake.error) as caught:
        model.fit(table, labels, sample_weight=mistake.sample_weight)
    message = str(caught.value)
    for word in mistake.words:
        assert word.lower() in message.lower(), message
    assert is_short_line(message), message
    assert not hasattr(model, "tree_")


PARAMETERS = [
    ("minimize", "accuracy"),
    ("minimize", "squared_error"),  # for regressors
    ("minimize", ("size", "absolute_error")),
    ("minimize", "total_size"),  # for ensembles
    ("minimize", ("size", "size")),
    ("max_depth", -1),
    ("max_depth", "deep"),
    ("max_depth", 2.5),
    ("max_depth", True),
    ("max_depth", 1e30),
    ("max_size", -1),
    ("max_size", 1.5),
    ("max_errors", -1),
    ("max_errors", float("nan")),
    ("max_errors", "few"),
    ("min_samples_leaf", 0),
    ("min_samples_leaf", -3),
    ("min_samples_leaf", 1.5),
    ("min_samples_leaf", float("nan")),
    ("leaf_penalty", -0.1),
    ("leaf_penalty", float("inf")),
    ("leaf_penalty", "high"),
    ("rules", "oblique"),
    ("categories", [5]),
    ("categories", "age"),
    ("method", "magic"),
    ("method", "witness"),  # for minimum sizes
    ("implementation", "gpu"),
    ("time_limit", -1),
    ("time_limit", 0),
    ("time_limit", float("nan")),
    ("time_limit", "long"),
    ("memory_limit", -1),
    ("memory_limit", "much"),
    ("n_jobs", 1.5),
    ("n_jobs", 0),
    ("stop_at_gap", -0.5),
    ("stop_at_gap", "small"),
    ("on_progress", "print"),
    ("verbose", "loud"),
    ("verbose", -1),
]


@pytest.mark.parametrize(("name", "value"), PARAMETERS)
def test_a_bad_parameter_value_is_refused_by_name(name: str, value: Any) -> None:
    model = small(**{name: value})
    with pytest.raises((ValueError, TypeError)) as caught:
        model.fit(X, Y)
    message = str(caught.value)
    assert name in message, message
    assert is_short_line(message), message


def test_a_method_that_refuses_names_a_method_that_accepts() -> None:
    with pytest.raises(MethodRefused, match="branch-and-bound"):
        small(method="witness").fit(X, Y)


def test_one_class_gives_a_leaf_with_a_proof() -> None:
    model = small().fit(X, ["only"] * 4)
    assert model.outcome_.status is Status.OPTIMAL
    assert model.outcome_.cost == 0
    assert model.get_n_leaves() == 1
    assert model.predict(X).tolist() == ["only"] * 4
    assert model.predict_proba(X).tolist() == [[1.0]] * 4


def test_one_row_gives_a_leaf_with_a_proof() -> None:
    model = small().fit(X[:1], Y[:1])
    assert model.outcome_.status is Status.OPTIMAL
    assert model.get_n_leaves() == 1
    assert model.predict(X).tolist() == [0] * 4


def test_rows_of_zero_weight_can_leave_one_class() -> None:
    model = small().fit(X, Y, sample_weight=[1, 1, 0, 0])
    assert model.classes_.tolist() == [0]
    assert model.predict(X).tolist() == [0] * 4


IMPOSSIBLE = [
    ({"min_samples_leaf": 5}, "min_samples_leaf"),
    ({"max_errors": 1, "max_depth": 0}, "max_errors"),
    ({"max_errors": 0, "max_size": 0}, "max_errors"),
]


@pytest.mark.parametrize(("limits", "word"), IMPOSSIBLE)
def test_impossible_limits_are_infeasible_with_the_reason(
    limits: dict[str, Any], word: str
) -> None:
    outcome = solve(Problem(X, Y, limits=Limits(**limits)), implementation="spec")
    assert outcome.status is Status.INFEASIBLE
    assert outcome.tree is None
    assert outcome.cost is None
    assert outcome.reason is not None
    assert word in outcome.reason
    with pytest.raises(Infeasible, match=word):
        small(**({"max_depth": None} | limits)).fit(X, Y)


def test_contradictory_rows_make_zero_errors_infeasible() -> None:
    problem = Problem([[1], [1], [2]], [0, 1, 1], limits=Limits(max_errors=0))
    outcome = solve(problem, implementation="spec")
    assert outcome.status is Status.INFEASIBLE
    assert re.search("contradict|max_errors", outcome.reason or "")


def test_a_penalty_without_errors_to_minimize_is_refused() -> None:
    with pytest.raises(ValueError, match="leaf_penalty must be 0 unless 'errors' is in minimize"):
        small(leaf_penalty=0.01, minimize="size").fit(X, Y)


PREDICTIONS = [
    ("missing", FRAME[["age"]], "should match"),
    ("permuted", FRAME[["height", "age"]], "same order"),
    ("renamed", FRAME.rename(columns={"age": "years"}), "years"),
    ("too many", FRAME.assign(weight=1.0), "weight"),
    ("array too narrow", X[:, :1], "X has 1 features.*expecting 2"),
    ("array too wide", np.ones((2, 3)), "X has 3 features.*expecting 2"),
    ("list too wide", [[1.0, 2.0, 3.0]], "3 features"),
    ("infinity", FRAME.assign(height=np.inf), "inf.*height|height.*inf"),
    ("text", FRAME.assign(height="tall"), "height"),
    ("one dimension", X[0], "Reshape your data"),
]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
@pytest.mark.parametrize(("name", "table", "words"), PREDICTIONS, ids=lambda value: str(value)[:12])
def test_a_bad_table_is_refused_by_all_methods_of_a_fitted_estimator(
    method: str, name: str, table: Any, words: str
) -> None:
    model = small().fit(FRAME, Y)
    with pytest.raises(ValueError, match="(?s)" + words):
        getattr(model, method)(table)


def test_no_rows_at_predict_time_give_no_predictions() -> None:
    model = small().fit(FRAME, Y)
    assert model.predict(FRAME[:0]).shape == (0,)
    assert model.predict_proba(FRAME[:0]).shape == (0, 2)
    assert model.apply(FRAME[:0]).shape == (0,)


@pytest.mark.parametrize(("name", "table", "words"), PREDICTIONS, ids=lambda value: str(value)[:12])
def test_a_tree_refuses_the_same_tables(name: str, table: Any, words: str) -> None:
    tree = small().fit(FRAME, Y).tree_
    with pytest.raises(ValueError, match="(?s)" + words):
        tree.predict(table)


def test_a_failing_fit_leaves_the_earlier_fit_as_it_was() -> None:
    model = small().fit(FRAME, Y)
    before = dict(model.__dict__)
    failures: list[tuple[dict[str, Any], Any, Any, Any]] = [
        ({}, FRAME.assign(height=np.inf), Y, None),
        ({}, X, Y[:3], None),
        ({}, X, Y, [-1, 1, 1, 1]),
        ({"max_depth": -1}, X, Y, None),
        ({"max_depth": 0, "max_errors": 0}, X, Y, None),
        ({"method": "magic"}, X, Y, None),
    ]
    for parameters, table, labels, weights in failures:
        model.set_params(**parameters)
        with pytest.raises(ValueError, match=r"\w{4}"):
            model.fit(table, labels, sample_weight=weights)
        model.set_params(**{name: before[name] for name in parameters})
        assert model.__dict__ == before
    assert model.predict(FRAME).tolist() == Y.tolist()


def test_fit_changes_none_of_its_arguments() -> None:
    table, labels, weights = X.copy(), Y.copy(), np.ones(4)
    model = small().fit(table, labels, sample_weight=weights)
    np.testing.assert_array_equal(table, X)
    np.testing.assert_array_equal(labels, Y)
    np.testing.assert_array_equal(weights, np.ones(4))
    table[:], labels[:] = 0, 0  # the caller may change them
    assert model.predict(X).tolist() == Y.tolist()
