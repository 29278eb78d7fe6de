"""Witness-tree search for ensembles: Theorem 4.1, Propositions 6.1 and 6.6, a correction."""

import runpy
from collections import Counter
from itertools import combinations_with_replacement, count, product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exactree import Limits, MethodRefused, Problem, Status, solve
from exactree.problem.verification.recount import recount
from exactree.spec import definition_ensemble, witness, witness_effort, witness_ensemble
from exactree.spec.minimum_sizes import Sizes
from exactree.spec.table import label_of
from exactree.spec.witness_effort import estimated_search_nodes
from exactree.spec.witness_ensemble import ensembles_within, initial_ensembles, reason_to_refuse
from exactree.spec.witness_trees import WitnessLeaf, majority, training_data
from exactree.testing import check_irreducible

INSTANCES = runpy.run_path(str(Path(__file__).with_name("witness_instances.py")))
random_problem, ensemble_exists = INSTANCES["random_problem"], INSTANCES["ensemble_exists"]
labelings, max_values_and_delta = INSTANCES["labelings"], INSTANCES["max_values_and_delta"]

# By the printed rule, a new leaf predicts the class of the dirty example. With three classes this
# misses the optimum.
COUNTEREXAMPLE = Problem(
    [(0, 1), (0, 0), (0, 2), (1, 1), (1, 0), (1, 2)],
    [0, 1, 1, 0, 2, 2],
    minimize="total_size",
    n_trees=2,
)


def printed_rule(E: Any, present: int, own: int) -> Any:
    return iter([own])


def test_with_three_classes_the_printed_rule_misses_the_optimum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert witness_ensemble.solve(COUNTEREXAMPLE).cost == 3
    assert not ensemble_exists(COUNTEREXAMPLE, total=2, largest=2)
    monkeypatch.setattr(witness_ensemble, "new_classes", printed_rule)
    assert witness_ensemble.solve(COUNTEREXAMPLE).cost == 4


def test_with_two_classes_or_one_tree_the_printed_rule_is_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for number in range(100):
        problem = random_problem(np.random.default_rng([1, number]), "total_size", 2, 6, classes=2)
        found.append((problem, witness_ensemble.solve(problem).cost))
    monkeypatch.setattr(witness_ensemble, "new_classes", printed_rule)
    for problem, cost in found:
        assert witness_ensemble.solve(problem).cost == cost
    for number in range(100):
        problem = random_problem(np.random.default_rng([2, number]), "size", 1, 7)
        cost, E = witness.solve(problem).cost, training_data(problem)
        if cost is not None:
            assert any(ensembles_within(E, 1, Sizes(cost, cost), Counter()))
            if cost > 0:
                below = Sizes(cost - 1, cost - 1)
                assert not any(ensembles_within(E, 1, below, Counter()))


