"""A distributed search has the result of a local search, whatever happens to its workers."""

import json
import random
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.pools import HereCluster

import exactree as xt
from exactree.distributed import is_shared, pace, scheduler, shared_branch_and_bound
from exactree.distributed.worker import Assignment
from exactree.problem import Outcome, Problem, Progress, Status

MISHAPS = ["lost", "late", "twice", "lost but done"]


@pytest.fixture(autouse=True)
def _no_head_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client do nothing alone, so that there is something to share."""
    monkeypatch.setattr(scheduler, "_ALONE", 0.0)
    monkeypatch.setattr(pace, "_WORTH", 0.0)


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
        minimize=[("errors"), ("errors", "size")][int(rng.random() < 0.2)],
        leaf_penalty=[0, 0, 0.01][int(rng.integers(3))] if rng.random() < 0.8 else 0,
        limits=xt.Limits(
            max_depth=int(rng.integers(3, 5)),
            max_size=[None, 5][int(rng.random() < 0.3)],
            min_samples_leaf=int(rng.choice([1, 1, 3])),
        ),
    )


def feasible_problem(seed: int, **more: Any) -> Problem:
    while True:
        try:
            problem = drawn(seed, **more)
        except ValueError:
            seed += 1000
            continue
        if is_shared(problem):
            return problem
        seed += 1000


def shared(problem: Problem, cluster: HereCluster, **options: Any) -> Outcome:
    return shared_branch_and_bound(problem, cluster, **options)


def test_any_mishap_leaves_the_answer_as_it_is() -> None:
    tasks = happened = 0
    for seed in range(40):
        chance = random.Random(seed)

        def mishap(assignment: Assignment, chance: random.Random = chance) -> str | None:
            nonlocal happened
            if chance.random() < 0.6:
                return None
            happened += 1
            return chance.choice(MISHAPS)

        problem = feasible_problem(seed)
        cluster = HereCluster(workers=chance.randint(1, 5), mishap=mishap)
        outcome, alone = shared(problem, cluster), xt.solve(problem)
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, alone.cost), seed
        assert outcome.lower_bound == outcome.cost
        tasks += len(cluster.assignments)
    assert tasks > 200
    assert happened > 50


@pytest.mark.parametrize(
    ("minimize", "max_errors"),
    [("depth", 3), (("depth", "errors"), 3), ("size", 9), (("size", "errors"), 9)],
)
def test_fewest_nodes_and_least_depth_are_shared_where_errors_are_searched(
    minimize: Any, max_errors: int
) -> None:
    tasks = 0
    for seed in range(6):
        table = drawn(seed, rows=50).dataset
        limits = xt.Limits(max_depth=4, max_errors=max_errors)
        problem = Problem(table.X, table.labels, minimize=minimize, limits=limits)
        assert is_shared(problem)
        lossy = random.Random(seed)
        cluster = HereCluster(
            mishap=lambda assignment, lossy=lossy: lossy.choice([None, None, "lost", "twice"]),
            rules=3,
        )
        outcome, alone = shared(problem, cluster), xt.solve(problem)
        assert (outcome.status, outcome.cost) == (alone.status, alone.cost), seed
        tasks += len(cluster.assignments)
    assert tasks > 10


def test_fewest_nodes_with_few_errors_are_not_divided() -> None:
    table = drawn(0).dataset
    for errors, divided in ((5, False), (12, True)):
        limits = xt.Limits(max_errors=errors)
        assert is_shared(Problem(table.X, table.labels, minimize="size", limits=limits)) == divided


def test_what_is_known_early_is_true() -> None:
    problem = feasible_problem(3, rows=80)
    least = xt.solve(problem).cost
    seen: list[Progress] = []
    cluster = HereCluster(workers=2)
    outcome = shared(problem, cluster, on_progress=lambda progress: seen.append(progress))
    assert outcome.cost == least
    curve = outcome.stats["progress"]
    assert all(p.lower_bound <= least <= p.cost for p in [*seen, *curve] if p.cost is not None)
    assert [p.lower_bound for p in curve] == sorted(p.lower_bound for p in curve)


def ended(mishap: Callable[[Assignment], str | None], **options: Any) -> tuple[Outcome, Outcome]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4)).round(1)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(300) < 0.2)).astype(int)
    problem = Problem(X, y, limits=xt.Limits(max_depth=3))
    return shared(problem, HereCluster(mishap=mishap), **options), xt.solve(problem)


@pytest.mark.parametrize(
    ("what", "by"), [("gone", "loss of the cluster"), ("interrupt", "interrupt")]
)
def test_a_run_that_ends_early_has_a_tree_and_a_valid_lower_bound(what: str, by: str) -> None:
    outcome, alone = ended(lambda assignment: what if assignment.task.number > 4 else None)
    assert outcome.status is Status.FEASIBLE
    assert outcome.stopped_by == by
    assert outcome.tree is not None
    assert outcome.lower_bound <= alone.cost <= outcome.cost
    assert f"stopped by the {by}" in str(outcome)


def test_tasks_that_are_always_lost_end_the_run() -> None:
    outcome, alone = ended(lambda assignment: "lost")
    assert outcome.stopped_by == "loss of the cluster"
    assert (
        outcome.stats["cluster"] == "6 tasks were lost one after the other, the last one by it died"
    )
    assert outcome.lower_bound <= alone.cost


def test_a_callback_and_a_time_limit_end_the_run() -> None:
    outcome, _ = ended(
        lambda assignment: "late", on_progress=lambda progress: progress.workers is not None
    )
    assert outcome.stopped_by == "callback"
    outcome, alone = ended(
        lambda assignment: "late" if assignment.task.number > 2 else None, time_limit=0.5
    )
    assert outcome.stopped_by == "time limit"
    assert outcome.lower_bound <= alone.cost <= outcome.cost
    outcome, alone = ended(lambda assignment: None, stop_at_gap=0.5)
    assert outcome.gap <= 0.5


def test_a_better_tree_is_reported_to_all() -> None:
    control = 0
    for seed in range(20):
        cluster = HereCluster(workers=2)
        outcome = shared(feasible_problem(seed), cluster)
        assert cluster.control == sorted(cluster.control, reverse=True)
        if cluster.control:
            control += 1
            assert outcome.status is Status.OPTIMAL
    assert control


def test_a_run_is_resumed_where_it_was_left(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4)).round(1)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(300) < 0.2)).astype(int)
    problem = Problem(X, y, limits=xt.Limits(max_depth=3))
    path = tmp_path / "run.json"
    whole = HereCluster(workers=1)
    least = shared(problem, whole).cost
    stopped = HereCluster(
        workers=1,
        mishap=lambda assignment: (
            "gone" if assignment.task.number > len(whole.assignments) // 2 else None
        ),
    )
    first = shared(problem, stopped, resume=path)
    assert first.stopped_by == "loss of the cluster"
    again = HereCluster(workers=1)
    second = shared(problem, again, resume=path)
    assert (second.status, second.cost) == (Status.OPTIMAL, least)
    assert second.lower_bound >= first.lower_bound
    assert 0 < len(again.assignments) < len(whole.assignments)
    done = HereCluster()
    assert shared(problem, done, resume=path).status is Status.OPTIMAL
    assert done.assignments == []


def test_a_file_that_does_not_match_is_refused(tmp_path: Path) -> None:
    problem, path = feasible_problem(1), tmp_path / "run.json"
    shared(problem, HereCluster(), resume=path)
    with pytest.raises(ValueError, match="belongs to another table"):
        shared(feasible_problem(2), HereCluster(), resume=path)
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
            shared(problem, HereCluster(), resume=path)


def test_another_question_about_the_same_table_begins_anew(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 9, size=(60, 3)).astype(float), rng.integers(0, 2, size=60)
    path = tmp_path / "run.json"
    costs = []
    for depth in (3, 4, 3):
        problem = Problem(X, y, limits=xt.Limits(max_depth=depth))
        costs.append(shared(problem, HereCluster(), resume=path).cost)
        assert costs[-1] == xt.solve(problem).cost
    assert costs[0] == costs[2] > costs[1]


def test_a_full_disk_ends_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scheduler, "write_checkpoint", full)
    outcome = shared(feasible_problem(1), HereCluster(), resume=tmp_path / "run.json")
    assert outcome.status is Status.OPTIMAL
    assert "No space left" in outcome.stats["not_saved"]


def test_tasks_are_restarted_without_doing_work_twice() -> None:
    """Workers that give back after each rule try about as many rules as one that never does."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5)).round(1)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(400) < 0.1)).astype(int)
    problem = Problem(X, y, limits=xt.Limits(max_depth=3))
    often = HereCluster(workers=1, rules=1)
    restarted, alone = shared(problem, often), xt.solve(problem)
    assert len(often.assignments) > 10
    assert restarted.stats["nodes"] < 1.5 * alone.stats["nodes"] + 3 * len(often.assignments)


