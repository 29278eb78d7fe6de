"""Distributed search: one proof by many workers of an existing cluster.

`plan.py` records the open root splits of a search and the proved bounds, without side effects.
`scheduler.py` executes the plan with workers of any kind (`pool.py`), such as those of Dask
(`dask.py`) or one worker in this process (`local.py`). `worker.py` executes tasks. `checkpoint.py`
reads and writes the file from which a run resumes. Lost, late or repeated reports change no result.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from exactree.data.features import shown
from exactree.distributed.local import LocalCluster
from exactree.distributed.pool import Cluster, ExecutorCluster, WorkerCount
from exactree.distributed.regression import is_shared_regression, shared_regression
from exactree.distributed.scheduler import is_deep, shared_errors
from exactree.engine import branch_and_bound, class_costs_tree, reason_to_refuse, regression_tree
from exactree.engine.lexicographic.branch_and_bound import ENGINE
from exactree.engine.lexicographic.stages import begins_with_errors
from exactree.engine.native.request import Caps
from exactree.engine.single_objective.class_weights import in_plain_errors
from exactree.problem import Outcome, Problem, Progress

__all__ = ["cluster_of", "is_shared", "shared_branch_and_bound"]


def is_shared(problem: Problem) -> bool:
    """Return whether workers share the search of a problem; otherwise one worker solves it alone.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    if problem.constrained:
        return False
    if problem.regression:
        return is_shared_regression(problem)
    weighted = in_plain_errors(problem)
    if weighted is not None:
        problem = weighted.problem
    if problem.n_trees > 1 or reason_to_refuse(problem) is not None:
        return False
    caps = Caps(problem.limits.max_depth, problem.max_tree_size, problem.max_error_weight)
    return is_deep(caps) and begins_with_errors(problem)


def shared_branch_and_bound(
    problem: Problem,
    cluster: Cluster,
    *,
    resume: Path | None = None,
    on_progress: Callable[[Progress], object] | None = None,
    **options: Any,
) -> Outcome:
    """Return the best tree for a problem by the engine, with the workers of a cluster.

    Parameters
    ----------
    problem : Problem
        The problem to solve, for which `is_shared` is true.
    cluster : Cluster
        The workers.
    resume : Path, optional
        The checkpoint file, from which the search continues and to which it is saved.
    on_progress : callable, optional
        As in `solve`.
    **options
        As in `branch_and_bound`.
    """
    worker_count = WorkerCount()

    def listener(progress: Progress) -> object:
        assert on_progress is not None
        return on_progress(replace(progress, workers=worker_count.workers))

    options["on_progress"] = None if on_progress is None else listener
    shared: dict[str, Any] = {"cluster": cluster, "resume": resume, "worker_count": worker_count}
    if problem.regression:
        incumbent = options.pop("incumbent", None)
        found = regression_tree(problem, **options, search=partial(shared_regression, **shared))
        return found if incumbent is None else incumbent.or_better(problem, found)
    searches = replace(ENGINE, errors=partial(shared_errors, **shared))
    search = branch_and_bound if problem.plain_errors else class_costs_tree
    return search(problem, **options, searches=searches)


@contextmanager
def cluster_of(cluster: Any) -> Iterator[Cluster]:
    """Return the cluster for a value of the parameter `cluster`.

    Parameters
    ----------
    cluster : object
        A Dask client, the address of a Dask scheduler, an executor as in `concurrent.futures`, or
        a pair of such an executor and its number of workers; None for one worker in this process.

    Raises
    ------
    ValueError, TypeError
        If it is none of these, or cannot be used; raised before any search begins.
    """
    if cluster is None:
        yield LocalCluster()
    elif isinstance(cluster, str):
        with _dask().connected(cluster) as client:
            yield _dask().DaskCluster(client)
    elif type(cluster).__module__.partition(".")[0] == "distributed":
        yield _dask().DaskCluster(cluster)
    else:
        yield _executor_cluster(cluster)


def _dask() -> Any:
    try:
        from exactree.distributed import dask
    except ImportError as error:
        raise ValueError(
            f"cluster needs Dask, which is not installed ({error}): pip install "
            "'exactree[cluster]'."
        ) from None
    return dask


def _executor_cluster(cluster: Any) -> Cluster:
    workers = None
    if isinstance(cluster, tuple) and len(cluster) == 2:
        cluster, workers = cluster
    else:
        workers = getattr(cluster, "_max_workers", None)
    if not callable(getattr(cluster, "submit", None)):
        raise TypeError(
            "cluster must be a Dask client, the address of a Dask scheduler, an executor, or a "
            f"pair of an executor and its number of workers, got {shown(cluster)}."
        )
    if not isinstance(workers, int) or workers < 1:
        raise ValueError(
            "cluster: the number of workers of the executor is unknown; give a pair of the "
            "executor and its number of workers."
        )
    executor: Executor = cluster
    return ExecutorCluster(executor, workers)
