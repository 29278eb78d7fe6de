"""A distributed regression has the result of a local search under all faults of its workers."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.distributed.pools import FaultyCluster

import exactree as xt
from exactree.distributed import is_shared, shared_branch_and_bound
from exactree.distributed.regression_request import PreparedRegression, RegressionRequest
from exactree.distributed.regression_search import RootSearch, Units
from exactree.problem import Outcome, Problem, Status
from exactree.stopping import Deadline, Stopped
from exactree.testing import check_irreducible

pytestmark = pytest.mark.usefixtures("small_shared_tasks")


def drawn(seed: int, rows: int = 30) -> Problem:
    rng = np.random.default_rng(seed)
    values = int(rng.choice([2, 3, 6, 40, 40]))
    X = rng.integers(0, values, size=(rows, 3)).astype(float)
    if rng.random() < 0.3:
        X[:, 2] = 2 * X[:, 0] + 1  # has the same splits as feature 0
    y = (X[:, 0] * X[:, 1] + rng.normal(size=rows)).round(int(rng.integers(0, 4)))
    return Problem(
        X,
        y * 10.0 ** int(rng.integers(-6, 7)),
        sample_weight=rng.integers(1, 4, size=rows) if rng.random() < 0.4 else None,
        minimize=["squared_error", "absolute_error"][int(rng.random() < 0.4)],
        leaf_penalty=[0, 0.1][int(rng.random() < 0.3)],
        limits=xt.Limits(
            max_depth=int(rng.integers(3, 5)), min_samples_leaf=int(rng.choice([1, 1, 3]))
        ),
    )


def shared(problem: Problem, cluster: FaultyCluster, **options: Any) -> Outcome:
    return shared_branch_and_bound(problem, cluster, **options)


def test_no_fault_changes_the_result() -> None:
    tasks = pruned = with_min_rows = 0
    for seed in range(16):
        problem, chance = drawn(seed), random.Random(seed)

        def fault(_: Any, chance: random.Random = chance) -> str | None:
            return chance.choice([None, None, "late", "lost", "twice", "lost but done"])

        cluster = FaultyCluster(workers=2, fault=fault, rules=chance.choice([2, 5, 1000]))
        assert is_shared(problem)
        outcome, local = shared(problem, cluster), xt.solve(problem)
        assert outcome.status is local.status is Status.OPTIMAL
        assert outcome.cost == pytest.approx(local.cost, rel=1e-9, abs=1e-300), seed
        check_irreducible(problem, outcome.tree)
        tasks += len(cluster.assignments)
        pruned += outcome.stats["pruned"].get("interval_bound", 0)
        with_min_rows += problem.min_rows > 1
    assert tasks > 60
    assert with_min_rows > 2
    assert pruned > 5  # thresholds that were never tried


@pytest.mark.parametrize(
    ("kind", "stopped_by"), [("gone", "loss of the cluster"), ("interrupt", "interrupt")]
)
def test_a_run_that_ends_early_is_resumed(kind: str, stopped_by: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)).round(1)
    y = X[:, 0] * X[:, 1] + rng.normal(size=60).round(2)
    problem = Problem(X, y, minimize="squared_error", limits=xt.Limits(max_depth=3))
    path, optimum = tmp_path / "run.json", xt.solve(problem).cost
    stopping = FaultyCluster(
        fault=lambda assignment: kind if assignment.task.number > 6 else None, rules=4
    )
    first = shared(problem, stopping, resume=path)
    assert (first.status, first.stopped_by) == (Status.FEASIBLE, stopped_by)
    assert first.lower_bound <= optimum <= first.cost
    resumed, complete = FaultyCluster(rules=4), FaultyCluster(rules=4)
    assert shared(problem, resumed, resume=path).cost == pytest.approx(optimum, rel=1e-9)
    shared(problem, complete)
    assert 0 < len(resumed.assignments) < len(complete.assignments)


def test_progress_reports_have_valid_costs_and_lower_bounds() -> None:
    problem, seen = drawn(10, rows=40), list[Any]()
    optimum = xt.solve(problem).cost
    shared(problem, FaultyCluster(rules=2), on_progress=seen.append)
    assert any(progress.workers for progress in seen)
    for progress in seen:
        assert progress.lower_bound <= optimum * (1 + 1e-9)
        assert progress.cost is None or progress.cost >= optimum * (1 - 1e-9)


def test_searches_with_a_size_limit_stricter_than_the_depth_are_not_shared() -> None:
    table = drawn(0).dataset
    for size, expected in ((None, True), (5, False), (7, True)):  # depth 3 allows 7 nodes
        limits = xt.Limits(max_depth=3, max_size=size)
        problem = Problem(table.X, table.targets, minimize="squared_error", limits=limits)
        assert is_shared(problem) == expected


def test_a_search_returns_exactly_the_root_splits_that_may_contain_a_better_tree() -> None:
    table = drawn(5, rows=40).dataset
    settings: dict[str, Any] = {
        "deviation": "squared_error",
        "max_depth": 3,
        "min_samples_leaf": 1,
        "leaf_penalty": 0.0,
        "memory_limit": None,
        "n_jobs": 1,
        "switches": {},
    }
    leaf = float(((table.targets - table.targets.mean()) ** 2).sum())
    weights = np.ones(len(table.X), dtype=np.int64)
    prepared = RegressionRequest(table.X, table.targets, weights, leaf, settings).prepare()
    control = prepared.control()
    control.return_open()
    roots = prepared.roots()
    assert prepared.search(roots, None, control).open == roots
    complete = prepared.search(roots, None, prepared.control())
    assert complete.open == []
    assert prepared.search(roots, complete.cost, prepared.control()).nodes is None
    control = prepared.control()
    control.tighten_upper_bound(0)
    assert prepared.search(roots, None, control).open == []


def test_the_preparation_checks_the_deadline_before_every_column() -> None:
    table = drawn(5, rows=40).dataset
    weights = np.ones(len(table.X), dtype=np.int64)
    request = RegressionRequest(table.X, table.targets, weights, 1.0, {"memory_limit": None})

    class CountedDeadline(Deadline):
        """A deadline that passes after a number of checks."""

        def __init__(self, checks: int) -> None:
            super().__init__(None)
            self.checks_left = checks

        def check(self) -> None:
            self.checks_left -= 1
            if self.checks_left < 0:
                raise Stopped("time limit")

    columns = table.X.shape[1]
    assert len(PreparedRegression(request, None, CountedDeadline(columns)).ranks) == columns
    for checks in range(columns):
        with pytest.raises(Stopped):
            PreparedRegression(request, None, CountedDeadline(checks))


@given(st.floats(1e-300, 1e300), st.floats(0, 1))
def test_a_bound_is_rounded_down_by_less_than_the_tolerance(leaf: float, share: float) -> None:
    units, bound = Units(leaf), share * leaf
    rounded = units.value(units.round_down(bound))
    assert rounded <= bound
    allowed = leaf * 2**-54  # a unit is at most leaf * 2**-55; twice that for rounding errors
    assert bound - rounded <= allowed
    tolerance = max(1e-9 * bound, 1e-15 * leaf)  # of a local search
    assert bound - units.value(units.to_beat(bound)) <= tolerance / 2 + allowed


def test_lower_bounds_that_are_too_large_lose_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    search_children = RootSearch._search_children

    def wrong(*arguments: Any) -> Any:
        (left, right), results = search_children(*arguments) or ((0, 0), [])
        return (left + left // 4, right + right // 4), results

    local = {seed: xt.solve(drawn(seed)).cost for seed in range(12)}
    monkeypatch.setattr(RootSearch, "_search_children", wrong)
    found = {seed: shared(drawn(seed), FaultyCluster(rules=1000)).cost for seed in local}
    assert any(found[seed] > cost * (1 + 1e-6) for seed, cost in local.items())
