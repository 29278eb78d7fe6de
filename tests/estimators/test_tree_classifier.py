"""OptimalTreeClassifier: attributes, methods, parameters, labels, outcomes and warnings."""

import pickle
from inspect import signature
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError

import exactree.estimators.base as base
from exactree import Infeasible, Limits, NotProvedWarning, OptimalTreeClassifier, Problem
from exactree import solve as real_solve
from exactree.objectives import SMOOTHED_TERMS
from exactree.problem import Outcome, Status
from exactree.rules import AxisParallel, Hyperplanes

# A threshold on x1 predicts all labels but the last, which also needs x0; x2 is constant.
X = np.array([[0, 0, 5], [1, 0, 5], [0, 1, 5], [1, 1, 5], [0, 2, 5], [1, 2, 5]], dtype=float)
Y = np.array(["a", "a", "b", "b", "b", "a"])


def by_specification(**parameters: Any) -> OptimalTreeClassifier:
    """Return an estimator that runs the specification, which is fast enough for small tables."""
    return OptimalTreeClassifier(implementation="spec", **parameters)


def test_attributes_of_a_fit() -> None:
    model = by_specification(max_depth=1).fit(X, Y)
    assert model.outcome_.status is Status.OPTIMAL
    assert model.outcome_.cost == model.outcome_.lower_bound == 1
    assert model.classes_.tolist() == ["a", "b"]
    assert model.n_classes_ == 2
    assert model.n_features_in_ == 3
    assert model.get_depth() == model.tree_.depth == 1
    assert model.get_n_leaves() == model.tree_.leaves == 2


def test_methods_agree_with_each_other() -> None:
    model = by_specification(max_depth=2).fit(X, Y)
    leaf = model.apply(X)
    proba = model.predict_proba(X)
    assert model.predict(X).tolist() == Y.tolist()
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(X)), proba)
    path = model.decision_path(X)
    assert path.shape == (6, model.tree_.node_count)
    assert all(path[row, leaf[row]] == 1 and path[row, 0] == 1 for row in range(6))
    assert model.score(X, Y) == 1.0
    assert model.score(X, ["a", "b", "b", "b", "b", "zebra"], [1, 1, 1, 1, 1, 3]) == 0.5


def test_the_logarithm_of_a_zero_probability_raises_no_warning(
    recwarn: pytest.WarningsRecorder,
) -> None:
    assert np.isneginf(by_specification(max_depth=2).fit(X, Y).predict_log_proba(X)).any()
    assert not recwarn.list


@pytest.mark.parametrize("implementation", ["native", "spec"])
def test_categories_by_name_are_split_by_code(implementation: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"colour": [2, 3, 5, 3, 2, 5], "size": [1, 2, 1, 1, 2, 2]})
    labels = ["a", "b", "a", "b", "a", "a"]
    model = OptimalTreeClassifier(
        max_depth=1, categories=["colour"], implementation=implementation, method="auto"
    )
    model = clone(model).fit(frame, labels)
    assert model.outcome_.cost == 0
    assert str(model.tree_).startswith("colour == 3\n")
    assert model.tree_.threshold[0] == 3
    new = pandas.DataFrame({"colour": [3, 4, -1], "size": [9, 9, 9]})
    assert pickle.loads(pickle.dumps(model)).predict(new).tolist() == ["b", "a", "a"]
    assert model.feature_importances_.tolist() == [1, 0]
    model.set_params(categories=["size"], rules=AxisParallel(["size"])).fit(frame, labels)
    assert set(model.tree_.feature.tolist()) <= {1, -2}
    with pytest.raises(ValueError, match="categories names 'shape', but the columns of X are 'col"):
        model.set_params(categories=["shape"]).fit(frame, labels)


def test_importances_are_shares_of_the_saved_errors() -> None:
    assert by_specification(max_depth=1).fit(X, Y).feature_importances_.tolist() == [0, 1, 0]
    model = by_specification(max_depth=2).fit(X, Y)
    # Three errors at the root, one after x1, none after x0.
    np.testing.assert_allclose(model.feature_importances_, [1 / 3, 2 / 3, 0])


def test_importances_of_a_leaf_are_zero() -> None:
    assert by_specification(max_depth=0).fit(X, Y).feature_importances_.tolist() == [0, 0, 0]


def test_importances_use_weights() -> None:
    model = by_specification(max_depth=2).fit(X, Y, sample_weight=[1, 1, 1, 1, 5, 10])
    # x1 <= 1.5 leaves the root's 7 errors: 2 on its left, which x1 <= 0.5 saves, and 5 on its
    # right, which x0 saves. Without weights the importances are [1/3, 2/3, 0].
    np.testing.assert_allclose(model.feature_importances_, [5 / 7, 2 / 7, 0])


