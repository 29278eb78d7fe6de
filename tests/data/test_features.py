"""Feature values of any kind of table are read exactly, or refused with column and row."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from exactree.data import make_dataset, make_features

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "uint16", "int64", "uint64", "bool", "O"]
)
def test_arrays_of_any_real_dtype_are_read(dtype: str) -> None:
    X = np.array([[0, 1], [1, 0]]).astype(dtype)
    assert make_dataset(X, [0, 1]).X.tolist() == [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize("library", FRAMES)
def test_frames_keep_values_and_names(library: str) -> None:
    frame = FRAMES[library]({"length": [1, 2], "width": [0.5, -1.0], "ripe": [True, False]})
    dataset = make_dataset(frame, ["a", "b"])
    assert dataset.X.tolist() == [[1.0, 0.5, 1.0], [2.0, -1.0, 0.0]]
    assert dataset.feature_names == ("length", "width", "ripe")
    assert dataset.named


def test_frames_without_text_names_count_as_unnamed() -> None:
    dataset = make_dataset(pd.DataFrame([[1, 2], [3, 4]]), [0, 1])
    assert dataset.feature_names == ("x0", "x1")
    assert not dataset.named
    assert dataset.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_values_of_mixed_python_kinds_are_read() -> None:
    X = [[True, Decimal("0.5")], [np.float32(0.25), Fraction(1, 4)], [2**60, np.int8(-3)]]
    assert make_dataset(X, [0, 1, 2]).X.tolist() == [[1.0, 0.5], [0.25, 0.25], [2.0**60, -3.0]]


def test_array_likes_are_read_by_their_array() -> None:
    class Likeness:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return np.array([[1.0], [2.0]])

    assert make_dataset(Likeness(), [0, 1]).X.tolist() == [[1.0], [2.0]]


WIDE = [2**53 + 1, -(2**53) - 1, 2**63 - 1]
KINDS = ["array", "list", "pandas", "polars"]


@pytest.mark.parametrize(
    ("integer", "kind"), [*[(i, k) for i in WIDE for k in KINDS], (10**400, "list")]
)
def test_integers_that_float64_cannot_hold_are_refused(integer: int, kind: str) -> None:
    rows = [[0, 0], [0, integer]]
    frame = {"x0": [0, 0], "x1": [0, integer]}
    table = {
        "array": lambda: np.array(rows),
        "list": lambda: rows,
        "pandas": lambda: pd.DataFrame(frame),
        "polars": lambda: pl.DataFrame(frame),
    }[kind]()
    with pytest.raises(ValueError, match=r"column 'x1', row 1: .* cannot be held exactly"):
        make_dataset(table, [0, 1])


@given(st.integers(-(2**63), 2**63 - 1))
def test_an_integer_is_read_exactly_or_refused(integer: int) -> None:
    for X in (np.array([[integer]]), [[integer]]):
        try:
            value = make_dataset(X, [0]).X[0, 0]
        except ValueError:
            assert int(float(integer)) != integer
        else:
            assert int(value) == integer


@pytest.mark.parametrize(
    "X",
    [
        [[1, "low"], [2, 3]],
        np.array([[1, "low"], [2, 3]]),
        np.array([[1, "low"], [2, 3]], dtype=object),
        pd.DataFrame({"x0": [1, 2], "x1": ["low", "3"]}),
        pl.DataFrame({"x0": [1, 2], "x1": ["low", "3"]}),
        pd.DataFrame({"x0": [1, 2], "x1": pd.Categorical(["low", "high"])}),
        pl.DataFrame({"x0": [1, 2], "x1": ["low", "3"]}, schema_overrides={"x1": pl.Categorical}),
    ],
)
def test_text_is_refused_with_column_row_and_advice(X: object) -> None:
    with pytest.raises(ValueError, match=r"column 'x1', row 0: 'low' is text.*one-hot encode"):
        make_dataset(X, [0, 1])


def test_numbers_written_as_text_are_refused_with_advice() -> None:
    with pytest.raises(ValueError, match=r"column 'a' holds numbers as text.*astype\(float\)"):
        make_dataset(pd.DataFrame({"a": ["1", "2"]}), [0, 1])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, np.nan]}),
        pd.DataFrame({"a": [1, 2], "b": pd.array([1, None], dtype="Int64")}),
        pd.DataFrame({"a": [1, 2], "b": pd.array([True, None], dtype="boolean")}),
        pd.DataFrame({"a": [1, 2], "b": pd.array([1, pd.NA], dtype=object)}),
        pl.DataFrame({"a": [1, 2], "b": [1, None]}),
        pl.DataFrame({"a": [1, 2], "b": [0.5, float("nan")]}),
        pl.DataFrame({"a": [1, 2], "b": [False, None]}),
    ],
)
def test_missing_values_are_refused_with_column_and_row(frame: object) -> None:
    with pytest.raises(ValueError, match=r"column 'b', row 1: the value is missing \(NaN\)"):
        make_dataset(frame, [0, 1])
    dataset = make_dataset(frame, [0, 1], with_missing=True)
    assert np.isnan(dataset.X).tolist() == [[False, False], [False, True]]
    assert dataset.with_missing == (1,)
    with pytest.raises(ValueError, match=r"column 'b', row 1: .* or drop the row: a reason"):
        dataset.refuse_missing("a reason")


def test_masked_values_are_missing() -> None:
    X = np.ma.array([[1, 2], [3, 4]], mask=[[False, False], [True, False]])
    with pytest.raises(ValueError, match="column 'x0', row 1: the value is missing"):
        make_dataset(X, [0, 1])


@pytest.mark.parametrize(
    ("X", "error", "sentence"),
    [
        (np.array([[1j]]), ValueError, "Complex data not supported"),
        ([[1j]], ValueError, "Complex data not supported"),
        (sparse.csr_matrix([[1.0]]), TypeError, "sparse"),
        (sparse.csr_array([[1.0]]), TypeError, "sparse"),
        ([[{"foo": "bar"}]], TypeError, "argument must be .* string.* number"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), ValueError, "dates or durations"),
        (pl.LazyFrame({"a": [1]}), TypeError, "collect()"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "columns of the same name"),
        (pd.DataFrame([[1, 2]], columns=["a", 1]), TypeError, "Feature names are only supported"),
        (pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}), ValueError, "column 't' holds dates"),
        (pd.Series([1.0]), ValueError, "Reshape your data"),
    ],
)
def test_input_that_is_no_table_of_real_numbers_is_refused(
    X: object, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        make_dataset(X, [0])


class TestFeaturesOfANewTable:
    def test_named_columns_in_order_are_read(self) -> None:
        X = make_features(pl.DataFrame({"a": [1], "b": [2]}), ("a", "b"), True)
        assert X.tolist() == [[1.0, 2.0]]

    def test_an_unnamed_table_is_read_by_position(self) -> None:
        assert make_features([[1, 2]], ("a", "b"), True).tolist() == [[1.0, 2.0]]

    def test_names_do_not_matter_where_none_were_given(self) -> None:
        frame = pd.DataFrame({"b": [1], "a": [2]})
        assert make_features(frame, ("x0", "x1"), False).tolist() == [[1.0, 2.0]]

    def test_no_rows_are_fine(self) -> None:
        assert make_features(np.empty((0, 2)), ("a", "b"), True).shape == (0, 2)

    @pytest.mark.parametrize(
        ("columns", "sentence"),
        [
            (["b", "a"], "Feature names must be in the same order"),
            (["a", "c"], "unseen at fit time:\n- c\n.*now missing:\n- b\n"),
            (["a"], "seen at fit time, yet now missing:\n- b\n"),
        ],
    )
    def test_permuted_or_missing_names_are_refused(self, columns: list[str], sentence: str) -> None:
        frame = pd.DataFrame(np.zeros((1, len(columns))), columns=columns)
        with pytest.raises(ValueError, match=f"(?s)feature names should match.*{sentence}"):
            make_features(frame, ("a", "b"), True)

    def test_another_number_of_columns_is_refused(self) -> None:
        expected = r"X has 1 features, but \w+ is expecting 2 features as input"
        with pytest.raises(ValueError, match=expected):
            make_features([[1.0]], ("a", "b"), False)

    def test_missing_values_are_refused(self) -> None:
        with pytest.raises(ValueError, match=r"column 'b', row 0: .*NaN.*: a reason"):
            make_features([[1.0, None]], ("a", "b"), True, "a reason")

    def test_missing_values_are_nan(self) -> None:
        X = make_features([[1.0, None]], ("a", "b"), True)
        assert X[0, 0] == 1.0
        assert np.isnan(X[0, 1])


def test_integers_of_128_bits_are_read_exactly_or_refused() -> None:
    small = pl.DataFrame({"a": pl.Series([1, None, -3], dtype=pl.Int128)})
    dataset = make_dataset(small, [0, 1, 0], with_missing=True)
    assert dataset.X[[0, 2], 0].tolist() == [1.0, -3.0]
    assert dataset.with_missing == (0,)
    large = pl.DataFrame({"a": pl.Series([1, 2**100 + 1], dtype=pl.Int128)})
    with pytest.raises(ValueError, match=r"column 'a', row 1: .* cannot be held exactly"):
        make_dataset(large, [0, 1])
