"""to_pmml: the reference evaluator of PMML predicts like the model; names are escaped."""

import dataclasses
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree.export import to_pmml
from exactree.trees import Ensemble, Tree

CASES = (
    "leaf", "numbers", "missing", "sets of codes", "codes", "levels", "sets", "hyperplanes",
    "curves", "regression", "medians with codes", "ensemble", "ensemble with codes", "close",
)  # fmt: skip
NAMESPACE = {"p": "http://www.dmg.org/PMML-4_4"}


def run(model: Tree | Ensemble, rows: list[list[Any]], folder: Path) -> list[Any]:
    """Return the predictions of JPMML, which runs in Java."""
    jpmml = pytest.importorskip("jpmml_evaluator", reason="jpmml-evaluator is not installed")
    pandas = pytest.importorskip("pandas")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed, and jpmml-evaluator needs it")
    path = folder / "model.pmml"
    path.write_text(to_pmml(model), encoding="utf-8")
    evaluator = jpmml.make_evaluator(str(path)).verify()
    given = [[None if v != v else v for v in row] for row in rows]
    frame = pandas.DataFrame(given, columns=list(model.feature_names), dtype=object)
    return list(evaluator.evaluateAll(frame)["prediction"])


@pytest.mark.parametrize("name", CASES)
def test_every_row_gets_the_prediction_of_the_model(zoo: Any, name: str, tmp_path: Path) -> None:
    case = zoo[name]
    rows = case.rows(1000)
    assert run(case.model, case.as_levels(rows), tmp_path) == case.answers(rows)


def test_leaves_have_the_weights_of_the_classes(zoo: Any, tmp_path: Path) -> None:
    tree = zoo["numbers"].model
    leaf = ElementTree.fromstring(to_pmml(tree)).findall(".//p:Node", NAMESPACE)[-1]
    distribution = leaf.findall("p:ScoreDistribution", NAMESPACE)
    counts = [float(entry.get("recordCount")) for entry in distribution]
    assert counts == tree.value[-1].tolist()


def test_hostile_names_are_names_or_refused(hostile_tree: Tree, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="XML has no sign"):
        to_pmml(hostile_tree)
    names = tuple(
        "".join(letter for letter in name if letter not in "\0\x1b\ud800\uffff\r") or "empty"
        for name in hostile_tree.feature_names
    )
    labels = np.array(names, dtype=object)[: hostile_tree.n_classes]
    tree = dataclasses.replace(hostile_tree, feature_names=names, classes=labels)
    fields = ElementTree.fromstring(to_pmml(tree)).findall(".//p:DataField", NAMESPACE)
    assert [field.get("name") for field in fields][:-1] == list(names)
    rows = np.random.default_rng(1).uniform(0, 24, (100, tree.n_features))
    assert run(tree, rows.tolist(), tmp_path) == tree.predict(rows).tolist()


def test_labels_of_several_types_and_large_integers_are_refused(small_tree: Tree) -> None:
    mixed = np.empty(3, dtype=object)
    mixed[:] = ["a", 1, 2]
    with pytest.raises(ValueError, match="PMML takes labels of one type"):
        to_pmml(dataclasses.replace(small_tree, classes=mixed))
    with pytest.raises(ValueError, match="PMML has integers of 32 bits"):
        to_pmml(dataclasses.replace(small_tree, classes=np.array([1, 2, 2**40])))
