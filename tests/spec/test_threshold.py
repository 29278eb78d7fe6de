"""Threshold search finds the minimum size; Lemmas 3.4 and 3.5 and Theorem 3.6 hold."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from exactree import Limits, MethodRefused, Problem, Status
from exactree.rules import AxisParallel, AxisRule
from exactree.spec import min_cost
from exactree.spec.essential_nodes import essential_nodes, largest_size, longest_run, red_leaves
from exactree.spec.examples import BELOW, Example, divide, domain
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, label_of, size
from exactree.spec.threshold import binary_search, reason_to_refuse, smallest_decision_tree, solve
from exactree.spec.threshold_effort import search_steps
from exactree.testing import random_weights

QUICK = settings.get_current_profile_name() == "quick"

instances = runpy.run_path(str(Path(__file__).with_name("threshold_instances.py")))
random_table, random_examples = instances["random_table"], instances["random_examples"]
min_size, measures_of_trees = instances["min_size"], instances["measures_of_trees"]
problem_of = instances["problem_of"]

ROUNDS = 600 if QUICK else 2000


def test_it_agrees_with_the_definition() -> None:
    rng = np.random.default_rng(32)
    infeasible = 0
    for _ in range(ROUNDS):
        X, y = random_table(rng, 5 if rng.random() < 0.9 else 6, 3)
        weights = random_weights(rng, len(X))
        limits = Limits(max_size=None if rng.random() < 0.7 else int(rng.integers(0, 5)))
        problem = Problem(X, y, weights, minimize="size", limits=limits)
        expected, outcome = min_cost(problem), solve(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), (X, y, limits)
        infeasible += outcome.status is Status.INFEASIBLE
    assert ROUNDS / 20 < infeasible < ROUNDS / 2


def test_few_leaves_of_classes_agree_with_the_definition() -> None:
    rng = np.random.default_rng(36)
    infeasible = 0
    for _ in range(ROUNDS // 4):
        X, y = random_table(rng, 6, 2)
        named = rng.permutation(np.unique(y))[: int(rng.integers(1, 3))]
        leaves_of = {int(c): int(rng.integers(0, 3)) for c in named}
        limits = Limits(max_leaves_of=leaves_of, max_size=int(rng.integers(2, 5)))
        problem = Problem(X, y, minimize="size", limits=limits)
        expected, outcome = min_cost(problem), solve(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost), (X, y, limits)
        infeasible += outcome.status is Status.INFEASIBLE
    assert infeasible > ROUNDS / 20


def two_red_examples(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a table with two red examples: 3 nodes with two red leaves, 4 with one red leaf."""
    X, y = np.array([(1, 5), (2, 3), (0, 4), (3, 4), (1, 2), (2, 6)]), np.array([1, 1, 0, 0, 0, 0])
    X = X[:, rng.permutation(2)] * rng.choice([-1, 1], 2)
    order = rng.permutation(6)
    return X[order], y[order]


def test_fewer_red_leaves_may_need_more_nodes() -> None:
    rng = np.random.default_rng(31)
    for _ in range(4):
        X, y = two_red_examples(rng)
        for limits, cost in (({1: 2}, 3), ({1: 1}, 4), ({0: 2}, 3), ({0: 1}, None)):
            problem = Problem(
                X, y, minimize="size", limits=Limits(max_leaves_of=limits, max_size=4)
            )
            assert solve(problem).cost == min_cost(problem).cost == cost


def test_it_agrees_with_brute_force() -> None:
    rng = np.random.default_rng(33)
    for _ in range(ROUNDS):
        E = random_examples(rng, 7, 3)
        D = tuple(f for f in range(len(E[0].row)) if rng.random() < 0.8)
        expected, s = min_size(E, D), int(rng.integers(0, 4))
        tree = smallest_decision_tree(E, s, D)
        assert (tree is None) == (expected is None or expected > s)
        if tree is not None:
            assert size(tree) == expected
            assert all(label_of(tree, e.row) == e.label for e in E)


