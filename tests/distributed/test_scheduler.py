"""A distributed search has the result of a local search under all faults of its workers."""

import json
import random
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.pools import FaultyCluster

import exactree as xt
from exactree.distributed import is_shared, pace, scheduler, shared_search
from exactree.distributed.worker import Assignment
from exactree.engine import reason_to_refuse
from exactree.problem import Outcome, Problem, Progress, Status

FAULTS = ["lost", "late", "twice", "lost but done"]


@pytest.fixture(autouse=True)
def _no_search_by_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client search nothing by itself, so that the workers have tasks."""
    monkeypatch.setattr(scheduler, "_CLIENT_SECONDS", 0.0)
    monkeypatch.setattr(pace, "_WORTHWHILE", 0.0)


def drawn(seed: int, rows: int = 60) -> Problem:
    rng = np.random.default_rng(seed)
    values = int(rng.choice([2, 3, 5, 40]))
    features = 6 if values < 5 else 3
    X = rng.integers(0, values, size=(rows, features)).astype(float)
    noise = rng.random(rows) < 0.2
    y = (X[:, 0] + 2 * X[:, 1] * X[:, 2] > values) ^ noise
    weights = rng.integers(1, 4, size=rows) if rng.random() < 0.3 else None
    return Problem(
        X,
        y.astype(int),
        sample_weight=weights,
        minimize=["errors", ("errors", "size")][int(rng.random() < 0.2)],
        leaf_penalty=[0, 0, 0.01][int(rng.integers(3))] if rng.random() < 0.8 else 0,
        limits=xt.Limits(
            max_depth=int(rng.integers(3, 5)),
            max_size=[None, 5][int(rng.random() < 0.3)],
            min_samples_leaf=int(rng.choice([1, 1, 3])),
        ),
    )


def shared_problem(seed: int, **options: Any) -> Problem:
    """Draw until a problem is valid, and its search, which is no loop of searches, is shared."""
    while True:
        try:
            problem = drawn(seed, **options)
        except ValueError:
            seed += 1000
            continue
        if reason_to_refuse(problem) is None and is_shared(problem):
            return problem
        seed += 1000


def shared(problem: Problem, cluster: FaultyCluster, **options: Any) -> Outcome:
    return shared_search(problem, cluster, **options)


def test_no_fault_changes_the_result() -> None:
    tasks = happened = 0
    for seed in range(40):
        chance = random.Random(seed)

        def fault(assignment: Assignment, chance: random.Random = chance) -> str | None:
            nonlocal happened
            if chance.random() < 0.6:
                return None
            happened += 1
            return chance.choice(FAULTS)

        problem = shared_problem(seed)
        cluster = FaultyCluster(workers=chance.randint(1, 5), fault=fault)
        outcome, local = shared(problem, cluster), xt.solve(problem)
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, local.cost), seed
        assert outcome.lower_bound == outcome.cost
        tasks += len(cluster.assignments)
    assert tasks > 200
    assert happened > 50


@pytest.mark.parametrize(
    ("minimize", "max_errors"),
    [("depth", 3), (("depth", "errors"), 3), ("size", 9), (("size", "errors"), 9)],
)
def test_minimum_size_and_depth_are_shared_if_they_are_searched_by_errors(
    minimize: Any, max_errors: int
) -> None:
    tasks = 0
    for seed in range(6):
        table = drawn(seed, rows=50).dataset
        limits = xt.Limits(max_depth=4, max_errors=max_errors)
        problem = Problem(table.X, table.labels, minimize=minimize, limits=limits)
        assert is_shared(problem)
        lossy = random.Random(seed)
        cluster = FaultyCluster(
            fault=lambda assignment, lossy=lossy: lossy.choice([None, None, "lost", "twice"]),
            rules=3,
        )
        outcome, local = shared(problem, cluster), xt.solve(problem)
        assert (outcome.status, outcome.cost) == (local.status, local.cost), seed
        tasks += len(cluster.assignments)
    assert tasks > 10


def test_minimum_size_is_shared_only_with_many_errors_allowed() -> None:
    table = drawn(0).dataset
    for errors, expected in ((5, False), (12, True)):
        limits = xt.Limits(max_errors=errors)
        assert is_shared(Problem(table.X, table.labels, minimize="size", limits=limits)) == expected


def test_progress_reports_have_valid_costs_and_increasing_lower_bounds() -> None:
    problem = shared_problem(3, rows=80)
    optimum = xt.solve(problem).cost
    seen: list[Progress] = []
    cluster = FaultyCluster(workers=2)
    outcome = shared(problem, cluster, on_progress=lambda progress: seen.append(progress))
    assert outcome.cost == optimum
    curve = outcome.stats["progress"]
    assert all(p.lower_bound <= optimum <= p.cost for p in [*seen, *curve] if p.cost is not None)
    assert [p.lower_bound for p in curve] == sorted(p.lower_bound for p in curve)


def shared_and_local(
    fault: Callable[[Assignment], str | None], **options: Any
) -> tuple[Outcome, Outcome]:
    """Solve a problem with faulty workers, and without workers."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4)).round(1)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(300) < 0.2)).astype(int)
    problem = Problem(X, y, limits=xt.Limits(max_depth=3))
    return shared(problem, FaultyCluster(fault=fault), **options), xt.solve(problem)


