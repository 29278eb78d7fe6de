"""Distributed searches over dichotomies, for trees of surfaces, find what a local search finds."""

import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.pools import FaultyCluster, random_faults

import exactree as xt
from exactree.distributed import checkpoint, is_shared, scheduler, shared_search
from exactree.distributed.pool import Pool
from exactree.engine.native.dichotomy_request import DichotomyRequest
from exactree.engine.native.root_request import RootRequest
from exactree.engine.oblique import proper
from exactree.engine.oblique.rule_list import AllRules, NoRule
from exactree.methods import chosen_form
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.stopping import Stopped

pytestmark = pytest.mark.usefixtures("small_shared_tasks")

HYPERPLANES = xt.rules.Hyperplanes()
RULES = [
    HYPERPLANES,
    xt.rules.Hypersurfaces(2, features=(0,)),
    xt.rules.Mixed((xt.rules.AxisParallel(features=(0,)), HYPERPLANES)),
]
# Limits on the leaves of a class come with errors only.
LIMITS: list[dict[str, Any]] = [
    {},
    {"max_size": 4},
    {"min_samples_leaf": 2},
    {"max_leaves_of": {1: 1}},
    {"max_leaves_of": {0: 2, 1: 2}},
    {"max_leaves_of": {0: 1}, "min_samples_leaf": 2},
]
COSTS: list[dict[str, Any]] = [
    {},
    {"leaf_penalty": 0.05},
    {"minimize": ("errors", "size")},
    {"minimize": ("depth", "errors")},
]


def drawn(seed: int, rows: int = 13, **more: Any) -> Problem:
    """Draw a table with labels that few trees separate, a family of rules, limits and a cost."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, size=(rows, 2)).astype(float)
    y = np.where(rng.random(rows) < 0.2, 2, rng.integers(0, 2, size=rows))
    y[:3] = range(3)
    limits = LIMITS[int(rng.integers(len(LIMITS)))]
    return Problem(
        X,
        y,
        rules=RULES[int(rng.integers(len(RULES)))],
        sample_weight=rng.integers(1, 4, size=rows) if rng.random() < 0.4 else None,
        limits=xt.Limits(max_depth=int(rng.integers(3, 5)), **limits),
        **{**COSTS[int(rng.integers(len(COSTS)))], **more},
    )


def shared(problem: Problem, cluster: FaultyCluster, **options: Any) -> Outcome:
    form = chosen_form(problem, "auto", "native")
    assert form.method == "proper"
    assert is_shared(problem, form.method)
    return shared_search(problem, cluster, form.method, **options)


def check_with_faults(seeds: range) -> None:
    tasks = with_min_rows = with_leaf_limits = 0
    for seed in seeds:
        problem, chance = drawn(seed), random.Random(seed)
        cluster = FaultyCluster(
            workers=2, fault=random_faults(chance), rules=chance.choice([3, 20, 1000])
        )
        outcome, local = shared(problem, cluster), xt.solve(problem)
        assert outcome.status is local.status, seed
        assert (outcome.cost, outcome.lower_bound) == (local.cost, local.lower_bound), seed
        tasks += len(cluster.assignments)
        with_min_rows += problem.min_rows > 1
        with_leaf_limits += problem.limits.max_leaves_of is not None
    assert tasks > 2 * len(seeds)
    assert min(with_min_rows, with_leaf_limits) > len(seeds) / 10


def test_no_fault_changes_the_result() -> None:
    check_with_faults(range(60))


@pytest.mark.long
def test_no_fault_changes_the_result_of_many_problems() -> None:
    check_with_faults(range(100, 2100))


def random_labels(rows: int = 24, **more: Any) -> Problem:
    """Return a problem with a search of dozens of tasks."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(rows, 2)).round(1), rng.integers(0, 3, size=rows)
    limits = xt.Limits(max_depth=3, **{"max_size": 4, **more})
    return Problem(X, y, rules=HYPERPLANES, limits=limits)


