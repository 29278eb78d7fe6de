"""OptimalTreeClassifierCV and OptimalTreeRegressorCV: the setting with the best held-out score."""

from typing import Any

import joblib
import matplotlib as mpl
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score

from exactree import (
    Infeasible,
    NotProvedWarning,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    Status,
)
from exactree.estimators.front_of_rows import fronts_advice
from exactree.tuning import plot_tuning

mpl.use("agg")


def table(seed: int = 0, rows: int = 80) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3)).round(1)
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (rng.random(rows) < 0.15)).astype(int)


@pytest.mark.parametrize("along", ["size", "depth"])
@pytest.mark.parametrize(
    ("tuned", "estimator"),
    [
        (OptimalTreeClassifierCV, OptimalTreeClassifier(max_depth=2)),
        (OptimalTreeRegressorCV, OptimalTreeRegressor(max_depth=2)),
    ],
)
def test_scores_are_those_of_a_grid_search(tuned: Any, estimator: Any, along: str) -> None:
    """Scores may differ if several trees are optimal: classifiers are compared at size 0 only."""
    X, y = table()
    y = y + X[:, 2] / 10 if tuned is OptimalTreeRegressorCV else y
    parameter, values = ("max_size", [0, 1, 2, 3]) if along == "size" else ("max_depth", [0, 1, 2])
    model = tuned(estimator, along=along, cv=3).fit(X, y)
    grid = GridSearchCV(clone(estimator), {parameter: values}, cv=3).fit(X, y)
    grid_scores = dict(zip(values, grid.cv_results_["mean_test_score"], strict=True))
    scores = model.cv_results_["mean_test_score"]
    for entry, score in zip(model.cv_results_["params"], scores, strict=True):
        if tuned is OptimalTreeRegressorCV or entry[parameter] == 0:
            assert score == pytest.approx(grid_scores[entry[parameter]])
    assert model.best_score_ == max(scores)
    assert model.tree_ is model.tried_[model.best_index_].tree
    direct = clone(estimator).set_params(**model.best_params_).fit(X, y)
    assert model.outcome_.cost == pytest.approx(direct.outcome_.cost)
    assert (model.predict(X) == model.best_estimator_.predict(X)).all()


@pytest.mark.parametrize("minimize", ["errors", "balanced_error", "gini", "f1_error"])
def test_every_tried_tree_is_optimal_for_its_leaf_penalty(minimize: str) -> None:
    X, y = table()
    estimator = OptimalTreeClassifier(minimize=minimize, max_depth=2)
    model = OptimalTreeClassifierCV(estimator, along="leaf_penalty", cv=4).fit(X, y)
    assert model.n_splits_ == 4
    assert len(model.tried_) > 1
    for entry, outcome in zip(model.cv_results_["params"], model.tried_, strict=True):
        direct = clone(estimator).set_params(**entry).fit(X, y)
        assert direct.get_n_leaves() == outcome.tree.leaves


def test_any_scorer_can_choose_the_tree() -> None:
    X, y = load_iris(return_X_y=True)
    model = OptimalTreeClassifierCV(scoring="neg_log_loss", cv=3)
    model.set_params(estimator=OptimalTreeClassifier(max_depth=2, smoothing="laplace")).fit(X, y)
    assert model.best_score_ < 0
    assert model.score(X, y) < 0
    assert model.predict_proba(X).max() < 1
    few_classes = make_scorer(lambda y, predicted: -len(set(predicted)))
    assert OptimalTreeClassifierCV(scoring=few_classes, cv=3).fit(X, y).tree_.size == 0


def test_a_parallel_backend_gives_the_same_tree_and_scores() -> None:
    X, y = table(rows=40)
    serial = OptimalTreeClassifierCV(cv=3).fit(X, y)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        parallel = OptimalTreeClassifierCV(cv=3).fit(X, y)
    assert parallel.tree_ == serial.tree_
    assert parallel.cv_results_["mean_test_score"].tolist() == pytest.approx(
        serial.cv_results_["mean_test_score"].tolist()
    )
    assert OptimalTreeClassifierCV(cv=3, n_jobs=2).fit(X, y).tree_ == serial.tree_


def test_text_missing_values_weights_and_labels_of_any_hashable_type_are_accepted() -> None:
    rng = np.random.default_rng(0)
    X = np.array([[rng.choice(["a", "b", "c"]), rng.random()] for _ in range(60)], dtype=object)
    y = np.where(X[:, 0] == "b", "yes", "no")
    X[rng.random(60) < 0.1, 1] = None
    weights = rng.integers(1, 4, size=60)
    model = OptimalTreeClassifierCV(cv=3).fit(X, y, sample_weight=weights)
    assert model.best_params_ == {"max_size": 1}
    assert model.score(X, y) == 1
    labels = [{"yes": ("y", 1), "no": ("n", 0)}[label] for label in y]
    assert OptimalTreeClassifierCV(cv=3).fit(X, labels).predict(X[:1])[0] in (("y", 1), ("n", 0))


