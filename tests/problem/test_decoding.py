"""Trees of numbers with two values have no superfluous nodes, although they are not reduced."""

from typing import Any

import numpy as np
import pytest

from exactree import Limits, Problem, solve
from exactree.problem.reduction import Reduction

MINIMIZED = ("errors", "balanced_error", "log_loss", "gini", "squared_error", "absolute_error")


def random_problem(rng: np.random.Generator, minimize: str) -> Problem:
    """Return a small problem of zeros and ones with light or very different weights."""
    rows, columns = rng.integers(4, 40), rng.integers(2, 7)
    numbers = rng.integers(0, 3, rows) / 10 if rng.random() < 0.5 else rng.normal(size=rows)
    classes = np.concatenate(([0, 1], rng.integers(0, 3, rows - 2)))
    y = numbers if minimize in ("squared_error", "absolute_error") else classes
    weights = (None, rng.integers(1, 4, rows), rng.random(rows) * 10.0 ** rng.integers(-8, 8, rows))
    options: dict[str, Any] = {"smoothing": "laplace"} if minimize == "log_loss" else {}
    return Problem(
        rng.integers(0, 2, (rows, columns)),
        y,
        weights[rng.integers(3)],
        minimize=minimize,
        limits=Limits(max_depth=int(rng.integers(2, 5)), min_samples_leaf=int(rng.integers(1, 4))),
        **options,
    )


@pytest.mark.parametrize("minimize", MINIMIZED)
def test_a_search_over_zeros_and_ones_leaves_no_superfluous_node(minimize: str) -> None:
    rng, large = np.random.default_rng(MINIMIZED.index(minimize)), 0
    for _ in range(100):
        problem = random_problem(rng, minimize)
        tree, X = solve(problem).tree, problem.dataset.X
        assert tree is not None
        reduction = Reduction(
            tree.children_left.copy(),
            tree.children_right.copy(),
            lambda node, rows, tree=tree, X=X: tree.goes_left(node, X[rows]),
            lambda rows, problem=problem: problem.term.leaf(problem.dataset, rows),
            problem.term.laws,
            spare=None,
        )
        root = reduction.run(0, np.arange(len(X)))
        assert reduction.size[root] == tree.size
        large += tree.size > 1
    assert large > 50