@pytest.mark.parametrize("minimize", ["size", ("depth", "size")])
def test_minimum_size_and_depth_are_sequences_of_shared_searches(minimize: Any) -> None:
    table, cluster = random_labels(rows=20).dataset, FaultyCluster(rules=50)
    problem = Problem(
        table.X,
        table.labels,
        minimize=minimize,
        rules=HYPERPLANES,
        limits=xt.Limits(max_errors=3, max_depth=4),
    )
    outcome, local = shared_search(problem, cluster, "proper"), xt.solve(problem)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, local.cost)
    assert len(cluster.assignments) > 5


@pytest.mark.parametrize(
    "limits", [{}, {"min_samples_leaf": 2}, {"max_leaves_of": {1: 2}, "max_size": None}]
)
@pytest.mark.parametrize(
    ("kind", "stopped_by"), [("gone", "loss of the cluster"), ("interrupt", "interrupt")]
)
def test_a_run_that_ends_early_is_resumed(
    limits: dict[str, Any], kind: str, stopped_by: str, tmp_path: Path
) -> None:
    problem, path = random_labels(**limits), tmp_path / "run.json"
    optimum = xt.solve(problem).cost
    stopping = FaultyCluster(
        fault=lambda assignment: kind if assignment.task.number > 6 else None, rules=4
    )
    first = shared(problem, stopping, resume=path)
    assert (first.status, first.stopped_by) == (Status.FEASIBLE, stopped_by)
    assert first.lower_bound <= optimum <= first.cost
    resumed, complete = FaultyCluster(rules=4), FaultyCluster(rules=4)
    second = shared(problem, resumed, resume=path)
    assert (second.status, second.cost) == (Status.OPTIMAL, optimum)
    shared(problem, complete)
    assert 0 < len(resumed.assignments) < len(complete.assignments)
    after_the_proof = FaultyCluster()
    assert shared(problem, after_the_proof, resume=path).status is Status.OPTIMAL
    assert after_the_proof.assignments == []


