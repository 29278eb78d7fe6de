"""A real cluster of worker processes, and what can happen to it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.distributed import cluster_of, on_dask, pace, search
from exactree.problem import Problem, Progress, Status

distributed = pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_ALONE", 0.0)
    monkeypatch.setattr(pace, "_SHORTEST", 0.2)
    monkeypatch.setattr(pace, "_WORTH", 0.0)


def problem(rows: int = 1500, features: int = 6) -> Problem:
    """Return a problem of about a second; of two with twice the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, features)).round(2)
    y = ((X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(rows) < 0.2)).astype(int)
    return Problem(X, y, limits=xt.Limits(max_depth=3))


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


# What runs on workers is made by a function: they cannot import this file.


def listing() -> Callable[..., list[str]]:
    def plugins(dask_worker: Any) -> list[str]:
        return [name for name in dask_worker.plugins if name.startswith("exactree")]

    return plugins


def test_workers_share_a_search_and_keep_nothing(client: Any) -> None:
    asked = problem()
    seen: list[Progress] = []
    outcome = xt.solve(asked, cluster=client, on_progress=lambda progress: seen.append(progress))
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(asked).cost)
    assert outcome.stats["tasks"] >= 2
    assert outcome.stats["workers"] == 2
    assert any(progress.workers == 2 for progress in seen)
    deadline = time.monotonic() + 5
    while any(client.run(listing()).values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(client.run(listing()).values())


def test_what_is_not_shared_goes_to_one_worker(client: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, size=(12, 3)).astype(float), rng.integers(0, 2, size=12)
    y[(X[:, None] == X[None]).all(2).argmax(1) != np.arange(12)] = 0
    for how in ({"minimize": "size", "limits": xt.Limits(max_errors=2)}, {"n_trees": 2}):
        try:
            asked = Problem(X, y, **how)
        except ValueError:
            asked = Problem(X, y, **how, minimize="total_size")
        outcome = xt.solve(asked, cluster=client)
        assert (outcome.status, outcome.cost) == (xt.solve(asked).status, xt.solve(asked).cost)
    with pytest.raises(ValueError, match="searches that workers share"):
        xt.solve(asked, cluster=client, resume="never-written.json")


def killing(client: Any) -> Any:
    """Return a listener that kills a worker as soon as tasks run."""
    pids = list(client.run(os.getpid).values())

    def listener(progress: Progress) -> None:
        if progress.workers and pids:
            os.kill(pids.pop(), signal.SIGKILL)
            pids.clear()

    return listener


def test_a_worker_killed_in_the_middle_of_a_task_loses_nothing(client: Any) -> None:
    asked = problem(2500)
    outcome = xt.solve(asked, cluster=client, on_progress=killing(client))
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(asked).cost)
    client.wait_for_workers(2, timeout=30)


@pytest.mark.long
def test_a_worker_that_joins_late_takes_part() -> None:
    asked = problem(2500)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        seen: list[int] = []

        def listener(progress: Progress) -> None:
            if progress.workers == 1 and not seen:
                cluster.scale(2)
            seen.append(progress.workers or 0)

        outcome = xt.solve(asked, cluster=client, on_progress=listener)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(asked).cost)
    assert 1 in seen


def slowing(seconds: float) -> Callable[[], None]:
    def slow() -> None:
        from exactree.distributed.work import Bench

        at_once = Bench.do

        def late(self: Any, ask: Any) -> Any:
            time.sleep(seconds)
            return at_once(self, ask)

        Bench.do = late  # type: ignore[method-assign]

    return slow


def test_a_slow_worker_delays_but_changes_nothing(client: Any) -> None:
    asked = problem()
    worker = next(iter(client.scheduler_info()["workers"]))
    client.run(slowing(0.5), workers=[worker])
    outcome = xt.solve(asked, cluster=client)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(asked).cost)
    client.restart_workers([worker])


@pytest.mark.long  # it interrupts the process it runs in, which must be its own
def test_ctrl_c_keeps_the_best_tree_and_a_lower_bound(client: Any) -> None:
    asked = problem(4000)

    def listener(progress: Progress) -> None:
        if progress.workers:
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            progress_told.append(progress)

    progress_told: list[Progress] = []
    outcome = xt.solve(
        asked, cluster=client, on_progress=lambda p: None if progress_told else listener(p)
    )
    assert outcome.stopped_by == "interrupt"
    assert outcome.tree is not None
    assert outcome.lower_bound <= outcome.cost
    assert client.submit(sum, [1, 2], pure=False).result(timeout=20) == 3  # the workers are free