@pytest.mark.parametrize(
    ("kind", "stopped_by"), [("gone", "loss of the cluster"), ("interrupt", "interrupt")]
)
def test_a_run_that_ends_early_has_a_tree_and_a_valid_lower_bound(
    kind: str, stopped_by: str
) -> None:
    outcome, local = shared_and_local(
        lambda assignment: kind if assignment.task.number > 4 else None
    )
    assert outcome.status is Status.FEASIBLE
    assert outcome.stopped_by == stopped_by
    assert outcome.tree is not None
    assert outcome.lower_bound <= local.cost <= outcome.cost
    assert f"stopped by the {stopped_by}" in str(outcome)


def test_tasks_that_are_always_lost_end_the_run() -> None:
    outcome, local = shared_and_local(lambda assignment: "lost")
    assert outcome.stopped_by == "loss of the cluster"
    reason = "6 tasks were lost one after the other, the last one by it died"
    assert outcome.stats["cluster"] == reason
    assert outcome.lower_bound <= local.cost


def test_a_callback_and_a_time_limit_end_the_run() -> None:
    outcome, _ = shared_and_local(
        lambda assignment: "late", on_progress=lambda progress: progress.workers is not None
    )
    assert outcome.stopped_by == "callback"
    outcome, local = shared_and_local(
        lambda assignment: "late" if assignment.task.number > 2 else None, time_limit=0.5
    )
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound <= local.cost <= outcome.cost


def test_a_gap_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "_CHECK_INTERVAL", 0.0)
    problem = shared_problem(0)
    outcome, local = shared(problem, FaultyCluster(rules=1), stop_at_gap=0.5), xt.solve(problem)
    assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, "gap")
    assert 0 < outcome.gap <= 0.5
    assert outcome.lower_bound <= local.cost <= outcome.cost


def test_the_cost_of_every_better_tree_is_sent_to_all_workers() -> None:
    runs_with_broadcasts = 0
    for seed in range(20):
        cluster = FaultyCluster(workers=2)
        outcome = shared(shared_problem(seed), cluster)
        assert cluster.broadcasts == sorted(cluster.broadcasts, reverse=True)
        if cluster.broadcasts:
            runs_with_broadcasts += 1
            assert outcome.status is Status.OPTIMAL
    assert runs_with_broadcasts


def test_a_run_is_resumed_where_it_was_left(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4)).round(1)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(300) < 0.2)).astype(int)
    problem = Problem(X, y, limits=xt.Limits(max_depth=3))
    path = tmp_path / "run.json"
    complete = FaultyCluster(workers=1)
    optimum = shared(problem, complete).cost
    stopped = FaultyCluster(
        workers=1,
        fault=lambda assignment: (
            "gone" if assignment.task.number > len(complete.assignments) // 2 else None
        ),
    )
    first = shared(problem, stopped, resume=path)
    assert first.stopped_by == "loss of the cluster"
    resumed = FaultyCluster(workers=1)
    second = shared(problem, resumed, resume=path)
    assert (second.status, second.cost) == (Status.OPTIMAL, optimum)
    assert second.lower_bound >= first.lower_bound
    assert 0 < len(resumed.assignments) < len(complete.assignments)
    after_the_proof = FaultyCluster()
    assert shared(problem, after_the_proof, resume=path).status is Status.OPTIMAL
    assert after_the_proof.assignments == []


