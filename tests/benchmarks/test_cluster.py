"""Benchmarks of searches on a cluster: simulation, records, and the page made from them."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from benchmarks import cluster, cluster_measured, cluster_simulated
from benchmarks.cluster_measured import planted, request
from benchmarks.cluster_report import page, summary
from benchmarks.cluster_simulated import simulated_run

ROOT = Path(__file__).resolve().parents[2]


def test_a_simulated_run_has_tasks_for_its_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    # The client searches alone for so short a time that tasks are left for the workers.
    monkeypatch.setattr(cluster_simulated, "ALONE_SECONDS", 0.02)
    search_request = request(planted(300, 5, 4))
    runs = [simulated_run(search_request, search_request.prepare(), workers) for workers in (1, 4)]
    assert [run.workers for run in runs] == [1, 4]
    assert all(run.busy >= run.longest > 0 and run.seconds > 0 for run in runs)
    assert all(run.tasks > 0 for run in runs)


@contextmanager
def threads(workers: int) -> Iterator[Any]:
    """Yield a client of workers in this process, which start faster than processes."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


def test_the_page_is_made_from_two_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_measured, "local_cluster", threads)
    monkeypatch.setattr(cluster, "local_cluster", threads)
    monkeypatch.setattr(cluster_measured, "EMPTY_TASKS", 5)
    small = ["--examples", "150", "--features", "3", "--depth", "3", "--out", str(tmp_path)]
    cluster.main(["measure", *small, "--rounds", "2"])
    cluster.main(["simulate", *small, "--workers", "1,4"])
    measured, simulated = sorted(tmp_path.glob("*.json"))
    cluster.main(["page", str(measured), str(simulated), "--out", str(tmp_path)])
    text = (tmp_path / cluster.PAGE).read_text()
    record = json.loads(measured.read_text())
    assert [call["workers"] for call in record["calls"]] == [0, 1, 2] * 2
    assert f"{summary(record)['speedup']:.2f} times as fast as one" in text
    assert (tmp_path / cluster.FIGURE).stat().st_size > 1000
    for run in json.loads(simulated.read_text())["runs"]:
        assert f"| {run['workers']:,} | {run['tasks']:,} | {run['seconds']:.2f} |" in text


def call(workers: int, seconds: float, at_work: float = 0.0) -> dict[str, Any]:
    """Return a call as in a record."""
    return {"workers": workers, "seconds": seconds, "tasks": 9, "at_work": at_work, "cost": 1}


def test_the_fastest_call_of_each_number_of_workers_counts() -> None:
    calls = [call(0, 10), call(1, 12), call(2, 9, 8), call(0, 11), call(1, 10.4), call(2, 6.5, 12)]
    # 10.4 / 6.5; 10.4 / 10 - 1; 12 of the 2 * 6.5 seconds of two workers are busy.
    expected = {"speedup": 1.6, "slowdown": 0.04, "idle": 1 / 13}
    assert summary({"calls": calls}) == pytest.approx(expected)


def test_the_page_of_the_documents_agrees_with_its_records() -> None:
    text = (cluster.DOCUMENTS / cluster.PAGE).read_text(encoding="utf-8")
    links = re.findall(r"\[record\]\((\S+\.json)\)", text)
    first, second = ((link, json.loads((cluster.DOCUMENTS / link).read_text())) for link in links)
    assert text == page(first, second, cluster.FIGURE)
