"""F1, precision, recall, and the front of both kinds of errors agree with the definition."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import f1_score, precision_score, recall_score
from tests.spec.all_trees import PlainTree, answers, path

from exactree import (
    Constraints,
    Limits,
    MethodRefused,
    OptimalTreeClassifier,
    Problem,
    Status,
    pareto_front,
    solve,
)
from exactree.distributed import is_shared
from exactree.engine.native import pairs_between
from exactree.engine.single_objective import error_pairs
from exactree.objectives import RATES
from exactree.problem.verification.recount import recount
from exactree.testing import check_irreducible, random_weights

BOTH_ERRORS = ("false_positives", "false_negatives")


def instance(rng: np.random.Generator) -> Problem:
    """Return a small random problem of two classes with limits, prices and weights."""
    rows = int(rng.integers(2, 9))
    labels = rng.permutation(np.append(rng.integers(0, 2, rows - 2), [0, 1]))
    rate = list(RATES)[rng.integers(3)]
    share = Fraction(int(rng.integers(0, 5)), 4)
    floors: dict[str, Any] = {}
    if rate != "f1_error" or rng.random() < 0.3:
        floors = {["min_precision", "min_recall"][rng.integers(2)]: share}
    return Problem(
        rng.integers(0, rng.choice([2, 3, 5]), (rows, 2)),
        labels,
        random_weights(rng, rows, bits=30, real=False),  # more units are refused
        minimize=rate,
        positive=[None, 0, 1][rng.integers(3)],
        leaf_penalty=[0, 0, 0, 0.01, 0.2][rng.integers(5)],
        limits=Limits(
            max_depth=int(rng.choice([0, 1, 2, 2, 3])),
            max_size=[None, None, int(rng.integers(0, 5))][rng.integers(3)],
            min_samples_leaf=int(rng.choice([1, 1, 1, 2, 3])),
            **floors,
        ),
    )


@pytest.mark.parametrize("instances", [120, pytest.param(600, marks=pytest.mark.long)])
def test_the_searches_agree_with_the_definition(instances: int) -> None:
    rng = np.random.default_rng(12)
    kinds: Counter[Any] = Counter()
    for number in range(instances):
        problem = instance(rng)
        optimal, found = solve(problem, implementation="spec"), solve(problem)
        assert (found.status, found.cost) == (optimal.status, optimal.cost), (number, problem)
        for outcome in (optimal, found):
            recount(problem, outcome)
            if outcome.tree is not None:
                check_irreducible(problem, outcome.trees)
        if optimal.tree is None:
            assert "min_" in str(found.reason)
        kinds[problem.error_term, found.status] += 1
    assert len(kinds) >= 5, kinds
    # In the long test more than 5 of 600.
    assert all(count > instances / 120 for count in kinds.values()), kinds


@pytest.mark.parametrize("instances", [120, pytest.param(400, marks=pytest.mark.long)])
def test_the_front_of_errors_is_that_of_the_definition(instances: int) -> None:
    rng = np.random.default_rng(13)
    longest = 0
    for number in range(instances):
        drawn = instance(rng)
        free = Limits(
            max_depth=drawn.limits.max_depth,
            max_size=drawn.limits.max_size,
            min_samples_leaf=drawn.limits.min_samples_leaf,
        )
        dataset = drawn.dataset
        problem = Problem(
            dataset.X, dataset.labels, dataset.weights, positive=drawn.positive, limits=free
        )
        names = BOTH_ERRORS[:: [1, -1][number % 2]]
        expected = pareto_front(problem, names, implementation="spec")
        found = pareto_front(problem, names)
        assert [o.cost for o in found] == [o.cost for o in expected], (number, problem)
        assert [o.cost for o in found] == sorted(o.cost for o in found)
        longest = max(longest, len(found))
    assert longest > 3


def constrained(random: Random) -> Problem | None:
    """Return a random problem of a rate under constraints, None if the table is too small."""
    rows = random.randint(4, 7)
    labels = [0, 1, *(random.randrange(2) for _ in range(rows - 2))]
    constraints: dict[str, Any] = (
        {"required": [random.randrange(2)]} if random.random() < 0.4 else {}
    )
    constraints |= {"only_below": {1: 0}} if random.random() < 0.3 else {}
    constraints |= {"max_features": random.randrange(3)} if random.random() < 0.3 else {}
    limits: dict[str, Any] = {"max_depth": random.choice([1, 2, 2, 3 if rows < 6 else 2])}
    limits |= {"max_size": random.randrange(4)} if random.random() < 0.3 else {}
    limits |= {"min_samples_leaf": 2} if random.random() < 0.3 else {}
    weights = [random.choice([1, 2, 3]) for _ in range(rows)]
    limits |= {"min_weight_fraction_leaf": random.choice([0.1, 0.2, 0.3])}
    problem = Problem(
        [[random.randrange(4) for _ in range(2)] for _ in range(rows)],
        labels,
        weights if random.random() < 0.6 else None,
        minimize=random.choice([*RATES, ("f1_error", "size"), ("depth", "precision_error")]),
        constraints=Constraints(**constraints),
        monotonic_cst={random.randrange(2): random.choice([-1, 1])}
        if random.random() < 0.4
        else None,
        leaf_penalty=random.choice([0, 0, 0, Fraction(1, 20)]),
        positive=random.randrange(2),
        limits=Limits(**limits),
    )
    return problem if problem.constrained else None


@pytest.mark.parametrize("instances", [150, pytest.param(2000, marks=pytest.mark.long)])
def test_rates_under_constraints_agree_with_the_definition(instances: int) -> None:
    kinds: Counter[Any] = Counter()
    for number in range(instances):
        problem = constrained(Random(number))
        if problem is not None:
            optimal, found = solve(problem, implementation="spec"), solve(problem)
            assert (found.status, found.cost) == (optimal.status, optimal.cost), (number, problem)
            kinds[problem.error_term, found.status] += 1
    assert len(kinds) == 6, kinds
    assert all(count >= instances / 150 for count in kinds.values()), kinds


def test_rates_under_constraints_are_the_best_of_all_trees() -> None:
    def used(tree: PlainTree) -> set[int]:
        return {tree[0]} | used(tree[2]) | used(tree[3]) if isinstance(tree, tuple) else set()

    def weights_of_leaves(problem: Problem, tree: PlainTree) -> list[int]:
        rows: dict[str, int] = {}
        for row, weight in enumerate(problem.dataset.weights.tolist()):
            rows[path(tree, row)] = rows.get(path(tree, row), 0) + weight
        return [*rows.values()]

    compared = 0
    for number in range(400):
        problem = constrained(Random(number))
        if problem is None or problem.feature_constraints.directions or problem.leaf_penalty:
            continue
        bounds = problem.feature_constraints
        (name,) = {*problem.quantities} & {*RATES}
        vectors = [
            answer.vector(problem.quantities)
            for answer in answers(problem)
            for (tree,) in [answer.trees]
            if used(tree).issuperset(bounds.required)
            and (bounds.max_features is None or len(used(tree)) <= bounds.max_features)
            and min(weights_of_leaves(problem, tree)) >= problem.min_leaf_weight
            and (not bounds.only_below or 1 not in used(tree) or below(tree, 1, 0))
        ]
        found = solve(problem)
        cost = found.cost if isinstance(found.cost, tuple) else (found.cost,)
        assert (found.cost is None) == (not vectors), number
        if vectors:
            assert cost == min(vectors), (number, name)
        compared += 1
    assert compared > 100


def below(tree: PlainTree, feature: int, above: int) -> bool:
    """Return whether every node that uses a feature has an ancestor that uses another."""
    if not isinstance(tree, tuple) or tree[0] == above:
        return True
    return tree[0] != feature and all(below(child, feature, above) for child in tree[2:])


def rows_under_constraints(**parameters: Any) -> Problem:
    """Return a problem of 200 rows with a feature in which trees must be monotone."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 8, (200, 3)).astype(float)
    y = (X[:, 0] * X[:, 1] > 12) ^ (rng.random(200) < 0.25)
    return Problem(
        X, y, minimize="f1_error", monotonic_cst={0: 1}, limits=Limits(max_depth=3), **parameters
    )


