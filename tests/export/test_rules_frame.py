"""to_rules_frame: one row for each leaf, with the rules of to_rules and the counts of the tree."""

import dataclasses
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree.export import to_rules_frame
from exactree.trees import Ensemble, Tree

TEST_RULES = runpy.run_path(str(Path(__file__).parent / "test_rules.py"))
covered_rows, mask_of = TEST_RULES["covered_rows"], TEST_RULES["mask_of"]


@pytest.mark.parametrize("name", ["numbers", "missing", "levels", "sets", "codes", "regression"])
def test_exactly_one_rule_holds_for_every_row_and_predicts_as_the_model(
    zoo: Any, name: str
) -> None:
    pytest.importorskip("pandas")
    case = zoo[name]
    frame = to_rules_frame(case.model)
    rows = covered_rows(case, 100_000)
    if name == "missing":
        assert np.isnan(rows).any()
    predicted = np.array(case.answers(rows))
    matching_rules = np.zeros(len(rows), dtype=int)
    for line in frame.itertuples():
        text = line.rule.removeprefix("if ")
        mask = mask_of(text, case.names, rows, case.model.levels)
        assert (predicted[mask] == line.prediction).all()
        matching_rules += mask
    assert (matching_rules == 1).all()
    assert frame["examples"].sum() == len(case.X)
    assert frame["support"].sum() == pytest.approx(1)
    assert frame["errors"].sum() == pytest.approx(
        case.model.errors[case.model.children_left < 0].sum()
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_both_libraries(small_tree: Tree, library: str) -> None:
    pytest.importorskip(library)
    frame = to_rules_frame(small_tree, library)
    assert type(frame).__module__.startswith(library)
    assert list(frame["prediction"]) == ["round", "long", "flat"]
    assert list(frame["probability"]) == [1.0, 1.0, 0.5]
    assert list(frame["leaf"]) == [1, 3, 4]


def test_without_its_library_the_error_names_it(
    small_tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="to_rules_frame needs polars: pip install polars"):
        to_rules_frame(small_tree, "polars")
    with pytest.raises(ValueError, match="must be 'pandas' or 'polars'"):
        to_rules_frame(small_tree, "other")


def test_trees_of_ensembles_are_numbered(three_trees: Ensemble) -> None:
    pytest.importorskip("pandas")
    assert to_rules_frame(three_trees)["tree"].tolist() == [0, 0, 0, 1, 1, 2]


def test_hostile_names_are_text(hostile_tree: Tree) -> None:
    pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="lone surrogates"):
        to_rules_frame(hostile_tree)
    labels = [label.replace("\ud800", "") for label in hostile_tree.classes]
    tree = dataclasses.replace(hostile_tree, classes=np.array(labels, dtype=object))
    frame = to_rules_frame(tree)
    assert len(frame) == tree.leaves
    assert set(frame["prediction"]) <= set(labels)
    assert not frame["rule"].str.contains("\n").any()
