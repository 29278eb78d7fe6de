"""A problem for the searches of workers in tests."""

import numpy as np

import exactree as xt
from exactree.problem import Problem


def seconds_of_work(rows: int = 1500, features: int = 6) -> Problem:
    """Return a problem that takes about one second of search; about two with twice the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, features)).round(2)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(rows) < 0.2)).astype(int)
    return Problem(X, y, limits=xt.Limits(max_depth=3))
