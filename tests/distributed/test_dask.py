"""A real cluster of worker processes shares a search; unusable clusters are refused."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.distributed.clusters import seconds_of_work

import exactree as xt
from exactree.distributed import cluster_of, dask
from exactree.distributed.pool import check_versions
from exactree.distributed.worker import version
from exactree.problem import Problem, Progress, Status

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.usefixtures("small_shared_tasks")


# Functions for workers are made by functions: workers cannot import this file.


def list_plugins() -> Callable[..., list[str]]:
    def plugins(dask_worker: Any) -> list[str]:
        return [name for name in dask_worker.plugins if name.startswith("exactree")]

    return plugins


def test_workers_share_a_search_and_drop_its_request_afterwards(client: Any) -> None:
    client.wait_for_workers(2, timeout=60)
    problem = seconds_of_work()
    seen: list[Progress] = []
    outcome = xt.solve(problem, cluster=client, on_progress=lambda progress: seen.append(progress))
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(problem).cost)
    assert outcome.stats["tasks"] >= 2
    assert outcome.stats["workers"] == 2
    assert all(0 <= progress.workers <= 2 for progress in seen)
    deadline = time.monotonic() + 5
    while any(client.run(list_plugins()).values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(client.run(list_plugins()).values())


def test_progress_counts_both_workers(client: Any) -> None:
    """The search is too long to end by itself: only a report of two workers stops it."""
    client.wait_for_workers(2, timeout=60)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4_000, 10)), rng.integers(0, 2, 4_000)
    problem = Problem(X, y, limits=xt.Limits(max_depth=5))
    seen: list[Progress] = []

    def both(progress: Progress) -> bool:
        seen.append(progress)
        return progress.workers == 2

    outcome = xt.solve(problem, cluster=client, on_progress=both, time_limit=300)
    assert outcome.stopped_by == "callback"
    assert any(progress.workers == 2 for progress in seen)
    assert outcome.stats["workers"] == 2


def test_workers_share_searches_over_hyperplanes_and_for_rates(client: Any) -> None:
    client.wait_for_workers(2, timeout=60)
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 2)).round(1), rng.integers(0, 3, size=30)
    surfaces: dict[str, Any] = {
        "rules": xt.rules.Hyperplanes(),
        "limits": xt.Limits(max_depth=3, max_size=5),
    }
    rate: dict[str, Any] = {"minimize": "f1_error", "limits": xt.Limits(max_depth=3)}
    for problem in (Problem(X, y, **surfaces), Problem(X, (y > 0).astype(int), **rate)):
        outcome = xt.solve(problem, cluster=client)
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(problem).cost)
        assert outcome.stats["tasks"] >= 2


def test_searches_that_are_not_shared_run_on_one_worker(client: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, size=(12, 3)).astype(float), rng.integers(0, 2, size=12)
    for options in (
        {"minimize": "size", "limits": xt.Limits(max_errors=2)},
        {"minimize": "errors", "n_trees": 2, "limits": xt.Limits(max_size=1)},
    ):
        problem = Problem(X, y, **options)
        outcome = xt.solve(problem, cluster=client)
        assert (outcome.status, outcome.cost) == (xt.solve(problem).status, xt.solve(problem).cost)
    with pytest.raises(ValueError, match="searches that can be divided among workers"):
        xt.solve(problem, cluster=client, resume="never-written.json")


def pretend_version(version: str, package: str = "exactree") -> Callable[[], None]:
    def set_version() -> None:
        import importlib

        importlib.import_module(package).__version__ = version  # type: ignore[attr-defined]

    return set_version


def test_bad_clusters_are_refused_before_any_work(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = seconds_of_work(50)
    monkeypatch.setattr(dask, "_TIMEOUT", 0.5)
    with pytest.raises(ValueError, match=r"no scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        xt.solve(problem, cluster="tcp://127.0.0.1:9")
    for wrong in (3, "nonsense://", object()):
        with pytest.raises((TypeError, ValueError), match="cluster"):
            xt.solve(problem, cluster=wrong)
    worker = next(iter(client.scheduler_info()["workers"]))
    client.run(pretend_version("0.0.0"), workers=[worker])
    with pytest.raises(ValueError, match="has exactree 0\\.0\\.0, here it is"):
        xt.solve(problem, cluster=client)
    client.run(pretend_version(xt.__version__), workers=[worker])
    client.run(pretend_version("1.26.4", "numpy"), workers=[worker])
    with pytest.raises(ValueError, match="has numpy 1, here it is"):
        xt.solve(problem, cluster=client)
    client.run(pretend_version(np.__version__, "numpy"), workers=[worker])
    monkeypatch.setattr(dask, "_COPIES", 1e12)
    with pytest.raises(ValueError, match=r"the table takes .* GB on a worker, but tcp"):
        xt.solve(problem, cluster=client)


def test_a_worker_without_exactree_is_refused() -> None:
    broken = {"tcp://here": version(), "tcp://there": ModuleNotFoundError("No module 'exactree'")}
    with pytest.raises(ValueError, match=r"tcp://there cannot run exactree .* No module"):
        check_versions(broken)


def test_an_encrypted_cluster_is_used_with_the_security_of_its_client(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate")
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    make_certificate = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=here",
    ]
    subprocess.run(
        [*make_certificate, "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    roles = ("client", "scheduler", "worker")
    files = {
        f"tls_{role}_{kind}": file
        for role in roles
        for kind, file in (("cert", certificate), ("key", key))
    }
    security = distributed.Security(tls_ca_file=certificate, require_encryption=True, **files)
    problem = seconds_of_work(200)
    with (
        distributed.LocalCluster(
            n_workers=1,
            processes=False,
            protocol="tls://",
            security=security,
            dashboard_address=":0",
        ) as cluster,
        distributed.Client(cluster, security=security, set_as_default=False) as client,
    ):
        assert client.scheduler.address.startswith("tls://")
        outcome = xt.solve(problem, cluster=client)
        with pytest.raises(ValueError, match="is encrypted, but Dask's configuration has no"):
            xt.solve(problem, cluster=client.scheduler.address)
    assert outcome.stats["tasks"] >= 1
    assert outcome.cost == xt.solve(problem).cost


def test_a_cluster_without_workers_is_refused() -> None:
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(ValueError, match="has no workers"),
    ):
        xt.solve(seconds_of_work(50), cluster=client)


def test_missing_dask_is_reported_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "exactree.distributed.dask", None)
    monkeypatch.delattr("exactree.distributed.dask")
    with (
        pytest.raises(ValueError, match=r"pip install 'exactree\[cluster\]'"),
        cluster_of("tcp://127.0.0.1:9"),
    ):
        pass


def test_an_estimator_uses_the_cluster_at_an_address(client: Any) -> None:
    problem = seconds_of_work(300)
    X, y = problem.dataset.X, problem.dataset.labels
    tree = xt.OptimalTreeClassifier(cluster=client.scheduler.address).fit(X, y)
    assert tree.outcome_.cost == xt.solve(problem).cost
    assert tree.outcome_.stats["tasks"] >= 1


def test_regressors_share_their_search_and_ensembles_use_one_worker(client: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(1)
    y = X[:, 0] * X[:, 1] + rng.normal(size=80).round(2)
    address = client.scheduler.address
    shared, local = xt.OptimalTreeRegressor(cluster=address), xt.OptimalTreeRegressor()
    assert shared.fit(X, y).outcome_.cost == pytest.approx(local.fit(X, y).outcome_.cost, rel=1e-9)
    assert shared.outcome_.stats["tasks"] >= 2
    few = X[:12], y[:12] > 0
    ensemble = xt.OptimalEnsembleClassifier(cluster=address).fit(*few)
    assert ensemble.outcome_.cost == xt.OptimalEnsembleClassifier().fit(*few).outcome_.cost


def test_the_command_line_uses_a_scheduler_and_resumes_without_it(
    client: Any, tmp_path: Path
) -> None:
    from click.testing import CliRunner

    from exactree.cli import main

    problem = seconds_of_work(200)
    names = [f"x{f}" for f in range(problem.dataset.X.shape[1])]
    rows = [",".join([*names, "y"])]
    rows += [
        ",".join(map(str, [*values, label]))
        for values, label in zip(problem.dataset.X.tolist(), problem.dataset.labels, strict=True)
    ]
    table, state = tmp_path / "table.csv", tmp_path / "run.json"
    table.write_text("\n".join(rows))
    fit = ["fit", str(table), "--target", "y", "--json", "--quiet"]
    on_cluster = [*fit, "--scheduler", client.scheduler.address, "--resume", str(state)]
    result = CliRunner().invoke(main, on_cluster)
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["cost"] == xt.solve(problem).cost
    assert state.exists()
    resumed = CliRunner().invoke(main, [*fit, "--resume", str(state)])
    assert json.loads(resumed.output)["cost"] == json.loads(result.output)["cost"]
