"""Distributed searches for other costs than plain errors have the result of a local search."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.pools import FaultyCluster, random_faults

import exactree as xt
from exactree.distributed import (
    checkpoint,
    is_shared,
    scheduler,
    searches,
    shared_search,
)
from exactree.engine.native.border import RegressionConclusion
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.root_request import RegressionRequest, regression_request
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.quantities import as_tuple
from exactree.testing import check_irreducible

pytestmark = pytest.mark.usefixtures("small_shared_tasks")

REGRESSIONS = ["squared_error", "absolute_error"]
MATRIX = {0: {1: 3, 2: 1}, 1: {0: 0.5, 2: 2}, 2: {0: 1, 1: 4}}
OF_CLASSES: list[dict[str, Any]] = [
    {"minimize": "log_loss"},
    {"minimize": "log_loss", "smoothing": 1},
    {"minimize": "gini"},
    {"minimize": "balanced_error"},
    {"cost_matrix": MATRIX},
]


def drawn(seed: int, rows: int = 30, **cost: Any) -> Problem:
    """Draw a table, limits and, unless one is given, a cost."""
    rng = np.random.default_rng(seed)
    values = int(rng.choice([2, 3, 6, 40, 40]))
    X = rng.integers(0, values, size=(rows, 3)).astype(float)
    if rng.random() < 0.3:
        X[:, 2] = 2 * X[:, 0] + 1  # has the same splits as feature 0
    if rng.random() < 0.3:
        X = np.column_stack([np.ones(rows), X])  # a column without splits
    numbers = (X[:, -3] * X[:, -2] + rng.normal(size=rows)).round(int(rng.integers(0, 4)))
    scale = 10.0 ** int(rng.integers(-6, 7))
    if not cost:
        kinds = [*({"minimize": name} for name in REGRESSIONS), *OF_CLASSES]
        cost = kinds[int(rng.integers(len(kinds)))]
    is_regression = cost.get("minimize") in REGRESSIONS
    classes = (numbers > np.median(numbers)).astype(int) + (numbers > np.quantile(numbers, 0.8))
    classes[:3] = range(3)
    return Problem(
        X,
        numbers * scale if is_regression else classes,
        sample_weight=rng.integers(1, 4, size=rows) if rng.random() < 0.4 else None,
        leaf_penalty=[0, 0.1][int(rng.random() < 0.3)],
        limits=xt.Limits(
            max_depth=int(rng.integers(3, 5)),
            max_size=[None, 5][int(rng.random() < 0.3)],
            min_samples_leaf=int(rng.choice([1, 1, 3])),
        ),
        **cost,
    )


def shared(problem: Problem, cluster: FaultyCluster, **options: Any) -> Outcome:
    return shared_search(problem, cluster, **options)


def same_up_to_rounding(one: Any, other: Any) -> bool:
    numbers = [np.array(as_tuple(cost), dtype=float) for cost in (one, other)]
    return bool(np.allclose(*numbers, rtol=1e-9, atol=1e-300))


def check_with_faults(seeds: range) -> None:
    tasks = pruned = with_min_rows = 0
    for seed in seeds:
        problem, chance = drawn(seed), random.Random(seed)
        cluster = FaultyCluster(
            workers=2, fault=random_faults(chance), rules=chance.choice([2, 5, 1000])
        )
        assert is_shared(problem)
        outcome, local = shared(problem, cluster), xt.solve(problem)
        assert outcome.status is local.status is Status.OPTIMAL
        assert same_up_to_rounding(outcome.cost, local.cost), seed
        assert same_up_to_rounding(outcome.lower_bound, local.lower_bound), seed
        if problem.exact_errors:
            assert outcome.cost == outcome.lower_bound == local.cost, seed
        check_irreducible(problem, outcome.tree)
        tasks += len(cluster.assignments)
        pruned += sum(outcome.stats["pruned"].values())
        with_min_rows += problem.min_rows > 1
    assert tasks > 2 * len(seeds)
    assert with_min_rows > 2
    assert pruned > 5


def test_no_fault_changes_the_result() -> None:
    check_with_faults(range(40))


@pytest.mark.long
def test_no_fault_changes_the_result_of_many_problems() -> None:
    check_with_faults(range(100, 2100))


def test_regressions_on_binary_columns_are_shared_at_four_levels() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, size=(80, 9)).astype(float)
    y = X @ rng.normal(size=9) + rng.normal(size=80)
    problem = Problem(X, y, minimize="squared_error", limits=xt.Limits(max_depth=4))
    local, chance = xt.solve(problem), random.Random(0)
    cluster = FaultyCluster(
        rules=1, fault=random_faults(chance, [None, None, "late", "lost", "twice"])
    )
    outcome = shared(problem, cluster)
    assert outcome.status is Status.OPTIMAL
    assert same_up_to_rounding(outcome.cost, local.cost)
    assert len(cluster.assignments) >= 9


LOOPS: list[dict[str, Any]] = [
    {"minimize": ("log_loss", "size")},
    {"minimize": ("squared_error", "size")},
    {"cost_matrix": MATRIX, "minimize": ("errors", "depth")},
    {"leaf_penalty": 0.02, "limits": xt.Limits(max_depth=3, max_errors=5)},
]


@pytest.mark.parametrize("parameters", LOOPS)
def test_the_searches_of_a_loop_are_shared(parameters: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 12, size=(40, 3)).astype(float)
    y = (X[:, 0] * X[:, 1] > 30).astype(int) + (X[:, 2] > 8)
    problem = Problem(X, y, **{"limits": xt.Limits(max_depth=3), **parameters})
    assert is_shared(problem)
    local, cluster = xt.solve(problem), FaultyCluster(rules=5)
    found = shared(problem, cluster)
    assert len(cluster.assignments) > 3
    assert (found.status, as_tuple(found.cost)[1:]) == (local.status, as_tuple(local.cost)[1:])
    assert same_up_to_rounding(found.cost, local.cost)
    assert found.stats["tasks"] == len(cluster.assignments)
    path = tmp_path / "run.json"
    begun = xt.solve(problem, resume=path, time_limit=0.01)
    assert as_tuple(begun.lower_bound) <= as_tuple(local.cost)
    assert same_up_to_rounding(xt.solve(problem, resume=path).cost, local.cost)


def test_a_file_that_is_damaged_between_two_searches_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    X = rng.integers(0, 12, size=(40, 3)).astype(float)
    y = (X[:, 0] * X[:, 1] > 30).astype(int) + (X[:, 2] > 8)
    path = tmp_path / "run.json"
    save = scheduler._Run.save

    def damaged(run: Any, now: float) -> None:
        save(run, now)
        path.write_text("no state")

    monkeypatch.setattr(scheduler._Run, "save", damaged)
    problem = Problem(X, y, minimize=("gini", "size"), limits=xt.Limits(max_depth=3))
    outcome = shared(problem, FaultyCluster(), resume=path)
    assert outcome.status is Status.OPTIMAL
    assert "not a saved run" in outcome.stats["not_saved"]


def product(rows: int = 60, **parameters: Any) -> Problem:
    """Return a problem with a search of dozens of tasks."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 3)).round(1)
    y = X[:, 0] * X[:, 1] + rng.normal(size=rows).round(2)
    if parameters.get("minimize") not in REGRESSIONS:
        y = (y > 0).astype(int) + (y > 1)
    X = np.column_stack([np.ones(rows), X])  # column 0 has no splits
    return Problem(X, y, limits=xt.Limits(max_depth=3), **parameters)


