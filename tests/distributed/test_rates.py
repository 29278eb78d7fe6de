"""Distributed searches for rates, which are loops of searches, find what a local search finds."""

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.pools import FaultyCluster, random_faults

import exactree as xt
from exactree.distributed import is_shared, shared_search
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.quantities import as_tuple

pytestmark = pytest.mark.usefixtures("small_shared_tasks")

RATES: list[dict[str, Any]] = [
    {"minimize": "f1_error"},
    {"minimize": "precision_error"},
    {"minimize": "recall_error"},
    {"minimize": "f1_error", "leaf_penalty": 0.02},
    {"minimize": ("f1_error", "size")},
    {"minimize": ("f1_error", "depth")},
]


def drawn(seed: int, rows: int = 40, max_depth: int = 3, **rate: Any) -> Problem:
    rng = np.random.default_rng(seed)
    values = int(rng.choice([2, 4, 30]))
    X = rng.integers(0, values, size=(rows, 5 if values == 2 else 3)).astype(float)
    y = ((X[:, 0] * X[:, 1] > X[:, 2]) ^ (rng.random(rows) < 0.3)).astype(int)
    y[:2] = range(2)
    limits: dict[str, Any] = {"min_samples_leaf": int(rng.choice([1, 3]))}
    # Without such a limit one leaf has the best recall, and often few leaves the best precision.
    limits |= {"precision_error": {"min_recall": 0.9}, "recall_error": {"min_precision": 0.9}}.get(
        rate["minimize"], {}
    )
    return Problem(
        X,
        y,
        sample_weight=rng.integers(1, 4, size=rows) if rng.random() < 0.4 else None,
        limits=xt.Limits(max_depth=max_depth, **limits),
        **rate,
    )


def shared(problem: Problem, cluster: FaultyCluster, **options: Any) -> Outcome:
    assert is_shared(problem)
    return shared_search(problem, cluster, **options)


@pytest.mark.parametrize("rate", RATES)
def test_no_fault_changes_the_result(rate: dict[str, Any]) -> None:
    tasks = 0
    for seed in range(6):
        problem, chance = drawn(seed, **rate), random.Random(seed)
        cluster = FaultyCluster(
            fault=random_faults(chance, [None, None, "late", "lost", "twice"]),
            rules=chance.choice([2, 10, 1000]),
        )
        outcome, local = shared(problem, cluster), xt.solve(problem)
        assert (outcome.status, outcome.cost) == (local.status, local.cost), seed
        assert outcome.lower_bound == local.lower_bound
        tasks += len(cluster.assignments)
    assert tasks > 10


@pytest.mark.parametrize("rate", RATES[:3])
@pytest.mark.parametrize(
    ("kind", "stopped_by"), [("gone", "loss of the cluster"), ("interrupt", "interrupt")]
)
def test_a_loop_that_ends_early_is_resumed_in_the_search_that_was_stopped(
    rate: dict[str, Any], kind: str, stopped_by: str, tmp_path: Path
) -> None:
    problem, path = drawn(5, rows=60, **rate), tmp_path / "run.json"
    local, complete = xt.solve(problem), FaultyCluster(rules=4)
    shared(problem, complete)
    half = len(complete.assignments) // 2
    count = 0

    def fault(_: Any) -> str | None:
        nonlocal count
        count += 1
        return kind if count > half else None

    first = shared(problem, FaultyCluster(rules=4, fault=fault), resume=path)
    assert (first.status, first.stopped_by) == (Status.FEASIBLE, stopped_by)
    assert first.lower_bound <= local.cost <= first.cost
    resumed = FaultyCluster(rules=4)
    second = shared(problem, resumed, resume=path)
    assert (second.status, second.cost) == (Status.OPTIMAL, local.cost)
    assert 0 < len(resumed.assignments) < len(complete.assignments)
    # Every search of the loop has a state of its own, and is not run again.
    assert len(json.loads(path.read_text())["content"]["searches"]) > 1
    after_the_proof = FaultyCluster()
    assert shared(problem, after_the_proof, resume=path).cost == local.cost
    assert after_the_proof.assignments == []


def test_a_file_of_another_rate_of_the_same_table_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for name in ("f1_error", "recall_error", "f1_error"):
        problem = drawn(1, minimize=name)
        assert shared(problem, FaultyCluster(), resume=path).cost == xt.solve(problem).cost
    with pytest.raises(ValueError, match="belongs to another table"):
        shared(drawn(2, minimize="f1_error"), FaultyCluster(), resume=path)


def test_progress_and_a_gap_are_those_of_the_rate() -> None:
    problem, seen = drawn(5, rows=60, minimize="precision_error"), list[Progress]()
    optimum = xt.solve(problem).cost
    outcome = shared(problem, FaultyCluster(rules=2), on_progress=seen.append)
    assert any(progress.workers for progress in seen)
    for progress in [*seen, *outcome.stats["progress"]]:
        assert progress.lower_bound <= optimum
        assert progress.cost is None or progress.cost >= optimum
    stopped = shared(problem, FaultyCluster(rules=1), stop_at_gap=0.6)
    assert (stopped.status, stopped.stopped_by) == (Status.FEASIBLE, "gap")
    assert stopped.gap <= Fraction(3, 5)
    assert as_tuple(stopped.lower_bound) <= as_tuple(optimum)


def test_a_rate_over_hyperplanes_is_shared() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(22, 2)).round(2), rng.integers(0, 2, size=22)
    problem = Problem(
        X,
        y,
        minimize="f1_error",
        rules=xt.rules.Hyperplanes(),
        limits=xt.Limits(max_depth=3, max_size=3),
    )
    cluster = FaultyCluster(rules=20)
    assert shared(problem, cluster).cost == xt.solve(problem).cost
    assert cluster.assignments
