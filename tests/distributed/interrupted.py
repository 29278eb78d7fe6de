"""A program that interrupts its own search on a cluster; `test_faults.py` runs it as a process.

So a signal that comes too late does not end the process of the other tests.
"""

import json
import os
import signal
import sys

import distributed
import numpy as np

import exactree as xt


def main() -> None:
    """Interrupt the search once both workers take part, and print what the outcome still has."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(len(X)) < 0.2)
    problem = xt.Problem(X, y.astype(int), limits=xt.Limits(max_depth=4))
    interrupts = 0

    def listener(progress: xt.Progress) -> None:
        nonlocal interrupts
        if progress.workers == 2 and not interrupts:
            interrupts += 1
            os.kill(os.getpid(), signal.SIGINT)

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        outcome = xt.solve(problem, cluster=client, time_limit=30, on_progress=listener)
        workers_are_free = client.submit(sum, [1, 2], pure=False).result(timeout=20) == 3
    report = {
        "interrupts": interrupts,
        "stopped_by": outcome.stopped_by,
        "has_tree": outcome.tree is not None,
        "cost": float(outcome.cost or 0),
        "lower_bound": float(outcome.lower_bound),
        "workers_are_free": workers_are_free,
    }
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main()
