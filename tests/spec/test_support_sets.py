"""The search by support sets finds minimum size and depth; tables that prove Lemma 10 (002)."""

import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from exactree import Limits, MethodRefused, Problem, Status
from exactree.spec import find_thresholds, min_cost, threshold
from exactree.spec.all_support_sets import min_dt_of_all_sets
from exactree.spec.examples import Examples
from exactree.spec.find_thresholds import shallowest_with, smallest_with
from exactree.spec.minimal_support_sets import minimal_support_sets
from exactree.spec.support_sets import min_dt, reason_to_refuse, solve
from exactree.spec.table import depth, label_of, size
from exactree.spec.threshold_effort import sets_steps
from exactree.testing import check_irreducible

QUICK = settings.get_current_profile_name() == "quick"

instances = runpy.run_path(str(Path(__file__).with_name("threshold_instances.py")))
random_table, random_examples = instances["random_table"], instances["random_examples"]
min_size, min_depth = instances["min_size"], instances["min_depth"]
problem_of, examples_of = instances["problem_of"], instances["examples_of"]

ROUNDS = 600 if QUICK else 2000


def from_digits(rows: str, labels: str) -> Examples:
    """Return the examples of rows of digits."""
    X = [[int(digit) for digit in row] for row in rows.split(",")]
    found: Examples = examples_of(np.array(X), [int(label) for label in labels.split(",")])
    return found


# 002, Lemma 10: no tree of minimum size (depth) uses only the features of a minimal support set.
OF_SIZE = from_digits("0111,1100,0110,0000,0011,1111", "1,1,0,1,0,0")
OF_DEPTH = from_digits("11000,11100,10001,10011,01000,11011,00010,01110", "0,1,1,0,1,1,0,1")


def test_lemma_10_a_smallest_tree_may_need_more_than_a_minimal_support_set() -> None:
    S = frozenset({0, 1, 3})
    assert minimal_support_sets(OF_SIZE, 4) == [S]
    assert min_size(OF_SIZE, tuple(S)) == 5
    assert smallest_with(OF_SIZE, S, 4) is None
    assert size(smallest_with(OF_SIZE, S, 5)) == 5
    assert min_size(OF_SIZE) == solve(problem_of(OF_SIZE, minimize="size")).cost == 4


def test_lemma_10_a_shallowest_tree_may_need_more_than_a_minimal_support_set() -> None:
    S = frozenset({0, 1, 2, 3})
    assert minimal_support_sets(OF_DEPTH, 5) == [S]
    assert min_depth(OF_DEPTH, tuple(S)) == 4
    assert shallowest_with(OF_DEPTH, S, 3) is None
    assert min_depth(OF_DEPTH) == 3
    assert depth(min_dt(OF_DEPTH, 3, "depth")) == 3


@pytest.mark.parametrize("minimize", ["size", "depth"])
def test_it_agrees_with_the_definition(minimize: str) -> None:
    rng = np.random.default_rng(41)
    infeasible = 0
    for _ in range(ROUNDS):
        X, y = random_table(rng, 5 if rng.random() < 0.9 else 6, 3)
        limit = None if rng.random() < 0.7 else int(rng.integers(0, 4))
        limits = Limits(**{f"max_{minimize}": limit})
        problem = Problem(X, y, rng.integers(1, 4, len(X)), minimize=minimize, limits=limits)
        expected, outcome = min_cost(problem), solve(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), (X, y, limits)
        infeasible += outcome.status is Status.INFEASIBLE
        if outcome.tree is not None:
            check_irreducible(problem, outcome.tree)
    assert ROUNDS / 20 < infeasible < ROUNDS / 2


@pytest.mark.parametrize(("minimize", "limit"), [("size", 4), ("depth", 3)])
def test_it_agrees_with_brute_force(minimize: str, limit: int) -> None:
    rng = np.random.default_rng(42)
    minimum = {"size": min_size, "depth": min_depth}[minimize]
    measure = {"size": size, "depth": depth}[minimize]
    for _ in range(ROUNDS):
        E = random_examples(rng, 7, 4)
        s, expected = int(rng.integers(0, limit)), minimum(E)
        for search in (min_dt, min_dt_of_all_sets):
            tree = search(E, s, minimize)
            assert (tree is None) == (expected > s)
            if tree is not None:
                assert measure(tree) == expected
                assert all(label_of(tree, e.row) == e.label for e in E)


def test_a_tree_of_depth_2_may_need_three_features() -> None:
    """A tree of depth d has up to 2^d - 1 features; the notes on the paper (002) say d."""
    rows = list(product((0, 1), repeat=3))
    E = examples_of(np.array(rows), [row[2] if row[0] else row[1] for row in rows])
    assert minimal_support_sets(E, 3) == [frozenset({0, 1, 2})]
    assert depth(min_dt(E, 2, "depth")) == min_depth(E) == 2


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"minimize": ("size", "depth")}, "not both"),
        ({"minimize": "errors"}, "max_errors=0"),
        ({"minimize": "depth", "limits": Limits(max_errors=1)}, "max_errors=0"),
        ({"minimize": "size", "limits": Limits(max_depth=3)}, "max_depth"),
        ({"minimize": "depth", "limits": Limits(max_size=3)}, "max_size"),
        ({"minimize": "size", "limits": Limits(min_samples_leaf=2)}, "min_samples_leaf"),
        ({"minimize": "size", "limits": Limits(max_leaves_of={0: 2})}, "max_leaves_of"),
        (
            {"minimize": ("depth", "errors"), "leaf_penalty": 1, "limits": Limits(max_errors=0)},
            "leaf_penalty",
        ),
        ({"minimize": "total_size", "n_trees": 3}, "one tree"),
    ],
)
def test_problems_that_the_method_refuses_have_a_reason(
    parameters: dict[str, object], reason: str
) -> None:
    assert reason in str(reason_to_refuse(problem_of(OF_SIZE, **parameters)))


def test_contradictions_are_named() -> None:
    outcome = solve(Problem([[1], [0], [1]], [0, 1, 1], minimize="depth"))
    assert outcome.status is Status.INFEASIBLE
    assert "rows 0, 2" in str(outcome.reason)


def test_a_large_search_is_refused_immediately_and_says_what_is_accepted() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((2000, 20)), rng.integers(0, 2, 2000)
    with pytest.raises(MethodRefused, match=r"max_size=1 or less.*branch-and-bound"):
        solve(Problem(X, y, minimize="size"))
    with pytest.raises(MethodRefused, match=r"max_depth=1 or less.*branch-and-bound"):
        solve(Problem(X, y, minimize="depth"))


def test_many_rows_are_accepted_if_few_nodes_suffice() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 8, (300, 3))
    y = (X[:, 0] > 3) * (1 + (X[:, 2] > 5))
    for minimize in ("size", "depth"):
        assert solve(Problem(X, y, minimize=minimize)).cost == 2
    assert threshold.solve(Problem(X, y, minimize="size")).cost == 2


def test_the_estimate_of_the_effort_is_at_least_half_of_the_effort(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls, original = 0, find_thresholds.find_th

    def counted(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(find_thresholds, "find_th", counted)
    rng = np.random.default_rng(44)
    for _ in range(ROUNDS // 10):
        E = random_examples(rng, 10, 5)
        for minimize, s in (("size", int(rng.integers(0, 5))), ("depth", int(rng.integers(0, 4)))):
            steps = sets_steps(E, s, minimize)
            if steps < 500_000:
                calls = 0
                min_dt(E, s, minimize)
                assert calls * max(len(E), 10) <= 2 * steps
