"""A dataset is checked, complete and immutable; rows of zero weight are removed first."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data import make_dataset
from exactree.testing import labels, tables, weights


@given(st.data())
def test_a_dataset_holds_what_was_given(data: st.DataObject) -> None:
    X = data.draw(tables())
    y = data.draw(labels(len(X)))
    w = data.draw(weights(len(X)))
    dataset = make_dataset(X, y, w)
    given_weights = np.ones(len(X)) if w is None else np.array(w, dtype=float)
    assert dataset.kept.tolist() == np.flatnonzero(given_weights).tolist()
    assert np.array_equal(dataset.X, X[dataset.kept])
    kept_labels = dataset.classes[dataset.labels]
    assert list(kept_labels) == [y[row] for row in dataset.kept]
    assert len(set(dataset.labels.tolist())) == len(dataset.classes)
    assert (dataset.weights > 0).all()
    in_users_unit = dataset.weights / dataset.weight_scale
    kept_weights = given_weights[dataset.kept]
    tolerance = dataset.weight_rounding * 1.0001  # this comparison itself rounds
    assert np.all(np.abs(in_users_unit - kept_weights) <= tolerance * kept_weights)


def test_arrays_are_read_only_copies_also_after_pickling() -> None:
    X, y, w = np.array([[1.0], [2.0]]), np.array([0, 1]), np.array([1.0, 2.0])
    made = make_dataset(X, y, w)
    X[0, 0] = y[0] = w[0] = 9
    assert made.X.tolist() == [[1.0], [2.0]]
    assert made.classes[made.labels].tolist() == [0, 1]
    assert made.weights.tolist() == [1, 2]
    for dataset in (made, pickle.loads(pickle.dumps(made))):
        for array in (dataset.X, dataset.labels, dataset.classes, dataset.weights, dataset.kept):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    assert made.X.flags.c_contiguous


def test_both_zeros_become_one_value() -> None:
    dataset = make_dataset(np.array([[-0.0], [0.0]]), [0, 1])
    assert not np.signbit(dataset.X).any()


def test_rows_of_zero_weight_may_hold_anything() -> None:
    X = [[1.0, np.nan], [2.0, 3.0], [np.inf, 0.0], [4.0, 5.0]]
    dataset = make_dataset(X, [None, "b", float("nan"), "a"], [0, 1, 0.0, 2])
    assert dataset.X.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert dataset.classes.tolist() == ["a", "b"]
    assert dataset.kept.tolist() == [1, 3]


def test_a_label_of_rows_of_zero_weight_alone_is_no_class() -> None:
    assert make_dataset([[0.0], [1.0]], [5, 7], [1, 0]).classes.tolist() == [5]


def test_features_without_names_are_named_by_their_index() -> None:
    dataset = make_dataset([[1, 2, 3]], [0])
    assert dataset.feature_names == ("x0", "x1", "x2")
    assert not dataset.named


def test_the_total_weight_is_an_exact_integer() -> None:
    assert make_dataset([[0], [1]], [0, 1], [2**59, 2**59 + 1]).total_weight == 2**60 + 1


def test_the_repr_of_a_dataset_shows_its_size() -> None:
    assert repr(make_dataset([[1, 2]], [0])) == "Dataset(1 example, 2 features, 1 class)"


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        (np.empty((0, 2)), [], "X has no rows: 0 sample"),
        (np.empty((2, 0)), [0, 1], r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1"),
        ([[1.0], [2.0]], [0], "X has 2 rows but y has 1 label;"),
        ([1.0, 2.0], [0, 1], "Reshape your data"),
        (np.zeros((1, 1, 1)), [0], "got 3D array"),
        (3.0, [0], "got 0D array"),
        ([[1.0], [2.0, 3.0]], [0, 1], "every row needs the same number of values"),
        ([[1.0, 2.0], [np.nan, 3.0]], [0, 1], r"column 'x0', row 1: the value is missing \(NaN\)"),
        ([[1.0, 2.0], [1.0, np.inf]], [0, 1], r"column 'x1', row 1: .* infinite \(inf\)"),
        ([[-np.inf]], [0], r"infinite \(-inf\)"),
        ([[1.0], [2.0]], None, "requires y to be passed, but the target y is None"),
        ([[1.0], [2.0]], [[0], [1]], "y, row 0: labels must be hashable"),
        ([[1.0], [2.0]], np.zeros((2, 1)), r"1d array, got an array of shape \(2, 1\)"),
    ],
)
def test_invalid_tables_and_labels_are_refused(X: object, y: object, sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        make_dataset(X, y)


def test_rows_in_messages_are_those_of_the_users_table() -> None:
    with pytest.raises(ValueError, match="row 2:"):
        make_dataset([[0.0], [1.0], [np.nan]], [0, 1, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="y, row 2:"):
        make_dataset([[0.0], [1.0], [2.0]], [0, 1, np.nan], [0, 1, 1])


def test_a_subset_has_the_rows_and_all_classes():
    whole = make_dataset([[0, 1], [2, 3], [4, 5]], ["a", "b", "c"], [1, 2, 3])
    some = whole.subset(np.array([2, 0]))
    assert some.X.tolist() == [[4, 5], [0, 1]]
    assert some.feature_names == ("x0", "x1")
    assert some.classes[some.labels].tolist() == ["c", "a"]
    assert (some.weights.tolist(), some.kept.tolist()) == ([3, 1], [2, 0])
    assert len(some.classes) == 3
    assert whole.subset(np.arange(3)).X.tolist() == whole.X.tolist()


@pytest.mark.parametrize("shape", [(2**32, 1), (1, 2**32)])
def test_rows_and_columns_beyond_32_bits_are_refused(shape: tuple[int, int]) -> None:
    X = np.broadcast_to(np.zeros((1, 1)), shape)  # takes no memory
    with pytest.raises(ValueError, match="fewer than 4,294,967,296 of each are allowed"):
        make_dataset(X, [0])
