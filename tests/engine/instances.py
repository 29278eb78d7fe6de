"""Small random problems from a seed, within a budget of the definition's effort."""

from fractions import Fraction

import numpy as np

from exactree import Limits, Problem
from exactree.spec.effort import parts_to_visit

PENALTIES = [0, 0, 0, 0.01, 0.05, Fraction(1, 7), 0.3]


def random_problem(rng: np.random.Generator, budget: float = 400) -> Problem:
    """Draw problems until the definition can solve one by looking at `budget` parts at most."""
    while True:
        problem = _draw(rng)
        if parts_to_visit(problem) <= budget:
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
        sample_weight=_weights(rng, len(X)),
        leaf_penalty=PENALTIES[rng.integers(len(PENALTIES))],
        limits=Limits(
            max_depth=int(rng.integers(0, 5)),
            max_size=int(rng.integers(0, 8)) if rng.random() < 0.4 else None,
            min_samples_leaf=int(rng.integers(2, 5)) if rng.random() < 0.3 else 1,
        ),
    )


def _weights(rng: np.random.Generator, rows: int) -> np.ndarray | None:
    kind = rng.integers(4)
    if kind < 2:
        return None
    if kind == 2:
        return rng.integers(1, 5, rows)
    return rng.choice([0.25, 0.5, 1.0, 3.0, 0.1], rows)
