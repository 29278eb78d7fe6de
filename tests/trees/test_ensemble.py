"""Ensembles: votes with ties to the earlier class, measures, plain data, equality."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

from exactree import Ensemble, ModelError
from exactree.data import make_dataset
from exactree.trees import grow

DATASET = make_dataset([[0.0], [1.0], [2.0]], ["a", "b", "c"])
LEAF = (-1, 0.0, 0.0, -1, -1)
STUMP = [(0, 0.0, 1.0, 1, 2), LEAF, LEAF]
CHAIN = [(0, 0.0, 1.0, 1, 2), LEAF, (0, 1.0, 2.0, 3, 4), LEAF, LEAF]


def tree_of(nodes: list[Any], *classes: int) -> Any:
    return grow(DATASET, nodes, classes)


THREE = Ensemble((tree_of(STUMP, -1, 0, 1), tree_of(CHAIN, -1, 2, -1, 1, 2), tree_of([LEAF], 2)))


def test_leaves_predict_the_classes_given() -> None:
    assert THREE.trees[1].predict([[0], [1], [2]]).tolist() == ["c", "b", "c"]
    assert THREE.trees[1].errors.tolist() == [2, 1, 1, 0, 0]
    # The class given for an inner node, here 2 for the root, is ignored.
    assert tree_of(STUMP, 2, 1, 0).prediction.tolist() == [0, 1, 0]
    assert grow(DATASET, STUMP).prediction.tolist() == [0, 0, 1]


def test_most_votes_win_and_ties_go_to_the_earlier_class() -> None:
    X = [[0], [1], [2]]
    assert THREE.votes(X).tolist() == [[1, 0, 2], [0, 2, 1], [0, 1, 2]]
    assert THREE.predict(X).tolist() == ["c", "b", "c"]
    two = Ensemble((tree_of([LEAF], 2), tree_of([LEAF], 1)))
    assert two.predict(X).tolist() == ["b", "b", "b"]
    assert two.predict_index(np.zeros((2, 1))).tolist() == [1, 1]
    with pytest.raises(ValueError, match="feature"):
        two.predict([[0, 1]])


def test_ensembles_are_measured_by_sums_and_maxima_over_trees() -> None:
    assert (THREE.total_size, THREE.largest_size, THREE.leaves) == (3, 2, 6)
    assert (THREE.total_depth, THREE.largest_depth) == (3, 2)
    assert repr(Ensemble(THREE.trees[:2])) == (
        "<Ensemble: 2 trees, total size 3, largest depth 2, 3 classes>"
    )
    assert str(THREE).count("tree ") == 3


def test_trees_without_a_split_are_explained_where_they_appear() -> None:
    note = "1 of 3 is a single leaf with a constant vote"
    assert THREE.sizes_text == f"3 trees of sizes 1, 2, 0 ({note})"
    assert repr(THREE).endswith(f"; {note}>")
    assert str(THREE).endswith(f"\n\n{note}")
    stump, first, last = THREE.trees[0], tree_of([LEAF], 0), tree_of([LEAF], 2)
    # The stump predicts the first two classes; the constant votes for both of them cancel.
    second = tree_of([LEAF], 1)
    cancel = Ensemble((stump, first, second))
    assert (cancel.predict([[0], [1]]) == stump.predict([[0], [1]])).all()
    assert cancel.single_leaves_note == (
        "2 of 3 are single leaves with a constant vote; the tree of size 1 decides alone"
    )
    # Two constant votes for one class outvote the stump; so does one for the first class, by ties.
    assert "alone" not in Ensemble((stump, last, last)).single_leaves_note
    assert "alone" not in Ensemble((stump, first)).single_leaves_note
    assert "alone" in Ensemble((stump, last)).single_leaves_note
    assert Ensemble((first,)).single_leaves_note == (
        "all are single leaves: every row has the same prediction"
    )
    assert Ensemble(THREE.trees[:2]).single_leaves_note == ""


def test_ensembles_read_from_plain_data_and_pickles_are_equal() -> None:
    again = Ensemble.from_dict(json.loads(json.dumps(THREE.to_dict())))
    assert again == THREE
    assert again.trees == THREE.trees
    assert pickle.loads(pickle.dumps(THREE)) == THREE


def test_the_order_of_the_trees_does_not_matter() -> None:
    backwards = Ensemble(THREE.trees[::-1])
    assert backwards == THREE
    assert hash(backwards) == hash(THREE)
    assert Ensemble(THREE.trees[:2]) != THREE
    first, second = THREE.trees[:2]
    assert Ensemble((first, first, second)) != Ensemble((first, second, second))
    assert THREE.trees != THREE  # a tuple of trees is no ensemble


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ([], "not an exactree model"),
        ({"format": "exactree tree", "version": 1}, "not an exactree model"),
        ({"format": "exactree ensemble", "version": 2}, "version 2"),
        ({"format": "exactree ensemble", "version": 1}, "lacks the entry 'trees'"),
        ({"format": "exactree ensemble", "version": 1, "trees": {}}, "must be a list of trees"),
        ({"format": "exactree ensemble", "version": 1, "trees": []}, "at least one tree"),
        ({"format": "exactree ensemble", "version": 1, "trees": [7]}, "not an exactree model"),
    ],
)
def test_invalid_records_of_ensembles_are_refused(record: Any, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        Ensemble.from_dict(record)


def test_trees_with_other_classes_or_features_are_refused() -> None:
    other = grow(make_dataset([[0.0], [1.0]], ["a", "b"]), [LEAF])
    with pytest.raises(ModelError, match="tree 1 of the ensemble has other classes or features"):
        Ensemble((THREE.trees[0], other))
