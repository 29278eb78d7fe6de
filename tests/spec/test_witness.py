"""Witness-tree search for one tree: Corollaries 4.3, 6.2 and 6.7, enumeration (6.3), refusals."""

import runpy
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree import Limits, MethodRefused, Problem, Status, solve
from exactree.problem.verification.recount import recount
from exactree.spec import definition, witness
from exactree.spec.table import label_of, leaves
from exactree.spec.witness import initial_trees, reason_to_refuse, refine_tree, trees_within
from exactree.spec.witness_effort import (
    MAX_SEARCH_NODES,
    estimated_search_nodes,
    greedy_errors,
    max_nodes,
)
from exactree.spec.witness_trees import training_data
from exactree.testing import check_irreducible

INSTANCES = runpy.run_path(str(Path(__file__).with_name("witness_instances.py")))
random_problem, plain_tree_of = INSTANCES["random_problem"], INSTANCES["plain_tree_of"]
min_errors, max_values_and_delta = INSTANCES["min_errors"], INSTANCES["max_values_and_delta"]
BLOCKS = [0, *(pytest.param(block, marks=pytest.mark.long) for block in range(1, 4))]


@pytest.mark.parametrize("block", BLOCKS)
def test_the_size_is_the_minimum_by_brute_force(block: int) -> None:
    sizes: Counter[Any] = Counter()
    for number in range(550):
        problem = random_problem(np.random.default_rng([block, number]), "size", 1, 9)
        outcome = witness.solve(problem)
        recount(problem, outcome)
        errors, max_errors = min_errors(problem), problem.max_error_weight
        message = f"block {block}, number {number}: {problem}"
        sizes[outcome.cost] += 1
        if outcome.tree is None:
            assert outcome.status is Status.INFEASIBLE
            assert errors(20) > max_errors, message
        else:
            assert errors(outcome.cost) <= max_errors, message
            assert outcome.cost == 0 or errors(outcome.cost - 1) > max_errors, message
            check_irreducible(problem, outcome.tree)
    assert sizes[None] > 20
    assert sum(sizes[size] for size in (3, 4, 5, 6, 7)) > 30


@pytest.mark.parametrize("block", BLOCKS)
def test_it_agrees_with_the_definition(block: int) -> None:
    for number in range(510):
        rng = np.random.default_rng([77, block, number])
        limits = {"max_size": int(rng.integers(0, 4))} if number % 4 == 0 else {}
        problem = random_problem(rng, "size", 1, 6, **limits)
        outcome, expected = witness.solve(problem), definition.solve(problem)
        message = f"block {block}, number {number}: {problem}"
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), message


def all_trees(problem: Problem, size: int) -> dict[Any, int]:
    """Return all trees of a size with their errors, listed subset by subset."""
    data, X = problem.dataset, problem.dataset.X.tolist()

    @cache
    def listed(subset: frozenset[int], size: int) -> dict[Any, int]:
        if size == 0:
            totals: Counter[int] = Counter()
            for row in subset:
                totals[int(data.labels[row])] += int(data.weights[row])
            return {None: totals.total() - max(totals.values())}
        found = {}
        for f, row, below in product(range(len(X[0])), subset, range(size)):
            left = frozenset(r for r in subset if X[r][f] <= X[row][f])
            if left < subset:
                pairs = product(
                    listed(left, below).items(), listed(subset - left, size - 1 - below).items()
                )
                found |= {(f, left, a, b): wrong + other for (a, wrong), (b, other) in pairs}
        return found

    return listed(frozenset(range(len(X))), size)


def test_enumeration_finds_every_tree_of_minimum_size() -> None:
    """Section 6.3, also for allowed errors and for any number of classes."""
    n_ambiguous = 0
    for number in range(300):
        problem = random_problem(np.random.default_rng([5, number]), "size", 1, 7)
        cost = witness.solve(problem).cost
        if cost is None or cost > 4:
            continue
        E = training_data(problem)
        found = {plain_tree_of(E.X, tree) for tree in trees_within(E, cost, Counter())}
        best = {tree for tree, wrong in all_trees(problem, cost).items() if wrong <= E.t}
        assert found == best, f"number {number}: {problem}"
        n_ambiguous += len(best) > 1
    assert n_ambiguous > 60


def test_the_search_tree_is_as_small_as_corollary_4_3_says() -> None:
    for number in range(300):
        rng = np.random.default_rng([6, number])
        problem = random_problem(rng, "size", 1, 9, max_errors=0)
        outcome = witness.solve(problem)
        D, delta = max_values_and_delta(problem)
        for s, visited in outcome.stats.get("search_nodes_by_size", {}).items():
            assert visited <= max(1, (delta * D * s) ** s), f"number {number}: {problem}"


def test_without_errors_all_witnesses_are_classified_correctly() -> None:
    """Why δ and not 2δ features separate a dirty example from the witness of its leaf."""
    problem = random_problem(np.random.default_rng(1), "size", 1, 9, max_errors=0)
    E = training_data(problem)
    assert [leaf.label for leaf in initial_trees(E)] == [E.labels[0]]
    for tree in trees_within(E, 6, Counter()):
        for leaf in leaves(tree):
            assert leaf.label == E.labels[leaf.witness]
            assert label_of(tree, E.X[leaf.witness]) == leaf.label