@pytest.fixture
def only_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search refuse problems with more than 5,000 search nodes."""
    monkeypatch.setattr(witness_effort, "MAX_SEARCH_NODES", 5_000)


@pytest.mark.usefixtures("only_quick")
@pytest.mark.parametrize(
    ("minimize", "n_trees", "rows", "instances"),
    [
        ("total_size", 2, 7, 160),
        ("total_size", 3, 6, 120),
        ("total_size", 4, 5, 100),
        ("largest_size", 2, 7, 160),
        ("largest_size", 3, 5, 120),
        ("largest_size", 4, 5, 100),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (
                ("total_size", 2, 7, 1_100),
                ("total_size", 3, 6, 900),
                ("largest_size", 2, 7, 1_100),
                ("largest_size", 3, 5, 900),
            )
        ),
    ],
)
def test_the_cost_is_the_minimum_by_brute_force(
    minimize: str, n_trees: int, rows: int, instances: int
) -> None:
    costs: Counter[Any] = Counter()
    for number in count():
        problem = random_problem(np.random.default_rng([3, number]), minimize, n_trees, rows)
        try:
            outcome = witness_ensemble.solve(problem)
        except MethodRefused:
            continue
        recount(problem, outcome)
        message = f"number {number}: {problem}"
        costs[outcome.cost] += 1
        if outcome.ensemble is None:
            assert outcome.status is Status.INFEASIBLE
            assert witness.solve(single_tree_problem(problem)).status is Status.INFEASIBLE, message
        else:
            check_irreducible(problem, outcome.ensemble.trees)
            below = outcome.cost - 1
            total = below if minimize == "total_size" else n_trees * below
            assert outcome.cost == 0 or not ensemble_exists(problem, total, below), message
        if costs.total() == instances:
            break
    assert number < 1.5 * instances
    assert costs[None]
    assert costs[1] > instances / 10
    assert costs[2] or minimize == "largest_size"


@pytest.mark.usefixtures("only_quick")
@pytest.mark.parametrize("block", [0, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "minimize",
    ["total_size", "largest_size", ("total_size", "largest_size"), ("largest_size", "total_size")],
    ids=str,
)
def test_it_agrees_with_the_definition(minimize: str | tuple[str, str], block: int) -> None:
    compared = 0
    for number in count():
        rng = np.random.default_rng([4, block, number])
        limits = {"max_size": int(rng.integers(0, 3))} if number % 5 == 0 else {}
        limits |= {"max_total_size": int(rng.integers(0, 4))} if number % 7 == 0 else {}
        n_trees = int(rng.choice([2, 3]))
        problem = random_problem(rng, minimize, n_trees, 5, **limits)
        different = len(np.unique(problem.dataset.X, axis=0))
        # The definition lists all combinations of n_trees of these labelings.
        if len(problem.dataset.classes) ** different <= (36 if n_trees == 2 else 16):
            outcome, expected = witness_ensemble.solve(problem), definition_ensemble.solve(problem)
            message = f"block {block}, number {number}: {problem}"
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost), message
            if outcome.ensemble is not None:
                recount(problem, outcome)
                check_irreducible(problem, outcome.ensemble.trees)
            compared += 1
        if compared == (510 if isinstance(minimize, str) else 100):
            break


def single_tree_problem(problem: Problem) -> Problem:
    """Return the problem of a smallest single tree for the same table."""
    data = problem.dataset
    limits = Limits(max_errors=problem.max_errors)
    weights = data.weights / data.weight_scale
    return Problem(data.X, data.labels, weights, minimize="size", limits=limits)


def test_a_total_size_above_that_of_one_tree_is_never_needed() -> None:
    """Leaves spread evenly over the classes leave the decision to the one remaining tree.

    So the search stops at the size of a smallest single tree.
    """
    for c, n_trees in product(range(2, 6), range(2, 8)):
        spread = [c - 1 - number % c for number in range(n_trees - 1)]
        for label in range(c):
            votes = [[label, *spread].count(other) for other in range(c)]
            assert votes.index(max(votes)) == label
    for number in range(80):
        rng = np.random.default_rng([9, number])
        problem = random_problem(rng, "total_size", int(rng.integers(2, 4)), 6)
        cost = witness_ensemble.solve(problem).cost
        assert cost is None or cost <= witness.solve(single_tree_problem(problem)).cost


def test_one_initial_ensemble_for_all_permutations_finds_the_same_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = []
    for number in range(150):
        rng = np.random.default_rng([5, number])
        problem = random_problem(rng, "total_size", int(rng.integers(2, 4)), 5)
        E = training_data(problem)
        starts = list(initial_ensembles(E, problem.n_trees))
        classes = [tuple(tree.label for tree in trees) for trees in starts]
        assert len({tuple(sorted(vector)) for vector in classes}) == len(classes)
        assert len(classes) <= comb(E.classes + problem.n_trees - 1, problem.n_trees)
        if E.t == 0:
            assert all(majority(E, trees, 0) == E.labels[0] for trees in starts)
        found.append((problem, witness_ensemble.solve(problem)))

    def all_vectors(E: Any, n_trees: int) -> Any:
        for vector in product(range(E.classes), repeat=n_trees):
            yield tuple(WitnessLeaf(label, witness=0) for label in vector)

    monkeypatch.setattr(witness_ensemble, "initial_ensembles", all_vectors)
    for problem, outcome in found:
        slow = witness_ensemble.solve(problem)
        assert slow.cost == outcome.cost
        if outcome.cost:
            for sizes, visited in outcome.stats["search_nodes_by_size"].items():
                if sizes[0] < outcome.cost:
                    assert visited <= slow.stats["search_nodes_by_size"][sizes]


def test_the_search_tree_is_as_small_as_theorem_4_1_says() -> None:
    """With two classes and no errors; the bound (4δDS)^S of 001 is for at most S trees."""
    tight = 0
    for number in range(250):
        rng = np.random.default_rng([6, number])
        n_trees = int(rng.integers(2, 4))
        kind = str(rng.choice(["total_size", "largest_size"]))
        problem = random_problem(rng, kind, n_trees, 6, classes=2, max_errors=0)
        outcome = witness_ensemble.solve(problem)
        D, delta = max_values_and_delta(problem)
        for (S, s), visited in outcome.stats.get("search_nodes_by_size", {}).items():
            children = min(S + n_trees, n_trees * s) * 2 * delta * D
            starts = n_trees + 1
            assert visited <= starts * max(1, children**S), f"number {number}: {problem}"
            if n_trees <= S:
                assert visited <= starts * (4 * delta * D * S) ** S
                tight += 1
    assert tight > 20


def test_enumeration_finds_every_ensemble_of_minimum_total_size() -> None:
    """Section 6.3, compared with all multisets of labelings; leaves predict any class."""
    n_ambiguous = 0
    for number in range(200):
        rng = np.random.default_rng([7, number])
        problem = random_problem(rng, "total_size", int(rng.integers(2, 4)), 4)
        cost = witness_ensemble.solve(problem).cost
        if cost is None or cost > 2:
            continue
        E, data = training_data(problem), problem.dataset
        found = {
            tuple(sorted(tuple(label_of(tree, row) for row in E.X) for tree in trees))
            for trees in ensembles_within(E, problem.n_trees, Sizes(cost, cost), Counter())
        }
        sizes = {
            tuple(labels): size
            for size, of_size in enumerate(labelings(problem, cost))
            for labels in of_size.tolist()
        }
        best = set()
        for choice in combinations_with_replacement(sorted(sizes), problem.n_trees):
            if sum(sizes[labels] for labels in choice) == cost:
                votes = [
                    [predicted.count(label) for label in range(E.classes)]
                    for predicted in zip(*choice, strict=True)
                ]
                wrong = [counts.index(max(counts)) for counts in votes] != data.labels
                if data.weights[wrong].sum() <= E.t:
                    best.add(choice)
        assert found == best, f"number {number}: {problem}"
        n_ambiguous += len(best) > 1
    assert n_ambiguous > 50


def test_ties_go_to_the_earlier_class() -> None:
    # With two trees one vote for each class elects class 0: a stump and a leaf of class 1 suffice.
    for y in ([0, 1, 1], [1, 0, 0]):
        outcome = witness_ensemble.solve(
            Problem([[0], [1], [2]], y, minimize="total_size", n_trees=2)
        )
        assert outcome.cost == 1
        assert outcome.ensemble.predict([[0], [1], [2]]).tolist() == y


def test_ensembles_may_have_trees_that_are_single_leaves() -> None:
    outcome = witness_ensemble.solve(Problem([[0], [1]], [0, 1], minimize="total_size", n_trees=5))
    assert outcome.cost == 1
    assert sorted(tree.size for tree in outcome.ensemble.trees) == [0, 0, 0, 0, 1]


def test_three_stumps_cannot_classify_exclusive_or() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    parameters = {"n_trees": 3, "minimize": "largest_size"}
    assert witness_ensemble.solve(Problem(X, y, **parameters)).cost == 2
    stumps = Problem(X, y, **parameters, limits=Limits(max_size=1))
    assert witness_ensemble.solve(stumps).status is Status.INFEASIBLE
    two_nodes = Problem(X, y, **parameters, limits=Limits(max_total_size=2))
    outcome = witness_ensemble.solve(two_nodes)
    assert outcome.status is Status.INFEASIBLE
    assert "max_total_size=2" in outcome.reason


def test_the_stats_count_the_search_nodes_of_every_size() -> None:
    outcome = solve(COUNTEREXAMPLE, method="witness", implementation="spec")
    by_size = outcome.stats["search_nodes_by_size"]
    # The total size, and the maximum size of a tree: six rows need no tree of more than five nodes.
    assert list(by_size) == [(0, 5), (1, 5), (2, 5), (3, 5)]
    assert outcome.stats["search_nodes"] == sum(by_size.values())
    # For size 0: the initial ensembles that elect class 0, the class of the first example.
    assert (
        by_size[0, 5] == len([v for v in combinations_with_replacement(range(3), 2) if 0 in v]) == 3
    )


@pytest.mark.parametrize(
    ("parameters", "expected_reason"),
    [
        ({"minimize": "errors"}, "total size and the largest size only"),
        ({"minimize": "total_depth"}, "total size and the largest size only"),
        ({"minimize": ("total_size", "errors")}, "total size and the largest size only"),
        ({"minimize": "size", "n_trees": 1}, "ensembles only"),
        ({"limits": Limits(max_depth=3)}, "max_depth"),
        ({"limits": Limits(min_samples_leaf=2)}, "min_samples_leaf"),
        ({"limits": Limits(max_leaves_of={0: 1})}, "max_leaves_of"),
    ],
)
def test_problems_that_the_method_refuses_have_a_reason(
    parameters: dict[str, Any], expected_reason: str
) -> None:
    problem = Problem(
        [[0], [1], [2]], [0, 1, 0], **{"minimize": "total_size", "n_trees": 2, **parameters}
    )
    reason = reason_to_refuse(problem)
    assert reason is not None
    assert expected_reason in reason
    with pytest.raises(MethodRefused, match=expected_reason):
        witness_ensemble.solve(problem)


@pytest.mark.parametrize("minimize", ["total_size", "largest_size"])
def test_a_large_table_is_refused_immediately(minimize: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 6)), rng.integers(0, 3, 300)
    with pytest.raises(MethodRefused, match=r"search nodes.*max_total_size.*branch-and-bound"):
        witness_ensemble.solve(Problem(X, y, minimize=minimize, n_trees=3))


def test_contradictions_are_named_before_any_search() -> None:
    problem = Problem([[1], [1], [2]], [0, 1, 0], minimize="total_size", n_trees=3)
    outcome = witness_ensemble.solve(problem)
    assert outcome.status is Status.INFEASIBLE
    assert "rows 0, 1" in outcome.reason


def test_the_estimate_of_the_search_nodes_has_the_right_magnitude() -> None:
    for number in range(100):
        rng = np.random.default_rng([8, number])
        problem = random_problem(rng, "total_size", int(rng.integers(2, 4)), 6)
        outcome, E = witness_ensemble.solve(problem), training_data(problem)
        for (S, _), visited in outcome.stats.get("search_nodes_by_size", {}).items():
            if outcome.cost is None or outcome.cost > S:
                estimate = estimated_search_nodes(E, problem.n_trees, S)
                assert visited <= 6 * estimate <= 300 * visited, f"number {number}, size {S}"
