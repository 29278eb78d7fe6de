"""to_treelite: treelite predicts like the model, in float64."""

import json
from typing import Any

import numpy as np
import pytest

from exactree.export import to_treelite
from exactree.trees import Ensemble, RegressionTree, Tree

treelite = pytest.importorskip("treelite", reason="treelite is not installed")
CASES = (
    "leaf", "numbers", "missing", "sets of codes", "codes", "levels", "sets", "regression",
    "medians with codes", "ensemble", "ensemble with codes", "close",
)  # fmt: skip


def run(written: Any, model: Tree | Ensemble, rows: np.ndarray) -> np.ndarray:
    """Return the numbers of the predicted classes, or the predictions of a regression."""
    outputs = treelite.gtil.predict(written, rows).reshape(len(rows), -1)
    return outputs[:, 0] if isinstance(model, RegressionTree) else outputs.argmax(axis=1)


@pytest.mark.parametrize("name", CASES)
def test_every_row_gets_the_prediction_of_the_model(zoo: Any, name: str) -> None:
    case = zoo[name]
    rows = case.rows(1_000_000)
    written = to_treelite(case.model)
    expected = case.model.predict_index(rows)
    if isinstance(case.model, RegressionTree):
        expected = case.model.classes[expected]
    assert (run(written, case.model, rows) == expected).all()
    again = treelite.Model.deserialize_bytes(written.serialize_bytes())
    assert (run(again, case.model, rows[:1000]) == expected[:1000]).all()


@pytest.mark.parametrize("name", ["hyperplanes", "curves"])
def test_surfaces_are_refused(zoo: Any, name: str) -> None:
    with pytest.raises(ValueError, match="a model of treelite has one feature at each node"):
        to_treelite(zoo[name].model)


def test_hostile_names_are_kept_as_metadata(hostile_tree: Tree) -> None:
    rows = np.random.default_rng(1).uniform(0, 24, (100, hostile_tree.n_features))
    written = to_treelite(hostile_tree)
    expected = hostile_tree.predict_index(rows)
    assert (run(written, hostile_tree, rows) == expected).all()
    metadata = json.loads(written.dump_as_json())["attributes"]
    # Some releases of treelite write the attributes as a string.
    metadata = json.loads(metadata) if isinstance(metadata, str) else metadata
    assert tuple(json.loads(metadata["feature_names"])) == hostile_tree.feature_names


def test_float32_is_reported(zoo: Any) -> None:
    with pytest.warns(UserWarning, match="compares in float64, and .* keep them in float64"):
        to_treelite(zoo["close"].model)
