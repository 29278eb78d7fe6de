"""OptimalTreeClassifier in scikit-learn's pipelines, searches, cross-validation and HTML."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from exactree import OptimalTreeClassifier

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


@pytest.fixture(scope="module")
def iris() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return iris; at depth 2 the minimum number of errors is 6."""
    X, y = load_iris(return_X_y=True)
    return X, y


def errors(model: Any, X: Any, y: Any) -> int:
    """Return the number of rows that a fitted model misclassifies."""
    return int(np.sum(np.asarray(model.predict(X)) != np.asarray(y)))


def test_pipeline_passes_names_on(iris: Any) -> None:
    X, y = iris
    frame = pd.DataFrame(X, columns=NAMES)
    pipeline = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=2))
    pipeline.set_output(transform="pandas").fit(frame, y)
    assert list(pipeline[-1].feature_names_in_) == NAMES
    assert errors(pipeline, frame, y) == 6


def test_sample_weight_goes_through_a_pipeline(iris: Any) -> None:
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=1))
    pipeline.fit(X, y, optimaltreeclassifier__sample_weight=(y == 2).astype(int) + 1)
    assert pipeline[-1].outcome_.cost == 50


@pytest.mark.parametrize("seed", range(60))
def test_a_weight_equals_repeated_rows_in_any_order(seed: int) -> None:
    """Both fits have the same tree, not only the same cost; scikit-learn checks one table only."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(5, 60)
    X = rng.integers(0, rng.integers(2, 30), size=(rows, rng.integers(1, 12))).astype(float)
    y = rng.integers(0, 4, size=rows)
    weight = rng.integers(0, 5, size=rows)
    weight[0] = 1
    order = rng.permutation(rows)
    model = OptimalTreeClassifier(max_depth=3, max_size=4, leaf_penalty=[0, 0.01][seed % 2])
    weighted = clone(model).fit(X[order], y[order], sample_weight=weight[order])
    repeated = clone(model).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert weighted.outcome_.cost == repeated.outcome_.cost
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_grid_search_may_use_numpy_parameters(iris: Any) -> None:
    X, y = iris
    grid = {"max_depth": np.arange(1, 3), "leaf_penalty": np.array([0.0, 0.01])}
    search = GridSearchCV(OptimalTreeClassifier(), grid, cv=2).fit(X, y)
    assert search.best_params_["max_depth"] == 2
    assert search.best_score_ > 0.9


def test_cross_validation_in_two_processes(iris: Any) -> None:
    X, y = iris
    scores = cross_val_score(OptimalTreeClassifier(max_depth=2), X, y, cv=3, n_jobs=2)
    assert scores.min() > 0.85


def test_clone_keeps_parameters_and_drops_the_fit(iris: Any) -> None:
    X, y = iris
    model = OptimalTreeClassifier(max_depth=1, leaf_penalty=0.25).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "tree_")


def test_a_pickle_predicts_the_same_and_holds_no_training_data() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 4))
    model = OptimalTreeClassifier(max_depth=1).fit(X, X[:, 0] > 0)
    written = pickle.dumps(model)
    assert len(written) < 50_000
    read = pickle.loads(written)
    np.testing.assert_array_equal(read.predict(X), model.predict(X))
    assert read.tree_ == model.tree_
    assert read.outcome_.cost == model.outcome_.cost == 0


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_keep_their_names(iris: Any, frame: Any) -> None:
    X, y = iris
    table = frame(dict(zip(NAMES, X.T, strict=True)))
    labels = np.asarray(["setosa", "versicolor", "virginica"])[y]
    target = table.__class__({"species": labels})["species"]
    model = OptimalTreeClassifier(max_depth=2).fit(table, target)
    assert list(model.feature_names_in_) == NAMES
    assert model.tree_.feature_names == tuple(NAMES)
    assert errors(model, table, labels) == 6
    assert model.score(table, target) == pytest.approx(144 / 150)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.predict(X)


def test_only_a_table_with_names_sets_feature_names_in(iris: Any) -> None:
    X, y = iris
    model = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame(X, columns=NAMES), y)
    assert model.feature_names_in_.dtype == object
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 4


def test_the_html_shows_the_fitted_tree(iris: Any) -> None:
    X, y = iris
    model = OptimalTreeClassifier(max_depth=1)
    assert "<svg" not in model._repr_mimebundle_()["text/html"]
    model.fit(X, y)
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "OptimalTreeClassifier" in html
        assert "<svg" in html
    with sklearn.config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")
