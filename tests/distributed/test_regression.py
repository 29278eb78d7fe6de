"""A distributed regression has the result of a local search, whatever happens to its workers."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.distributed.pools import HereCluster

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
        X[:, 2] = 2 * X[:, 0] + 1  # asks what another one asks
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


def shared(problem: Problem, cluster: HereCluster, **options: Any) -> Outcome:
    return shared_branch_and_bound(problem, cluster, **options)


def test_any_mishap_leaves_the_answer_as_it_is() -> None:
    tasks = discards = strict = 0
    for seed in range(16):
        problem, chance = drawn(seed), random.Random(seed)

        def mishap(_: Any, chance: random.Random = chance) -> str | None:
            return chance.choice([None, None, "late", "lost", "twice", "lost but done"])

        cluster = HereCluster(workers=2, mishap=mishap, rules=chance.choice([2, 5, 1000]))
        assert is_shared(problem)
        outcome, alone = shared(problem, cluster), xt.solve(problem)
        assert outcome.status is alone.status is Status.OPTIMAL
        assert outcome.cost == pytest.approx(alone.cost, rel=1e-9, abs=1e-300), seed
        check_irreducible(problem, outcome.tree)
        tasks += len(cluster.assignments)
        discards += outcome.stats["pruned"].get("interval_bound", 0)
        strict += problem.min_rows > 1
    assert tasks > 60
    assert strict > 2
    assert discards > 5  # thresholds that were never tried


@pytest.mark.parametrize(
    ("what", "by"), [("gone", "loss of the cluster"), ("interrupt", "interrupt")]
)
def test_a_run_that_ends_early_is_resumed(what: str, by: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)).round(1)
    y = X[:, 0] * X[:, 1] + rng.normal(size=60).round(2)
    problem = Problem(X, y, minimize="squared_error", limits=xt.Limits(max_depth=3))
    path, least = tmp_path / "run.json", xt.solve(problem).cost
    stopping = HereCluster(
        mishap=lambda assignment: what if assignment.task.number > 6 else None, rules=4
    )
    first = shared(problem, stopping, resume=path)
    assert (first.status, first.stopped_by) == (Status.FEASIBLE, by)
    assert first.lower_bound <= least <= first.cost
    again, whole = HereCluster(rules=4), HereCluster(rules=4)
    assert shared(problem, again, resume=path).cost == pytest.approx(least, rel=1e-9)
    shared(problem, whole)
    assert 0 < len(again.assignments) < len(whole.assignments)


def test_what_is_known_early_is_true_and_reported() -> None:
    problem, seen = drawn(10, rows=40), list[Any]()
    least = xt.solve(problem).cost
    shared(problem, HereCluster(rules=2), on_progress=seen.append)
    assert any(progress.workers for progress in seen)
    for progress in seen:
        assert progress.lower_bound <= least * (1 + 1e-9)
        assert progress.cost is None or progress.cost >= least * (1 - 1e-9)


def test_a_limit_on_the_size_is_not_divided() -> None:
    table = drawn(0).dataset
    for size, divided in ((None, True), (5, False), (7, True)):
        limits = xt.Limits(max_depth=3, max_size=size)
        asked = Problem(table.X, table.targets, minimize="squared_error", limits=limits)
        assert is_shared(asked) == divided


def test_searches_of_some_roots_leave_open_what_they_did_not_try() -> None:
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
    assert prepared.search(roots, None, control)["open"] == roots
    done = prepared.search(roots, None, prepared.control())
    assert done["open"] == []
    assert prepared.search(roots, done["cost"], prepared.control())["nodes"] is None
    control = prepared.control()
    control.tighten_upper_bound(0)
    assert prepared.search(roots, None, control)["open"] == []


def test_a_table_of_numbers_is_prepared_out_until_the_time_is_over() -> None:
    table = drawn(5, rows=40).dataset
    weights = np.ones(len(table.X), dtype=np.int64)
    request = RegressionRequest(table.X, table.targets, weights, 1.0, {"memory_limit": None})

    class Looks(Deadline):
        """Is over when it is looked at for the so-manieth time."""

        def __init__(self, left: int) -> None:
            super().__init__(None)
            self.left_over = left

        def check(self) -> None:
            self.left_over -= 1
            if self.left_over < 0:
                raise Stopped("time limit")

    columns = table.X.shape[1]
    assert len(PreparedRegression(request, None, Looks(columns)).ranks) == columns
    for looks in range(columns):
        with pytest.raises(Stopped):
            PreparedRegression(request, None, Looks(looks))


@given(st.floats(1e-300, 1e300), st.floats(0, 1))
def test_units_are_fine_and_never_above_a_bound(leaf: float, share: float) -> None:
    units, bound = Units(leaf), share * leaf
    control = units.value(units.at_least(bound))
    assert control <= bound
    assert bound - control <= leaf * 2**-54
    tolerated = max(1e-9 * bound, 1e-15 * leaf)
    assert bound - units.value(units.to_beat(bound)) <= tolerated / 2 + leaf * 2**-54


def test_a_bound_that_is_too_great_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = RootSearch._solved

    def wrong(*arguments: Any) -> Any:
        bounds, answers = solved(*arguments) or ((0, 0), [])
        return (bounds[0] + bounds[0] // 4, bounds[1] + bounds[1] // 4), answers

    alone = {seed: xt.solve(drawn(seed)).cost for seed in range(12)}
    monkeypatch.setattr(RootSearch, "_solved", wrong)
    found = {seed: shared(drawn(seed), HereCluster(rules=1000)).cost for seed in alone}
    assert any(found[seed] > cost * (1 + 1e-6) for seed, cost in alone.items())
