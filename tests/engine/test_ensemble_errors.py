"""Fewest errors of ensembles: the native search agrees with the definition; stopped searches."""

import runpy
from collections import Counter
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree.engine import accelerators, reason_to_refuse_ensemble, run_ensemble
from exactree.problem.quantities import as_tuple
from exactree.testing import check_irreducible, random_errors, random_weights

QUANTITIES = [
    "errors",
    ("errors", "total_size"),
    ("errors", "largest_size"),
    ("total_size", "errors"),
    ("largest_size", "errors"),
    ("errors", "largest_size", "total_size"),
    ("total_size", "errors", "largest_size"),
]
INSTANCES = runpy.run_path(str(Path(__file__).with_name("instances.py")))
SWITCHES = list(accelerators("witness", n_trees=2))
ensemble_problems, draw_rows = INSTANCES["ensemble_problems"], INSTANCES["draw_rows"]


def draw(rng):
    X = draw_rows(rng)

    def limit(probability, end):
        return int(rng.integers(0, end)) if rng.random() < probability else None

    weights = random_weights(rng, len(X), bits=61)
    return xt.Problem(
        X,
        rng.integers(0, rng.integers(2, 4), len(X)),
        sample_weight=weights,
        minimize=QUANTITIES[rng.integers(len(QUANTITIES))],
        n_trees=int(rng.integers(2, 5)),
        categories=[0] if rng.random() < 0.1 else None,
        limits=xt.Limits(
            max_errors=random_errors(rng, weights, 3) if rng.random() < 0.3 else None,
            max_size=limit(0.4, 3),
            max_depth=limit(0.3, 3),
            max_total_size=limit(0.4, 5),
        ),
    )


@pytest.mark.parametrize("problems", [120, pytest.param(3_000, marks=pytest.mark.long)])
def test_random_problems_agree_with_the_definition(problems):
    kinds: Counter[str] = Counter()
    for rng, problem in ensemble_problems(draw, problems, problems):
        expected = xt.solve(problem, method="branch-and-bound", implementation="spec")
        switches = {name: bool(rng.random() < 0.7) for name in SWITCHES}
        outcomes = [
            run_ensemble("witness", problem, switches=switches),
            xt.solve(problem, method="witness"),
        ]
        # With three classes the dynamic program counts the votes for each class.
        small = len(problem.dataset.classes) < 3 or len(problem.dataset.X) < 6
        if problem.limits.max_depth is None and small:
            outcomes.append(xt.solve(problem, method="subsets"))
        for outcome in outcomes:
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost), problem
            if outcome.ensemble is None:
                continue
            assert outcome.lower_bound == outcome.cost
            check_irreducible(problem, outcome.ensemble.trees)
        kinds["infeasible"] += expected.status is xt.Status.INFEASIBLE
        kinds["three classes"] += len(problem.dataset.classes) == 3
        kinds["fractions"] += problem.dataset.weight_scale > 1
        kinds["deep"] += problem.limits.max_depth is not None
        kinds["searched"] += outcomes[0].stats.get("search_nodes", 0) > 5
    assert min(kinds.values()) > problems / 30, kinds


def test_a_threshold_between_values_of_a_subset_leaves_no_superfluous_node():
    """Between values 0 and 2 the threshold is 1; a row of value 1 then joins those of 0."""
    X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0]], [1, 0, 1, 0]
    problem = xt.Problem(X, y, minimize=("errors", "largest_size"), n_trees=2)
    outcome = xt.solve(problem, method="witness")
    assert outcome.cost == (0, 2)
    check_irreducible(problem, outcome.trees)


def forty_raisins():
    raisins = xt.datasets.load_raisin()
    return raisins.X[::18], raisins.y[::18]


def test_three_stumps_make_the_fewest_errors_of_all_choices_of_three_stumps():
    """A stump is a number whose bits are the rows that it assigns to one class."""
    X, y = forty_raisins()
    bits = np.uint64(1) << np.arange(len(X), dtype=np.uint64)
    correct = bits[y == y[0]].sum()
    left = [bits[column <= value].sum() for column in X.T for value in column]
    all_rows = bits.sum()
    stumps = np.unique([*left, *(all_rows ^ np.array(left)), np.uint64(0), all_rows])
    min_errors = len(X)
    for a, b in combinations_with_replacement(stumps, 2):
        votes = (a & b) | ((a | b) & stumps)  # with each stump as the third tree
        min_errors = min(min_errors, int(np.bitwise_count(votes ^ correct).min()))
    limits = xt.Limits(max_size=1)
    outcome = xt.solve(xt.Problem(X, y, minimize="errors", n_trees=3, limits=limits))
    assert outcome.status is xt.Status.OPTIMAL
    assert outcome.cost == min_errors
    limits = xt.Limits(max_depth=1)
    assert xt.solve(xt.Problem(X, y, n_trees=3, limits=limits)).cost == min_errors


