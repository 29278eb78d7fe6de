"""Limits on the leaves of named classes (a mapping) and of any one class (an integer)."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from operator import le
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.spec.all_trees import PlainTree, answers, plain_trees, plain_trees_of

import exactree as xt
from exactree.distributed import searches
from exactree.engine import under_constraints
from exactree.methods import NATIVE
from exactree.problem import Limits, Problem, Status

WEIGHTS = ([1], [1, 2, 5], [1, 2**40, 2**55], [Fraction(1, 3), 0.1, 2.5])


def random_problem(seed: int, limit: str) -> Problem:
    """Return a small problem with a limit for a "named" class, or for "some" class."""
    random = Random(seed)
    rows, features, n_classes = (
        random.randint(2, 7),
        random.choice((1, 2)),
        random.choice((2, 2, 3)),
    )
    X = [[float(random.randint(0, 3)) for _ in range(features)] for _ in range(rows)]
    y = [random.randrange(n_classes) for _ in range(rows)]
    weights = [float(random.choice(random.choice(WEIGHTS))) for _ in range(rows)]
    max_leaves = random.randint(0, 2)
    tuples = (("errors", "size"), ("size", "errors"))
    minimize: Any = random.choice(("errors", "size", "depth", *tuples))
    return Problem(
        X,
        y,
        weights,
        minimize=minimize,
        limits=Limits(
            max_depth=random.choice((1, 2, 2)),
            max_errors=random.choice((None, None, sum(weights) / 2)),
            min_samples_leaf=random.choice((1, 1, 2)),
            max_leaves_of=max_leaves if limit == "some" else {random.choice(y): max_leaves},
        ),
    )


def leaves(tree: PlainTree) -> list[int]:
    return leaves(tree[2]) + leaves(tree[3]) if isinstance(tree, tuple) else [tree]


def quantities_of(problem: Problem, tree: PlainTree) -> dict[str, Any]:
    def errors(tree: PlainTree, rows: frozenset[int]) -> int:
        if isinstance(tree, tuple):
            return errors(tree[2], rows & tree[1]) + errors(tree[3], rows - tree[1])
        data = problem.dataset
        return sum(int(data.weights[row]) for row in rows if data.labels[row] != tree)

    def depth(tree: PlainTree) -> int:
        return 1 + max(map(depth, tree[2:])) if isinstance(tree, tuple) else 0

    whole = frozenset(range(len(problem.dataset.X)))
    return {
        "errors": Fraction(errors(tree, whole), problem.dataset.weight_scale),
        "size": len(leaves(tree)) - 1,
        "depth": depth(tree),
    }


def satisfies_limit(problem: Problem, tree: PlainTree) -> bool:
    labels, limit = problem.dataset.classes.tolist(), problem.limits.max_leaves_of
    found = leaves(tree)
    if isinstance(limit, int):
        return any(found.count(label) <= limit for label in range(len(labels)))
    assert limit is not None
    return all(found.count(labels.index(label)) <= maximum for label, maximum in limit.items())


def min_cost(problem: Problem) -> tuple[Any, ...] | None:
    """Return the minimum cost of all trees within the limits, None if there are none."""
    depth = problem.limits.max_depth
    assert depth is not None
    whole = frozenset(range(len(problem.dataset.X)))
    found = [
        quantities_of(problem, s)
        for s in plain_trees(problem, whole, depth)
        if satisfies_limit(problem, s)
    ]
    max_errors = problem.max_errors
    costs = [
        tuple(quantities[name] for name in problem.quantities)
        for quantities in found
        if max_errors is None or quantities["errors"] <= max_errors
    ]
    return min(costs, default=None)


@pytest.mark.parametrize("limit", ["named", "some"])
def test_the_cost_is_the_minimum_over_all_trees_that_keep_the_limit(limit: str) -> None:
    infeasible = native = 0
    for seed in range(400):
        problem = random_problem(seed, limit)
        outcome, expected = xt.solve(problem), min_cost(problem)
        cost = outcome.cost if isinstance(outcome.cost, tuple) else (outcome.cost,)
        if expected is None:
            infeasible += 1
            assert outcome.status is Status.INFEASIBLE, seed
            continue
        assert (outcome.status, cost) == (Status.OPTIMAL, expected), seed
        assert outcome.lower_bound == outcome.cost
        native += limit == "named" and under_constraints(problem)
    assert infeasible > 10
    assert native > 50 or limit == "some"


def test_the_engine_supports_a_limit_on_leaves_with_errors_on_a_real_table() -> None:
    table = xt.datasets.load_raisin()
    free = xt.solve(Problem(table.X, table.y, limits=Limits(max_depth=2)))
    label = table.y[0]
    problem = Problem(table.X, table.y, limits=Limits(max_depth=2, max_leaves_of={label: 1}))
    assert NATIVE["branch-and-bound"](problem).refusal is None
    outcome = xt.solve(problem, time_limit=60)
    assert outcome.status is Status.OPTIMAL
    assert outcome.tree is not None
    predicted = outcome.tree.prediction[outcome.tree.children_left < 0].tolist()
    assert predicted.count(outcome.tree.classes.tolist().index(label)) <= 1
    assert outcome.cost >= free.cost


def test_a_limit_for_some_class_has_the_best_cost_of_the_limits_for_each_class() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (30, 2)).astype(float), rng.integers(0, 3, 30)
    limits = Limits(max_depth=3, max_leaves_of=1)
    outcome = xt.solve(Problem(X, y, limits=limits))
    each = [replace(limits, max_leaves_of={label: 1}) for label in range(3)]
    assert outcome.cost == min(xt.solve(Problem(X, y, limits=one)).cost for one in each)
    assert sorted(outcome.stats["classes"]) == [0, 1, 2]
    assert outcome.problem_text is not None
    assert "at most 1 leaf of some class" in outcome.problem_text


def test_an_immediately_stopped_search_has_a_tree_and_a_valid_lower_bound() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.random((300, 5)), rng.integers(0, 2, 300)
    problem = Problem(X, y, limits=Limits(max_depth=3, max_leaves_of=2))
    outcome = xt.solve(problem, time_limit=1e-6)
    assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, "time limit")
    assert outcome.tree is not None
    # The minimum is 102.
    assert outcome.lower_bound <= 102 <= outcome.cost


def test_a_classifier_supports_a_limit_for_some_class() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 4, (40, 2)).astype(float), rng.integers(0, 2, 40)
    tree = xt.OptimalTreeClassifier(max_depth=2, max_leaves_of=1).fit(X, y).tree_
    leaves = tree.prediction[tree.children_left < 0].tolist()
    assert min(leaves.count(0), leaves.count(1)) <= 1


def limited_for_some_class(**limits: Any) -> Problem:
    """Return a problem whose best tree has one leaf of the second of three classes."""
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (60, 3)).astype(float), rng.integers(0, 3, 60)
    return Problem(X, y, limits=Limits(max_depth=3, max_leaves_of=1, **limits))


def test_a_limit_for_some_class_goes_with_workers_and_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, file, shared = limited_for_some_class(), tmp_path / "run.json", list[int]()
    expected, search = xt.solve(problem), searches.shared

    def counted(*arguments: Any) -> Any:
        shared.append(1)
        return search(*arguments)

    monkeypatch.setattr(searches, "shared", counted)
    with ThreadPoolExecutor(2) as workers:
        assert xt.solve(problem, cluster=workers).cost == expected.cost
    assert len(shared) >= 3
    stopped = xt.solve(problem, resume=file, time_limit=1e-9)
    assert stopped.lower_bound <= expected.cost
    assert xt.solve(problem, resume=file).cost == expected.cost
    assert len(json.loads(file.read_text())["content"]["searches"]) >= 3
    assert xt.solve(problem, resume=file).cost == expected.cost


def test_a_limit_for_some_class_goes_with_an_incumbent() -> None:
    problem = limited_for_some_class()
    X, y = problem.dataset.X, problem.dataset.labels
    expected = xt.solve(problem)
    tree = xt.OptimalTreeClassifier(max_depth=3).fit(X, y).tree_
    assert xt.solve(problem, incumbent=tree).cost == expected.cost
    stopped = xt.solve(problem, incumbent=tree, memory_limit=1)
    assert stopped.cost is not None
    for _ in range(2):
        again = xt.OptimalTreeClassifier(max_depth=3, max_leaves_of=1, warm_start=True).fit(X, y)
        assert again.fit(X, y).outcome_.cost == expected.cost


def test_an_incumbent_serves_the_classes_whose_limits_it_can_be_pruned_to() -> None:
    X, y = np.arange(8.0).reshape(-1, 1), [0, 0, 0, 1, 1, 1, 2, 2]
    limits = Limits(max_depth=3, max_leaves_of=0, max_errors=5)
    problem = Problem(X, y, limits=limits)
    leaf = xt.solve(Problem(X, y, limits=Limits(max_depth=0))).tree  # predicts the first class
    split = xt.solve(Problem(X, y, limits=Limits(max_depth=1))).tree
    assert leaf is not None
    assert split is not None
    expected = xt.solve(problem)
    for tree in (leaf, split):
        outcome = xt.solve(problem, incumbent=tree)
        assert (outcome.cost, outcome.status) == (expected.cost, Status.OPTIMAL)
        assert sorted(outcome.stats["classes"]) == [0, 1, 2]
    impossible = problem.within(replace(limits, max_errors=0, max_depth=1))
    searched: list[object] = []
    with pytest.raises(ValueError, match="incumbent"):
        xt.solve(impossible, incumbent=split, on_progress=searched.append)
    assert not searched


def small_problem(seed: int, minimize: Any, n_trees: int = 1) -> Problem:
    """Return a problem of a small table with a limit for some class."""
    rng = np.random.default_rng([seed, n_trees])
    rows, classes = int(rng.integers(2, 7 if n_trees == 1 else 5)), int(rng.integers(2, 4))
    return Problem(
        rng.integers(0, 3, (rows, 2)),
        [*range(min(rows, classes)), *rng.integers(0, classes, max(rows - classes, 0))],
        sample_weight=rng.integers(1, 4, rows),
        minimize=minimize,
        n_trees=n_trees,
        leaf_penalty=0.1 if "errors" in minimize and rng.random() < 0.2 else 0,
        limits=Limits(
            max_depth=2 if n_trees == 1 else 1 + seed // 3 % 2,
            max_leaves_of=int(rng.integers(0, 3)),
            max_errors=int(rng.integers(0, 4)) if rng.random() < 0.3 else None,
        ),
    )


def costs_of_all(problem: Problem, quantities: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Return the nondominated costs of all trees or ensembles, listed one by one."""
    plain = problem.minimizing(("errors",))  # without the default of max_errors
    costs = {answer.vector(quantities) for answer in answers(plain)}
    return sorted(c for c in costs if not any(d != c and all(map(le, d, c)) for d in costs))


