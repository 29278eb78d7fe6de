"""A program with two workers in separate network namespaces; `test_faults.py` runs it in a third.

A pair of virtual devices connects each worker with the namespace of this program, which has the
scheduler and the client. Each worker has a small disk of its own, which is filled before the search
starts. The workers cannot reach each other, and nothing outside is changed: a namespace disappears
with its processes. With the argument "cut" the link of the second worker is taken down while tasks
run.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import dask
import distributed
import numpy as np

import exactree as xt
from exactree.distributed import pace, scheduler

_QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def run_command(*words: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(words, check=True)


@contextmanager
def separate_worker(number: int, port: int, disk: str) -> Iterator[int]:
    """Run a worker in namespaces of its own, connected with ours; yields the id of its process."""
    ours, theirs = f"10.99.{number}.1", f"10.99.{number}.2"
    # The worker starts when it reads a line, which is sent when it has an address.
    waiting = f'read line; mount -t tmpfs -o size=1m none {disk}; exec "$@"'
    worker = [sys.executable, "-m", "dask", "worker", f"tcp://{ours}:{port}", "--host", theirs]
    worker += ["--no-dashboard", "--no-nanny", "--nthreads", "1", "--local-directory", disk]
    command = ["unshare", "--net", "--mount", "sh", "-c", waiting, "sh", *worker]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, **_QUIET)
    assert process.stdin is not None
    try:
        our_namespace = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{process.pid}/ns/net") == our_namespace:
            time.sleep(0.01)
        inside = ["nsenter", "--target", str(process.pid), "--net", "ip"]
        run_command(
            "ip", "link", "add", f"to{number}", "type", "veth", "peer", "name", f"in{number}"
        )
        run_command("ip", "link", "set", f"in{number}", "netns", str(process.pid))
        run_command("ip", "addr", "add", f"{ours}/24", "dev", f"to{number}")
        run_command("ip", "link", "set", f"to{number}", "up")
        run_command(*inside, "addr", "add", f"{theirs}/24", "dev", f"in{number}")
        run_command(*inside, "link", "set", f"in{number}", "up")
        run_command(*inside, "link", "set", "lo", "up")
        process.stdin.write(b"go\n")
        process.stdin.flush()
        yield process.pid
    finally:
        process.kill()
        process.wait()


def fill_disk(process: int, disk: str) -> bool:
    """Write to the disk of a worker until that fails; return whether the disk is full then."""
    inside = ["nsenter", "--target", str(process), "--mount", "sh", "-c"]
    write = [*inside, f"cat /dev/zero > {disk}/full"]
    written = subprocess.run(write, check=False, capture_output=True, text=True)
    return "No space left" in written.stderr


def main() -> None:
    """Solve a problem with both workers, and print a report."""
    cutting = sys.argv[1:] == ["cut"]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)).round(2)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(len(X)) < 0.2)
    problem = xt.Problem(X, y.astype(int), limits=xt.Limits(max_depth=3))
    links_cut = 0

    def listener(progress: xt.Progress) -> None:
        nonlocal links_cut
        if cutting and progress.workers == 2 and not links_cut:
            links_cut += 1
            run_command("ip", "link", "set", "to2", "down")

    # The client searches nothing by itself, and a worker that is silent for 11 seconds is lost.
    scheduler._CLIENT_SECONDS, pace._SHORTEST, pace._WORTHWHILE = 0.0, 0.2, 0.0
    dask.config.set({"distributed.comm.timeouts.tcp": "11s"})
    run_command("ip", "link", "set", "lo", "up")
    with (
        distributed.LocalCluster(n_workers=0, host="0.0.0.0", dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        port = int(cluster.scheduler_address.rpartition(":")[2])
        with (
            tempfile.TemporaryDirectory() as disk,
            separate_worker(1, port, disk) as first,
            separate_worker(2, port, disk) as second,
        ):
            client.wait_for_workers(2, timeout=60)
            disks_full = fill_disk(first, disk) and fill_disk(second, disk)
            hosts = sorted(worker["host"] for worker in client.scheduler_info()["workers"].values())
            outcome = xt.solve(problem, cluster=client, time_limit=60, on_progress=listener)
            workers_left = len(client.scheduler_info()["workers"])
    report = {
        "hosts": hosts,
        "disks_full": disks_full,
        "status": outcome.status.value,
        "cost": int(outcome.cost or 0),
        "local_cost": int(xt.solve(problem).cost or 0),
        "tasks": outcome.stats["tasks"],
        "links_cut": links_cut,
        "workers_left": workers_left,
    }
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main()