COSTS = [*({"minimize": name} for name in REGRESSIONS), *OF_CLASSES]


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(
    ("kind", "stopped_by"), [("gone", "loss of the cluster"), ("interrupt", "interrupt")]
)
def test_a_run_that_ends_early_is_resumed(
    cost: dict[str, Any], kind: str, stopped_by: str, tmp_path: Path
) -> None:
    problem, path = product(**cost), tmp_path / "run.json"
    optimum = xt.solve(problem).cost
    stopping = FaultyCluster(
        fault=lambda assignment: kind if assignment.task.number > 6 else None, rules=4
    )
    first = shared(problem, stopping, resume=path)
    assert (first.status, first.stopped_by) == (Status.FEASIBLE, stopped_by)
    assert first.lower_bound <= optimum <= first.cost
    resumed, complete = FaultyCluster(rules=4), FaultyCluster(rules=4)
    assert same_up_to_rounding(shared(problem, resumed, resume=path).cost, optimum)
    shared(problem, complete)
    assert 0 < len(resumed.assignments) < len(complete.assignments)


@pytest.mark.parametrize("cost", COSTS)
def test_progress_reports_have_valid_costs_and_lower_bounds(cost: dict[str, Any]) -> None:
    problem, seen = product(**cost), list[Progress]()
    optimum = float(xt.solve(problem).cost)
    outcome = shared(problem, FaultyCluster(rules=2), on_progress=seen.append)
    assert any(progress.workers for progress in seen)
    for progress in [*seen, *outcome.stats["progress"]]:
        assert float(progress.lower_bound) <= optimum * (1 + 1e-9)
        assert progress.cost is None or float(progress.cost) >= optimum * (1 - 1e-9)
    bounds = [progress.lower_bound for progress in outcome.stats["progress"]]
    assert bounds == sorted(bounds)