@pytest.mark.parametrize("n_trees", [1, 2])
def test_fronts_with_a_limit_for_some_class_are_those_of_all_trees(n_trees: int) -> None:
    fronts = [("size", "errors"), ("errors", "depth"), ("depth", "errors", "size")]
    if n_trees > 1:
        fronts = [("errors", "total_size"), ("largest_size", "errors"), ("total_depth", "errors")]
    binding = 0
    for seed in range(100 if n_trees == 1 else 30):
        quantities = fronts[seed % 3]
        problem = small_problem(seed, "errors", n_trees)
        expected = costs_of_all(problem, quantities)
        free = problem.within(replace(problem.limits, max_leaves_of=None))
        binding += expected != costs_of_all(free, quantities)
        for implementation in ("native", "spec"):
            front = xt.pareto_front(problem, quantities, implementation)
            assert [outcome.cost for outcome in front] == expected, seed
            assert all(outcome.status is Status.OPTIMAL for outcome in front)
    assert binding > 5


def test_a_front_of_ensembles_with_a_limit_for_some_class_may_count_trees() -> None:
    for seed in range(10):
        problem = small_problem(seed, "errors", n_trees=2)
        expected: dict[int, Any] = {}
        for number in (1, 2):
            of_number = problem.with_trees(number)
            costs = [answer.vector(("errors",)) for answer in answers(of_number)]
            if costs and (not expected or min(costs) < min(expected.values())):
                expected[number] = min(costs)
        front = xt.pareto_front(problem, ("n_trees", "errors"))
        assert [outcome.cost for outcome in front] == [(n, *cost) for n, cost in expected.items()]


