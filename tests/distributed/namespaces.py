"""A program with two workers in separate network namespaces; `test_faults.py` runs it in a third.

Each of the two is joined to the namespace of this program, which has scheduler and client, by a
pair of virtual devices, and has a small disk of its own, which is filled before work starts. They
cannot reach each other, and nothing outside is touched: the namespaces are gone when their
processes are. With the word "cut" the second link is taken down while tasks run.
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


def called(*words: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(words, check=True)


@contextmanager
def separated(number: int, port: int, disk: str) -> Iterator[int]:
    """Run a worker in namespaces of its own, joined to ours; yields the number of its process."""
    ours, theirs = f"10.99.{number}.1", f"10.99.{number}.2"
    # It waits for a line until it has an address.
    waiting = f'read line; mount -t tmpfs -o size=1m none {disk}; exec "$@"'
    worker = [sys.executable, "-m", "dask", "worker", f"tcp://{ours}:{port}", "--host", theirs]
    worker += ["--no-dashboard", "--no-nanny", "--nthreads", "1", "--local-directory", disk]
    command = ["unshare", "--net", "--mount", "sh", "-c", waiting, "sh", *worker]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, **_QUIET)
    assert process.stdin is not None
    try:
        here = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{process.pid}/ns/net") == here:
            time.sleep(0.01)
        inside = ["nsenter", "--target", str(process.pid), "--net", "ip"]
        called("ip", "link", "add", f"to{number}", "type", "veth", "peer", "name", f"in{number}")
        called("ip", "link", "set", f"in{number}", "netns", str(process.pid))
        called("ip", "addr", "add", f"{ours}/24", "dev", f"to{number}")
        called("ip", "link", "set", f"to{number}", "up")
        called(*inside, "addr", "add", f"{theirs}/24", "dev", f"in{number}")
        called(*inside, "link", "set", f"in{number}", "up")
        called(*inside, "link", "set", "lo", "up")
        process.stdin.write(b"go\n")
        process.stdin.flush()
        yield process.pid
    finally:
        process.kill()
        process.wait()


def filled(process: int, disk: str) -> bool:
    """Fill the disk of a worker until nothing more can be written, and say whether that is so."""
    inside = ["nsenter", "--target", str(process), "--mount", "sh", "-c"]
    write = [*inside, f"cat /dev/zero > {disk}/full"]
    control = subprocess.run(write, check=False, capture_output=True, text=True)
    return "No space left" in control.stderr


def main() -> None:
    """Solve a problem with both workers, and print what they did."""
    cutting = sys.argv[1:] == ["cut"]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6)).round(2)
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(len(X)) < 0.2)
    asked = xt.Problem(X, y.astype(int), limits=xt.Limits(max_depth=3))
    cut: list[float] = []

    def listener(progress: xt.Progress) -> None:
        if cutting and progress.workers == 2 and not cut:
            cut.append(progress.seconds)
            called("ip", "link", "set", "to2", "down")

    # Nothing is done alone, and a worker that is silent for eleven seconds is gone.
    scheduler._ALONE, pace._SHORTEST, pace._WORTH = 0.0, 0.2, 0.0
    dask.config.set({"distributed.comm.timeouts.tcp": "11s"})
    called("ip", "link", "set", "lo", "up")
    with (
        distributed.LocalCluster(n_workers=0, host="0.0.0.0", dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        port = int(cluster.scheduler_address.rpartition(":")[2])
        with (
            tempfile.TemporaryDirectory() as disk,
            separated(1, port, disk) as first,
            separated(2, port, disk) as second,
        ):
            client.wait_for_workers(2, timeout=60)
            full = filled(first, disk) and filled(second, disk)
            hosts = sorted(worker["host"] for worker in client.scheduler_info()["workers"].values())
            outcome = xt.solve(asked, cluster=client, time_limit=60, on_progress=listener)
            left = len(client.scheduler_info()["workers"])
    control = {
        "hosts": hosts,
        "full": full,
        "status": outcome.status.value,
        "cost": int(outcome.cost or 0),
        "alone": int(xt.solve(asked).cost or 0),
        "tasks": outcome.stats["tasks"],
        "lost": outcome.stats["tasks_lost"],
        "cut": len(cut),
        "left": left,
    }
    sys.stdout.write(json.dumps(control))


if __name__ == "__main__":
    main()