@pytest.mark.parametrize("cost", COSTS)
def test_a_gap_a_callback_and_a_time_limit_end_the_run(
    cost: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_CHECK_INTERVAL", 0.0)
    monkeypatch.setattr(scheduler, "_GRACE", 0.0)
    problem = product(**cost)
    optimum = xt.solve(problem).cost
    late = FaultyCluster(fault=lambda task: "late" if task.task.number > 2 else None, rules=1)
    ends: dict[str, tuple[FaultyCluster, dict[str, Any]]] = {
        "gap": (FaultyCluster(rules=1), {"stop_at_gap": 1.0}),
        "callback": (FaultyCluster(rules=1), {"on_progress": lambda p: p.workers is not None}),
        "time limit": (late, {"time_limit": 0.2}),
    }
    for stopped_by, (cluster, options) in ends.items():
        outcome = shared(problem, cluster, **options)
        assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, stopped_by)
        assert outcome.lower_bound <= optimum <= outcome.cost


def test_the_gap_of_a_run_is_that_of_its_costs_in_the_unit_of_the_user() -> None:
    options = SearchOptions.within(None)
    for name in REGRESSIONS:
        request = regression_request(product(minimize=name), 0.0, options, None, fine=False)
        prepared = request.prepare()
        found = prepared.search(prepared.roots(), None, prepared.control())
        assert found.cost is not None
        for bound in (0, found.cost // 2, found.cost):
            concluded = prepared.conclude(found.nodes, found.cost, bound)
            assert isinstance(concluded, RegressionConclusion)
            assert concluded.cost is not None
            gap = 1 - concluded.lower_bound / concluded.cost
            assert prepared.gap(found.cost, bound) == pytest.approx(gap, abs=1e-6)


@pytest.mark.parametrize("cost", COSTS)
def test_a_run_stopped_before_its_table_is_prepared_keeps_the_saved_tree(
    cost: dict[str, Any], tmp_path: Path
) -> None:
    problem, path = product(**cost), tmp_path / "run.json"
    optimum = xt.solve(problem, resume=path).cost
    outcome = xt.solve(problem, resume=path, time_limit=1e-9)
    assert same_up_to_rounding(outcome.cost, optimum)
    assert outcome.lower_bound <= outcome.cost


def test_an_incumbent_is_the_first_tree_of_a_shared_search_for_class_costs() -> None:
    problem = product(minimize="gini")
    optimal = xt.solve(problem)
    with ThreadPoolExecutor(2) as executor:
        outcome = xt.solve(problem, cluster=executor, incumbent=optimal.tree)
    assert same_up_to_rounding(outcome.cost, optimal.cost)
    assert same_up_to_rounding(outcome.stats["first_incumbent"], optimal.cost)


def test_an_incumbent_is_the_first_tree_of_a_shared_regression() -> None:
    problem = product(minimize="squared_error")
    optimal = xt.solve(problem)
    with ThreadPoolExecutor(2) as executor:
        outcome = xt.solve(problem, cluster=executor, incumbent=optimal.tree)
    assert same_up_to_rounding(outcome.cost, optimal.cost)
    assert same_up_to_rounding(outcome.stats["progress"][0].cost, optimal.cost)


def hardly_any_error() -> Problem:
    """Return a regression whose best tree has about 1e-7 of the error of a leaf."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(60, 3)).astype(float)
    y = 1e3 * (X[:, 0] > 4) + 2e3 * (X[:, 1] > 4) + 4e3 * (X[:, 2] > 4) + rng.normal(size=60)
    return Problem(X, y, minimize="squared_error", limits=xt.Limits(max_depth=3))


def test_a_proof_with_too_much_rounding_is_repeated_in_fine_units(tmp_path: Path) -> None:
    problem, cluster, seen = hardly_any_error(), FaultyCluster(rules=5), list[Progress]()
    local = xt.solve(problem)
    requests = list[RegressionRequest]()
    opened = cluster.opened

    def listed(request: RegressionRequest) -> Any:
        requests.append(request)
        return opened(request)

    cluster.opened = listed  # type: ignore[method-assign, assignment]
    path = tmp_path / "run.json"
    outcome = shared(problem, cluster, on_progress=seen.append, resume=path)
    assert [request.fine for request in requests] == [False, True]
    assert outcome.status is Status.OPTIMAL
    assert outcome.cost == pytest.approx(local.cost, rel=1e-9)
    assert outcome.stats["rounding"] <= 1e-9 * outcome.cost
    assert outcome.stats["tasks"] == len(cluster.assignments)
    in_second = [progress for progress in seen if progress.lower_bound > 0.9 * outcome.cost]
    assert all(progress.cost >= 0.9 * outcome.cost for progress in in_second)
    after_the_proof = FaultyCluster()
    assert shared(problem, after_the_proof, resume=path).status is Status.OPTIMAL
    assert after_the_proof.assignments == []


def test_a_second_search_stopped_at_its_start_keeps_the_first_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = hardly_any_error()
    prepare = RegressionRequest.prepare

    def stopped_if_fine(request: Any, *limits: Any, **more: Any) -> Any:
        if request.fine:
            raise searches.Stopped("time limit")
        return prepare(request, *limits, **more)

    monkeypatch.setattr(RegressionRequest, "prepare", stopped_if_fine)
    outcome = shared(problem, FaultyCluster())
    assert outcome.status is Status.OPTIMAL
    assert outcome.stats["rounding"] > 1e-9 * outcome.cost


def test_saved_states_with_another_cost_are_refused(tmp_path: Path) -> None:
    problem, path = product(minimize="squared_error"), tmp_path / "run.json"
    shared(problem, FaultyCluster(), resume=path)
    content = json.loads(path.read_text())["content"]
    (state,) = content["searches"].values()
    for cost in (state["cost"] - 1000, state["cost"] + 1000, 0):
        state["cost"] = cost
        digest = checkpoint._digest(content)
        path.write_text(json.dumps({"content": content, "digest": digest}))
        with pytest.raises(ValueError, match=r"^resume: .* is damaged; [^\n]*$"):
            shared(problem, FaultyCluster(), resume=path)


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    problem, path = product(minimize="squared_error"), tmp_path / "run.json"
    shared(problem, FaultyCluster(), resume=path)
    content = json.loads(path.read_text())["content"]
    del content["form"]
    digest = checkpoint._digest(content)
    path.write_text(json.dumps({"content": content, "digest": digest}))
    with pytest.raises(ValueError, match="written by an earlier exactree in another form"):
        shared(problem, FaultyCluster(), resume=path)


def test_the_preparation_stops_at_the_time_limit() -> None:
    request = regression_request(
        product(minimize="squared_error"), 0.0, SearchOptions.within(None), None, fine=False
    )
    with pytest.raises(searches.Stopped):
        request.prepare(time_limit=0.0)