def test_a_file_that_does_not_match_is_refused(tmp_path: Path) -> None:
    problem, path = shared_problem(1), tmp_path / "run.json"
    shared(problem, FaultyCluster(), resume=path)
    with pytest.raises(ValueError, match="belongs to another table"):
        shared(shared_problem(2), FaultyCluster(), resume=path)
    text = path.read_text()
    for wrong, why in (
        (
            text.replace('"open": []', '"open": [ ]').replace('"nodes": [[', '"nodes": [[1'),
            "damaged",
        ),
        (text[: len(text) // 2], "not a saved run"),
        ("[]", "not a saved run"),
    ):
        path.write_text(wrong)
        with pytest.raises(ValueError, match=why):
            shared(problem, FaultyCluster(), resume=path)


def test_another_problem_on_the_same_table_ignores_the_saved_state(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, size=(60, 3)).astype(float), rng.integers(0, 2, size=60)
    path = tmp_path / "run.json"
    costs = []
    for depth in (3, 4, 3):
        problem = Problem(X, y, limits=xt.Limits(max_depth=depth))
        costs.append(shared(problem, FaultyCluster(), resume=path).cost)
        assert costs[-1] == xt.solve(problem).cost
    assert costs[0] == costs[2] > costs[1]


def test_a_run_continues_if_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scheduler, "write_checkpoint", full)
    outcome = shared(shared_problem(1), FaultyCluster(), resume=tmp_path / "run.json")
    assert outcome.status is Status.OPTIMAL
    assert "No space left" in outcome.stats["not_saved"]


def test_returning_open_rules_often_causes_little_additional_work() -> None:
    """A worker that returns its open rules after each rule searches about as many nodes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)).round(1)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(400) < 0.1)).astype(int)
    problem = Problem(X, y, limits=xt.Limits(max_depth=3))
    cluster = FaultyCluster(workers=1, rules=1)
    outcome, local = shared(problem, cluster), xt.solve(problem)
    assert len(cluster.assignments) > 10
    assert outcome.stats["nodes"] < 1.5 * local.stats["nodes"] + 3 * len(cluster.assignments)


def _with_digest(content: Any) -> str:
    """Return the text of a checkpoint file with a correct digest."""
    digest = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps({"content": content, "digest": digest})


def _changed(content: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> str:
    """Change the only state of a checkpoint file; return its text with a correct digest."""
    copied: dict[str, Any] = json.loads(json.dumps(content))
    (state,) = copied["searches"].values()
    change(state)
    return _with_digest(copied)


def test_wrong_states_with_a_correct_digest_are_refused_in_one_sentence(
    tmp_path: Path,
) -> None:
    problem, path = shared_problem(1), tmp_path / "run.json"
    shared(problem, FaultyCluster(fault=lambda assignment: "gone"), resume=path)
    content = json.loads(path.read_text())["content"]
    (state,) = content["searches"].values()
    assert state["open"]
    assert len(state["nodes"]) > 1
    roots, nodes = state["open"][0], state["nodes"]
    changes: list[Callable[[dict[str, Any]], object]] = [
        lambda state: state.update(cost=state["cost"] - 1),
        lambda state: state.update(cost=10**30),
        lambda state: state.update(cost="1"),
        lambda state: state.update(cost=None),
        lambda state: state.pop("open"),
        lambda state: state.update(open=None),
        lambda state: state.update(open=[7]),
        lambda state: state.update(nodes=[]),
        lambda state: state.update(nodes=[[0, 1.0]]),
        lambda state: state.update(nodes=[[0, 1.0, 2.0, 0, 0]]),
        lambda state: state.update(nodes=nodes * 2),
        lambda state: state["nodes"][0].__setitem__(0, 10**6),
        lambda state: state["nodes"][0].__setitem__(1, float("nan")),
        lambda state: state["nodes"][0].__setitem__(2, 10**400),
        lambda state: state["nodes"][0].__setitem__(3, -1),
        lambda state: state["nodes"][0].__setitem__(4, 1),
        *(
            lambda state, name=name, value=value: state["open"][0].update({name: value})
            for name in roots
            for value in (-1, 1e300, True, "0", None, 10**30, [])
        ),
        lambda state: state["open"][0].update(last=10**6),
        lambda state: state["open"][0].pop("left"),
    ]
    for number, change in enumerate(changes):
        path.write_text(_changed(content, change))
        with pytest.raises(ValueError, match=r"^resume: .* is damaged; [^\n]*$"):
            print("change", number, shared(problem, FaultyCluster(), resume=path))
    for wrong in ([], {}, {**content, "searches": []}, {**content, "table": None}, "text", 7):
        path.write_text(_with_digest(wrong))
        with pytest.raises(ValueError, match=r"^resume: [^\n]*$"):
            shared(problem, FaultyCluster(), resume=path)


def test_files_of_other_or_damaged_content_are_refused_in_one_sentence(tmp_path: Path) -> None:
    problem, path = shared_problem(1), tmp_path / "run.json"
    shared(problem, FaultyCluster(), resume=path)
    valid = path.read_bytes()
    deep = b"[" * 100_000 + b"]" * 100_000
    others = [deep, b'{"content": ' + deep + b', "digest": ""}', b"9" * 10_000, b"\xff\xfe", b""]
    random = np.random.default_rng(0)
    for _ in range(100):
        flipped = bytearray(valid)
        flipped[random.integers(len(valid))] ^= 1 << int(random.integers(8))
        others.append(bytes(flipped))
    for other in others:
        path.write_bytes(other)
        with pytest.raises(ValueError, match=r"^resume: [^\n]*$"):
            shared(problem, FaultyCluster(), resume=path)


def test_a_run_continues_if_its_file_is_damaged_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    begin = scheduler._Run.begin

    def damaged(run: Any, *options: Any) -> None:
        begin(run, *options)
        path.write_text("no state")

    monkeypatch.setattr(scheduler._Run, "begin", damaged)
    outcome = shared(shared_problem(1), FaultyCluster(), resume=path)
    assert outcome.status is Status.OPTIMAL
    assert "not a saved run" in outcome.stats["not_saved"]
