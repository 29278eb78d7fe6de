"""OptimalTreeRegressor: attributes, methods, parameters, outcomes and warnings."""

import pickle
from inspect import signature
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

from exactree import (
    Infeasible,
    Limits,
    NotProvedWarning,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Problem,
    RegressionTree,
    Status,
)
from exactree import solve as real_solve

X = np.array([[0, 0, 5], [1, 0, 5], [0, 1, 5], [1, 1, 5], [0, 2, 5], [1, 2, 5]], dtype=float)
Y = np.array([1.0, 2.0, 7.0, 7.5, 8.0, 2.5])
IMPLEMENTATIONS = ["native", "spec"]


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_attributes_and_methods_of_a_fit(implementation: str) -> None:
    model = OptimalTreeRegressor(max_depth=1, implementation=implementation).fit(X, Y)
    assert isinstance(model.tree_, RegressionTree)
    assert model.outcome_.status is Status.OPTIMAL
    # The squared errors of the rows with x1 = 0, mean 1.5, and of the other rows, mean 6.25.
    assert model.outcome_.cost == model.outcome_.lower_bound == 0.5 + 19.25
    assert model.n_features_in_ == 3
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "predict_proba")
    assert model.get_depth() == model.tree_.depth == 1
    assert model.get_n_leaves() == model.tree_.leaves == 2
    assert model.predict([[9, 0, 0], [9, 9, 9]]).tolist() == [1.5, 6.25]
    assert model.apply(X).tolist() == [1, 1, 2, 2, 2, 2]
    assert model.decision_path(X).shape == (6, 3)
    assert model.score(X, Y) == r2_score(Y, model.predict(X))
    assert model.feature_importances_.tolist() == [0, 1, 0]
    assert str(model.tree_).startswith("x1 <= 0.5")
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_ == model.tree_


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_the_absolute_error_predicts_lower_medians(implementation: str) -> None:
    model = OptimalTreeRegressor("absolute_error", max_depth=1, implementation=implementation)
    model.fit(X, Y)
    assert model.outcome_.cost == 1 + 6  # of 1 and 2 at x1 = 0, and of 2.5, 7, 7.5 and 8
    assert model.predict([[0, 0, 0], [0, 2, 0]]).tolist() == [1.0, 7.0]


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_constant_targets_are_a_leaf_and_proved(implementation: str) -> None:
    model = OptimalTreeRegressor(implementation=implementation).fit(X, np.full(6, 0.1))
    assert model.outcome_.status is Status.OPTIMAL
    assert (model.outcome_.cost, model.tree_.size) == (0, 0)
    assert model.predict(X).tolist() == [0.1] * 6


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_one_row_is_a_leaf(implementation: str) -> None:
    model = OptimalTreeRegressor(implementation=implementation).fit([[3]], [-2.5])
    assert model.predict([[4]]).tolist() == [-2.5]
    assert model.outcome_.status is Status.OPTIMAL


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_rows_of_zero_weight_are_ignored(implementation: str) -> None:
    weight = np.array([1, 1, 2, 0.5, 0, 0])
    model = OptimalTreeRegressor(max_depth=2, implementation=implementation)
    with_zeros = clone(model).fit(X, [*Y[:4], 1e6, -1e6], weight)
    without = clone(model).fit(X[:4], Y[:4], weight[:4])
    assert with_zeros.tree_ == without.tree_
    assert with_zeros.outcome_.cost == without.outcome_.cost


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_a_penalty_is_a_mean_error_per_leaf(implementation: str) -> None:
    table, y = [[0], [1], [2], [3]], [0, 0, 1, 1]
    for penalty, size in ((0.2, 1), (0.3, 0)):
        model = OptimalTreeRegressor(leaf_penalty=penalty, implementation=implementation)
        model.fit(table, y)
        assert model.tree_.size == size
        # Four rows times the penalty for each leaf; the single leaf has a squared error of 1.
        assert model.outcome_.cost == (2 * 4 * 0.2 if size else 1 + 4 * 0.3)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_categories_are_split_by_code(implementation: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"colour": [2, 3, 5, 3, 2, 5], "size": [1, 2, 1, 1, 2, 2]})
    model = OptimalTreeRegressor(max_depth=1, categories=["colour"], implementation=implementation)
    model.fit(frame, [1, 8, 1.5, 8.5, 1, 1.5])
    assert str(model.tree_).startswith("colour == 3\n")
    new = pandas.DataFrame({"colour": [3, 4, -1], "size": [9, 9, 9]})
    assert model.predict(new).tolist() == [8.25, 1.25, 1.25]


