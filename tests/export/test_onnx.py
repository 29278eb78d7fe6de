"""to_onnx: ONNX Runtime predicts like the model, in float64; pipelines are converted."""

import dataclasses
import json
import warnings
from typing import Any

import numpy as np
import pytest

from exactree import OptimalEnsembleClassifier, OptimalTreeClassifier, OptimalTreeRegressor
from exactree.export import to_onnx
from exactree.rules import AxisParallel
from exactree.trees import Ensemble, Tree

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
CASES = (
    "leaf", "numbers", "missing", "sets of codes", "codes", "levels", "sets", "hyperplanes",
    "curves", "regression", "medians with codes", "ensemble", "ensemble with codes", "close",
)  # fmt: skip


def run(written: Any, rows: np.ndarray) -> list[np.ndarray]:
    onnx.checker.check_model(written, full_check=True)
    session = runtime.InferenceSession(
        written.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {session.get_inputs()[0].name: rows})


@pytest.mark.parametrize("name", CASES)
def test_every_row_gets_the_prediction_of_the_model(zoo: Any, name: str) -> None:
    case = zoo[name]
    rows = case.rows(1_000_000)
    answers = run(to_onnx(case.model), rows)
    assert (answers[0].ravel() == np.array(case.answers(rows))).all()
    if "regression" in name or "medians" in name:
        assert answers[0].shape == (len(rows), 1)
    elif isinstance(case.model, Ensemble):
        assert (answers[1] == case.model.votes_of(rows) / len(case.trees)).all()
    else:
        assert (answers[1] == case.model.shares_at(case.model.leaf_index(rows))).all()


@pytest.mark.parametrize("rows", [1, 2, 3, 50, 51, 400])
def test_few_rows_get_the_prediction_of_the_model(zoo: Any, rows: int) -> None:
    """ONNX Runtime has several algorithms for the path to a leaf, and chooses by the row count."""
    for name in ("sets", "missing", "ensemble"):
        case = zoo[name]
        chosen = case.rows(400)[-rows:]
        assert run(to_onnx(case.model), chosen)[0].tolist() == case.answers(chosen)


def test_a_set_of_many_codes_is_written_as_comparisons() -> None:
    """The graph compares with one code after another, which ONNX Runtime joins to a set again."""
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) % 3 == 0).astype(int)
    codes = np.tile(X[:12], (2, 1))
    model = OptimalTreeClassifier(max_depth=1, categories=[0], rules=AxisParallel(level_sets=True))
    model.fit(codes, np.tile(y[:12], 2))
    assert len(model.tree_.level_sets[0]) > 3
    assert run(to_onnx(model), X)[0].tolist() == model.predict(X).tolist()


def test_float32_inputs_are_reported(zoo: Any) -> None:
    case = zoo["close"]
    with pytest.warns(UserWarning, match="compares rounded features, and .* changes the leaf"):
        to_onnx(case.model, float32=True)
    with pytest.warns(UserWarning, match="compares in float64, and .* keep them in float64"):
        written = to_onnx(case.model)
    metadata = {entry.key: entry.value for entry in written.metadata_props}
    assert "changes the leaf of training rows" in metadata["float32"]
    case = zoo["numbers"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        written = to_onnx(case.model, float32=True)
    rows = case.rows(1000)
    with np.errstate(over="ignore"):
        rounded = rows.astype(np.float32)
    assert run(written, rounded)[0].tolist() == case.answers(rounded.astype(np.float64))
    assert run(written, case.X.astype(np.float32))[0].tolist() == case.answers(case.X)


def test_labels_keep_their_type_or_are_refused(small_tree: Tree) -> None:
    rows = np.array([[1.0, 0.0], [4.0, 1.0], [4.0, 2.0]])
    for labels in ([1, 2, -(2**60)], [0.5, 1.5, -np.inf], ["a", "'", "한"]):
        tree = dataclasses.replace(small_tree, classes=np.array(labels, dtype=object))
        assert run(to_onnx(tree), rows)[0].tolist() == [labels[2], labels[1], labels[0]]
    mixed = np.empty(3, dtype=object)
    mixed[:] = ["a", 1, 2]
    with pytest.raises(ValueError, match=r"ONNX takes labels that are all strings, .* int, str"):
        to_onnx(dataclasses.replace(small_tree, classes=mixed))


def test_hostile_names_are_kept_as_metadata(hostile_tree: Tree) -> None:
    with pytest.raises(ValueError, match="lone surrogates"):
        to_onnx(hostile_tree)
    labels = [label.replace("\ud800", "").replace("\0", "") for label in hostile_tree.classes]
    tree = dataclasses.replace(hostile_tree, classes=np.array(labels, dtype=object))
    rows = np.random.default_rng(1).uniform(0, 24, (100, tree.n_features))
    written = to_onnx(tree)
    assert run(written, rows)[0].tolist() == tree.predict(rows).tolist()
    metadata = {entry.key: entry.value for entry in written.metadata_props}
    assert tuple(json.loads(metadata["feature_names"])) == hostile_tree.feature_names


def test_probabilities_are_smoothed_as_by_the_estimator() -> None:
    X, y = np.arange(12.0)[:, None], [0] * 5 + [1] * 7
    model = OptimalTreeClassifier(max_depth=1, smoothing="laplace").fit(X, y)
    assert run(to_onnx(model), X)[1].tolist() == model.predict_proba(X).tolist()


ESTIMATORS = [
    OptimalTreeClassifier(max_depth=2),
    OptimalTreeRegressor(max_depth=2),
    OptimalEnsembleClassifier(n_trees=3, max_errors=8, max_size=1),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pipelines_are_converted(estimator: Any, dtype: type) -> None:
    skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    from exactree.estimators import register_onnx

    register_onnx()
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (40, 3)).astype(dtype)
    y = (X[:, 0] > 3).astype(int) + (X[:, 1] > 5)
    y = np.minimum(y, 1) if isinstance(estimator, OptimalEnsembleClassifier) else y
    pipeline = make_pipeline(MinMaxScaler(), estimator).fit(X.astype(np.float64), y)
    classifies = not isinstance(estimator, OptimalTreeRegressor)
    options = {id(pipeline): {"zipmap": False}} if classifies else None  # probabilities as an array
    written = skl2onnx.to_onnx(pipeline, X[:1], options=options)
    answers = run(written, X)
    assert (answers[0].ravel() == pipeline.predict(X.astype(np.float64))).all()
    if classifies:
        expected = pipeline.predict_proba(X.astype(np.float64))
        assert answers[1] == pytest.approx(expected, abs=1e-6)
