"""One search of a call by the workers of a cluster, with or without a checkpoint file."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactree.methods import MethodForm, run_form
from exactree.problem import Outcome, Problem
from exactree.stopping import immediate_interrupts

if TYPE_CHECKING:
    from exactree.distributed.pool import Cluster

__all__ = ["is_divided", "opened_workers", "refuse_undivided", "run_on_workers"]


def is_divided(problem: Problem, form: MethodForm) -> bool:
    """Return whether a cluster divides a search among its workers; else one worker runs it alone.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    form : MethodForm
        The method that accepts it.
    """
    from exactree.distributed import is_shared

    return form.implementation == "native" and is_shared(problem, form.method)


def refuse_undivided(problem: Problem, form: MethodForm) -> None:
    """Raise ValueError unless a search can be divided, and so be saved and resumed.

    Parameters
    ----------
    problem, form
        As in `is_divided`.
    """
    if not is_divided(problem, form):
        raise ValueError(
            "resume is for searches that can be divided among workers: the file lists the tasks "
            "that are done. This search is one task, which would begin again; start it from the "
            "solution of a stopped search by incumbent."
        )


@contextmanager
def opened_workers(cluster: Any) -> Iterator["Cluster"]:
    """Return the workers of a cluster; an unusable cluster raises before any work.

    Parameters
    ----------
    cluster : object
        As in `solve`; None for this process as the only worker.
    """
    from exactree.distributed import cluster_of

    with ExitStack() as stack:
        with immediate_interrupts():
            workers = stack.enter_context(cluster_of(cluster))
        yield workers


def run_on_workers(
    workers: "Cluster",
    checkpoint: Path | None,
    problem: Problem,
    form: MethodForm,
    options: dict[str, Any],
) -> Outcome:
    """Run a search on all workers of a cluster if it can be divided, else on one worker.

    Parameters
    ----------
    workers : Cluster
        The workers.
    checkpoint : Path or None
        The file from which a divided search resumes, and which it updates.
    problem, form
        As in `is_divided`.
    options : dict
        The keywords of the form's `run`.
    """
    from exactree.distributed import shared_search

    if is_divided(problem, form):
        return shared_search(problem, workers, form.method, resume=checkpoint, **options)
    names, own_options = (form.method, form.implementation), options | {"on_progress": None}
    with immediate_interrupts():
        outcome: Outcome = workers.call_on_one_worker(run_form, *names, problem, own_options)
    return outcome
