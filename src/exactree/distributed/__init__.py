"""Beyond one machine: one proof by many workers of a cluster that exists already.

`plan.py` says which parts of a search are done and what is proved; it is pure. `search.py` goes
through it with workers of any kind (`pool.py`); `on_dask.py` has those of Dask. `work.py` is what a
worker does, `saved.py` the file that a run can be resumed from. Whatever the workers' engine, it
only carries tasks: a lost, late or repeated answer changes no result.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from exactree.distributed.pool import Cluster, ExecutorCluster
from exactree.distributed.search import Crew, shared_errors
from exactree.engine import accepts, branch_and_bound
from exactree.engine.stages import ENGINE
from exactree.problem import Outcome, Problem, Progress

__all__ = ["cluster_of", "is_shared", "shared_branch_and_bound"]


def is_shared(problem: Problem) -> bool:
    """Say whether the search of a problem is divided among workers; others go to one of them.

    Parameters
    ----------
    problem : Problem
        What is asked.
    """
    if problem.regression or problem.n_trees > 1 or accepts(problem) is not None:
        return False
    depth, size = problem.limits.max_depth, problem.most_size
    deep = (depth is None or depth > 2) and (size is None or size > 2)
    return problem.quantities[0] == "errors" and deep


def shared_branch_and_bound(
    problem: Problem,
    cluster: Cluster,
    *,
    resume: Path | None = None,
    on_progress: Callable[[Progress], object] | None = None,
    **how: Any,
) -> Outcome:
    """Return the best tree for a problem by the engine, with the workers of a cluster.

    Parameters
    ----------
    problem : Problem
        What is asked; `is_shared` says whether it is for this.
    cluster : Cluster
        The workers.
    resume : Path, optional
        The file that holds the state of the run.
    on_progress : callable, optional
        As in `solve`.
    **how
        As in `branch_and_bound`.
    """
    crew = Crew()

    def listener(progress: Progress) -> object:
        assert on_progress is not None
        return on_progress(replace(progress, workers=crew.workers))

    errors = partial(shared_errors, cluster=cluster, resume=resume, crew=crew)
    return branch_and_bound(
        problem,
        **how,
        on_progress=None if on_progress is None else listener,
        searches=replace(ENGINE, errors=errors),
    )


@contextmanager
def cluster_of(cluster: Any) -> Iterator[Cluster]:
    """Return the workers that a user means.

    Parameters
    ----------
    cluster : object
        A Dask client, the address of a Dask scheduler, an executor as of `concurrent.futures`, or
        a pair of such an executor and its number of workers.

    Raises
    ------
    ValueError, TypeError
        If it is nothing of these, or cannot be used; raised before any work.
    """
    if isinstance(cluster, str):
        with _dask().connected(cluster) as client:
            yield _dask().DaskCluster(client)
    elif type(cluster).__module__.partition(".")[0] == "distributed":
        yield _dask().DaskCluster(cluster)
    else:
        yield _executor(cluster)


def _dask() -> Any:
    try:
        from exactree.distributed import on_dask
    except ImportError as error:
        raise ValueError(
            f"cluster needs Dask, which is not installed ({error}): pip install "
            "'exactree[cluster]'."
        ) from None
    return on_dask


def _executor(cluster: Any) -> Cluster:
    workers = None
    if isinstance(cluster, tuple) and len(cluster) == 2:
        cluster, workers = cluster
    else:
        workers = getattr(cluster, "_max_workers", None)
    if not callable(getattr(cluster, "submit", None)):
        raise TypeError(
            "cluster must be a Dask client, the address of a Dask scheduler, an executor, or a "
            f"pair of an executor and its number of workers, got {cluster!r}."
        )
    if not isinstance(workers, int) or workers < 1:
        raise ValueError(
            "cluster: how many tasks the executor runs at the same time is not known; give a pair "
            "of it and that number."
        )
    executor: Executor = cluster
    return ExecutorCluster(executor, workers)
