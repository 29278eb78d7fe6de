"""Distributed searches under constraints have the result of a local search."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.pools import FaultyCluster, random_faults
from tests.distributed.test_costs import MATRIX, same_up_to_rounding

import exactree as xt
from exactree.distributed import is_shared, scheduler, shared_search
from exactree.engine.constrained import chooses_features
from exactree.engine.native.border import RegressionConclusion
from exactree.engine.native.root_search import PreparedRoots
from exactree.problem import Outcome, Problem, Status

pytestmark = pytest.mark.usefixtures("small_shared_tasks")

COSTS: list[dict[str, Any]] = [
    {"minimize": "errors"},
    {"minimize": "squared_error"},
    {"minimize": "absolute_error"},
    {"minimize": "log_loss", "smoothing": 1},
    {"minimize": "gini"},
    {"minimize": "balanced_error"},
    {"cost_matrix": MATRIX},
    {"minimize": ("errors", "size")},
    {"minimize": ("depth", "errors")},
]


def drawn(seed: int) -> Problem:
    """Draw a problem: its table, cost, limits and constraints."""
    rows = 22
    parameters: dict[str, Any] = {}
    rng, chance = np.random.default_rng(seed), random.Random(seed)
    X = rng.integers(0, chance.choice([2, 3, 6]), size=(rows, 3)).astype(float)
    numbers = (X[:, 0] * X[:, 1] - X[:, 2] + rng.normal(size=rows)).round(1)
    cost = chance.choice(COSTS)
    is_regression = cost.get("minimize") in ("squared_error", "absolute_error")
    classes = (numbers > np.median(numbers)).astype(int)
    if "cost_matrix" in cost:
        classes += numbers > np.quantile(numbers, 0.8)
    monotone = "cost_matrix" not in cost and chance.random() < 0.6
    if monotone:
        parameters["monotonic_cst"] = [chance.choice([-1, 0, 1]) for _ in range(3)]
    limits = xt.Limits(
        max_depth=3,
        max_size=chance.choice([None, 5]),
        min_samples_leaf=chance.choice([1, 1, 2]),
        min_weight_fraction_leaf=chance.choice([0, 0.1]),
        max_leaves_of=chance.choice([None, {1: 2}]) if not is_regression else None,
    )
    if "minimize" in cost and isinstance(cost["minimize"], str):
        parameters["leaf_penalty"] = chance.choice([0, 0, 0.05])
    constraints = xt.Constraints(
        required=chance.choice([[], [2]]),
        only_below=chance.choice([{}, {0: 1}]),
        monotonic_in=chance.choice(["probability", "prediction"]),
    )
    return Problem(
        X,
        numbers if is_regression else classes,
        sample_weight=rng.integers(1, 4, size=rows) if chance.random() < 0.4 else None,
        limits=limits,
        constraints=constraints,
        **{**cost, **parameters},
    )


def same_result(outcome: Outcome, local: Outcome) -> bool:
    if local.status is Status.INFEASIBLE:
        return outcome.status is Status.INFEASIBLE
    return (
        outcome.status is local.status is Status.OPTIMAL
        and same_up_to_rounding(outcome.cost, local.cost)
        and same_up_to_rounding(outcome.lower_bound, local.lower_bound)
    )


def check_with_faults(seeds: range) -> None:
    tasks = optimal = constrained = 0
    for seed in seeds:
        problem, chance = drawn(seed), random.Random(seed)
        cluster = FaultyCluster(
            workers=2, fault=random_faults(chance), rules=chance.choice([2, 5, 1000])
        )
        assert is_shared(problem), seed
        outcome, local = shared_search(problem, cluster), xt.solve(problem)
        assert same_result(outcome, local), seed
        tasks += len(cluster.assignments)
        optimal += local.status is Status.OPTIMAL
        constrained += problem.constrained
    assert tasks > 2 * len(seeds)
    assert optimal > len(seeds) / 2
    assert constrained > len(seeds) / 2


def test_no_fault_changes_the_result() -> None:
    check_with_faults(range(40))


@pytest.mark.long
def test_no_fault_changes_the_result_of_many_problems() -> None:
    check_with_faults(range(100, 1100))


@pytest.mark.parametrize("switch", ["relaxation", "incumbent"])
def test_tasks_without_an_accelerator_have_the_same_result(switch: str) -> None:
    for seed in range(200, 212):
        problem, cluster = drawn(seed), FaultyCluster(rules=5)
        outcome = shared_search(problem, cluster, switches={switch: False})
        assert same_result(outcome, xt.solve(problem)), seed


def monotone_problem(minimize: str = "errors", **parameters: Any) -> Problem:
    rng = np.random.default_rng(6)
    X = rng.integers(0, 12, size=(60, 3)).astype(float)
    numbers = X[:, 0] - X[:, 1] + 4 * rng.normal(size=60)
    y = numbers.round(2) if minimize == "squared_error" else (numbers > 0).astype(int)
    limits = xt.Limits(max_depth=3)
    options = {"monotonic_cst": [1, -1, 0], "limits": limits, **parameters}
    return Problem(X, y, minimize=minimize, **options)


@pytest.mark.parametrize("minimize", ["errors", "log_loss", "squared_error"])
def test_a_stopped_run_is_resumed_with_its_relaxation(
    minimize: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_CHECK_INTERVAL", 0.0)
    problem, path = monotone_problem(minimize), tmp_path / "run.json"
    local = xt.solve(problem)
    stopped = xt.solve(problem, resume=path, on_progress=lambda _: True)
    assert stopped.status is Status.FEASIBLE
    assert stopped.lower_bound <= local.cost
    assert same_result(xt.solve(problem, resume=path), local)
    states = json.loads(path.read_text())["content"]["searches"]
    assert {"relaxation=True" in key for key in states} == {False, True}
    again = FaultyCluster()
    assert same_result(shared_search(problem, again, resume=path), local)
    assert again.assignments == []
    # The table is the same, the direction another: the state of the first search is not used.
    other = monotone_problem(minimize, monotonic_cst=[-1, 1, 0])
    assert same_result(xt.solve(other, resume=path), xt.solve(other))


def test_threads_and_an_incumbent_do_not_change_the_result(tmp_path: Path) -> None:
    for minimize in ("errors", "gini", "squared_error"):
        problem = monotone_problem(minimize)
        local = xt.solve(problem)
        free = xt.solve(monotone_problem(minimize, monotonic_cst=None)).tree
        for name, tree in (("free", free), ("optimal", local.tree)):
            path = tmp_path / f"{minimize}-{name}.json"
            assert same_result(xt.solve(problem, resume=path, n_jobs=2, incumbent=tree), local)


def test_searches_that_choose_features_run_on_one_worker() -> None:
    problem = monotone_problem()
    assert is_shared(problem)
    for parameters in (
        {"constraints": xt.Constraints(max_features=2)},
        {"feature_penalty": 0.1},
    ):
        chosen = monotone_problem(**parameters)
        assert chooses_features(chosen)
        assert not is_shared(chosen)
    assert not chooses_features(monotone_problem(feature_penalty=0))
    assert not is_shared(monotone_problem(limits=xt.Limits(max_depth=2)))


def test_a_regression_that_is_too_coarse_is_repeated_in_fine_units(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem, local = monotone_problem("squared_error"), xt.solve(monotone_problem("squared_error"))
    conclude, concluded = PreparedRoots.conclude, []

    def too_coarse_at_first(*arguments: Any) -> Any:
        conclusion = conclude(*arguments)
        assert isinstance(conclusion, RegressionConclusion)
        concluded.append(conclusion)
        return replace(conclusion, too_coarse=len(concluded) == 1)

    monkeypatch.setattr(PreparedRoots, "conclude", too_coarse_at_first)
    assert same_result(shared_search(problem, FaultyCluster(rules=5)), local)
    assert len(concluded) == 2