def test_few_leaves_of_a_class_agree_with_brute_force() -> None:
    rng = np.random.default_rng(34)
    for _ in range(ROUNDS // 4):
        E = random_examples(rng, 6, 3)
        measures, s = measures_of_trees(E), int(rng.integers(0, 4))
        red, R = int(rng.integers(0, 2)), int(rng.integers(0, 4))
        sizes = [n[0] for n in measures if (*n, 0, 0)[2 + red] <= R and n[0] <= s]
        tree = smallest_decision_tree(E, s, range(len(E[0].row)), {red: R})
        assert (tree is None) == (not sizes)
        if tree is not None:
            assert size(tree) == min(sizes)
            assert red_leaves(tree, red) <= R


def test_named_features_give_the_optimum_of_a_table_with_the_others_constant() -> None:
    """The search of Corollary 3.3 uses only the named features."""
    rng = np.random.default_rng(35)
    infeasible = 0
    for _ in range(ROUNDS // 10):
        X, y = random_table(rng, 6, 3)
        features = [f for f in range(X.shape[1]) if rng.random() < 0.7] or [0]
        without = X.copy()
        without[:, [f for f in range(X.shape[1]) if f not in features]] = 0
        expected = min_cost(Problem(without, y, minimize="size"))
        problem = Problem(X, y, minimize="size", rules=AxisParallel(features))
        outcome = solve(problem)
        assert (outcome.status, outcome.cost) == (expected.status, expected.cost)
        assert (outcome.status, outcome.cost) == (min_cost(problem).status, expected.cost)
        if outcome.tree is not None:
            assert set(outcome.tree.feature.tolist()) - {-2} <= set(features)
        infeasible += outcome.status is Status.INFEASIBLE
    assert infeasible > 0


def test_binary_search_returns_the_largest_threshold_that_works() -> None:
    rng = np.random.default_rng(37)
    below = 0
    for _ in range(ROUNDS // 4):
        E = random_examples(rng, 7, 3)
        D, j = range(len(E[0].row)), int(rng.integers(0, 3))
        red, R = int(rng.integers(0, 2)), int(rng.integers(0, 3))
        for i in D:
            t = binary_search(E, i, j, D, {red: R})
            works = [
                value
                for value in domain(E, i)
                if any(
                    n[0] <= j and (*n, 0, 0)[2 + red] <= R
                    for n in measures_of_trees(divide(E, i, value)[0])
                )
            ]
            assert t == max(works, default=BELOW)
            below += t == BELOW
    assert below > 10


def test_lemmas_and_theorem_of_few_red_leaves() -> None:
    """Lemmas 3.4, 3.5 and the size of Theorem 3.6, for smallest trees with and without limit R."""
    rng = np.random.default_rng(38)
    met = 0
    for _ in range(ROUNDS // 20):
        d = int(rng.integers(1, 3))
        X = np.unique(rng.integers(0, 6, (7, d)), axis=0)
        E = instances["examples_of"](X, rng.integers(0, 2, len(X)))
        for red in (0, 1):
            leaves_of = {n[0]: (*n, 0)[2 + red] for n in measures_of_trees(E)}
            fewest = min(leaves_of.values())
            for limits in ({}, {red: fewest}, {red: fewest + 1}):
                allowed = limits.get(red, len(E))
                s = min(s for s, leaves in leaves_of.items() if leaves <= allowed)
                if s > 3 + (d == 1):
                    continue
                tree = smallest_decision_tree(E, s, range(d), limits)
                assert tree is not None
                R = red_leaves(tree, red)
                assert essential_nodes(tree, red) == max(R - 1, 0)
                assert longest_run(tree, red) <= 2 * d
                assert size(tree) <= largest_size(d, R)
                met += longest_run(tree, red) == 2 * d
    assert met > 0


def test_lemma_3_5_and_theorem_3_6_need_two_classes() -> None:
    """Classes 1, 2, 3, 0 along one feature: each tree has three nodes, and 0 a single leaf."""
    E = tuple(Example((float(x),), label) for x, label in enumerate([1, 2, 3, 0]))
    tree = smallest_decision_tree(E, 3, [0], {0: 1})
    assert tree is not None
    assert size(tree) == 3 > largest_size(1, 1)
    chain: SpecTree = SpecLeaf(0)
    for x in (2, 1, 0):
        chain = SpecNode(AxisRule(0, x, x + 1), SpecLeaf(x + 1), chain)
    assert all(label_of(chain, e.row) == e.label for e in E)
    assert size(chain) == 3
    assert longest_run(chain, 0) == 3 > 2 * 1


def test_algorithm_1_as_printed_returns_trees_of_exactly_s_nodes() -> None:
    """Departure 1: purity tested only for s = 0 makes every tree have exactly s nodes."""

    def as_printed(E: tuple[Example, ...], s: int) -> int | None:
        if s == 0:
            return 0 if len({e.label for e in E}) <= 1 else None
        sizes = [
            left + right + 1
            for i in range(len(E[0].row) if E else 0)
            for j in range(s)
            for t in [BELOW, *domain(E, i)]
            if (left := as_printed(divide(E, i, t)[0], j)) is not None
            and (right := as_printed(divide(E, i, t)[1], s - j - 1)) is not None
        ]
        return min(sizes, default=None)

    E = (Example((0.0,), 0), Example((1.0,), 1))
    assert [as_printed(E, s) for s in (1, 2)] == [1, 2]
    assert [size(smallest_decision_tree(E, s, [0]) or SpecLeaf(0)) for s in (1, 2)] == [1, 1]


def test_essential_nodes_and_runs_of_a_small_tree() -> None:
    rule = AxisRule(0, 0.0, 1.0)
    red, blue = SpecLeaf(1), SpecLeaf(0)
    path = SpecNode(rule, blue, SpecNode(rule, SpecNode(rule, blue, red), blue))
    tree = SpecNode(rule, path, SpecNode(rule, red, SpecNode(rule, red, blue)))
    assert red_leaves(tree, 1) == 3
    assert essential_nodes(tree, 1) == 2
    assert longest_run(tree, 1) == 3


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"minimize": "depth"}, "size"),
        ({"minimize": ("size", "depth")}, "size"),
        ({"minimize": "errors"}, "max_errors=0"),
        ({"minimize": "size", "limits": Limits(max_errors=1)}, "max_errors=0"),
        ({"minimize": "size", "limits": Limits(max_depth=3)}, "max_depth"),
        ({"minimize": "size", "limits": Limits(min_samples_leaf=2)}, "min_samples_leaf"),
        ({"minimize": "total_size", "n_trees": 3}, "one tree"),
    ],
)
def test_problems_that_the_method_refuses_have_a_reason(
    parameters: dict[str, object], reason: str
) -> None:
    E = (Example((0.0,), 0), Example((1.0,), 1), Example((2.0,), 1))
    assert reason in str(reason_to_refuse(problem_of(E, **parameters)))