def test_a_stopped_search_under_constraints_has_a_tree_and_a_bound() -> None:
    problem = rows_under_constraints(constraints=Constraints(required=[2]))
    optimal = solve(problem)
    assert optimal.status is Status.OPTIMAL
    for options in ({"time_limit": 1e-9}, {"memory_limit": 1}, {"stop_at_gap": 0.9}):
        stopped = solve(problem, **options)  # type: ignore[arg-type]
        assert stopped.lower_bound <= optimal.cost
        assert stopped.cost is None or optimal.cost <= stopped.cost
        assert stopped.status in (Status.FEASIBLE, Status.STOPPED)
    costs: list[Any] = []
    assert solve(problem, on_progress=lambda moment: costs.append(moment)).cost == optimal.cost
    assert all(moment.lower_bound <= optimal.cost for moment in costs)


def test_options_under_constraints_do_not_change_a_rate(tmp_path: Path) -> None:
    problem = rows_under_constraints()
    assert is_shared(problem)
    optimal = solve(problem)
    tree = OptimalTreeClassifier(max_depth=3).fit(problem.dataset.X, problem.dataset.labels).tree_
    with ThreadPoolExecutor(2) as workers:
        for options in (
            {"n_jobs": 2},
            {"cluster": workers},
            {"resume": tmp_path / "run.json"},
            {"incumbent": tree},  # pruned until it is monotone
            {"incumbent": tree, "memory_limit": 2**28},
        ):
            found = solve(problem, **options)  # type: ignore[arg-type]
            assert (found.status, found.cost) == (Status.OPTIMAL, optimal.cost), options


