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
from exactree.distributed import shared_branch_and_bound
from exactree.problem import Progress, Status

distributed = pytest.importorskip("distributed")
on_dask = pytest.importorskip("exactree.distributed.dask")
pytestmark = pytest.mark.usefixtures("small_shared_tasks")

HERE = Path(__file__).parent


def killing(client: Any) -> Any:
    """Return a listener that kills a worker as soon as tasks run."""
    pids = list(client.run(os.getpid).values())

    def listener(progress: Progress) -> None:
        if progress.workers and pids:
            os.kill(pids.pop(), signal.SIGKILL)
            pids.clear()

    return listener


def test_a_worker_killed_in_the_middle_of_a_task_loses_nothing(client: Any) -> None:
    asked = seconds_of_work(2500)
    outcome = xt.solve(asked, cluster=client, on_progress=killing(client))
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(asked).cost)
    client.wait_for_workers(2, timeout=30)


def stuck(pid_file: str) -> Callable[[], None]:
    """Return what makes a worker say its process in its first task, and never end that task."""

    def patch() -> None:
        from exactree.distributed.worker import TaskRunner

        def do(self: Any, assignment: Any) -> Any:
            Path(pid_file).write_text(str(os.getpid()), encoding="utf-8")
            time.sleep(3600)

        TaskRunner.do = do  # type: ignore[method-assign]

    return patch


def test_a_task_whose_worker_is_killed_in_it_is_counted_and_done_again(
    client: Any, tmp_path: Path
) -> None:
    pid_file = tmp_path / "pid"
    client.run(stuck(str(pid_file)), workers=[next(iter(client.nthreads()))])

    def kill_once_stuck(progress: Progress) -> None:
        if pid_file.exists() and (pid := pid_file.read_text(encoding="utf-8")):
            pid_file.unlink()
            os.kill(int(pid), signal.SIGKILL)

    asked = seconds_of_work(800)
    outcome = xt.solve(asked, cluster=client, on_progress=kill_once_stuck)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(asked).cost)
    assert outcome.stats["tasks_lost"] == 1
    assert not pid_file.exists()
    client.wait_for_workers(2, timeout=30)


class _DeadAtFirst:
    """A client whose scheduler lists a worker that has just died, as it does until it notices."""

    dead = "tcp://127.0.0.1:9"

    def __init__(self, client: Any, alive: bool = True) -> None:
        self._client, self._alive, self.refused = client, alive, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def run(self, *words: Any, on_error: str = "raise", **options: Any) -> Any:
        found = self._client.run(*words, on_error=on_error, **options) if self._alive else {}
        if on_error == "return":
            found[self.dead] = OSError("Timed out trying to connect")
        return found

    def register_plugin(self, *words: Any, **options: Any) -> Any:
        self._client.register_plugin(*words, **options)
        self.refused += 1
        raise OSError("Timed out trying to connect")


def test_a_worker_that_died_before_the_search_is_left_out(client: Any) -> None:
    asked, listed = seconds_of_work(300), _DeadAtFirst(client)
    found = shared_branch_and_bound(asked, on_dask.DaskCluster(listed), n_jobs=1, stop_at_gap=0)
    assert (found.status, found.cost, listed.refused) == (Status.OPTIMAL, xt.solve(asked).cost, 1)
    with pytest.raises(ValueError, match=r"no worker answers \(tcp://127.0.0.1:9: OSError: Timed"):
        on_dask.DaskCluster(_DeadAtFirst(client, alive=False))


def test_a_worker_killed_just_before_the_search_takes_nothing_along(client: Any) -> None:
    for again in range(3):  # whether the scheduler has noticed is a matter of luck
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        outcome = xt.solve(seconds_of_work(300 + again), cluster=client)
        assert outcome.status is Status.OPTIMAL
        client.wait_for_workers(2, timeout=30)


def slowing(seconds: float) -> Callable[[], None]:
    def slow() -> None:
        from exactree.distributed.worker import TaskRunner

        original_do = TaskRunner.do

        def late(self: Any, assignment: Any) -> Any:
            time.sleep(seconds)
            return original_do(self, assignment)

        TaskRunner.do = late  # type: ignore[method-assign]

    return slow


def test_a_slow_worker_delays_but_changes_nothing(client: Any) -> None:
    asked = seconds_of_work()
    worker = next(iter(client.scheduler_info()["workers"]))
    client.run(slowing(0.5), workers=[worker])
    outcome = xt.solve(asked, cluster=client)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(asked).cost)
    client.restart_workers([worker])


def test_a_worker_that_joins_late_takes_part() -> None:
    asked = seconds_of_work(2500)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        client.run(slowing(2.0))  # so that there is something left for the other one
        seen: list[int] = []

        def listener(progress: Progress) -> None:
            if progress.workers == 1 and not seen:
                cluster.scale(2)
            seen.append(progress.workers or 0)

        outcome = xt.solve(asked, cluster=client, on_progress=listener)
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, xt.solve(asked).cost)
    assert {1, 2} <= set(seen)
    assert outcome.stats["workers"] == 2


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


def printed(*command: str) -> dict[str, Any]:
    """Return what a program prints, which has a process of its own."""
    control = subprocess.run(command, check=False, capture_output=True, text=True)
    assert control.returncode == 0, control.stderr
    found: dict[str, Any] = json.loads(control.stdout)
    return found


def test_ctrl_c_keeps_the_best_tree_and_a_lower_bound() -> None:
    control = printed(sys.executable, str(HERE / "interrupted.py"))
    assert control["sent"] == 1
    assert control["stopped_by"] == "interrupt"
    assert control["has_tree"]
    assert control["lower_bound"] <= control["cost"]
    assert control["workers_are_free"]


def unshared() -> list[str]:
    """Return the command that runs another one in namespaces of its own; skip where none may."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("there is no unshare or no ip")
    command = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--net", "--mount"]
    pair = ["ip", "link", "add", "to0", "type", "veth", "peer", "name", "in0"]
    tried = subprocess.run([*command, *pair], check=False, capture_output=True, text=True)
    if tried.returncode != 0:
        pytest.skip(f"no namespaces may be made here: {tried.stderr.strip()}")
    return command


@pytest.mark.parametrize("word", ["whole", pytest.param("cut", marks=pytest.mark.long)])
def test_workers_in_separate_networks_with_full_disks_find_the_optimum(word: str) -> None:
    found = printed(*unshared(), sys.executable, str(HERE / "namespaces.py"), word)
    assert found["hosts"] == ["10.99.1.2", "10.99.2.2"]
    assert found["full"]
    assert (found["status"], found["cost"]) == ("optimal", found["alone"])
    assert found["tasks"] >= 2
    assert (found["cut"], found["left"]) == ((1, 1) if word == "cut" else (0, 2))