def test_auto_depth_is_three_and_none_is_no_limit() -> None:
    # Labels that alternate along nine rows need nine leaves; depth 3 allows eight.
    table = np.arange(9.0)[:, None]
    labels = np.arange(9) % 2
    auto = by_specification().fit(table, labels)
    assert (auto.outcome_.cost, auto.get_depth()) == (1, 3)
    free = by_specification(max_depth=None).fit(table, labels)
    assert (free.outcome_.cost, free.get_n_leaves()) == (0, 9)


def test_parameters_are_those_of_a_problem_its_limits_and_solve_and_warm_start() -> None:
    """Two defaults differ, so that a first call returns soon: max_depth and time_limit."""
    expected: dict[str, Any] = {}
    for source in (Problem.__init__, Limits, real_solve):
        parameters = signature(source).parameters.items()
        expected |= {name: parameter.default for name, parameter in parameters}
    for of_the_table in ("self", "X", "y", "sample_weight", "problem", "limits"):
        expected.pop(of_the_table, None)
    for of_ensembles in ("n_trees", "max_total_size"):
        del expected[of_ensembles]
    expected |= {"max_depth": "auto", "time_limit": 60, "warm_start": False}
    assert OptimalTreeClassifier().get_params() == expected


@pytest.mark.parametrize("implementation", ["native", "spec"])
def test_smallest_trees_without_errors_are_not_limited_in_depth(implementation: str) -> None:
    table, labels = np.arange(9.0)[:, None], np.arange(9) % 2
    model = OptimalTreeClassifier("size", implementation=implementation).fit(table, labels)
    assert (model.outcome_.cost, model.tree_.size, model.score(table, labels)) == (8, 8, 1.0)
    model = OptimalTreeClassifier(("depth", "size"), implementation=implementation)
    assert model.fit(table, labels).outcome_.cost == (4, 8)
    model = OptimalTreeClassifier("size", max_errors=1, implementation=implementation)
    assert model.fit(table, labels).outcome_.cost == 6
    with pytest.raises(Infeasible, match="rows 0, 1 have equal features"):
        OptimalTreeClassifier("size", implementation=implementation).fit([[1], [1]], [0, 1])


def test_leaves_of_a_class_are_limited() -> None:
    table, labels = [[0], [1], [2]], ["i", "o", "i"]
    assert OptimalTreeClassifier("size").fit(table, labels).outcome_.cost == 2
    model = OptimalTreeClassifier("size", max_leaves_of={"i": 2}).fit(table, labels)
    assert (model.outcome_.cost, model.get_n_leaves()) == (2, 3)
    with pytest.raises(Infeasible, match="max_leaves_of"):
        OptimalTreeClassifier("size", max_leaves_of={"i": 1}).fit(table, labels)
    fewest_errors = by_specification(max_leaves_of={"i": 1}).fit(table, labels)
    assert fewest_errors.outcome_.cost == 1
    with pytest.raises(ValueError, match="max_leaves_of names 'z', which is not a label of y"):
        by_specification(max_leaves_of={"z": 1}).fit(table, labels)


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b"],
        [-1, 1],
        [7, 9],
        [0.5, 1.5],
        [True, False],
        [("x", 1), ("y", 2)],
        ["a", 1],
        [frozenset({1}), frozenset({2})],
        [b"x", b"y"],
        [2**70, -(2**70)],
        [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")],
    ],
    ids=repr,
)
def test_labels_of_any_hashable_type_are_predicted(labels: list[Any]) -> None:
    y = [labels[0] if label == "a" else labels[1] for label in Y]
    model = by_specification(max_depth=2).fit(X, y)
    predicted = model.predict(X)
    assert predicted.shape == (6,)
    assert all(label == expected for label, expected in zip(predicted, y, strict=True))
    assert {type(label) for label in y} == {type(label) for label in np.asarray(y).tolist()} or (
        predicted.dtype == object
    )
    assert model.score(X, y) == 1.0
    assert model.n_classes_ == 2


@pytest.mark.parametrize(
    "column", [[[1], [2], [1]], np.array([[1], [2], [1]])], ids=["list", "array"]
)
def test_a_column_of_labels_is_flattened_with_a_warning(column: Any) -> None:
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = by_specification(max_depth=2).fit(X[:3], column)
    assert model.predict(X[:3]).tolist() == [1, 2, 1]
    assert model.classes_.dtype.kind == "i"


def test_score_refuses_wrong_lengths_and_weights_like_fit() -> None:
    model = by_specification(max_depth=1).fit(X, Y)
    with pytest.raises(ValueError, match="6 rows but y has 2 labels"):
        model.score(X, Y[:2])
    with pytest.raises(ValueError, match="sample_weight"):
        model.score(X, Y, np.zeros(6))