def test_weights_count_in_scores_as_rows_do() -> None:
    X, y = table(rows=30)
    weights = np.where(y == 1, 3, 1)
    folds = list(KFold(3).split(X))
    model = OptimalTreeClassifierCV(OptimalTreeClassifier(max_depth=1), cv=folds)
    model.fit(X, y, sample_weight=weights)
    # The tree of size 0 predicts the heavier class 1.
    accuracy = [np.average(y[test] == 1, weights=weights[test]) for _, test in folds]
    assert model.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(accuracy))


def test_metadata_is_routed_to_splitter_and_scorer() -> None:
    X, y = table(rows=60)
    groups = np.arange(60) % 6
    lengths: list[int] = []

    def weighted_accuracy(y: Any, predicted: Any, sample_weight: Any = None) -> float:
        lengths.append(len(sample_weight))
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))

    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_scorer(weighted_accuracy).set_score_request(sample_weight=True)
        model = OptimalTreeClassifierCV(cv=GroupKFold(3), scoring=scorer)
        model.set_fit_request(sample_weight=True)
        model.fit(X, y, sample_weight=np.ones(60), groups=groups)
        assert set(lengths) == {20}, "a third of the rows"
        assert model.n_splits_ == 3
        inner = OptimalTreeClassifierCV(cv=GroupKFold(2))
        assert len(cross_val_score(inner, X, y, params={"groups": groups}, cv=GroupKFold(3))) == 3
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        OptimalTreeClassifierCV().fit(X, y, groups=groups)


def test_the_front_is_proved_and_its_scores_are_drawn() -> None:
    X, y = table()
    for along in ("size", "depth", "leaf_penalty"):
        model = OptimalTreeClassifierCV(along=along, cv=3).fit(X, y)
        assert {outcome.status for outcome in model.front_} == {Status.OPTIMAL}
        axes = plot_tuning(model)
        held_out = axes.containers[0].lines[0]
        assert held_out.get_ydata().tolist() == model.cv_results_["mean_test_score"].tolist()
        assert axes.get_xlabel() == ("depth" if along == "depth" else "nodes")
        assert plot_tuning(model, axes) is axes


def test_fronts_that_are_not_proved_are_counted_in_a_warning() -> None:
    """The fronts are those of two folds and of all rows."""
    X, y = table(rows=200)
    with pytest.warns(NotProvedWarning, match="proved for 0 of 2 folds, not for all rows: "):
        OptimalTreeClassifierCV(OptimalTreeClassifier(max_depth=4, time_limit=1e-6), cv=2).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"along": "height"}, "along must be one of size, depth, leaf_penalty"),
        ({"estimator": OptimalTreeRegressor()}, "must be an OptimalTreeClassifier or None"),
        ({"estimator": OptimalTreeClassifier(resume="x")}, "resume is for one search"),
        ({"estimator": OptimalTreeClassifier(max_depth=None)}, "needs max_depth or max_size"),
        ({"cv": 100}, "n_splits=100"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    X, y = table(rows=20)
    with pytest.raises((TypeError, ValueError), match=message):
        OptimalTreeClassifierCV(**parameters).fit(X, y)


def test_limits_that_no_tree_meets_are_infeasible() -> None:
    with pytest.raises(Infeasible, match="No tree meets the limits"):
        OptimalTreeClassifierCV(OptimalTreeClassifier(max_errors=0, max_depth=1)).fit(*table())


def test_the_names_of_scorers_are_checked_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exactree.estimators.tuned.front_of", None)
    for name, ending in (
        ("balanced_acuracy", r"; did you mean 'balanced_accuracy'\?$"),
        ("zzz", r"; sklearn\.metrics\.get_scorer_names\(\) lists them\.$"),
    ):
        with pytest.raises(ValueError, match=rf"^scoring must be .* got '{name}'{ending}"):
            OptimalTreeClassifierCV(scoring=name).fit(*table())


def advice_of(along: str, **parameters: Any) -> list[str]:
    return list(map(str, fronts_advice(OptimalTreeClassifier(**parameters), along)))


def test_advice_names_no_limit_that_the_user_has_not_set() -> None:
    depth, longer = "along='depth' (which takes few searches)", "a longer time_limit (60 s for"
    for along, parameters, expected in (
        ("size", {}, [depth, longer]),
        ("size", {"max_size": 5}, [depth, longer, "a smaller max_size (5 now)"]),
        ("size", {"max_size": 5, "max_depth": None}, [longer, "a smaller max_size (5 now)"]),
        ("depth", {}, [longer]),
        ("depth", {"max_depth": 4}, [longer, "a smaller max_depth (4 now)"]),
        ("leaf_penalty", {"time_limit": None}, []),
    ):
        found = advice_of(along, **parameters)
        assert len(found) == len(expected)
        assert all(text.startswith(start) for text, start in zip(found, expected, strict=True))


def test_the_warning_says_to_which_size_the_fronts_are_proved() -> None:
    X, y = table(rows=200)
    model = OptimalTreeClassifierCV(OptimalTreeClassifier(max_depth=4, time_limit=1e-6), cv=2)
    with pytest.warns(NotProvedWarning) as caught:
        model.fit(X, y)
    message = str(caught[0].message)
    assert ": trees may be missing above size 0, and another size may be better." in message
    assert "max_size" not in message
    assert "a smaller max_depth (4 now)" in message
