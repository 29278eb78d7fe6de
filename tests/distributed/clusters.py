"""A problem for the searches of workers in tests."""

import numpy as np

import exactree as xt
from exactree.problem import Problem


def seconds_of_work(rows: int = 1500, features: int = 6, minimize: str = "errors") -> Problem:
    """Return a problem that takes about one second of search; about two with twice the rows.

    Other costs than plain errors take about as long with 1000 rows.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, features)).round(2)
    number = X[:, 0] * X[:, 1] + X[:, 2]
    if minimize in ("squared_error", "absolute_error"):
        y = (number + rng.normal(size=rows)).round(2)
    else:
        y = ((number > 0) ^ (rng.random(rows) < 0.2)).astype(int)
    return Problem(X, y, minimize=minimize, limits=xt.Limits(max_depth=3))
