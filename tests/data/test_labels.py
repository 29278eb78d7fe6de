"""Labels of any hashable kind become class indices and come back unchanged."""

import enum
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from exactree.data import make_dataset


def classes_of(y: Any) -> np.ndarray:
    return make_dataset(np.zeros((len(y), 1)), y).classes


class Fruit(enum.IntEnum):
    PEAR = 2
    APPLE = 1


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([1, -1, 1], [-1, 1]),
        ([9, 7], [7, 9]),
        ([1.5, 0.5], [0.5, 1.5]),
        (["b", "a"], ["a", "b"]),
        ([True, False], [False, True]),
        ([(1, 2), (0, 5), (1, 2)], [(0, 5), (1, 2)]),
        ([(1, 2), (3,)], [(1, 2), (3,)]),
        (["b", 1, (2,)], ["b", 1, (2,)]),
        ([2**70, 3], [3, 2**70]),
        ([2**53 + 1, 0.5], [0.5, 2**53 + 1]),
        (  # sorting by inclusion, which does not order all pairs, would exchange the last two
            [frozenset({3}), frozenset({1, 2}), frozenset({1})],
            [frozenset({3}), frozenset({1, 2}), frozenset({1})],
        ),
        ([frozenset({1, 2}), frozenset({1})], [frozenset({1}), frozenset({1, 2})]),
        ([Fruit.PEAR, Fruit.APPLE], [Fruit.APPLE, Fruit.PEAR]),
        ([b"y", b"x"], [b"x", b"y"]),
    ],
)
def test_classes_are_sorted_or_in_order_of_first_appearance(
    y: list[Any], classes: list[Any]
) -> None:
    found = classes_of(y)
    assert [found[i] for i in range(len(found))] == classes


@pytest.mark.parametrize(
    "y",
    [
        np.array([3, 1, 2], dtype=np.int8),
        np.array([3, 1, 2], dtype=np.uint64),
        np.array([0.5, 1.5, 0.5], dtype=np.float32),
        np.array(["b", "abc", "b"]),
        np.array([True, False, True]),
        np.array(["b", "a", "b"], dtype=object),
        np.array(["2020-01-01", "2019-01-01", "2020-01-01"], dtype="M8[D]"),
    ],
)
def test_the_dtype_of_an_array_of_labels_is_kept(y: np.ndarray) -> None:
    found = classes_of(y)
    assert found.dtype == y.dtype
    assert found.tolist() == np.unique(y).tolist()


@pytest.mark.parametrize(
    ("y", "kind"), [([1, 2], "i"), ([1, 2.5], "f"), (["a", "b"], "U"), ([True, False], "b")]
)
def test_lists_of_one_type_get_numpys_dtype(y: list[Any], kind: str) -> None:
    assert classes_of(y).dtype.kind == kind


def test_members_of_an_enumeration_stay_members() -> None:
    assert all(isinstance(label, Fruit) for label in classes_of([Fruit.PEAR, Fruit.APPLE]))


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["b", "a"], index=[7, 3]),
        pd.Series(["b", "a"], dtype="category"),
        pl.Series(["b", "a"]),
        pl.Series(["b", "a"], dtype=pl.Categorical),
        pd.Index(["b", "a"]),
        ("b", "a"),
    ],
)
def test_series_of_any_library_are_read_in_order(y: Any) -> None:
    dataset = make_dataset([[0], [1]], y)
    assert dataset.classes.tolist() == ["a", "b"]
    assert dataset.labels.tolist() == [1, 0]


@pytest.mark.parametrize(
    "y",
    [
        [0.0, np.nan],
        np.array([0.0, np.nan]),
        ["a", None],
        ["a", float("nan")],
        ["a", pd.NA],
        ["a", pd.NaT],
        pd.Series(["a", None]),
        pl.Series([0, None]),
        pd.array([0, None], dtype="Int64"),
        np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
    ],
)
def test_a_missing_label_is_refused_with_its_row(y: Any) -> None:
    with pytest.raises(ValueError, match="y, row 1: the label is missing"):
        make_dataset([[0], [1]], y)


def test_an_unhashable_label_is_refused_with_its_row() -> None:
    with pytest.raises(TypeError, match=r"y, row 1: labels must be hashable.*'list'"):
        make_dataset([[0], [1]], ["a", ["b"]])


def test_equal_labels_of_different_types_are_one_class() -> None:
    assert len(classes_of(np.array([1, 1.0, True], dtype=object))) == 1


def test_labels_and_weights_of_128_bits_are_read_exactly() -> None:
    y = pl.Series([2**70, 3, 2**70 + 1], dtype=pl.Int128)
    assert classes_of(y).tolist() == [3, 2**70, 2**70 + 1]
    assert classes_of(pl.Series([7, 3], dtype=pl.Int128)).dtype == np.int64
    weights = make_dataset(np.zeros((3, 1)), y, pl.Series([1, 2, 3], dtype=pl.Int128)).weights
    assert weights.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="y, row 1: the label is missing"):
        classes_of(pl.Series([1, None], dtype=pl.Int128))