def test_limits_that_nothing_meets_are_refused() -> None:
    with pytest.raises(Infeasible, match="min_samples_leaf=7 requires 7 rows"):
        OptimalTreeRegressor(min_samples_leaf=7).fit(X, Y)


def test_auto_depth_is_three_and_none_is_no_limit() -> None:
    table, y = np.arange(9.0)[:, None], np.arange(9.0) ** 2
    spec: dict[str, Any] = {"implementation": "spec"}
    assert OptimalTreeRegressor(**spec).fit(table, y).tree_.leaves == 8
    assert OptimalTreeRegressor(max_depth=None, **spec).fit(table, y).tree_.leaves == 9


def test_parameters_are_those_of_a_problem_its_limits_and_solve() -> None:
    expected: dict[str, Any] = {}
    for source in (Problem.__init__, Limits, real_solve):
        parameters = signature(source).parameters.items()
        expected |= {name: parameter.default for name, parameter in parameters}
    for of_the_table in ("self", "X", "y", "sample_weight", "problem", "limits"):
        expected.pop(of_the_table, None)
    of_classes = ("max_errors", "max_leaves_of", "class_weight")
    of_classes += ("cost_matrix", "smoothing", "positive", "min_precision", "min_recall")
    for of_ensembles_or_classes in ("n_trees", "max_total_size", *of_classes):
        del expected[of_ensembles_or_classes]
    expected |= {"minimize": "squared_error", "max_depth": "auto", "time_limit": 60, "verbose": 0}
    expected |= {"warm_start": False}
    assert OptimalTreeRegressor().get_params() == expected


@pytest.mark.parametrize("minimize", ["errors", "size", ("depth", "size"), "loss", None])
def test_only_errors_of_a_regression_can_be_minimized(minimize: Any) -> None:
    with pytest.raises(ValueError, match="minimize must"):
        OptimalTreeRegressor(minimize).fit(X, Y)


def test_a_column_of_targets_is_flattened_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = OptimalTreeRegressor(max_depth=1).fit(X, Y[:, None])
    assert model.predict(X).shape == (6,)


def test_the_classifier_refuses_continuous_targets_and_names_the_regressor() -> None:
    with pytest.raises(ValueError, match="OptimalTreeRegressor takes those"):
        OptimalTreeClassifier().fit(np.arange(60.0)[:, None], np.arange(60) / 7)


def test_it_has_a_better_training_score_than_a_greedy_tree() -> None:
    table, y = load_diabetes(return_X_y=True)
    greedy = DecisionTreeRegressor(max_depth=2, random_state=0).fit(table, y)
    model = OptimalTreeRegressor(max_depth=2).fit(table, y)
    assert model.outcome_.status is Status.OPTIMAL
    assert model.score(table, y) > greedy.score(table, y)
    recount = float(((y - model.predict(table)) ** 2).sum())
    assert model.outcome_.cost == pytest.approx(recount, rel=1e-12)
    exported = model.tree_.to_sklearn(table)
    assert exported.predict(table).tolist() == model.predict(table).tolist()


def test_a_fit_that_is_not_proved_warns_with_the_gap() -> None:
    rng = np.random.default_rng(0)
    table, y = rng.normal(size=(500, 6)), rng.normal(size=500)
    with pytest.warns(NotProvedWarning, match="is not proved optimal: the gap stopped the search"):
        model = OptimalTreeRegressor(max_depth=3, stop_at_gap=0.9).fit(table, y)
    assert 0 < model.outcome_.gap <= 0.9
    assert model.outcome_.lower_bound < model.outcome_.cost


def test_a_grid_search_chooses_the_better_depth() -> None:
    search = GridSearchCV(OptimalTreeRegressor(), {"max_depth": [0, 1], "leaf_penalty": [0, 1]})
    search.fit(np.repeat(X, 4, axis=0), np.repeat(Y, 4))
    assert search.best_estimator_.get_depth() == 1
