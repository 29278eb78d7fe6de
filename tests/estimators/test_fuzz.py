"""Random tables of mixed types are refused in one sentence, or their tree has minimum errors.

`make fuzz` runs 10,000 cases, `make test` 150, `make test-long` 500; EXACTREE_FUZZ is their number.
The errors of the tree are counted on the table as the user passed it, and compared with the
definition if the table is small.
"""

import os
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactree import OptimalTreeClassifier, Problem
from exactree.export import from_json, to_json, to_text
from exactree.problem import Limits
from exactree.rules import AxisParallel
from exactree.spec import min_cost
from exactree.spec.effort import subsets_to_visit

CASES = int(os.environ.get("EXACTREE_FUZZ", "150"))
# The definition is computed up to this number of subsets.
MAX_SUBSETS = 300

NUMBERS = [
    0.0,
    -0.0,
    1.0,
    1.0 + 1e-9,
    0.1,
    -3.5,
    5e-324,
    1.7976931348623157e308,
    -1e308,
    16777217.0,
]
WORDS = ["", "a", "b", "A", " a", "it's", '"', "\n", "é", "x <= 1", "nan", "None", "\u202e", "1e5"]
NAMES = ["a", "b", "", " ", "x0", "a b", '"', "'", "is missing", "é", "<b>", "\n", "select", "0"]
LABELS = [["no", "yes"], [0, 1, 2], [-1.5, 2.5], [True, False], [(1, 2), "x", None.__class__], [""]]


def column(rows: int) -> st.SearchStrategy[Any]:
    """Return the strategy for a column of one of many types, with or without missing values."""

    def column_of(values: list[Any], missing: Any) -> st.SearchStrategy[list[Any]]:
        value = st.sampled_from(values) | st.sampled_from([*values, missing])
        return st.lists(value, min_size=rows, max_size=rows)

    whole = [0, 1, 2, -7, 2**53, -(2**53)]
    return st.one_of(
        column_of(NUMBERS, np.nan).map(lambda c: pd.Series(c, dtype="float64")),
        column_of(NUMBERS[:6], np.nan).map(lambda c: pd.Series(c, dtype="float32")),
        column_of(whole, None).map(lambda c: pd.Series(c, dtype="Int64")),
        column_of(whole[:4], 1).map(lambda c: pd.Series(c, dtype="int8")),
        column_of([True, False], None).map(lambda c: pd.Series(c, dtype="boolean")),
        column_of(WORDS, None).map(lambda c: pd.Series(c, dtype=object)),
        column_of(WORDS, None).map(lambda c: pd.Series(c, dtype="string")),
        column_of(WORDS, None).map(lambda c: pd.Series(pd.Categorical(c))),
        column_of([3, 1, 2], None).map(lambda c: pd.Series(pd.Categorical(c))),
        column_of([*WORDS[:3], 1, 2.5], None).map(lambda c: pd.Series(c, dtype=object)),
        column_of([np.inf, 1.0], np.nan).map(lambda c: pd.Series(c, dtype="float64")),
        column_of([pd.Timestamp("2020-01-01")], pd.NaT).map(pd.Series),
    )


@st.composite
def tables(draw: Any) -> tuple[Any, pd.DataFrame, list[Any]]:
    """Draw a table in one of several containers, the frame it is made of, and labels."""
    rows = draw(st.integers(1, 9))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    frame = pd.DataFrame({name: draw(column(rows)) for name in names})
    container = draw(st.sampled_from(["array", "list", *["polars"] * 2, *["pandas"] * 6]))
    table: Any = frame
    if container == "array":
        table = frame.astype(object).to_numpy()
    elif container == "list":
        table = frame.astype(object).to_numpy().tolist()
    elif container == "polars":
        try:
            table = pl.from_pandas(frame)
        except Exception:  # polars itself refuses some columns
            table = frame
    labels = draw(st.sampled_from(LABELS))
    return table, frame, draw(st.lists(st.sampled_from(labels), min_size=rows, max_size=rows))


@settings(
    max_examples=CASES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=CASES in (150, 500),  # the same cases in every run of the test suite
)
@given(tables(), st.integers(0, 2), st.booleans())
def test_a_table_is_refused_in_a_sentence_or_has_an_optimal_tree(
    drawn: tuple[Any, pd.DataFrame, list[Any]], depth: int, level_sets: bool
) -> None:
    table, frame, labels = drawn
    rules = AxisParallel(level_sets=level_sets)
    model = OptimalTreeClassifier(max_depth=depth, rules=rules, time_limit=None)
    try:
        model.fit(table, labels)
    except (ValueError, TypeError) as refusal:
        message = str(refusal)
        assert "X" in message or "y" in message, message
        # Names of columns may contain line breaks.
        assert "\n" not in message.replace(str(list(frame.columns)), ""), message
        assert refusable(frame), message
        return
    tree = model.tree_
    wrong = sum(a != b for a, b in zip(model.predict(table).tolist(), labels, strict=True))
    assert wrong == model.outcome_.cost == model.outcome_.lower_bound
    assert tree.predict(table).tolist() == model.predict(table).tolist()
    assert to_text(tree)
    if all(isinstance(label, str | int | float) for label in labels):
        assert from_json(to_json(tree)) == tree
    problem = Problem(table, labels, rules=rules, limits=Limits(max_depth=depth))
    if subsets_to_visit(problem) <= MAX_SUBSETS:
        assert min_cost(problem).cost == wrong


def refusable(frame: pd.DataFrame) -> bool:
    """Return whether a column may be refused: infinities, dates, mixed types, numbers as text."""
    for name in frame.columns:
        values = [value for value in frame[name].astype(object).tolist() if not pd.isna(value)]
        if any(isinstance(value, pd.Timestamp) or value in (np.inf, -np.inf) for value in values):
            return True
        texts = [isinstance(value, str) for value in values]
        if any(texts) and (not all(texts) or all(map(reads_as_number, values))):
            return True
        if not values:  # a column without values may have the type of dates
            return True
    return False


def reads_as_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