@pytest.mark.parametrize("n_trees", [1, 2])
def test_lists_with_a_limit_for_some_class_are_those_of_all_trees(n_trees: int) -> None:
    counts = Counter[bool]()
    minimized: list[Any] = ["errors", ("errors", "size"), "depth"]
    if n_trees > 1:
        minimized = ["errors", "total_size", ("errors", "largest_size")]
    for seed in range(100 if n_trees == 1 else 30):
        problem = small_problem(seed, minimized[seed % 3], n_trees)
        every = list(answers(problem))
        names = problem.quantities
        least = min((answer.vector(names) for answer in every), default=None)
        expected = [Counter(a.trees) for a in every if a.vector(names) == least]
        found = [plain_trees_of(problem, each) for each in xt.enumerate_optimal(problem)]
        assert len(found) == len(expected) == xt.count_optimal(problem), seed
        assert all(trees in expected for trees in found), seed
        counts[len(expected) > 1] += 1
    assert min(counts.values()) > 5


def test_a_stopped_front_with_a_limit_for_some_class_says_so() -> None:
    problem = limited_for_some_class()
    *proved, last = xt.pareto_front(problem, ("size", "errors"), time_limit=1e-6)
    assert (last.stopped_by, last.status) == ("time limit", Status.FEASIBLE)
    assert all(outcome.status is Status.OPTIMAL for outcome in proved)
    tree = (
        xt.OptimalTreeClassifier(max_depth=2).fit(problem.dataset.X, problem.dataset.labels).tree_
    )
    expected = [outcome.cost for outcome in xt.pareto_front(problem, ("size", "errors"))]
    with ThreadPoolExecutor(2) as workers:
        for options in ({"incumbent": tree}, {"cluster": workers}):
            front = xt.pareto_front(problem, ("size", "errors"), **options)
            assert [outcome.cost for outcome in front] == expected


def test_what_is_no_limit_on_leaves_is_refused() -> None:
    for wrong in (-1, True, 1.5, "one"):
        with pytest.raises(ValueError, match="max_leaves_of must be a mapping"):
            Limits(max_leaves_of=wrong)  # type: ignore[arg-type]


def test_a_limit_on_leaves_is_supported_with_hyperplanes():
    """Found by the fuzz campaign: a column of a surface has several features."""
    limits = xt.Limits(max_leaves_of={"yes": 2})
    rules = xt.rules.Hyperplanes()
    problem = xt.Problem(
        [[0, 0], [1, 1], [-1, 0]], ["no", "yes", "yes"], rules=rules, limits=limits
    )
    assert xt.solve(problem, method="branch-and-bound").cost == 0