def test_rates_under_constraints_refuse_what_they_cannot_compose() -> None:
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    for parameters, match in (
        ({"feature_penalty": 0.1}, "feature_penalty"),
        (
            {"monotonic_cst": [1], "constraints": Constraints(monotonic_in="prediction")},
            "monotonic_in='prediction' does not go with",
        ),
    ):
        with pytest.raises(ValueError, match=match):
            Problem(X, y, minimize="f1_error", **parameters)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=match.replace("minimize", "quantities")):
            pareto_front(Problem(X, y, **parameters), ("size", "f1_error"))  # type: ignore[arg-type]
    problem = Problem(X, y, minimize="f1_error", monotonic_cst=[1], limits=Limits(min_recall=0.5))
    with pytest.raises(MethodRefused, match=r"neither min_precision nor min_recall.*'spec'"):
        solve(problem)
    assert solve(problem, implementation="spec").status is Status.OPTIMAL


def test_rates_are_what_scikit_learn_measures_and_no_greedy_tree_is_better() -> None:
    table = load_breast_cancer()
    X, y = table.data[:, :8], table.target
    measured = {
        "f1_error": f1_score,
        "precision_error": precision_score,
        "recall_error": recall_score,
    }
    floors = {"precision_error": {"min_recall": 0.97}, "recall_error": {"min_precision": 0.97}}
    for name, rate in measured.items():
        model = OptimalTreeClassifier(name, max_depth=1, positive=0, **floors.get(name, {}))
        predicted = model.fit(X, y).predict(X)
        assert model.outcome_.status is Status.OPTIMAL
        score = 1 - float(model.outcome_.cost)
        assert score == pytest.approx(rate(y, predicted, pos_label=0), rel=1e-12)
        assert recall_score(y, predicted, pos_label=0) >= floors.get(name, {}).get("min_recall", 0)
        plain = OptimalTreeClassifier(max_depth=1).fit(X, y).predict(X)
        if name == "f1_error":
            assert score >= f1_score(y, plain, pos_label=0)


def test_f1_supports_real_weights_and_a_limit_on_precision_refuses_them() -> None:
    rng = np.random.default_rng(4)
    X, y, weights = rng.random((30, 2)), rng.integers(0, 2, 30), rng.random(30)
    problem = Problem(X, y, weights, minimize="f1_error", limits=Limits(max_depth=1))
    outcome = solve(problem)
    score = f1_score(y, outcome.tree.predict(X), sample_weight=weights)
    assert float(outcome.cost) == pytest.approx(1 - score, rel=1e-9)
    optimal = solve(problem, implementation="spec")
    assert float(outcome.cost) == pytest.approx(float(optimal.cost), rel=1e-12)
    with pytest.raises(MethodRefused, match=r"less than 2\*\*30 units"):
        solve(
            Problem(X, y, weights, minimize="recall_error", limits=Limits(min_precision=0.5)),
            "branch-and-bound",
        )


def test_a_stopped_search_has_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.random((200, 6)), rng.integers(0, 2, 200)
    for parameters in ({}, {"min_precision": 0.6}):
        limits = Limits(max_depth=4, **parameters)
        problem = Problem(X, y, minimize="f1_error", limits=limits)
        outcome = solve(problem, on_progress=lambda progress: True)
        assert outcome.stopped_by == "callback"
        assert outcome.status in (Status.FEASIBLE, Status.STOPPED)
        assert outcome.cost is None or 0 <= outcome.lower_bound < outcome.cost
    within_gap = solve(problem.within(Limits(max_depth=4)), stop_at_gap=0.9)
    assert within_gap.stopped_by in ("gap", None)
    assert within_gap.gap <= 0.9
    front = pareto_front(Problem(X, y, limits=Limits(max_depth=4)), BOTH_ERRORS, time_limit=0.2)
    assert front[-1].status is Status.FEASIBLE
    assert front[-1].stopped_by == "time limit"


