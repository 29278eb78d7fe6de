"""Labelled sets of examples: Lemmas 5.1 and 6.3, Theorems 5.2 and 6.4, Corollary 6.8."""

import runpy
from collections import Counter
from fractions import Fraction
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pytest

from exactree import Limits, MethodRefused, Problem, Status
from exactree.spec.labelings import examples_of, tree_of
from exactree.spec.subsets import (
    all_labelings,
    own_labelings,
    reason_to_refuse,
    solve,
    wrong_weight,
)
from exactree.spec.table import label_of, rows, size
from exactree.testing import check_solver

BRUTE = runpy.run_path(str(Path(__file__).with_name("brute_force.py")))
MINIMIZE = ["size", "size", "errors", ("size", "errors"), ("errors", "size")]


def random_problem(seed: int) -> Problem:
    """Return a problem with at most 4 classes for which the table of Lemma 6.3 is small."""
    rng = np.random.default_rng(seed)
    classes = int(rng.integers(2, 5))
    max_rows = {2: 6, 3: 4, 4: 4}[classes]  # 3^6 = 729, 4^4 = 256 or 5^4 = 625 entries
    X, y, weights = BRUTE["random_table"](rng, int(rng.integers(1, max_rows + 1)), classes)
    minimize = MINIMIZE[rng.integers(len(MINIMIZE))]
    penalty = [0, 0.1, Fraction(1, 7)][rng.integers(3)] if minimize == "errors" else 0
    limits = BRUTE["random_limits"](rng, 1)
    if penalty and limits.max_errors is not None:
        limits = Limits(max_size=limits.max_size)
    return Problem(X, y, weights, minimize=minimize, leaf_penalty=penalty, limits=limits)


def as_tuple(cost: object) -> tuple[object, ...]:
    return cost if isinstance(cost, tuple) else (cost,)


@pytest.mark.parametrize("tables", [200, pytest.param(2000, marks=pytest.mark.long)])
def test_the_cost_is_the_minimum_over_all_trees_and_that_of_the_definition(tables: int) -> None:
    kinds: Counter[object] = Counter()
    for seed in range(tables):
        problem = random_problem(seed)
        outcome, costs = solve(problem), BRUTE["all_costs"](problem)
        kinds[outcome.status, problem.max_error_weight == 0] += 1
        minimum = min(costs, default=None)
        assert (None if outcome.cost is None else as_tuple(outcome.cost)) == minimum, seed
        with BRUTE["seed_in_message"](seed):
            check_solver(problem, outcome)
    assert min(kinds.values()) > tables // 40


@pytest.mark.parametrize("classes", [1, 2, 3, 4])
def test_every_labeling_has_its_minimum_size(classes: int) -> None:
    """Lemma 5.1 for two classes and Lemma 6.3 for more, for the labelings of every subset."""
    rng = np.random.default_rng(classes)
    for _ in range(12):
        X, y, _ = BRUTE["random_table"](rng, 4, classes)
        Q = all_labelings(Problem(X, y))
        assert len(Q) == (classes + 1) ** 4
        for kept in product([False, True], repeat=4):
            subset = [example for example in range(4) if kept[example]]
            sizes = BRUTE["min_sizes"](X[subset], classes) if subset else {(): 0}
            for labels in product(range(classes), repeat=len(subset)):
                R = tuple(
                    sum(1 << e for e, label in zip(subset, labels, strict=True) if label == j)
                    for j in range(classes)
                )
                assert Q[R].size == sizes.get(labels, inf)


def test_the_tree_of_an_entry_has_its_size_and_predicts_its_labeling() -> None:
    rng = np.random.default_rng(0)
    X, y, _ = BRUTE["random_table"](rng, 5, 3)
    problem = Problem(X, y)
    Q = all_labelings(problem)
    for R, entry in Q.items():
        if any(R) and entry.size < inf:
            tree = tree_of(Q, R)
            assert size(tree) == entry.size
            for example, label in examples_of(R):
                assert label_of(tree, rows(problem)[example]) == label


