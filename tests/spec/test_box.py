"""Boxes: Theorem 3.1, for any number of classes."""

import runpy
from collections import Counter
from math import comb, inf, prod
from pathlib import Path

import numpy as np
import pytest

from exactree import Limits, MethodRefused, Problem, Status
from exactree.spec.box import accepts, box_table, solve
from exactree.spec.boxes import boxes, children, examples_in, grid, ranks_of, volume
from exactree.testing import check_solver

BRUTE = runpy.run_path(str(Path(__file__).with_name("brute_force.py")))


def random_problem(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    X, y, weights = BRUTE["random_table"](rng, int(rng.integers(1, 7)), int(rng.integers(2, 5)))
    most = int(rng.integers(0, 4)) if rng.random() < 0.2 else None
    minimize = ["size", ("size", "errors")][rng.integers(2)]
    return Problem(X, y, weights, minimize=minimize, limits=Limits(max_size=most))


@pytest.mark.parametrize("tables", [200, pytest.param(2000, marks=pytest.mark.long)])
def test_the_size_is_the_least_of_all_trees_and_that_of_the_definition(tables: int) -> None:
    seen: Counter[object] = Counter()
    for seed in range(tables):
        problem = random_problem(seed)
        outcome, sizes = solve(problem), pure_sizes(problem.dataset.X, problem.dataset.labels)
        most = problem.limits.max_size
        least = min((s for s in sizes if most is None or s <= most), default=None)
        seen[outcome.status] += 1
        assert (None if outcome.tree is None else outcome.tree.size) == least, seed
        with BRUTE["seed_in_message"](seed):
            check_solver(problem, outcome)
    assert min(seen.values()) > tables // 20


def pure_sizes(X: np.ndarray, y: np.ndarray) -> list[int]:
    """Return the sizes of all trees without errors."""
    return [
        len(leaves) - 1
        for leaves in BRUTE["all_leaves"](X)
        if all(len({y[row] for row in leaf}) == 1 for leaf in leaves)
    ]


def test_every_box_has_its_least_size() -> None:
    """Not the whole box alone: also empty boxes, pure ones, and those that cannot be divided."""
    rng = np.random.default_rng(0)
    seen: set[float] = set()
    for _ in range(30):
        X, y, _ = BRUTE["random_table"](rng, 5, 3)
        problem = Problem(X, y, minimize="size")
        points = ranks_of(problem)
        T = box_table(problem)
        values = [len(set(column)) for column in X.T.tolist()]
        assert len(T) == prod(comb(D + 1, 2) for D in values)
        for box, entry in T.items():
            part = examples_in(points, box)
            sizes = pure_sizes(X[part], y[part]) if part else [0]
            assert entry.size == min(sizes, default=inf)
            seen.add(entry.size)
    assert seen >= {0, 1, 2, 3, inf}


def test_a_cut_divides_a_box_into_two_of_smaller_volume() -> None:
    problem = Problem([[0, 5], [1, 6], [2, 6], [2, 7]], [0, 1, 0, 1])
    points = ranks_of(problem)
    for box in boxes(grid(problem)):
        inside = set(examples_in(points, box))
        for i, (low, high) in enumerate(zip(*box, strict=True)):
            for t in range(low + 1, high):
                left, right = children(box, i, t)
                a, b = set(examples_in(points, left)), set(examples_in(points, right))
                assert (a | b, a & b) == (inside, set())
                assert max(volume(left), volume(right)) < volume(box)


def test_no_root_divides_off_an_empty_box() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        X, y, _ = BRUTE["random_table"](rng, 6, 2)
        problem = Problem(X, y, minimize="size")
        points = ranks_of(problem)
        for box, entry in box_table(problem).items():
            if entry.division is not None:
                assert all(examples_in(points, side) for side in children(box, *entry.division))


def test_a_larger_table_with_few_values() -> None:
    """All 27 points of a 3 x 3 x 3 grid, labelled by the middle of the first feature."""
    X = np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1).T
    outcome = solve(Problem(X, X[:, 0] == 1, minimize="size"))
    assert outcome.cost == 2
    checkerboard = solve(Problem(X[:, :2], X[:, :2].sum(axis=1) % 2, minimize="size"))
    assert checkerboard.cost == 8


def test_contradictory_rows_are_named() -> None:
    outcome = solve(Problem([[0], [3], [0], [1]], [0, 1, 1, 0], minimize="size"))
    assert outcome.status is Status.INFEASIBLE
    assert "rows 0, 2" in outcome.reason


def test_values_one_ulp_apart_are_divided() -> None:
    outcome = solve(Problem([[1.0], [np.nextafter(1.0, 2.0)]], [0, 1], minimize="size"))
    assert outcome.cost == 1


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ({"minimize": "total_size", "n_trees": 2}, "one tree only"),
        ({"minimize": "depth"}, "sizes only"),
        ({"minimize": "errors"}, "needs max_errors=0"),
        ({"minimize": "size", "limits": Limits(max_errors=1)}, "needs max_errors=0"),
        ({"minimize": "size", "limits": Limits(max_depth=1)}, "no max_depth"),
        ({"minimize": "size", "limits": Limits(min_samples_leaf=2)}, "no min_samples_leaf"),
        ({"minimize": "size", "limits": Limits(max_leaves_of={0: 1})}, "no max_leaves_of"),
    ],
)
def test_what_it_does_not_take_has_a_reason(stated: dict[str, object], reason: str) -> None:
    assert reason in accepts(Problem([[0], [1]], [0, 1], **stated))  # type: ignore[arg-type]
    assert accepts(Problem([[0], [1]], [0, 1], minimize="size")) is None


@pytest.mark.parametrize("shape", [(20, 4), (500, 2), (100_000, 30)])
def test_a_large_table_is_refused_immediately_naming_the_better_method(shape) -> None:
    rng = np.random.default_rng(0)
    problem = Problem(rng.random(shape), rng.integers(0, 2, shape[0]), minimize="size")
    with pytest.raises(MethodRefused, match=r"Theorem 3.1 .* use method='witness'"):
        solve(problem)