def test_errors_are_accepted_as_a_quantity_if_max_errors_is_0() -> None:
    E = (Example((0.0,), 0), Example((1.0,), 1), Example((2.0,), 0))
    parameters = {"minimize": ("errors", "size"), "limits": Limits(max_errors=0)}
    assert reason_to_refuse(problem_of(E, **parameters)) is None
    assert solve(problem_of(E, **parameters)).cost == (0, 2)


def test_contradictions_are_named() -> None:
    outcome = solve(Problem([[1], [0], [1]], [0, 1, 1], minimize="size"))
    assert outcome.status is Status.INFEASIBLE
    assert "rows 0, 2" in str(outcome.reason)


def test_a_large_search_is_refused_immediately_and_says_what_is_accepted() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((2000, 20)), rng.integers(0, 2, 2000)
    with pytest.raises(MethodRefused, match=r"max_size=1 or less.*branch-and-bound"):
        solve(Problem(X, y, minimize="size"))
    X, y = rng.random((30, 3)), rng.integers(0, 2, 30)
    with pytest.raises(MethodRefused, match="max_size=4 or less"):
        solve(Problem(X, y, minimize="size"))
    limited = solve(Problem(X, y, minimize="size", limits=Limits(max_size=2)))
    assert limited.status is Status.INFEASIBLE


def test_the_estimate_of_the_effort_is_never_too_low(monkeypatch: pytest.MonkeyPatch) -> None:
    from exactree.spec import threshold

    calls = 0

    def counted(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        return smallest_decision_tree(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(threshold, "smallest_decision_tree", counted)
    rng = np.random.default_rng(39)
    for _ in range(ROUNDS // 10):
        E = random_examples(rng, 8, 3)
        D, s = range(len(E[0].row)), int(rng.integers(0, 4))
        R = {0: int(rng.integers(0, 3))} if rng.random() < 0.5 else {}
        calls = 0
        counted(E, s, D, R)
        assert calls * max(len(E), 10) <= search_steps(E, s, D, R)
