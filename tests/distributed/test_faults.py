"""Failures of a real cluster of worker processes cause no wrong result."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.distributed.clusters import seconds_of_work

import exactree as xt
from exactree.distributed import shared_search
from exactree.problem import Progress, Status

distributed = pytest.importorskip("distributed")
on_dask = pytest.importorskip("exactree.distributed.dask")
pytestmark = pytest.mark.usefixtures("small_shared_tasks")

HERE = Path(__file__).parent


def kill_a_worker(client: Any) -> Any:
    """Return a listener that kills a worker as soon as tasks run."""
    pids = list(client.run(os.getpid).values())

    def listener(progress: Progress) -> None:
        if progress.workers and pids:
            os.kill(pids.pop(), signal.SIGKILL)
            pids.clear()

    return listener


# A cost, and rows for a search of about a second.
COSTS = [("errors", 2500), ("squared_error", 1500), ("gini", 700)]


def wait_for_both_workers(client: Any) -> None:
    """Wait until a killed worker is replaced; by the cluster if its nanny gave up."""
    try:
        client.wait_for_workers(2, timeout=30)
    except TimeoutError:
        client.cluster.scale(1)
        client.cluster.scale(2)
        client.wait_for_workers(2, timeout=90)
    time.sleep(1)  # its nanny gives up if the worker is killed again while it starts


@pytest.mark.parametrize(("minimize", "rows"), COSTS)
def test_a_worker_killed_in_the_middle_of_a_task_loses_nothing(
    client: Any, minimize: str, rows: int
) -> None:
    problem = seconds_of_work(rows, minimize=minimize)
    outcome = xt.solve(problem, cluster=client, on_progress=kill_a_worker(client))
    assert outcome.status is Status.OPTIMAL
    assert outcome.cost == pytest.approx(xt.solve(problem).cost, rel=1e-9)
    wait_for_both_workers(client)


def hang_in_tasks(pid_file: str) -> Callable[[], None]:
    """Return a function for a worker: its tasks write its process id to a file and never end."""

    def patch() -> None:
        from exactree.distributed.worker import TaskRunner

        def run(self: Any, assignment: Any) -> Any:
            Path(pid_file).write_text(str(os.getpid()), encoding="utf-8")
            time.sleep(3600)

        TaskRunner.run = run  # type: ignore[method-assign]

    return patch


def test_a_task_whose_worker_is_killed_in_it_is_counted_and_done_again(
    client: Any, tmp_path: Path
) -> None:
    pid_file = tmp_path / "pid"
    client.run(hang_in_tasks(str(pid_file)), workers=[next(iter(client.nthreads()))])

    def kill_the_hanging_worker(progress: Progress) -> None:
        if pid_file.exists() and (pid := pid_file.read_text(encoding="utf-8")):
            pid_file.unlink()
            os.kill(int(pid), signal.SIGKILL)

    problem = seconds_of_work(800)
    outcome = xt.solve(problem, cluster=client, on_progress=kill_the_hanging_worker)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(problem).cost)
    assert outcome.stats["tasks_lost"] == 1
    assert not pid_file.exists()
    wait_for_both_workers(client)


class _ClientWithDeadWorker:
    """A client whose scheduler still lists a worker that has just died."""

    dead = "tcp://127.0.0.1:9"

    def __init__(self, client: Any, alive: bool = True) -> None:
        self._client, self._alive, self.failed_registrations = client, alive, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def run(self, *arguments: Any, on_error: str = "raise", **options: Any) -> Any:
        found = self._client.run(*arguments, on_error=on_error, **options) if self._alive else {}
        if on_error == "return":
            found[self.dead] = OSError("Timed out trying to connect")
        return found

    def register_plugin(self, *arguments: Any, **options: Any) -> Any:
        self._client.register_plugin(*arguments, **options)
        self.failed_registrations += 1
        raise OSError("Timed out trying to connect")


def test_a_worker_that_died_before_the_search_is_left_out(client: Any) -> None:
    problem, with_dead = seconds_of_work(300), _ClientWithDeadWorker(client)
    cluster = on_dask.DaskCluster(with_dead)
    outcome = shared_search(problem, cluster, n_jobs=1, stop_at_gap=0)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(problem).cost)
    assert with_dead.failed_registrations == 1
    with pytest.raises(ValueError, match=r"no worker answers \(tcp://127.0.0.1:9: OSError: Timed"):
        on_dask.DaskCluster(_ClientWithDeadWorker(client, alive=False))


def test_a_worker_killed_just_before_the_search_does_not_prevent_a_proof(client: Any) -> None:
    for more_rows in range(3):  # whether the scheduler has noticed the death is a matter of luck
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        outcome = xt.solve(seconds_of_work(300 + more_rows), cluster=client)
        assert outcome.status is Status.OPTIMAL
        wait_for_both_workers(client)


def delay_tasks(seconds: float) -> Callable[[], None]:
    """Return a function for a worker: its tasks begin later."""

    def patch() -> None:
        from exactree.distributed.worker import TaskRunner

        original_run = TaskRunner.run

        def delayed(self: Any, assignment: Any) -> Any:
            time.sleep(seconds)
            return original_run(self, assignment)

        delayed.original = original_run  # type: ignore[attr-defined]
        TaskRunner.run = delayed  # type: ignore[method-assign]

    return patch


def delay_no_tasks() -> None:
    """Take back `delay_tasks` on a worker."""
    from exactree.distributed.worker import TaskRunner

    TaskRunner.run = TaskRunner.run.original  # type: ignore[attr-defined, method-assign]


@pytest.mark.parametrize(("minimize", "rows"), COSTS)
def test_a_slow_worker_delays_but_changes_nothing(client: Any, minimize: str, rows: int) -> None:
    problem = seconds_of_work(rows, minimize=minimize)
    worker = next(iter(client.scheduler_info()["workers"]))
    client.run(delay_tasks(0.5), workers=[worker])
    outcome = xt.solve(problem, cluster=client)
    client.run(delay_no_tasks, workers=[worker])
    assert outcome.status is Status.OPTIMAL
    assert outcome.cost == pytest.approx(xt.solve(problem).cost, rel=1e-9)


def test_a_worker_that_joins_late_takes_part() -> None:
    problem = seconds_of_work(2500)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        client.run(delay_tasks(2.0))  # so that rules are left for the second worker
        worker_counts: list[int] = []

        def listener(progress: Progress) -> None:
            if progress.workers == 1 and not worker_counts:
                cluster.scale(2)
            worker_counts.append(progress.workers or 0)

        outcome = xt.solve(problem, cluster=client, on_progress=listener)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(problem).cost)
    assert {1, 2} <= set(worker_counts)
    assert outcome.stats["workers"] == 2


def test_a_scheduler_that_goes_away_leaves_a_tree_and_a_lower_bound(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"

    def start(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *words, "--no-dashboard", "--scheduler-file"]
        quiet = subprocess.DEVNULL
        return subprocess.Popen([*command, str(file)], stdout=quiet, stderr=quiet)

    scheduler = start("scheduler", "--port", "0")
    worker = start("worker", "--nthreads", "1")

    def listener(progress: Progress) -> None:
        if progress.workers:
            scheduler.kill()

    try:
        while not file.exists():
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        with distributed.Client(address, timeout=5, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=30)
            outcome = xt.solve(seconds_of_work(4000), cluster=client, on_progress=listener)
    finally:
        scheduler.kill()
        worker.terminate()
        scheduler.wait()
        worker.wait()
    assert outcome.stopped_by == "loss of the cluster"
    assert "scheduler" in outcome.stats["cluster"]
    assert outcome.tree is not None
    assert outcome.lower_bound <= outcome.cost


def report_of(*command: str) -> dict[str, Any]:
    """Run a program as a process, and return the report that it prints."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_ctrl_c_keeps_the_best_tree_and_a_lower_bound() -> None:
    report = report_of(sys.executable, str(HERE / "interrupted.py"))
    assert report["interrupts"] == 1
    assert report["stopped_by"] == "interrupt"
    assert report["has_tree"]
    assert report["lower_bound"] <= report["cost"]
    assert report["workers_are_free"]


def in_new_namespaces() -> list[str]:
    """Return the prefix of a command that runs in new namespaces; skip where that is forbidden."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("there is no unshare or no ip")
    command = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--net", "--mount"]
    pair = ["ip", "link", "add", "to0", "type", "veth", "peer", "name", "in0"]
    tried = subprocess.run([*command, *pair], check=False, capture_output=True, text=True)
    if tried.returncode != 0:
        pytest.skip(f"namespaces cannot be created here: {tried.stderr.strip()}")
    return command


@pytest.mark.parametrize("links", ["whole", pytest.param("cut", marks=pytest.mark.long)])
def test_workers_in_separate_networks_with_full_disks_find_the_optimum(links: str) -> None:
    program = str(HERE / "namespaces.py")
    report = report_of(*in_new_namespaces(), sys.executable, program, links)
    assert report["hosts"] == ["10.99.1.2", "10.99.2.2"]
    assert report["disks_full"]
    assert (report["status"], report["cost"]) == ("optimal", report["local_cost"])
    assert report["tasks"] >= 2
    assert report["links_cut"] == (1 if links == "cut" else 0)
    assert report["workers_left"] == (1 if links == "cut" else 2)