@pytest.mark.filterwarnings("ignore:y has 60 distinct whole numbers")
def test_labels_with_fractions_are_classes_unless_too_many_are_distinct() -> None:
    rng = np.random.default_rng(0)
    table = np.arange(60.0)[:, None]
    half = np.where(table[:, 0] < 30, 0.5, 1.5)
    assert by_specification(max_depth=1).fit(table, half).predict([[0], [59]]).tolist() == [
        0.5,
        1.5,
    ]
    twenty = np.repeat(np.arange(20) / 4, 3)
    assert by_specification(max_depth=0).fit(table, twenty).n_classes_ == 20
    for target in (rng.normal(size=60), np.repeat(np.arange(30) / 4, 2), np.arange(3) / 4):
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            by_specification().fit(table[: target.size], target)
    assert by_specification(max_depth=0).fit(table, np.arange(60.0)).n_classes_ == 60


def outcome_with(**changes: Any) -> Any:
    """Return a replacement of `solve` that changes some fields of its outcome."""

    def changed_solve(problem: Problem, **options: Any) -> Outcome:
        outcome = real_solve(problem, implementation="spec")
        fields = ("status", "cost", "lower_bound", "tree", "stats", "stopped_by", "reason")
        return Outcome(**({name: getattr(outcome, name) for name in fields} | changes))

    return changed_solve


def test_a_fit_that_is_not_proved_warns_with_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = outcome_with(status=Status.FEASIBLE, lower_bound=0, stopped_by="time limit")
    monkeypatch.setattr(base, "solve", changed)
    with pytest.warns(NotProvedWarning, match=r"time limit .* cost 1 and lower bound 0.*100\.0%"):
        model = by_specification(max_depth=1).fit(X, Y)
    assert model.score(X, Y) == pytest.approx(5 / 6)


def test_an_interrupt_keeps_the_incumbent(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = outcome_with(status=Status.FEASIBLE, lower_bound=0, stopped_by="interrupt")
    monkeypatch.setattr(base, "solve", changed)
    model = by_specification(max_depth=1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert model.outcome_.stopped_by == "interrupt"
    assert model.score(X, Y) == pytest.approx(5 / 6)


def test_a_search_that_stops_without_a_tree_leaves_no_older_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = by_specification(max_depth=1).fit(X, Y)
    nothing = {"status": Status.STOPPED, "cost": None, "tree": None, "stopped_by": "time limit"}
    monkeypatch.setattr(base, "solve", outcome_with(**nothing))
    with pytest.warns(NotProvedWarning, match="No tree was found"):
        model.fit(X, Y)
    assert model.outcome_.status is Status.STOPPED
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_infeasible_raises_with_the_reason() -> None:
    with pytest.raises(Infeasible, match="max_errors"):
        by_specification(max_depth=0, max_errors=1).fit(X, Y)


def test_only_verbose_writes_and_only_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    by_specification(max_depth=1).fit(X, Y)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    model = by_specification(max_depth=1, verbose=1).fit(X, Y)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert str(model.outcome_) in captured.err


def test_methods_of_an_unfitted_estimator_raise() -> None:
    model = by_specification()
    for method in ("predict", "predict_proba", "predict_log_proba", "apply", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(model, method)(X)
    for call in (model.get_depth, model.get_n_leaves, lambda: model.score(X, Y)):
        with pytest.raises(NotFittedError):
            call()
    assert not hasattr(model, "feature_importances_")


def test_features_of_a_hyperplane_share_its_importance() -> None:
    exclusive_or = [[0, 0, 7], [0, 1, 7], [1, 0, 7], [1, 1, 7]], [0, 1, 1, 0]
    model = clone(OptimalTreeClassifier(rules=Hyperplanes(), max_depth=2)).fit(*exclusive_or)
    assert model.outcome_.cost == 0
    assert model.tree_.size == 2
    assert model.feature_importances_.tolist() == [0.5, 0.5, 0]
    assert model.get_params()["rules"] == Hyperplanes()


def test_a_row_is_predicted_alike_in_tables_of_any_length() -> None:
    """The weighted sums of a million rows may be computed in another order."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), [0, 1] * 6
    tree = OptimalTreeClassifier(rules=Hyperplanes(), max_depth=2).fit(X, y).tree_
    many = np.tile(X, (80_000, 1))
    assert (tree.apply(many).reshape(80_000, 12) == tree.apply(X)).all()


@pytest.mark.parametrize("minimize", SMOOTHED_TERMS)
def test_every_cost_of_shares_is_minimized_with_the_smoothing_of_the_estimator(
    minimize: str,
) -> None:
    X, y = [[0], [1], [2], [3], [4]], [0, 1, 0, 1, 1]
    model = OptimalTreeClassifier(minimize=minimize, smoothing="laplace", max_depth=1).fit(X, y)
    limits = Limits(max_depth=1)
    smoothed = Problem(X, y, minimize=minimize, smoothing="laplace", limits=limits)
    assert model.outcome_.cost == real_solve(smoothed).cost
    plain = Problem(X, y, minimize=minimize, limits=limits)
    assert model.outcome_.cost != real_solve(plain).cost