class RecordingCluster(FaultyCluster):
    """A cluster that records for each search its limits on leaves."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.limits: list[tuple[list[tuple[int, int]], int]] = []

    @contextmanager
    def opened(self, request: RootRequest[Any, Any]) -> Iterator[Pool]:
        assert isinstance(request, DichotomyRequest)
        self.limits.append((request.leaves, request.limits.min_samples_leaf))
        with super().opened(request) as pool:
            yield pool


def test_searches_without_limits_on_leaves_come_first_and_their_bounds_count(
    tmp_path: Path,
) -> None:
    problem = random_labels(min_samples_leaf=4, max_leaves_of={2: 1})
    without = replace(problem.limits, max_leaves_of=None)
    bounds = [
        xt.solve(problem.within(limits)).cost
        for limits in (replace(without, min_samples_leaf=1), without, problem.limits)
    ]
    assert bounds[0] < bounds[1] < bounds[2]
    complete = RecordingCluster(rules=50)
    assert shared(problem, complete).cost == bounds[2]
    assert complete.limits == [([], 1), ([], 4), ([(2, 1)], 4)]
    for searches in (1, 2, 3):
        cluster = RecordingCluster(rules=2)
        cluster.fault = lambda _, c=cluster, n=searches: "gone" if len(c.limits) == n else None
        seen: list[Progress] = []
        outcome = shared(
            problem, cluster, on_progress=seen.append, resume=tmp_path / f"{searches}.json"
        )
        assert outcome.stopped_by == "loss of the cluster"
        assert [0, *bounds][searches - 1] <= outcome.lower_bound <= bounds[searches - 1]
        # The trees of these searches exceed the limits, so they are not reported.
        assert all(progress.cost is None or progress.cost >= bounds[2] for progress in seen)
        assert (
            shared(problem, FaultyCluster(), resume=tmp_path / f"{searches}.json").cost
            == (bounds[2])
        )


def test_a_search_without_limits_that_is_stopped_at_its_start_leaves_the_first_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, path = random_labels(min_samples_leaf=2), tmp_path / "run.json"
    prepare = DichotomyRequest.prepare

    def stopped_without_limit(request: DichotomyRequest, *limits: Any, **more: Any) -> Any:
        if request.limits.min_samples_leaf == 1:
            raise Stopped("time limit")
        return prepare(request, *limits, **more)

    monkeypatch.setattr(DichotomyRequest, "prepare", stopped_without_limit)
    outcome = shared(problem, FaultyCluster(), resume=path)
    monkeypatch.undo()
    optimum = xt.solve(problem).cost
    assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, "time limit")
    assert outcome.lower_bound <= optimum <= outcome.cost < one_leaf_cost(problem)
    assert shared(problem, FaultyCluster(), resume=path).cost == optimum


def one_leaf_cost(problem: Problem) -> Any:
    return xt.solve(problem.within(xt.Limits(max_depth=0))).cost


def test_a_tree_of_a_search_without_limits_that_keeps_them_ends_the_run() -> None:
    problem = random_labels(min_samples_leaf=2, max_leaves_of={1: 20})
    cost = xt.solve(problem).cost
    assert cost == xt.solve(problem.within(replace(problem.limits, max_leaves_of=None))).cost
    cluster = RecordingCluster(rules=50)
    outcome = shared(problem, cluster)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, cost)
    assert ([(1, 20)], 2) not in cluster.limits


def test_a_saved_search_over_other_surfaces_of_the_same_table_is_not_used(tmp_path: Path) -> None:
    path, costs, limits = tmp_path / "run.json", [], xt.Limits(max_depth=3, max_size=3)
    table = random_labels().dataset
    for rules in RULES:
        problem = Problem(table.X, table.labels, rules=rules, limits=limits)
        costs.append(shared(problem, FaultyCluster(), resume=path).cost)
        assert costs[-1] == xt.solve(problem).cost
    assert len(set(costs)) > 1
    assert len(json.loads(path.read_text())["content"]["searches"]) == len(RULES)
    with pytest.raises(ValueError, match="belongs to another table"):
        shared(random_labels(rows=23), FaultyCluster(), resume=path)


def test_a_gap_a_callback_and_a_time_limit_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "_CHECK_INTERVAL", 0.0)
    monkeypatch.setattr(scheduler, "_GRACE", 0.0)
    problem = random_labels()
    optimum = xt.solve(problem).cost
    late = FaultyCluster(fault=lambda task: "late" if task.task.number > 2 else None, rules=1)
    ends: dict[str, tuple[FaultyCluster, dict[str, Any]]] = {
        "gap": (FaultyCluster(rules=1), {"stop_at_gap": 0.99}),
        "callback": (FaultyCluster(rules=1), {"on_progress": lambda p: p.workers is not None}),
        "time limit": (late, {"time_limit": 0.3}),
    }
    for stopped_by, (cluster, options) in ends.items():
        outcome = shared(problem, cluster, **options)
        assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, stopped_by)
        assert outcome.lower_bound <= optimum <= outcome.cost


def test_ctrl_c_keeps_the_tree_and_a_file_to_resume_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_CHECK_INTERVAL", 0.0)
    problem, path = random_labels(rows=30, max_size=5), tmp_path / "run.json"

    def interrupt(progress: Progress) -> None:
        if progress.workers is not None:  # the worker searches, and the main thread waits
            raise KeyboardInterrupt

    outcome = xt.solve(problem, resume=path, on_progress=interrupt)
    optimum = xt.solve(problem).cost
    assert outcome.stopped_by == "interrupt"
    assert outcome.tree is not None
    assert outcome.lower_bound <= optimum <= outcome.cost
    assert xt.solve(problem, resume=path).cost == optimum


def test_progress_reports_have_valid_costs_and_increasing_lower_bounds() -> None:
    problem, seen = random_labels(), list[Progress]()
    optimum = xt.solve(problem).cost
    outcome = shared(problem, FaultyCluster(rules=2), on_progress=seen.append)
    curve = outcome.stats["progress"]
    assert any(progress.workers for progress in seen)
    assert all(p.lower_bound <= optimum <= p.cost for p in [*seen, *curve] if p.cost is not None)
    assert [p.lower_bound for p in curve] == sorted(p.lower_bound for p in curve)
    assert outcome.stats["surfaces"] == xt.solve(problem).stats["surfaces"]


def test_a_surface_without_a_rule_is_removed_and_the_search_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    column = AllRules.column

    def without_some(rules: AllRules, k: int) -> Any:
        if k % 3:
            raise NoRule(k)
        return column(rules, k)

    monkeypatch.setattr(AllRules, "column", without_some)
    problem, path = random_labels(rows=12), tmp_path / "run.json"
    local = xt.solve(problem)
    outcome = shared(problem, FaultyCluster(rules=50), resume=path)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, local.cost)
    removed = outcome.stats["surfaces_left_out"]
    assert removed > 0
    # Every repeated search has a state of its own, and is not run again.
    assert len(json.loads(path.read_text())["content"]["searches"]) == removed + 1
    resumed = FaultyCluster()
    assert shared(problem, resumed, resume=path).cost == local.cost
    assert resumed.assignments == []


def test_wrong_states_are_refused_in_one_sentence(tmp_path: Path) -> None:
    limits: dict[str, Any] = {"min_samples_leaf": 4, "max_leaves_of": {2: 1}}
    problem, path = random_labels(**limits), tmp_path / "run.json"
    stopping = RecordingCluster(rules=20)
    stopping.fault = lambda task: (
        "gone" if stopping.limits[-1][0] and task.task.number > 2 else None
    )
    shared(problem, stopping, resume=path)
    content = json.loads(path.read_text())["content"]
    (key,) = (key for key in content["searches"] if "leaves=[(2, 1)]" in key)
    state = content["searches"][key]
    # The best tree of the search without these limits.
    (other,) = (found for key, found in content["searches"].items() if "samples_leaf=1" in key)
    nodes = state["nodes"]
    assert state["open"]
    assert len(nodes) > 1
    changes: list[Callable[[dict[str, Any]], object]] = [
        lambda state: state.update(cost=state["cost"] + 1),
        lambda state: state.update(nodes=other["nodes"], cost=other["cost"]),
        lambda state: state.update(nodes=[[-1, 0.0, 0.0, -1, -1]]),
        lambda state: state.update(nodes=[]),
        lambda state: state.update(nodes=[[0, 1]]),
        lambda state: state.update(nodes=nodes * 2),
        *(
            lambda state, wrong=wrong: state["nodes"][0].__setitem__(0, wrong)
            for wrong in (10**6, -2, 0.5, "0", True, None)
        ),
        lambda state: state["nodes"][0].__setitem__(2, 1),
        lambda state: state["open"][0].update(feature=1),
        lambda state: state["open"][0].update(last=10**6),
    ]
    for change in changes:
        copied = json.loads(json.dumps(content))
        change(copied["searches"][key])
        digest = checkpoint._digest(copied)
        path.write_text(json.dumps({"content": copied, "digest": digest}))
        with pytest.raises(ValueError, match=r"^resume: .* is damaged; [^\n]*$"):
            shared(problem, FaultyCluster(), resume=path)


def test_surfaces_that_are_too_many_to_list_are_not_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proper, "MAX_BYTES", 100)
    problem = random_labels()
    assert not is_shared(problem, "proper")
    with pytest.raises(ValueError, match="searches that can be divided among workers"):
        xt.solve(problem, resume=tmp_path / "run.json", time_limit=1)


def test_processes_share_a_search_over_hyperplanes(tmp_path: Path) -> None:
    problem, path = random_labels(rows=30, max_size=5), tmp_path / "run.json"
    local = xt.solve(problem)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        outcome = xt.solve(problem, cluster=(executor, 2), resume=path)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, local.cost)
    assert outcome.stats["tasks"] >= 2
    assert "tasks" not in xt.solve(problem, resume=path).stats