def _signed(content: Any) -> str:
    """Return a state with a digest that fits, as somebody may write who knows how."""
    digest = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps({"content": content, "digest": digest})


def _changed(content: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> str:
    """Return a state whose only search is changed, with a digest that fits."""
    copied: dict[str, Any] = json.loads(json.dumps(content))
    (state,) = copied["searches"].values()
    change(state)
    return _signed(copied)


def test_states_that_are_changed_and_signed_again_are_refused_in_one_sentence(
    tmp_path: Path,
) -> None:
    problem, path = feasible_problem(1), tmp_path / "run.json"
    shared(problem, HereCluster(mishap=lambda assignment: "gone"), resume=path)
    content = json.loads(path.read_text())["content"]
    (state,) = content["searches"].values()
    assert state["open"], "there must be something to change"
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
            print("change", number, shared(problem, HereCluster(), resume=path))
    for whole in ([], {}, {**content, "searches": []}, {**content, "table": None}, "text", 7):
        path.write_text(_signed(whole))
        with pytest.raises(ValueError, match=r"^resume: [^\n]*$"):
            shared(problem, HereCluster(), resume=path)


def test_files_of_any_other_content_are_refused_in_one_sentence(tmp_path: Path) -> None:
    problem, path = feasible_problem(1), tmp_path / "run.json"
    shared(problem, HereCluster(), resume=path)
    sound = path.read_bytes()
    deep = b"[" * 100_000 + b"]" * 100_000
    others = [deep, b'{"content": ' + deep + b', "digest": ""}', b"9" * 10_000, b"\xff\xfe", b""]
    random = np.random.default_rng(0)
    for _ in range(100):
        flipped = bytearray(sound)
        flipped[random.integers(len(sound))] ^= 1 << int(random.integers(8))
        others.append(bytes(flipped))
    for other in others:
        path.write_bytes(other)
        with pytest.raises(ValueError, match=r"^resume: [^\n]*$"):
            shared(problem, HereCluster(), resume=path)


def test_a_file_that_is_damaged_while_a_run_goes_on_ends_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    begin = scheduler._Run.begin

    def damaged(run: Any, *options: Any) -> None:
        begin(run, *options)
        path.write_text("no state")

    monkeypatch.setattr(scheduler._Run, "begin", damaged)
    outcome = shared(feasible_problem(1), HereCluster(), resume=path)
    assert outcome.status is Status.OPTIMAL
    assert "not a saved run" in outcome.stats["not_saved"]