def test_the_table_of_own_classes_has_entries_of_the_full_table() -> None:
    """Theorems 5.2 and 6.4: trees without errors need 2^n of the (c + 1)^n entries."""
    rng = np.random.default_rng(1)
    for classes in (2, 3, 4):
        for _ in range(20):
            X, y, _ = BRUTE["random_table"](rng, 4, classes)
            problem = Problem(X, y, minimize="size")
            full, own = all_labelings(problem), own_labelings(problem)
            assert len(own) == 2**4
            assert all(full[R].size == entry.size for R, entry in own.items())


def test_wrong_weight_is_the_weight_of_wrongly_labelled_examples() -> None:
    problem = Problem([[0], [1], [2]], [0, 1, 1], [5, 2, 3])
    assert wrong_weight(problem, (0b001, 0b110)) == 0
    assert wrong_weight(problem, (0b110, 0b001)) == 10
    assert wrong_weight(problem, (0b011, 0b000)) == 2


def test_trees_with_errors_are_smaller() -> None:
    """Corollary 6.8 for alternating labels: two errors save two nodes each, the third the last."""
    X, y = [[i] for i in range(6)], [0, 1, 0, 1, 0, 1]
    sizes = [
        solve(Problem(X, y, minimize="size", limits=Limits(max_errors=t))).cost for t in range(4)
    ]
    assert sizes == [5, 3, 1, 0]
    errors = [solve(Problem(X, y, limits=Limits(max_size=s))).cost for s in range(6)]
    assert errors == [3, 2, 2, 1, 1, 0]


def test_weights_decide_which_errors_are_made() -> None:
    X, y = [[0], [1], [2]], [0, 1, 0]
    light = Problem(X, y, [3, 1, 3], minimize="size", limits=Limits(max_errors=1))
    heavy = Problem(X, y, [1, 3, 1], minimize="size", limits=Limits(max_errors=1))
    assert (solve(light).cost, solve(heavy).cost) == (0, 1)


def test_contradictory_rows_are_named() -> None:
    outcome = solve(Problem([[0], [3], [0], [1]], [0, 1, 1, 0], minimize="size"))
    assert outcome.status is Status.INFEASIBLE
    assert "rows 0, 2" in outcome.reason
    loose = Problem(
        [[0], [3], [0], [1]], [0, 1, 1, 0], minimize="size", limits=Limits(max_errors=1)
    )
    assert solve(loose).cost == 1


def test_one_class_and_one_row_are_leaves() -> None:
    for y in ([4], [7, 7, 7]):
        outcome = solve(Problem([[i] for i in range(len(y))], y, minimize="size"))
        assert (outcome.cost, outcome.tree.size) == (0, 0)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"n_trees": 2, "minimize": "total_size"}, "one tree only"),
        ({"minimize": "depth"}, "sizes and errors only"),
        ({"limits": Limits(max_depth=1)}, "no max_depth"),
        ({"limits": Limits(min_samples_leaf=2)}, "no min_samples_leaf"),
        ({"limits": Limits(max_leaves_of={0: 1})}, "no max_leaves_of"),
    ],
)
def test_problems_that_the_method_refuses_have_a_reason(
    parameters: dict[str, object], reason: str
) -> None:
    assert reason in reason_to_refuse(Problem([[0], [1]], [0, 1], **parameters))  # type: ignore[arg-type]
    assert reason_to_refuse(Problem([[0], [1]], [0, 1], minimize="size")) is None


@pytest.mark.parametrize("n", [30, 3_000, 20_000])
def test_a_large_table_is_refused_immediately_naming_the_better_method(n: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((n, 4)), rng.integers(0, 2, n)
    with pytest.raises(MethodRefused, match=r"Theorem 6.4 .* use method='witness'"):
        solve(Problem(X, y, minimize="size"))
    with pytest.raises(MethodRefused, match=r"Lemma 6.3 .* use method='branch-and-bound'"):
        solve(Problem(X, y))


def test_many_features_are_refused_because_of_the_number_of_steps() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((17, 60)), rng.integers(0, 2, 17)
    with pytest.raises(MethodRefused, match="steps"):
        solve(Problem(X, y, minimize="size"))