def test_limited_searches_of_a_real_table_agree_with_its_front():
    X, y = forty_raisins()
    problem = xt.Problem(X, y, n_trees=3, limits=xt.Limits(max_total_size=3))
    front = dict(outcome.cost for outcome in xt.pareto_front(problem, ("total_size", "errors")))
    assert len(front) == 4
    for max_size in range(max(front) + 1):
        limited = problem.within(xt.Limits(max_total_size=max_size))
        min_errors = min(errors for size, errors in front.items() if size <= max_size)
        assert xt.solve(limited).cost == min_errors
        both = xt.solve(limited.minimizing(("errors", "total_size")))
        assert both.cost == (min_errors, next(size for size in front if front[size] == min_errors))


def test_without_limits_one_tree_makes_the_fewest_errors():
    """Only contradictions remain as errors, and no search is needed."""
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 30, (2_000, 2)).astype(float), rng.integers(0, 3, 2_000)
    outcome = xt.solve(xt.Problem(X, y, minimize="errors", n_trees=3))
    assert outcome.status is xt.Status.OPTIMAL
    assert outcome.cost == xt.solve(xt.Problem(X, y)).cost
    assert outcome.stats["search_nodes"] == 0


def test_lower_bounds_of_stopped_searches_are_valid():
    X, y = forty_raisins()
    weights = 1 + np.arange(len(X)) % 3 / 10
    problem = xt.Problem(X, y, weights, n_trees=3, limits=xt.Limits(max_total_size=3))
    optimum = xt.solve(problem).cost
    stopped = 0
    for seconds in (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05):
        outcome = xt.solve(problem, time_limit=seconds)
        assert outcome.lower_bound <= optimum
        assert outcome.cost is None or optimum <= outcome.cost
        stopped += outcome.stopped_by == "time limit"
    assert stopped > 0


def hard(**parameters):
    rng = np.random.default_rng(0)
    X, y = rng.random((150, 6)), rng.integers(0, 2, 150)
    return xt.Problem(X, y, n_trees=3, limits=xt.Limits(max_size=3), **parameters)


@pytest.mark.parametrize("minimize", ["errors", ("errors", "total_size")])
def test_a_time_limit_keeps_the_best_ensemble_and_a_bound(minimize):
    problem = hard(minimize=minimize)
    outcome = xt.solve(problem, time_limit=0.01)
    assert outcome.status is xt.Status.FEASIBLE
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound < outcome.cost
    data = problem.dataset
    wrong = outcome.ensemble.predict_index(data.X) != data.labels
    assert as_tuple(outcome.cost)[0] == wrong.sum()


def test_a_gap_stops_and_progress_is_in_the_units_of_the_user():
    X, y = forty_raisins()
    problem = xt.Problem(X, y, np.full(len(X), 0.1), n_trees=3, limits=xt.Limits(max_total_size=4))
    reports = []
    outcome = xt.solve(problem, stop_at_gap=0.9, on_progress=reports.append)
    assert outcome.cost - outcome.lower_bound <= 0.9 * outcome.cost
    assert outcome.stopped_by == "gap"
    for progress in reports:
        assert progress.cost is None or progress.lower_bound <= progress.cost <= 4
    stopped = xt.solve(hard(), on_progress=lambda progress: True)
    assert stopped.stopped_by == "callback"


def test_a_leaf_penalty_is_refused_natively_but_not_by_the_specification():
    problem = xt.Problem([[0.0], [1.0], [2.0]], [0, 1, 0], n_trees=3, leaf_penalty=0.1)
    assert "no leaf_penalty" in reason_to_refuse_ensemble("witness", problem)
    with pytest.raises(xt.MethodRefused, match="implementation='spec'"):
        xt.solve(problem, method="witness")
    assert xt.solve(problem, implementation="spec").status is xt.Status.OPTIMAL
