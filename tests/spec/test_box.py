"""Boxes: Theorem 3.1, for any number of classes."""

import runpy
from collections import Counter
from math import comb, inf, prod
from pathlib import Path

import numpy as np
import pytest

from exactree import Limits, MethodRefused, Problem, Status
from exactree.spec.box import box_table, reason_to_refuse, solve
from exactree.spec.boxes import boxes, children, examples_in, grid, ranks_of, volume
from exactree.testing import check_solver

BRUTE = runpy.run_path(str(Path(__file__).with_name("brute_force.py")))


def random_problem(seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    X, y, weights = BRUTE["random_table"](rng, int(rng.integers(1, 7)), int(rng.integers(2, 5)))
    max_size = int(rng.integers(0, 4)) if rng.random() < 0.2 else None
    minimize = ["size", ("size", "errors")][rng.integers(2)]
    return Problem(X, y, weights, minimize=minimize, limits=Limits(max_size=max_size))


@pytest.mark.parametrize("tables", [200, pytest.param(2000, marks=pytest.mark.long)])
def test_the_size_is_the_minimum_over_all_trees_and_that_of_the_definition(tables: int) -> None:
    statuses: Counter[object] = Counter()
    for seed in range(tables):
        problem = random_problem(seed)
        outcome, sizes = solve(problem), pure_sizes(problem.dataset.X, problem.dataset.labels)
        max_size = problem.limits.max_size
        minimum = min((s for s in sizes if max_size is None or s <= max_size), default=None)
        statuses[outcome.status] += 1
        assert (None if outcome.tree is None else outcome.tree.size) == minimum, seed
        with BRUTE["seed_in_message"](seed):
            check_solver(problem, outcome)
    assert min(statuses.values()) > tables // 20


def pure_sizes(X: np.ndarray, y: np.ndarray) -> list[int]:
    """Return the sizes of all trees without errors."""
    return [
        len(leaves) - 1
        for leaves in BRUTE["all_leaves"](X)
        if all(len({y[row] for row in leaf}) == 1 for leaf in leaves)
    ]


def test_every_box_has_its_minimum_size() -> None:
    """Some boxes are empty, some have one class, some have contradictions and cannot be split."""
    rng = np.random.default_rng(0)
    sizes_seen: set[float] = set()
    for _ in range(30):
        X, y, _ = BRUTE["random_table"](rng, 5, 3)
        problem = Problem(X, y, minimize="size")
        points = ranks_of(problem)
        table = box_table(problem)
        values = [len(set(column)) for column in X.T.tolist()]
        assert len(table) == prod(comb(D + 1, 2) for D in values)
        for box, entry in table.items():
            subset = examples_in(points, box)
            sizes = pure_sizes(X[subset], y[subset]) if subset else [0]
            assert entry.size == min(sizes, default=inf)
            sizes_seen.add(entry.size)
    assert sizes_seen >= {0, 1, 2, 3, inf}


def test_a_split_of_a_box_gives_two_boxes_of_smaller_volume() -> None:
    problem = Problem([[0, 5], [1, 6], [2, 6], [2, 7]], [0, 1, 0, 1])
    points = ranks_of(problem)
    for box in boxes(grid(problem)):
        inside = set(examples_in(points, box))
        for feature, (low, high) in enumerate(zip(*box, strict=True)):
            for split in range(low + 1, high):
                left, right = children(box, feature, split)
                on_left, on_right = set(examples_in(points, left)), set(examples_in(points, right))
                assert (on_left | on_right, on_left & on_right) == (inside, set())
                assert max(volume(left), volume(right)) < volume(box)


def test_no_split_of_the_table_of_boxes_has_an_empty_child() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        X, y, _ = BRUTE["random_table"](rng, 6, 2)
        problem = Problem(X, y, minimize="size")
        points = ranks_of(problem)
        for box, entry in box_table(problem).items():
            if entry.cut is not None:
                assert all(examples_in(points, child) for child in children(box, *entry.cut))


def test_grids_of_few_values_have_known_minimum_sizes() -> None:
    """27 points labelled by the middle value of a feature; 9 points labelled as a checkerboard."""
    X = np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1).T
    outcome = solve(Problem(X, X[:, 0] == 1, minimize="size"))
    assert outcome.cost == 2
    checkerboard = solve(Problem(X[:, :2], X[:, :2].sum(axis=1) % 2, minimize="size"))
    assert checkerboard.cost == 8


def test_contradictory_rows_are_named() -> None:
    outcome = solve(Problem([[0], [3], [0], [1]], [0, 1, 1, 0], minimize="size"))
    assert outcome.status is Status.INFEASIBLE
    assert "rows 0, 2" in outcome.reason


def test_values_one_ulp_apart_are_split() -> None:
    outcome = solve(Problem([[1.0], [np.nextafter(1.0, 2.0)]], [0, 1], minimize="size"))
    assert outcome.cost == 1


@pytest.mark.parametrize(
    ("parameters", "reason"),
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
def test_problems_that_the_method_refuses_have_a_reason(
    parameters: dict[str, object], reason: str
) -> None:
    assert reason in reason_to_refuse(Problem([[0], [1]], [0, 1], **parameters))  # type: ignore[arg-type]
    assert reason_to_refuse(Problem([[0], [1]], [0, 1], minimize="size")) is None


@pytest.mark.parametrize("shape", [(20, 4), (500, 2), (100_000, 30)])
def test_a_large_table_is_refused_immediately_naming_the_better_method(shape) -> None:
    rng = np.random.default_rng(0)
    problem = Problem(rng.random(shape), rng.integers(0, 2, shape[0]), minimize="size")
    with pytest.raises(MethodRefused, match=r"Theorem 3.1 .* use method='witness'"):
        solve(problem)
