"""Notes about columns of text, and targets, that look otherwise than they were meant."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from exactree import (
    DataWarning,
    Limits,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Problem,
    solve,
)
from exactree.data import make_dataset
from exactree.data.notes import notes_on_columns, notes_on_target

ROWS = 40
LABELS = [row % 2 for row in range(ROWS)]
IDENTIFIERS = [f"r{row:03}" for row in range(ROWS)]
NUMBERS = [f"{row}.5" for row in range(ROWS)]
SPOILED = [*NUMBERS[:8], "unknown", *NUMBERS[9:]]


def notes(frame: Any) -> list[str]:
    dataset = make_dataset(frame, LABELS, with_levels=True, with_missing=True)
    return list(notes_on_columns(dataset))


def series(values: list[str], kind: str) -> Any:
    return pd.Series(values, dtype=kind)


@pytest.mark.parametrize("kind", ["object", "str", "string", "category"])
def test_an_identifier_is_named_with_the_way_out(kind: str) -> None:
    (note,) = notes(pd.DataFrame({"id": series(IDENTIFIERS, kind), "x": range(ROWS)}))
    assert note == (
        "Column 'id' is text with 40 levels, a distinct one in every row, as an identifier has; "
        "leave it out."
    )


@pytest.mark.parametrize("kind", ["object", "str", "string", "category"])
def test_one_word_among_numbers_is_named_with_its_row(kind: str) -> None:
    found = notes(pd.DataFrame({"x2": series([*SPOILED[:-1], SPOILED[0]], kind)}))
    assert len(found) == 1
    assert found[0].startswith(
        "Column 'x2' is text because of 'unknown' in row 8; 39 of its 40 values are numbers"
    )


def test_tables_of_polars_and_arrays_get_the_same_notes() -> None:
    (of_frame,) = notes(pl.DataFrame({"x0": IDENTIFIERS}))
    (of_array,) = notes(np.array(IDENTIFIERS, dtype=object)[:, None])
    assert of_frame == of_array


def test_the_row_is_that_of_the_users_table_when_rows_of_weight_zero_are_dropped() -> None:
    weights = [0, 0, *[1] * (ROWS - 2)]
    frame = pd.DataFrame({"x": [*SPOILED[:-1], SPOILED[0]]})
    dataset = make_dataset(frame, LABELS, weights, with_levels=True)
    assert "'unknown' in row 8; 37 of its 38" in "".join(notes_on_columns(dataset))


def test_ordinary_columns_get_no_note() -> None:
    colours = ["red", "green"] * (ROWS // 2)
    mixed = ["1", "2", "many", "few"] * (ROWS // 4)
    missing = [IDENTIFIERS[1], *IDENTIFIERS[1:]]
    frame = pd.DataFrame({"a": colours, "b": mixed, "c": missing, "d": range(ROWS)})
    frame.loc[3, "c"] = None
    assert notes(frame) == []
    small = pd.DataFrame({"id": IDENTIFIERS[:10]})
    assert not list(notes_on_columns(make_dataset(small, LABELS[:10], with_levels=True)))


def test_a_fit_warns_once_about_all_columns() -> None:
    frame = pd.DataFrame({"id": IDENTIFIERS, "x": SPOILED})
    with pytest.warns(DataWarning) as caught:
        OptimalTreeClassifier(max_depth=1).fit(frame, LABELS)
    (warning,) = [entry for entry in caught if entry.category is DataWarning]
    assert "Column 'id' is text with 40 levels" in str(warning.message)
    assert "Column 'x' is text because of 'unknown' in row 8" in str(warning.message)
    assert warning.filename == __file__
    with pytest.warns(DataWarning, match="Column 'id'"):
        OptimalTreeRegressor(max_depth=1).fit(frame[["id"]], np.arange(float(ROWS)))


def test_many_notes_are_counted() -> None:
    frame = pd.DataFrame({f"id{column}": IDENTIFIERS for column in range(7)})
    with pytest.warns(DataWarning, match=r"Column 'id4' .* And 2 more\."):
        OptimalTreeClassifier(max_depth=1).fit(frame, LABELS)


def test_the_advice_of_a_stopped_search_names_the_identifier_first() -> None:
    frame = pd.DataFrame({"id": IDENTIFIERS, "x": range(ROWS)})
    problem = Problem(frame, LABELS, limits=Limits(max_depth=4))
    outcome = solve(problem, time_limit=1e-9)
    assert outcome.advice_text.startswith(
        "no column 'id' in X (a distinct text in each of 40 rows), a longer time_limit"
    )


def test_whole_numbers_that_are_nearly_all_distinct_are_hardly_classes() -> None:
    (note,) = notes_on_target(make_dataset(np.zeros((30, 1)), [*range(28), 0, 1]))
    assert note == (
        "y has 28 distinct whole numbers in 30 rows, each of which is a class; "
        "OptimalTreeRegressor predicts numbers."
    )
    (note,) = notes_on_target(make_dataset(np.zeros((ROWS, 1)), IDENTIFIERS))
    assert note.startswith("y has 40 distinct labels in 40 rows, each of which is a class; a class")
    assert not list(notes_on_target(make_dataset(np.zeros((30, 1)), [*range(15)] * 2)))
    assert not list(notes_on_target(make_dataset(np.zeros((20, 1)), range(20))))


def test_a_classifier_warns_about_such_a_target_and_a_regressor_does_not(
    recwarn: pytest.WarningsRecorder,
) -> None:
    X, y = np.arange(30)[:, None], np.arange(30) * 7
    with pytest.warns(DataWarning, match="y has 30 distinct whole numbers in 30 rows"):
        OptimalTreeClassifier(max_depth=1).fit(X, y)
    recwarn.clear()
    OptimalTreeRegressor(max_depth=1).fit(X, y)
    assert not recwarn.list
