"""Small random problems from a seed, within a budget of the definition's effort."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb

import numpy as np

from exactree import Limits, Problem
from exactree.rules import AxisParallel
from exactree.spec.effort import labelings_to_join, subsets_to_visit
from exactree.testing import random_weights

PENALTIES = [0, 0, 0, 0.01, 0.05, Fraction(1, 7), 0.3]


def random_problem(rng: np.random.Generator, budget: float = 400) -> Problem:
    """Draw problems until the definition visits at most `budget` subsets to solve one."""
    while True:
        problem = _draw(rng)
        if subsets_to_visit(problem) <= budget:
            return problem


def _draw(rng: np.random.Generator) -> Problem:
    rows, features = int(rng.integers(1, 25)), int(rng.integers(1, 5))
    values = int(rng.choice([2, 2, 3, 5, 30]))
    X = rng.integers(0, values, (rows, features)).astype(float)
    if rng.random() < 0.3:
        X = np.vstack([X, X[rng.integers(0, rows, rng.integers(0, 8))]])
    y = rng.integers(0, rng.integers(2, 6), len(X))
    if rng.random() < 0.4:  # labels that a small tree explains, up to noise
        y = np.where(rng.random(len(X)) < 0.8, (X[:, 0] > X[:, -1].mean()) * 1, y)
    return Problem(
        X,
        y,
        sample_weight=random_weights(rng, len(X)),
        leaf_penalty=PENALTIES[rng.integers(len(PENALTIES))],
        limits=Limits(
            max_depth=int(rng.integers(0, 5)),
            max_size=int(rng.integers(0, 8)) if rng.random() < 0.4 else None,
            min_samples_leaf=int(rng.integers(2, 5)) if rng.random() < 0.3 else 1,
        ),
    )


MINIMIZED = ["errors", "size", "depth", ("size", "depth"), ("depth", "size"), ("errors", "size")]


def random_problem_of_codes(
    rng: np.random.Generator,
    budget: float = 300,
    minimize: str | None = None,
    max_rows: int = 10,
) -> Problem:
    """Draw a problem with columns of codes and numbers, sometimes with rules on some features."""
    while True:
        problem = _draw_codes(rng, minimize, int(rng.integers(3, max_rows + 1)))
        if 10 < subsets_to_visit(problem) <= budget:
            return problem


def random_problem_with_missing(
    rng: np.random.Generator,
    budget: float = 300,
    minimize: str | None = None,
    max_rows: int = 9,
    informative: float = 0.0,
) -> Problem:
    """Draw a problem with codes and numbers of which some are missing.

    With the probability `informative`, labels say whether a number is large, where all missing
    values count as large or all as small.
    """
    while True:
        share = float(rng.choice([0.05, 0.2, 0.4]))
        problem = _draw_codes(rng, minimize, int(rng.integers(3, max_rows + 1)), share, informative)
        if problem.dataset.with_missing and 10 < subsets_to_visit(problem) <= budget:
            return problem


def _draw_codes(
    rng: np.random.Generator,
    minimize: str | None,
    rows: int,
    missing: float = 0.0,
    informative: float = 0.0,
) -> Problem:
    features = int(rng.integers(1, 4))
    X = rng.integers(0, rng.choice([2, 3, 4, 5]), (rows, features)).astype(float)
    categories = [f for f in range(features) if rng.random() < 0.4] or [0]
    # Codes in random order, some of them negative; and rows that differ only in a code.
    X[:, categories] = rng.permutation(np.arange(-2.0, 3.0))[X[:, categories].astype(int)]
    y = rng.integers(0, rng.integers(2, 4), rows)
    if rng.random() < 0.8:  # labels that a code and a number explain, up to noise
        explained = (X[:, categories[0]] == X[0, categories[0]]) ^ (X[:, -1] > X[:, -1].mean())
        y = np.where(rng.random(rows) < 0.95, explained, y)
    if missing:
        absent, values = rng.random(X.shape) < missing, X[:, -1].copy()
        X[absent] = np.nan
        if rng.random() < 0.3:  # missing values have a label of their own
            y = np.where(absent[:, -1], 1, y)
        if informative and rng.random() < informative:
            large = np.nan_to_num(X[:, -1], nan=rng.choice([-9.0, 9.0])) > np.median(values)
            y = np.where(large, 1, 0)
    quantities = minimize or MINIMIZED[rng.integers(len(MINIMIZED))]
    rules = None
    if rng.random() < 0.3:
        rules = AxisParallel(rng.permutation(features)[: rng.integers(1, features + 1)].tolist())
    errors = int(rng.integers(0, 4)) if quantities != "errors" and rng.random() < 0.5 else None
    # Without a limit on depth or size the definition takes long on more than a few rows.
    limit = int(rng.integers(1, 5))
    limits = Limits(max_errors=errors, **{f"max_{minimize}": limit} if minimize else {})
    if minimize is None:
        limits = Limits(
            max_errors=errors,
            max_depth=int(rng.integers(1, 4)) if rng.random() < 0.8 else None,
            min_samples_leaf=int(rng.integers(1, 3)) if rng.random() < 0.3 else 1,
        )
    weights = random_weights(rng, rows) if minimize is None else None
    return Problem(
        X, y, weights, rules=rules, minimize=quantities, categories=categories, limits=limits
    )


# Quantities minimized in tests that list all optimal trees.
TUPLES_OF_A_TREE = [
    "errors",
    "size",
    "size",
    "depth",
    ("size", "depth"),
    ("depth", "size"),
    ("errors", "size"),
    ("errors", "depth"),
    ("size", "errors"),
    ("depth", "errors"),
    ("errors", "depth", "size"),
]

# Maximum number of ensembles whose votes the definition counts.
MAX_CHOICES = 5_000


def ensemble_problems(
    draw: Callable[[np.random.Generator], Problem], seed: int, problems: int
) -> Iterator[tuple[np.random.Generator, Problem]]:
    """Yield problems of ensembles that the definition solves quickly, with the generator used."""
    rng = np.random.default_rng(seed)
    while problems:
        problem = draw(rng)
        joined, labelings = labelings_to_join(problem)
        few = comb(labelings + problem.n_trees - 1, problem.n_trees) < MAX_CHOICES
        if joined < 1e5 and few:
            problems -= 1
            yield rng, problem


def draw_rows(rng: np.random.Generator) -> np.ndarray:
    """Draw up to seven rows of one to three features, often without repeated rows."""
    rows, features = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.choice([2, 3, 5]), (rows, features)).astype(float)
    return np.unique(X, axis=0) if rng.random() < 0.7 else X
