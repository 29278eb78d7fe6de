"""Pickles, tags and metadata routing, for which scikit-learn has no checks of its own."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import get_tags

from exactree import (
    BoundOptimalTreeClassifier,
    BoundPrunedTreeClassifier,
    OptimalEnsembleClassifier,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    OtherVersionWarning,
)
from exactree.rules import Hyperplanes

ALL: list[BaseEstimator] = [
    OptimalTreeClassifier(warm_start=True),
    OptimalTreeClassifierCV(cv=2),
    OptimalTreeRegressor(warm_start=True),
    OptimalTreeRegressorCV(cv=2),
    OptimalEnsembleClassifier(stop_at_gap=0.99),
    BoundOptimalTreeClassifier(4),
    BoundPrunedTreeClassifier(8),
]
WITH_WEIGHTS = [model for model in ALL if not isinstance(model, BoundPrunedTreeClassifier)]


def name(estimator: Any) -> str:
    return type(estimator).__name__


def table(rows: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return examples and labels of two classes; no threshold is equal to a value by chance."""
    rng = np.random.default_rng(seed)
    X = rng.random((rows, 4)) * np.pi
    return X, ((X[:, 0] > 1.5) ^ (rng.random(rows) < 0.1)).astype(int)


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_no_training_value_is_in_a_pickle(estimator: Any) -> None:
    X, y = table()
    target = y + X[:, 1] if "Regressor" in name(estimator) else y
    pickled = pickle.dumps(estimator.fit(X, target))
    for value in X.ravel():
        assert value.tobytes() not in pickled
        assert repr(float(value)).encode() not in pickled
    if "Regressor" in name(estimator):
        # Every leaf has several examples, so no target is a prediction.
        assert not [number for number in target if number.tobytes() in pickled]


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_a_pickle_does_not_grow_with_the_table(estimator: Any) -> None:
    sizes = []
    for rows in (60, 600):
        X, y = table(rows)
        if isinstance(estimator, OptimalEnsembleClassifier):
            # Labels that one threshold separates; otherwise, more rows need larger trees.
            X, y = X[:, :1], (X[:, 0] > 1.5).astype(int)
        sizes.append(len(pickle.dumps(estimator.fit(X, y))))
    # With ten times as many rows only the progress of the search has more entries.
    assert sizes[1] < 3 * sizes[0]
    assert sizes[1] < 60_000  # bytes


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_a_pickle_of_another_version_warns(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table()
    pickled = pickle.dumps(estimator.fit(X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = pickle.loads(pickled)
    assert (again.predict(X) == estimator.predict(X)).all()
    assert "_exactree_version" not in vars(again)
    monkeypatch.setattr("exactree.__version__", "99.0")
    with pytest.warns(OtherVersionWarning, match=r"was pickled by exactree .*, this is 99\.0"):
        pickle.loads(pickled)


def test_a_pickle_without_a_version_warns() -> None:
    model = OptimalTreeClassifier()
    with pytest.warns(OtherVersionWarning, match="by an older version of exactree"):
        model.__setstate__({"max_depth": 3})


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@pytest.mark.parametrize("estimator", WITH_WEIGHTS, ids=name)
def test_weights_are_routed_through_pipelines_and_cross_validation(estimator: Any) -> None:
    X, y = table()
    weights = np.where(y == 1, 3, 1)
    routed = sklearn.clone(estimator)
    with sklearn.config_context(enable_metadata_routing=True):
        routed.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        if isinstance(routed, OptimalTreeClassifierCV | OptimalTreeRegressorCV):
            tuned = OptimalTreeClassifier() if is_classifier(routed) else OptimalTreeRegressor()
            routed.set_params(estimator=tuned.set_score_request(sample_weight=True))
        results = cross_validate(routed, X, y, params={"sample_weight": weights}, cv=2)
        pipeline = make_pipeline(MinMaxScaler(), routed).fit(X, y, sample_weight=weights)
        assert 0 < pipeline.score(X, y, sample_weight=weights) <= 1
        assert np.isfinite(results["test_score"]).all()
    weighted = sklearn.clone(estimator).fit(X, y, sample_weight=weights)
    repeated = sklearn.clone(estimator).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    if not name(estimator).endswith("CV"):  # repeated rows have other folds
        assert weighted.score(X, y) == pytest.approx(repeated.score(X, y), abs=0.2)


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@pytest.mark.parametrize("estimator", ALL, ids=name)
def test_tags_agree_with_the_accepted_tables(estimator: Any) -> None:
    tags, is_regressor = get_tags(estimator), "Regressor" in name(estimator)
    assert tags.estimator_type == ("regressor" if is_regressor else "classifier")
    assert tags.target_tags.required
    assert not tags.target_tags.multi_output
    assert not tags.input_tags.sparse
    # In scikit-learn this tag means that only categories are accepted.
    assert not tags.input_tags.categorical
    if not is_regressor:
        assert tags.classifier_tags.multi_class
        assert not tags.classifier_tags.multi_label
    X, y = table()
    with_gaps = X.copy()
    with_gaps[3, 2] = np.nan
    text = np.column_stack([X.astype(object), np.where(y == 1, "a", "b")])
    inputs = tags.input_tags
    for is_accepted, examples in ((inputs.allow_nan, with_gaps), (inputs.string, text)):
        if is_accepted:
            sklearn.clone(estimator).fit(examples, y).predict(examples)
        else:
            with pytest.raises((TypeError, ValueError)):
                sklearn.clone(estimator).fit(examples, y)


def test_tags_of_a_tuned_tree_are_those_of_its_estimator() -> None:
    surfaces = OptimalTreeClassifierCV(OptimalTreeClassifier(rules=Hyperplanes(), max_depth=1))
    assert not get_tags(surfaces).input_tags.allow_nan
    assert get_tags(OptimalTreeClassifierCV()).input_tags.allow_nan


def test_frames_from_transformers_keep_their_names() -> None:
    """Only transformers have `set_output`."""
    pandas = pytest.importorskip("pandas")
    X, y = table()
    frame = pandas.DataFrame(X, columns=list("abcd"))
    scaled = make_column_transformer(
        (StandardScaler(), ["a", "b"]), verbose_feature_names_out=False
    )
    model = make_pipeline(scaled, OptimalTreeClassifier()).set_output(transform="pandas")
    assert model.fit(frame, y)[-1].feature_names_in_.tolist() == ["a", "b"]
    assert all(not hasattr(model, "set_output") for model in ALL)


def test_nested_parameters_can_be_searched() -> None:
    X, y = table(60)
    grid = GridSearchCV(OptimalTreeClassifierCV(cv=2), {"estimator__max_depth": [1, 2]}, cv=2)
    grid.set_params(estimator__estimator=OptimalTreeClassifier()).fit(X, y)
    assert grid.best_params_["estimator__max_depth"] in (1, 2)


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, 2), (1, 1), (3, 3)])
def test_the_number_of_threads_is_that_of_joblib_where_none_is_given(
    n_jobs: int | None, threads: int
) -> None:
    from joblib import parallel_config

    from exactree.problem import parameters

    assert parameters.number_of_threads(None) == 1
    with parallel_config(n_jobs=2):
        assert parameters.number_of_threads(n_jobs) == threads


class ForeignArray:
    """An array of the array API; numpy can read it only on the host."""

    def __init__(self, values: np.ndarray, device: str) -> None:
        self.values, self.device = values, device

    def __array_namespace__(self, api_version: str | None = None) -> object:
        return np

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        if self.device != "cpu":
            raise TypeError("implicit conversion is not allowed")
        return self.values


def test_arrays_of_other_libraries_are_read_on_the_host_and_refused_elsewhere() -> None:
    X, y = table()
    tree = OptimalTreeClassifier(max_depth=1)
    on_host = tree.fit(ForeignArray(X, "cpu"), y).outcome_.cost
    assert on_host == tree.fit(X, y).outcome_.cost
    with pytest.raises(TypeError, match=r"on cuda:0, which numpy cannot read: copy it"):
        tree.fit(ForeignArray(X, "cuda:0"), y)