def hard_to_list() -> Problem:
    """Return a problem whose last step lists pairs of errors, for half a second or longer."""
    rng = np.random.default_rng(2)
    X = rng.random((600, 4)).round(2)
    y = ((X[:, 0] * X[:, 1] > 0.25) ^ (rng.random(600) < 0.3)).astype(int)
    limits = Limits(max_depth=3, min_recall=0.9)
    return Problem(X, y, minimize="precision_error", limits=limits)


def test_the_list_of_pairs_reports_progress_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = False

    def noted(*arguments: Any) -> Any:
        nonlocal lists
        lists = True
        return pairs_between(*arguments)

    problem = hard_to_list()
    optimum = solve(problem).cost
    monkeypatch.setattr(error_pairs, "pairs_between", noted)
    outcome = solve(problem, on_progress=lambda progress: lists)
    assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, "callback")
    assert outcome.lower_bound <= optimum <= outcome.cost


def test_a_front_that_stops_in_a_list_of_pairs_has_only_proved_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = hard_to_list().within(Limits(max_depth=2))
    whole = {outcome.cost for outcome in pareto_front(problem, BOTH_ERRORS)}
    unproved = 0
    for seconds in (0.0005, 0.001, 0.002, 0.004, 0.008):

        def stopped(*arguments: Any, seconds: float = seconds) -> Any:
            nonlocal unproved
            *others, options = arguments
            result = pairs_between(*others, replace(options, time_limit=seconds))
            unproved += len(result.pairs) if result.stopped_by else 0
            return result

        monkeypatch.setattr(error_pairs, "pairs_between", stopped)
        front = pareto_front(problem, BOTH_ERRORS)
        assert {outcome.cost for outcome in front if outcome.status is Status.OPTIMAL} <= whole
    assert unproved > 0


def test_a_search_without_time_returns_a_leaf() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.random((200, 6)), rng.integers(0, 2, 200)
    problem = Problem(X, y, minimize="precision_error", limits=Limits(min_recall=0.6))
    outcome = solve(problem, time_limit=1e-9)
    assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, "time limit")
    assert outcome.tree.size == 0
    for names in (BOTH_ERRORS, BOTH_ERRORS[::-1]):
        (only,) = pareto_front(Problem(X, y), names, time_limit=1e-9)
        assert (only.status, only.stopped_by) == (Status.FEASIBLE, "time limit")
        assert (only.tree.size, only.lower_bound) == (0, (0, 0))
        wrong = {
            name: int(((only.tree.predict(X) == p) & (y != p)).sum())
            for name, p in (("false_positives", 1), ("false_negatives", 0))
        }
        assert only.cost == tuple(wrong[name] for name in names)


def test_a_leaf_of_cost_0_is_optimal() -> None:
    rng = np.random.default_rng(2)
    outcome = solve(Problem(rng.random((50, 3)), np.arange(50) % 2, minimize="recall_error"))
    assert (outcome.status, outcome.cost, outcome.tree.size) == (Status.OPTIMAL, 0, 0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"y": [0, 1, 2]}, "need two classes, but y has 3"),
        ({"y": [0, 0, 0]}, "need two classes, but y has 1"),
        ({"positive": 7}, "positive=7 is not a label of y"),
        ({"minimize": ("f1_error", "recall_error")}, "may name only one of"),
        (
            {"minimize": "errors", "limits": Limits(min_recall=0.5)},
            "min_recall needs one of",
        ),
        ({"limits": Limits(max_errors=1)}, "max_errors counts misclassified weight"),
        ({"minimize": ("f1_error", "size"), "n_trees": 2}, "does not go with n_trees=2"),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(
    parameters: dict[str, Any], message: str
) -> None:
    parameters = {"y": [0, 1, 1], "minimize": "f1_error"} | parameters
    with pytest.raises(ValueError, match=message):
        Problem([[0], [1], [2]], parameters.pop("y"), **parameters)


def test_a_limit_on_a_rate_is_a_number_from_0_to_1() -> None:
    for value in (1.5, -0.1, "high"):
        with pytest.raises(ValueError, match="min_precision must be a number from 0 to 1"):
            Limits(min_precision=value)


def test_a_front_of_both_errors_refuses_a_leaf_penalty_and_three_classes() -> None:
    problem = Problem([[0], [1]], [0, 1], leaf_penalty=0.1)
    with pytest.raises(ValueError, match="leaf_penalty must be 0 for a front"):
        pareto_front(problem, BOTH_ERRORS)
    with pytest.raises(ValueError, match="need two classes"):
        pareto_front(Problem([[0], [1], [2]], [0, 1, 2]), BOTH_ERRORS)
