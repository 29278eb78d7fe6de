"""Columns of text and categories of any library become codes, which index the levels."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from exactree.data import make_dataset, make_features

NAN = np.nan
WORDS = ["red", None, "blue", "red"]
FRAMES = {
    "list": [[word] for word in WORDS],
    "object array": np.array(WORDS, dtype=object)[:, None],
    "pandas category": pd.DataFrame({"x0": pd.Categorical(WORDS, ["red", "grey", "blue"])}),
    "pandas object": pd.DataFrame({"x0": pd.Series(WORDS, dtype=object)}),
    "pandas string": pd.DataFrame({"x0": pd.array(WORDS, dtype="string")}),
    "polars string": pl.DataFrame({"x0": WORDS}),
    "polars categorical": pl.DataFrame({"x0": WORDS}, schema={"x0": pl.Categorical}),
    "polars enum": pl.DataFrame({"x0": WORDS}, schema={"x0": pl.Enum(["red", "grey", "blue"])}),
    "arrow string": pa.table({"x0": WORDS}),
    "arrow dictionary": pa.table({"x0": pa.array(WORDS).dictionary_encode()}),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_levels_are_the_sorted_values_of_the_table(kind: str) -> None:
    dataset = make_dataset(FRAMES[kind], [0, 1, 0, 1], with_missing=True, with_levels=True)
    assert dataset.levels == {0: ("blue", "red")}
    np.testing.assert_array_equal(dataset.X[:, 0], [1, NAN, 0, 1])
    for other in FRAMES.values():
        read = make_features(other, ("x0",), named=True, levels=dataset.levels)
        np.testing.assert_array_equal(read[:, 0], [1, NAN, 0, 1])


def test_unseen_levels_get_the_code_minus_one() -> None:
    X = make_features([["blue"], ["green"], [3.5]], ("x0",), named=False, levels={0: ("blue",)})
    assert X[:, 0].tolist() == [0, -1, -1]


def test_categories_may_be_numbers_or_booleans() -> None:
    frame = pd.DataFrame({"grade": pd.Categorical([3, 1, 3]), "ripe": [True, False, True]})
    dataset = make_dataset(frame, [0, 1, 0], with_levels=True)
    assert dataset.levels == {0: (1, 3)}
    assert dataset.X.tolist() == [[1, 1], [0, 0], [1, 1]]
    digits = pd.DataFrame({"code": pd.Categorical(["10", "9"])})
    assert make_dataset(digits, [0, 1], with_levels=True).levels == {0: ("10", "9")}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"a": ["1", "2"]}), "column 'a' holds numbers as text; convert it"),
        ([["1"], ["2"]], "column 'x0' holds numbers as text; convert it"),
        ([["a"], [2]], "column 'x0', row 0: 'a' is text, .* do not mix in a column"),
        (pd.DataFrame({"day": pd.to_datetime(["2020-01-01"] * 2)}), "column 'day' holds dates"),
        (pl.DataFrame({"a": [[1], [2]]}), r"column 'a' holds List\(Int64\); make columns of"),
        (pl.DataFrame({"a": [{"b": 1}, {"b": 2}]}), "column 'a' holds Struct"),
        (np.array([[1j], [2j]]), "Complex data not supported"),
    ],
)
def test_columns_of_neither_numbers_nor_categories_are_refused_with_advice(
    table: object, message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make_dataset(table, [0, 1], with_levels=True)


def test_text_is_refused_in_columns_without_levels() -> None:
    with pytest.raises(ValueError, match=r"column 'x0', row 0: 'red' is text, .*one-hot"):
        make_dataset([["red"], ["blue"]], [0, 1])
    with pytest.raises(ValueError, match="column 'x1', row 0: 'b' is text"):
        make_features([["red", "b"]], ("x0", "x1"), named=False, levels={0: ("red",)})
