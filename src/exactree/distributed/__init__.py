"""Distributed search: one proof by many workers of an existing cluster.

`plan.py` records the open root splits of a search and the proved bounds, without side effects.
`scheduler.py` executes the plan with workers of any kind: those of Dask (`dask.py`) or of an
executor, or one worker in this process (`pool.py`). `worker.py` executes tasks. `checkpoint.py`
reads and writes the file from which a run resumes. Lost, late or repeated reports change no result.
All this is the same for every cost; `searches.py` turns it into the searches that the engine calls.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from exactree.data.parameters import shown
from exactree.distributed.checkpoint import CheckpointFile, table_key
from exactree.distributed.pool import Cluster, ExecutorCluster, LocalCluster, WorkerCount
from exactree.distributed.searches import SharedSearches, is_deep
from exactree.engine import (
    PairsFound,
    branch_and_bound,
    can_list_dichotomies,
    chooses_features,
    class_costs_tree,
    constrained_tree,
    front_of_pairs,
    outer_loop,
    rate_tree,
    reason_to_refuse,
    reason_to_refuse_class_costs,
    reason_to_refuse_constrained,
    reason_to_refuse_rate,
    reason_to_refuse_regression,
    regression_tree,
    run_proper,
    under_constraints,
)
from exactree.engine.lexicographic.branch_and_bound import ENGINE
from exactree.engine.lexicographic.stages import begins_with_errors
from exactree.engine.native.request import Caps
from exactree.engine.single_objective.class_weights import in_plain_errors
from exactree.problem import Listener, Outcome, Problem, Progress

__all__ = ["cluster_of", "is_shared", "shared_front_of_pairs", "shared_search"]


def is_shared(problem: Problem, method: str = "branch-and-bound") -> bool:
    """Return whether workers share the search of a problem; otherwise one worker solves it alone.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    method : str
        A method whose native form accepts the problem.
    """
    if method == "proper":
        return _is_deep(problem) and can_list_dichotomies(problem)
    any_class = problem.limits_any_class
    if method != "branch-and-bound" or problem.n_trees > 1 or any_class:
        return False
    if _reason_to_refuse(problem) is not None:
        loop = outer_loop(problem)
        return loop is not None and is_shared(loop.inner)
    if under_constraints(problem) or problem.constrained:
        return _is_deep(problem) and not chooses_features(problem)
    weighted = in_plain_errors(problem)
    if weighted is not None:
        problem = weighted.problem
    return _is_deep(problem) and (not problem.plain_errors or begins_with_errors(problem))


def _is_deep(problem: Problem) -> bool:
    return is_deep(Caps(problem.limits.max_depth, problem.max_tree_size, problem.max_error_weight))


def _reason_to_refuse(problem: Problem) -> str | None:
    """Return None if the search for this kind of problem accepts it, else the reason."""
    if under_constraints(problem):
        return reason_to_refuse_constrained(problem)
    if problem.regression:
        return reason_to_refuse_regression(problem)
    if problem.rate is not None:
        return reason_to_refuse_rate(problem)
    if problem.plain_errors:
        return reason_to_refuse(problem)
    return reason_to_refuse_class_costs(problem)


def shared_search(
    problem: Problem,
    cluster: Cluster,
    method: str = "branch-and-bound",
    *,
    resume: Path | None = None,
    on_progress: Listener | None = None,
    **options: Any,
) -> Outcome:
    """Return the best tree for a problem, with the workers of a cluster.

    Parameters
    ----------
    problem : Problem
        The problem to solve, for which `is_shared` is true.
    cluster : Cluster
        The workers.
    method : str
        As in `is_shared`.
    resume : Path, optional
        The checkpoint file, from which the search resumes and which it updates.
    on_progress : callable, optional
        As in `solve`.
    **options
        As in `branch_and_bound` or `run_proper`.
    """
    searches = _shared_searches(problem, cluster, resume)
    options["on_progress"] = _with_workers(on_progress, searches.worker_count)
    if method == "proper":
        outcome = run_proper(problem, **options, search=searches.dichotomies)
    else:
        outcome = _solve(problem, searches=searches, **options)
    return replace(outcome, stats={**outcome.stats, **searches.stats})


def shared_front_of_pairs(
    problem: Problem,
    cluster: Cluster,
    *,
    resume: Path | None = None,
    on_progress: Listener | None = None,
    **options: Any,
) -> PairsFound:
    """Run `front_of_pairs` with the workers of a cluster.

    Parameters
    ----------
    problem : Problem
        The problem, which minimizes a rate; `is_shared` is true for it.
    cluster, resume, on_progress
        As in `shared_search`.
    **options
        As in `front_of_pairs`.
    """
    searches = _shared_searches(problem, cluster, resume)
    listener = _with_workers(on_progress, searches.worker_count)
    errors = replace(ENGINE, errors=searches.errors)
    return front_of_pairs(problem, **options, on_progress=listener, searches=errors)


def _shared_searches(problem: Problem, cluster: Cluster, resume: Path | None) -> SharedSearches:
    file = None if resume is None else CheckpointFile(resume, table_key(problem))
    return SharedSearches(cluster, file, WorkerCount())


def _with_workers(on_progress: Listener | None, worker_count: WorkerCount) -> Listener | None:
    """Return a callback that adds the number of workers to the progress."""
    if on_progress is None:
        return None

    def listener(progress: Progress) -> object:
        return on_progress(replace(progress, workers=worker_count.workers))

    return listener


def _solve(problem: Problem, *, searches: SharedSearches, **options: Any) -> Outcome:
    """Run the search for this kind of problem, or its loop of searches, on the workers."""
    if _reason_to_refuse(problem) is not None and (loop := outer_loop(problem)) is not None:
        return loop.run(problem, solve=partial(_solve, searches=searches), **options)
    if under_constraints(problem):
        return constrained_tree(problem, **options, searches=searches.constrained)
    if problem.regression:
        return regression_tree(problem, **options, search=searches.regression)
    errors = replace(ENGINE, errors=searches.errors)
    if problem.rate is not None:
        return rate_tree(
            problem, **options, searches=errors, constrained_searches=searches.constrained
        )
    if problem.plain_errors:
        return branch_and_bound(problem, **options, searches=errors)
    return class_costs_tree(problem, **options, searches=errors, search=searches.class_costs)


@contextmanager
def cluster_of(cluster: Any) -> Iterator[Cluster]:
    """Return the cluster for a value of the parameter `cluster`.

    Parameters
    ----------
    cluster : object
        A Dask client, the address of a Dask scheduler, an executor as in `concurrent.futures`, or
        a pair of such an executor and its number of workers; None for one worker in this process;
        a `Cluster` is returned unchanged.

    Raises
    ------
    ValueError, TypeError
        If it is none of these, or cannot be used; raised before any search begins.
    """
    if cluster is None:
        yield LocalCluster()
    elif callable(getattr(cluster, "call_on_one_worker", None)):
        yield cluster
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