def claiming(version: str) -> Callable[[], None]:
    def claim() -> None:
        import exactree

        exactree.__version__ = version

    return claim


def test_bad_clusters_are_refused_before_any_work(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = problem(50)
    monkeypatch.setattr(on_dask, "_PATIENCE", 0.5)
    with pytest.raises(ValueError, match=r"no scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        xt.solve(asked, cluster="tcp://127.0.0.1:9")
    for wrong in (3, "nonsense://", object()):
        with pytest.raises((TypeError, ValueError), match="cluster"):
            xt.solve(asked, cluster=wrong)
    worker = next(iter(client.scheduler_info()["workers"]))
    client.run(claiming("0.0.0"), workers=[worker])
    with pytest.raises(ValueError, match="has exactree 0\\.0\\.0, here it is"):
        xt.solve(asked, cluster=client)
    client.run(claiming(xt.__version__), workers=[worker])
    monkeypatch.setattr(on_dask, "_COPIES", 1e12)
    with pytest.raises(ValueError, match=r"the table takes .* GB on a worker, but tcp"):
        xt.solve(asked, cluster=client)


def test_a_cluster_without_workers_is_refused() -> None:
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(ValueError, match="has no workers"),
    ):
        xt.solve(problem(50), cluster=client)


def test_dask_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "exactree.distributed.on_dask", None)
    monkeypatch.delattr("exactree.distributed.on_dask")
    with (
        pytest.raises(ValueError, match=r"pip install 'exactree\[cluster\]'"),
        cluster_of("tcp://127.0.0.1:9"),
    ):
        pass


def test_a_scheduler_that_goes_away_leaves_a_tree_and_a_lower_bound(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"

    def started(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *words, "--no-dashboard", "--scheduler-file"]
        quiet = subprocess.DEVNULL
        return subprocess.Popen([*command, str(file)], stdout=quiet, stderr=quiet)

    scheduler = started("scheduler", "--port", "0")
    worker = started("worker", "--nthreads", "1")

    def listener(progress: Progress) -> None:
        if progress.workers:
            scheduler.kill()

    try:
        while not file.exists():
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        with distributed.Client(address, timeout=5, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=30)
            outcome = xt.solve(problem(4000), cluster=client, on_progress=listener)
    finally:
        scheduler.kill()
        worker.terminate()
        scheduler.wait()
        worker.wait()
    assert outcome.stopped_by == "loss of the cluster"
    assert "scheduler" in outcome.stats["cluster"]
    assert outcome.tree is not None
    assert outcome.lower_bound <= outcome.cost


def test_an_estimator_uses_the_cluster_at_an_address(client: Any) -> None:
    asked = problem(300)
    X, y = asked.dataset.X, asked.dataset.labels
    tree = xt.OptimalTreeClassifier(cluster=client.scheduler.address).fit(X, y)
    assert tree.outcome_.cost == xt.solve(asked).cost
    assert tree.outcome_.stats["tasks"] >= 1


@pytest.mark.long
def test_cross_validation_runs_on_the_workers_of_a_joblib_backend(client: Any) -> None:
    from joblib import parallel_config
    from sklearn.model_selection import cross_val_score

    asked = problem(200)
    X, y = asked.dataset.X, asked.dataset.labels
    tree = xt.OptimalTreeClassifier(max_depth=2)
    with parallel_config(backend="dask", client=client):
        there = cross_val_score(tree, X, y, cv=4, n_jobs=4)
    assert there.tolist() == cross_val_score(tree, X, y, cv=4).tolist()


def test_the_command_line_uses_a_scheduler(client: Any, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from exactree.cli import main

    asked = problem(200)
    names = [f"x{f}" for f in range(asked.dataset.X.shape[1])]
    rows = [",".join([*names, "y"])]
    rows += [
        ",".join(map(str, [*values, label]))
        for values, label in zip(asked.dataset.X.tolist(), asked.dataset.labels, strict=True)
    ]
    table, state = tmp_path / "table.csv", tmp_path / "run.json"
    table.write_text("\n".join(rows))
    fit = ["fit", str(table), "--target", "y", "--json", "--quiet"]
    there = [*fit, "--scheduler", client.scheduler.address, "--resume", str(state)]
    result = CliRunner().invoke(main, there)
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["cost"] == xt.solve(asked).cost
    assert state.exists()
    assert CliRunner().invoke(main, [*fit, "--resume", str(state)]).exit_code == 1
