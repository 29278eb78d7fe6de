"""Tables, wrong calls of ``fit`` and checks of messages, shared by the tests of bad input.

These tests are about messages that users of estimators and public functions read. `make_dataset`
is tested in `tests/data`, the command line in `tests/cli`.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from exactree import OptimalTreeClassifier

X = np.array([[0.0, 3.0], [1.0, 2.0], [2.0, 1.0], [3.0, 0.0]])
Y = np.array([0, 0, 1, 1])
LONG_TENTH = np.longdouble(1) / np.longdouble(10)
FRAME = pd.DataFrame({"age": X[:, 0], "height": X[:, 1]})


def small(**parameters: Any) -> OptimalTreeClassifier:
    """Return an estimator of depth 1 that uses the specification."""
    return OptimalTreeClassifier(**({"implementation": "spec", "max_depth": 1} | parameters))


def with_value(value: Any, row: int, column: int = 1) -> Any:
    """Return the table `X` with a value at a row of a column, and at the next row, if any."""
    table = X.astype(object) if isinstance(value, str) else X.copy()
    table[row : row + 2, column] = value
    return table


@dataclass(frozen=True)
class Mistake:
    """A wrong call of ``fit``, and the words that its message must contain.

    `X` and `y` that are None stand for the correct table and labels, except in "no labels".
    """

    name: str
    words: tuple[str, ...]
    X: Any = None
    y: Any = None
    sample_weight: Any = None
    error: type[Exception] = ValueError


MISTAKES = [
    Mistake("infinity", ("inf", "x1", "row 2"), X=with_value(np.inf, 2)),
    Mistake("minus infinity", ("inf", "x0", "row 0"), X=with_value(-np.inf, 0, 0)),
    Mistake("text", ("x1", "one-hot"), X=with_value("tall", 1)),
    Mistake(
        "numbers as text in pandas",
        ("height", "astype"),
        X=FRAME.assign(height=["1", "2", "1", "2"]),
    ),
    Mistake(
        "numbers as text in polars",
        ("height", "astype"),
        X=pl.DataFrame({"height": ["1", "2", "1", "2"]}),
    ),
    Mistake("dates", ("height", "dates"), X=FRAME.assign(height=pd.Timestamp("2020-01-01"))),
    Mistake("text and numbers", ("height", "do not mix"), X=FRAME.assign(height=["a", 1, "b", 2])),
    Mistake("whole number too large", ("x0", "2**53"), X=np.array([[2**53 + 1], [0], [1], [2]])),
    Mistake(
        "longdouble",
        ("x1", "row 2", "float64"),
        X=np.where(np.arange(8).reshape(4, 2) < 5, X.astype(np.longdouble), LONG_TENTH),
    ),
    Mistake("longdouble in a list", ("x0", "row 1", "float64"), X=[[0.0], [LONG_TENTH], [2], [3]]),
    Mistake("longdouble too large", ("x0", "row 0"), X=[[np.longdouble(2.0) ** 2000]] * 4),
    Mistake("decimal beyond float64", ("x0", "row 1"), X=[[0], [Decimal("1e400")], [1], [2]]),
    Mistake("whole decimal too large", ("x0", "2**53"), X=[[Decimal(2**53 + 1)], [0], [1], [2]]),
    Mistake("huge fraction", ("x0", "1329 bits"), X=[[Fraction(10**400)], [0], [1], [2]]),
    Mistake(
        "decimals that float64 merges",
        ("x0", "row 1", "same number in float64"),
        X=[[Decimal("0.1")], [Decimal("0.10000000000000000001")], [1], [2]],
    ),
    Mistake(
        "whole number too large in a masked array",
        ("x0", "row 0", "2**53"),
        X=np.ma.array([[2**53 + 1], [0], [1], [2]], mask=[[0], [1], [0], [0]]),
    ),
    Mistake("complex", ("Complex data not supported",), X=X + 1j),
    Mistake("one dimension", ("Reshape your data",), X=X[:, 0]),
    Mistake("three dimensions", ("3D", "one row per example"), X=X[:, :, None]),
    Mistake("no rows", ("0 sample(s)",), X=X[:0], y=Y[:0]),
    Mistake("no rows, list", (), X=[], y=[]),
    Mistake("no features", ("0 feature(s)",), X=X[:, :0]),
    Mistake("no features, frame", ("0 feature(s)",), X=FRAME[[]]),
    Mistake("fewer labels than rows", ("4", "3", "y"), y=Y[:3]),
    Mistake("more labels than rows", ("4", "8", "y"), y=np.repeat(Y, 2)),
    Mistake("no labels", ("y",), y=None),
    Mistake("label nan", ("y", "NaN", "row 2"), y=[0.0, 1.0, np.nan, 0.0]),
    Mistake("label infinite", ("y", "inf", "row 1"), y=[0.0, np.inf, 1.0, 0.0]),
    Mistake("two columns of labels", ("y should be a 1d array",), y=np.column_stack([Y, Y])),
    Mistake("ragged labels", ("y", "hashable"), y=[[1], [2, 3], [1], [1]], error=TypeError),
    Mistake("label not hashable", ("y", "hash"), y=[{}, {}, {}, {}], error=TypeError),
    Mistake("negative weight", ("sample_weight", "negative", "row 2"), sample_weight=[1, 1, -1, 1]),
    Mistake("weights all zero", ("sample_weight", "zero"), sample_weight=[0, 0, 0, 0]),
    Mistake("weight nan", ("sample_weight", "NaN", "row 1"), sample_weight=[1, np.nan, 1, 1]),
    Mistake("weight infinite", ("sample_weight", "inf", "row 3"), sample_weight=[1, 1, 1, np.inf]),
    Mistake("fewer weights than rows", ("sample_weight", "4", "2"), sample_weight=[1, 1]),
    Mistake("weights in a table", ("sample_weight",), sample_weight=np.ones((4, 2))),
    Mistake("text as weights", ("sample_weight",), sample_weight=["a", "b", "c", "d"]),
]


def is_short_line(message: str) -> bool:
    """Return whether a message is short and has one line."""
    return 10 < len(message) < 400 and "\n" not in message.strip()
