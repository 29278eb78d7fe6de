"""Costs of classes: the native searches agree with the definition."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import balanced_accuracy_score, log_loss
from tests.engine.roundings import check_rounded

from exactree import (
    Limits,
    MethodRefused,
    NotProvedWarning,
    OptimalTreeClassifier,
    Problem,
    Status,
    pareto_front,
    rules,
    solve,
)
from exactree.engine import accelerators, class_costs_tree
from exactree.engine.single_objective.class_weights import in_plain_errors
from exactree.objectives import SMOOTHED_TERMS
from exactree.problem import Progress
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import recount
from exactree.testing import check_irreducible, random_weights

SWITCHES = sorted(accelerators("regression"))
# Drawn switches. Another one would change all problems after it; blocks need larger tables.
DRAWN = [name for name in SWITCHES if name not in {"block_bound", "early_bound"}]
ROUNDED = tuple(SMOOTHED_TERMS)


def costs_of(rng: np.random.Generator, classes: int) -> dict[int, dict[int, Any]]:
    """Return random costs, also of correct predictions, and perhaps of a label outside of y."""
    predictions = range(classes + int(rng.random() < 0.3))
    cells = [0, 1, 2, Fraction(1, 3), 0.1, 5]
    return {
        true: {
            predicted: cells[rng.integers(len(cells))]
            for predicted in predictions
            if rng.random() < 0.8
        }
        for true in range(classes)
    }


def instance(rng: np.random.Generator) -> Problem:
    """Return a small random problem: ties, contradictions, weights, limits, prices."""
    rows, classes = int(rng.integers(1, 9)), int(rng.integers(2, 4))
    parameters: dict[str, Any] = [
        {"minimize": "balanced_error"},
        {"minimize": ("balanced_error", "size")},
        {"minimize": ("size", "balanced_error")},
        {"cost_matrix": costs_of(rng, classes)},
        {"cost_matrix": costs_of(rng, classes), "minimize": ("errors", "depth")},
        {"minimize": "log_loss", "smoothing": [None, "laplace", 0.5, 3.0][rng.integers(4)]},
        {"minimize": "gini", "smoothing": [None, "laplace", 0.5, 30.0][rng.integers(4)]},
    ][rng.choice(7, p=[0.2, 0.05, 0.05, 0.25, 0.05, 0.2, 0.2])]
    labels = rng.integers(0, classes, rows)
    if "cost_matrix" in parameters:  # classes of the matrix before the last may have no examples
        labels = np.append(labels[: rows - 1], classes - 1)
    return Problem(
        rng.integers(0, rng.choice([2, 3, 5]), (rows, 2)).astype(float),
        labels,
        random_weights(rng, rows),
        leaf_penalty=[0, 0, 0, 0.001, 0.02, 1][rng.integers(6)],
        limits=Limits(
            max_depth=int(rng.choice([0, 1, 2, 2, 3])),
            max_size=[None, None, int(rng.integers(0, 5))][rng.integers(3)],
            min_samples_leaf=int(rng.choice([1, 1, 1, 2, 3])),
        ),
        **parameters,
    )


@pytest.mark.parametrize("instances", [300, pytest.param(1_200, marks=pytest.mark.long)])
def test_the_searches_agree_with_the_definition(instances: int) -> None:
    rng = np.random.default_rng(17)
    kinds: Counter[Any] = Counter()
    pruned: Counter[str] = Counter()
    for number in range(instances):
        problem = instance(rng)
        optimal = solve(problem, "branch-and-bound", "spec")
        plain = in_plain_errors(problem) is not None
        drawn = number % 2 and not plain
        switches = {name: bool(rng.integers(2)) for name in DRAWN} if drawn else None
        if switches is not None:
            switches["early_bound"] = number % 4 == 1
        try:
            found = class_costs_tree(problem, switches=switches)
        except MethodRefused:
            assert len(problem.quantities) > 1
            kinds["refused"] += 1
            continue
        if found.tree is not None:
            recount(problem, found)
        if found.stopped_by is not None:
            check_rounded(problem, found, optimal)
            kinds["rounded"] += 1
            continue
        assert found.status is optimal.status, (number, problem)
        if optimal.tree is None:
            continue
        rounded = problem.error_term in ROUNDED
        tolerance = 0.0
        if rounded:
            # The search counts in units that are a share of the cost of a single leaf, or of the
            # price of a leaf. The cost of a much cheaper tree may be wrong by some units. So the
            # tolerance is the reported rounding if that is larger.
            tolerance = max(1e-9 * float(optimal.cost) + 1e-11, found.stats["rounding"])
            total = sum(problem.dataset.weights.tolist()) / problem.dataset.weight_scale
            assert found.stats["rounding"] <= 1e-12 * total, (number, problem)
        costs = zip(as_tuple(found.cost), as_tuple(optimal.cost), strict=True)
        assert all(abs(a - b) <= tolerance for a, b in costs), (number, problem, switches)
        assert found.lower_bound == found.cost
        if problem.exact_errors:
            check_irreducible(problem, found.trees)
        kinds[problem.error_term, plain] += 1
        if not plain:
            pruned.update(found.stats["pruned"])
    # Minimum counts in 1,200 instances.
    minimum = {("balanced_error", True): 200, ("errors", True): 20, ("errors", False): 200}
    minimum |= {("log_loss", False): 200, ("gini", False): 200}
    assert all(kinds[kind] > count * instances / 1_200 for kind, count in minimum.items()), kinds
    # Bounds that need larger tables are tested in Rust.
    unused = {name for name, count in pruned.items() if not count}
    larger = {"similarity_bound", "feature_bounds", "clustering_bound", "two_set_bound"}
    assert unused <= larger, pruned


def test_larger_tables_cost_the_same_with_and_without_switches() -> None:
    rng = np.random.default_rng(1)
    pruned: Counter[str] = Counter()
    for number in range(150):
        rows, classes = int(rng.integers(10, 50)), int(rng.integers(3, 5))
        X = rng.integers(0, rng.choice([2, 4, 40]), (rows, int(rng.integers(1, 4)))).astype(float)
        noise = rng.integers(0, classes, rows)
        y = (X.sum(axis=1) % classes if rng.random() < 0.5 else noise).astype(int)
        y[:classes] = np.arange(classes)
        parameters: dict[str, Any] = [
            {"cost_matrix": 1 + rng.permuted(np.tile(np.arange(classes), (classes, 1)), axis=1)},
            {"minimize": "log_loss", "smoothing": [None, "laplace", 2.0][rng.integers(3)]},
            {"minimize": "gini", "smoothing": [None, "laplace", 2.0][rng.integers(3)]},
        ][rng.integers(3)]
        limits = Limits(
            max_depth=int(rng.integers(1, 4)),
            max_size=[None, None, 3][rng.integers(3)],
            min_samples_leaf=int(rng.choice([1, 1, 1, 3])),
        )
        problem = Problem(
            X, y, leaf_penalty=[0, 0, 0.01][rng.integers(3)], limits=limits, **parameters
        )
        found = class_costs_tree(problem)
        off = {name: False for name in SWITCHES if name != "cache"}
        without_switches = class_costs_tree(problem, switches=off)
        tolerance = 0 if problem.exact_errors else 1e-9 * float(found.cost) + 1e-10
        assert abs(found.cost - without_switches.cost) <= tolerance, (number, problem)
        pruned.update(found.stats["pruned"])
    bounds_used = {name for name, count in pruned.items() if count}
    assert {"interval_bound", "similarity_bound", "feature_bounds", "stump_bounds"} <= bounds_used


def test_costs_are_those_that_scikit_learn_measures() -> None:
    table = load_breast_cancer()
    balanced = OptimalTreeClassifier("balanced_error", max_depth=2).fit(table.data, table.target)
    accuracy = balanced_accuracy_score(table.target, balanced.predict(table.data))
    assert float(balanced.outcome_.cost) == pytest.approx(1 - accuracy, rel=1e-12)
    for smoothing in (None, "laplace", 5.0):
        model = OptimalTreeClassifier("log_loss", max_depth=1, smoothing=smoothing)
        proba = model.fit(table.data, table.target).predict_proba(table.data)
        total = log_loss(table.target, proba, normalize=False)
        assert model.outcome_.cost == pytest.approx(total, rel=1e-12)
        assert model.outcome_.status is Status.OPTIMAL


def test_balanced_errors_are_those_of_balanced_class_weights() -> None:
    table = load_iris()
    weighted = OptimalTreeClassifier(max_depth=2, class_weight="balanced", max_size=2)
    cost = weighted.fit(table.data, table.target).outcome_.cost
    balanced = OptimalTreeClassifier("balanced_error", max_depth=2, max_size=2)
    assert balanced.fit(table.data, table.target).outcome_.cost * 150 == cost
    assert balanced.tree_.value[0].tolist() == [50, 50, 50]


def test_shares_are_those_of_the_table_and_predictions_have_minimum_cost() -> None:
    X, y = [[0]] * 4 + [[1]], ["no", "no", "no", "yes", "yes"]
    costs = {"yes": {"no": 10, "ask": 1}, "no": {"ask": 0.5}}
    problem = Problem(X, y, cost_matrix=costs, limits=Limits(max_depth=1))
    tree = solve(problem).tree
    assert tree.classes.tolist() == ["ask", "no", "yes"]
    assert tree.predict([[0], [1]]).tolist() == ["ask", "yes"]
    assert tree.predict_proba([[0]]).tolist() == [[0, 0.75, 0.25]]


def test_costs_of_correct_predictions_are_part_of_the_cost() -> None:
    X, y = [[0], [0], [1], [1]], [0, 0, 1, 1]
    problem = Problem(X, y, cost_matrix=[[1, 3], [2, 1]], limits=Limits(max_depth=1))
    assert in_plain_errors(problem) is not None
    outcome = solve(problem)
    assert (outcome.cost, outcome.lower_bound) == (4, 4)
    assert solve(problem.within(Limits(max_depth=0))).cost == 6


def test_a_class_that_costs_less_as_an_error_is_solved_by_the_general_search() -> None:
    problem = Problem([[0], [1]], [0, 1], cost_matrix=[[2, 1], [1, 0]])
    assert in_plain_errors(problem) is None
    assert solve(problem).cost == solve(problem, implementation="spec").cost == 1


def test_fronts_with_size_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (9, 2)), rng.integers(0, 3, 9)
    for term, parameters in (
        ("balanced_error", {}),
        ("errors", {"cost_matrix": {0: {1: 3}, 1: {2: 0.25}, 2: {}}}),
        ("log_loss", {"smoothing": "laplace"}),
    ):
        problem = Problem(X, y, minimize=term, limits=Limits(max_depth=2), **parameters)
        fronts = [
            [(size, float(cost)) for size, cost in (outcome.cost for outcome in front)]
            for front in (
                pareto_front(problem, ("size", term)),
                pareto_front(problem, ("size", term), implementation="spec"),
            )
        ]
        assert np.allclose(*fronts, rtol=1e-12)
        assert len(fronts[0]) > 1


def test_a_stopped_search_has_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.random((300, 8)), rng.integers(0, 3, 300)
    reports: list[Any] = []

    def stop(progress: Any) -> bool:
        reports.append(progress)
        return True

    for parameters in (
        {"minimize": "log_loss", "smoothing": "laplace"},
        {"cost_matrix": {0: {1: 2}}},
    ):
        problem = Problem(X, y, limits=Limits(max_depth=4), **parameters)
        outcome = solve(problem, on_progress=stop)
        assert outcome.status is Status.FEASIBLE
        assert outcome.stopped_by == "callback"
        assert 0 <= outcome.lower_bound < outcome.cost
        assert outcome.stats["progress"][-1].cost == outcome.cost
    problem = Problem(X[:60, :2], y[:60], minimize="gini", limits=Limits(max_depth=2))
    within_gap = solve(problem, stop_at_gap=0.5)
    assert within_gap.gap <= 0.5
    assert within_gap.lower_bound <= solve(problem).cost <= within_gap.cost
    assert reports


def test_categories_missing_values_and_hyperplanes_are_supported() -> None:
    X = np.array([[0, 1], [1, np.nan], [2, 1], [0, 0], [2, np.nan]])
    y = [0, 1, 0, 0, 1]
    parameters = {"minimize": "gini", "smoothing": "laplace", "limits": Limits(max_depth=1)}
    for more in ({"categories": [0]}, {}):
        problem = Problem(X, y, **parameters, **more)
        assert solve(problem).cost == pytest.approx(solve(problem, implementation="spec").cost)
    problem = Problem(
        [[0, 0], [0, 1], [1, 0], [1, 1]], y[:4], rules=rules.Hyperplanes(), **parameters
    )
    assert solve(problem).cost == pytest.approx(solve(problem, implementation="spec").cost)


def test_other_methods_refuse_and_name_the_accepting_method() -> None:
    problem = Problem([[0], [1]], [0, 1], minimize="balanced_error")
    for method in ("witness", "box", "proper", "support-sets"):
        with pytest.raises(MethodRefused, match="use 'branch-and-bound'"):
            solve(problem, method)
        with pytest.raises(MethodRefused, match="use 'branch-and-bound'"):
            solve(problem, method, implementation="spec")


def test_costs_that_take_more_than_62_bits_are_refused() -> None:
    costs = {0: {1: Fraction(1, 2**31 - 1)}, 1: {0: Fraction(1, 2**61 - 1)}, 2: {0: 7}}
    problem = Problem([[0], [1], [2]], [0, 1, 2], cost_matrix=costs)
    with pytest.raises(MethodRefused, match="integers of more than 62 bits"):
        solve(problem, "branch-and-bound")
    assert solve(problem, implementation="spec").cost == 0


def test_class_weights_beyond_62_bits_are_rounded_and_this_is_reported() -> None:
    labels = np.repeat(np.arange(5), [9973, 9967, 9949, 9941, 9931])
    X = (np.arange(len(labels)) % 9 + labels).reshape(-1, 1)
    problem = Problem(X, labels, minimize="balanced_error", limits=Limits(max_depth=2))
    outcome = solve(problem)
    predicted = outcome.tree.predict(X)
    share = balanced_accuracy_score(labels, predicted)
    assert float(outcome.cost) == pytest.approx(1 - share, rel=1e-9)
    check_rounded(problem, outcome, outcome)
    assert outcome.cost - outcome.lower_bound <= outcome.stats["rounding"] < 1e-12
    with pytest.warns(NotProvedWarning, match="only up to the rounding of weights"):
        OptimalTreeClassifier("balanced_error", max_depth=1).fit(X, labels)
    separable = Problem(labels.reshape(-1, 1), labels, minimize="balanced_error")
    assert (solve(separable).status, solve(separable).cost) == (Status.OPTIMAL, 0)


@pytest.mark.parametrize("instances", [300, pytest.param(3_000, marks=pytest.mark.long)])
def test_balanced_errors_of_heavy_weights_have_a_valid_bound(instances: int) -> None:
    """Weights near 2**59 that differ by little: many costs differ by less than the rounding."""
    rng = np.random.default_rng(59)
    kinds: Counter[str] = Counter()
    for _ in range(instances):
        rows, power = int(rng.integers(3, 8)), int(rng.integers(40, 60))
        weights = [(1 << power) + int(rng.integers(-3, 4)) for _ in range(rows)]
        if rng.random() < 0.3:  # with a common factor, nothing is rounded
            weights = [int(rng.integers(1, 4)) << power - 2 for _ in range(rows)]
        labels = np.append(rng.integers(0, 3, rows - 2), [0, 1])
        problem = Problem(
            rng.integers(0, 3, (rows, 2)).astype(float),
            labels,
            weights,
            minimize="balanced_error",
            leaf_penalty=[0, 0, Fraction(1, 30)][rng.integers(3)],
            limits=Limits(max_depth=int(rng.integers(0, 3))),
        )
        found, optimal = solve(problem), solve(problem, implementation="spec")
        recount(problem, found)
        if found.stopped_by is None:
            assert (found.status, found.cost) == (Status.OPTIMAL, optimal.cost), problem
            kinds["exact"] += found.cost > 0
        else:
            check_rounded(problem, found, optimal)
            kinds["rounded"] += 1
            # Without the allowance for the rounding, the lower bound would be too high.
            kinds["above"] += found.lower_bound + in_plain_errors(problem).above > optimal.cost
    assert min(kinds["exact"], kinds["rounded"], kinds["above"]) > instances / 30, kinds


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cost_matrix": {0: {1: -1}}}, r"cost_matrix\[0\]\[1\] must be a finite number >= 0"),
        ({"cost_matrix": {0: 3}}, r"cost_matrix\[0\] must map predicted labels to numbers"),
        ({"cost_matrix": [[0, 1]]}, "an array of 2 rows and columns"),
        ({"cost_matrix": "high"}, "an array of 2 rows and columns"),
        ({"cost_matrix": {}, "minimize": "size"}, "it needs 'errors' in minimize"),
        ({"cost_matrix": {}, "n_trees": 2, "minimize": "errors"}, "and n_trees=1"),
        ({"minimize": "log_loss", "limits": Limits(max_errors=1)}, "max_errors counts"),
        ({"minimize": ("gini", "errors")}, "may name only one of"),
        ({"minimize": "gini", "n_trees": 2}, "does not go with n_trees=2"),
        ({"minimize": "gini", "smoothing": -1}, "smoothing must be None"),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(
    parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Problem([[0], [1]], [0, 1], **parameters)


@pytest.mark.parametrize("minimize", ["gini", "log_loss"])
def test_heavy_rows_hide_no_tree_and_raise_no_lower_bound(minimize: str) -> None:
    few = Problem(
        [[0], [1], [2], [3], [4]],
        [0, 0, 1, 0, 1],
        sample_weight=[1, 1, 2**22, 1, 1],
        minimize=minimize,
        limits=Limits(max_depth=2),
    )
    rows = np.repeat(np.arange(7), [1, 1, 1, 2**18, 1, 1, 1])
    many = Problem(rows[:, None], np.array([1, 0, 1, 1, 0, 1, 1])[rows], minimize=minimize)
    for problem in (few, many):
        outcome = solve(problem, n_jobs=1)
        optimal = solve(problem, "branch-and-bound", "spec").cost if problem is few else 0
        assert (outcome.status, outcome.lower_bound) == (Status.OPTIMAL, outcome.cost)
        assert outcome.cost == pytest.approx(optimal, abs=1e-9)


@pytest.mark.parametrize("minimize", ["gini", "log_loss"])
@pytest.mark.parametrize("smoothing", [1e9, 1e12])
def test_what_heavy_smoothing_adds_to_a_rare_class_is_not_rounded_away(
    minimize: str, smoothing: float
) -> None:
    problem = Problem(
        [[0, 0], [1, 0], [2, 1], [3, 1], [4, 0], [5, 1]],
        [0, 0, 0, 1, 0, 0],
        sample_weight=[2e12, 4e12, 2e12, 2, 2e12, 1e12],
        minimize=minimize,
        smoothing=smoothing,
        limits=Limits(max_depth=2),
    )
    outcome = solve(problem)
    optimal = solve(problem, "branch-and-bound", "spec").cost
    assert (outcome.status, outcome.lower_bound) == (Status.OPTIMAL, outcome.cost)
    assert outcome.cost == pytest.approx(optimal, rel=1e-9)


@pytest.mark.parametrize("minimize", ["gini", "log_loss"])
def test_progress_is_reported_in_the_unit_of_the_outcome(minimize: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 3, 300)
    problem = Problem(X, y, minimize=minimize, limits=Limits(max_depth=3))
    reports: list[Progress] = []

    def stop_at_the_second(progress: Progress) -> bool:
        reports.append(progress)
        return len(reports) > 1

    outcome = solve(problem, on_progress=stop_at_the_second)
    costs = [progress.cost for progress in reports if progress.cost is not None]
    # The search rounds, so a reported cost may be lower in the last digits.
    assert all(outcome.cost * (1 - 1e-12) <= cost < 1000 for cost in costs)
    assert all(progress.lower_bound <= outcome.lower_bound for progress in reports)


def test_a_node_that_saves_only_rounded_weight_is_removed() -> None:
    """Weights times factors of classes need more than 62 bits; a leaf is as good as a stump."""
    X = [[0, -1, 0], [0, 1, 1], [1, -2, 0], [0, 2, 2], [0, 2, 1], [0, 1, 2]]
    problem = Problem(
        X,
        [0, 2, 0, 2, 1, 1],
        [1e-6, 1.0, 1.0, 1 / 3, 1e-6, 1e-6],
        minimize="balanced_error",
        leaf_penalty=Fraction(1, 3),
        limits=Limits(max_depth=2, min_samples_leaf=2),
    )
    found = solve(problem)
    check_rounded(problem, found, solve(problem, implementation="spec"))
    assert (found.cost, found.tree.size) == (1, 0)
    check_irreducible(problem, found.tree)


def test_a_tree_of_few_leaves_is_proved_where_the_price_of_a_leaf_is_substituted():
    """The price has many digits, and the search computes with one of few digits."""
    problem = Problem(
        [[0], [1], [2], [3], [4], [5]],
        [0, 0, 1, 1, 2, 2],
        cost_matrix=[[0, 1, 3], [2, 0, 1], [1, 5, 0]],
        leaf_penalty=0.00021544346900318845,
        limits=Limits(max_depth=3),
    )
    outcome = solve(problem)
    assert (outcome.status, outcome.tree.leaves) == (Status.OPTIMAL, 3)