def test_each_call_of_refine_tree_is_a_search_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start, its refinements and their refinements are one call each."""
    calls: list[tuple[int, int]] = []

    def counted(E: Any, tree: Any, s: int, visited: Any) -> Any:
        calls.append((s, len(leaves(tree)) - 1))
        yield from refine_tree(E, tree, s, visited)

    monkeypatch.setattr(witness, "refine_tree", counted)
    # `refine_tree` calls itself by its name in the module, so every call is counted.
    problem = Problem([[0], [1], [2], [3]], [0, 1, 1, 0], minimize="size")
    outcome = witness.solve(problem)
    by_size = outcome.stats["search_nodes_by_size"]
    assert outcome.cost == 2
    assert outcome.stats["search_nodes"] == len(calls) == sum(by_size.values())
    assert by_size == dict(Counter(s for s, _ in calls))
    assert all(size <= s for s, size in calls)
    # Row 1 is dirty, and one threshold separates it. Then row 3 is dirty: two thresholds do so.
    assert by_size == {0: 1, 1: 2, 2: 4}


def test_contradictions_are_named_before_any_search() -> None:
    outcome = witness.solve(Problem([[1], [1], [2]], [0, 1, 0], minimize="size"))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.reason is not None
    assert "rows 0, 1" in outcome.reason
    assert not outcome.stats


def test_a_limit_on_size_that_cannot_be_met_is_infeasible() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    outcome = witness.solve(Problem(X, y, minimize="size", limits=Limits(max_size=2)))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.reason is not None
    assert "max_size=2" in outcome.reason
    assert set(outcome.stats["search_nodes_by_size"]) == {0, 1, 2}
    allowed = Problem(X, y, minimize="size", limits=Limits(max_size=2, max_errors=1))
    assert witness.solve(allowed).cost == 2


@pytest.mark.parametrize(
    ("parameters", "expected_reason"),
    [
        ({"minimize": "errors"}, "minimizes the size only"),
        ({"minimize": "depth"}, "minimizes the size only"),
        ({"minimize": ("size", "errors")}, "minimizes the size only"),
        ({"minimize": "total_size", "n_trees": 2}, "one tree only"),
        ({"limits": Limits(max_depth=3)}, "max_depth"),
        ({"limits": Limits(min_samples_leaf=2)}, "min_samples_leaf"),
        ({"limits": Limits(max_leaves_of={0: 1})}, "max_leaves_of"),
    ],
)
def test_problems_that_the_method_refuses_have_a_reason(
    parameters: dict[str, Any], expected_reason: str
) -> None:
    problem = Problem([[0], [1], [2]], [0, 1, 0], **{"minimize": "size", **parameters})
    reason = reason_to_refuse(problem)
    assert reason is not None
    assert expected_reason in reason
    with pytest.raises(MethodRefused, match=expected_reason):
        witness.solve(problem)


def noise(rows: int, columns: int, **limits: int) -> Problem:
    rng = np.random.default_rng(0)
    X, y = rng.random((rows, columns)), rng.integers(0, 2, rows)
    return Problem(X, y, minimize="size", limits=Limits(**limits))


@pytest.mark.parametrize(("rows", "columns"), [(200, 5), (5000, 20), (100, 1000)])
def test_a_large_table_is_refused_immediately(rows: int, columns: int) -> None:
    with pytest.raises(MethodRefused, match=r"search nodes.*lower max_size.*branch-and-bound"):
        witness.solve(noise(rows, columns))


def test_a_small_limit_or_an_easy_table_is_not_refused() -> None:
    assert witness.solve(noise(60, 3, max_size=1)).status is Status.INFEASIBLE
    X = np.arange(300.0)[:, None]
    easy = Problem(X, X[:, 0] > 100, minimize="size")
    assert solve(easy, method="witness", implementation="spec").cost == 1


def test_the_estimate_of_the_search_nodes_has_the_right_magnitude() -> None:
    for number in range(150):
        problem = random_problem(np.random.default_rng([7, number]), "size", 1, 9)
        outcome, E = witness.solve(problem), training_data(problem)
        for s, visited in outcome.stats.get("search_nodes_by_size", {}).items():
            # For the optimal size the search ends early.
            if outcome.cost is None or s < outcome.cost:
                estimate = estimated_search_nodes(E, 1, s)
                assert visited <= 6 * estimate, f"number {number}, size {s}"
                assert estimate <= 30 * visited, f"number {number}, size {s}"
                assert estimate <= MAX_SEARCH_NODES


def test_the_greedy_tree_has_at_least_the_minimum_errors_of_each_size() -> None:
    for number in range(50):
        problem = random_problem(np.random.default_rng([8, number]), "size", 1, 8)
        E, minimum = training_data(problem), min_errors(problem)
        errors = list(greedy_errors(E, range(len(E.X))))
        assert len(errors) - 1 <= max_nodes(problem)
        assert errors[-1] == minimum(max_nodes(problem))
        assert all(wrong >= minimum(s) for s, wrong in enumerate(errors))


@pytest.mark.filterwarnings("error")
def test_the_greedy_tree_splits_numbers_whose_difference_overflows() -> None:
    E = training_data(Problem([[-1.7e308], [1.7e308]], ["a", "b"], minimize="size"))
    assert list(greedy_errors(E, range(2))) == [1, 0]
