"""`solve`: choose a method, run it, and verify its cost from the predictions."""

from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any

from exactree.any_class_limit import best_over_classes, limited_for_each_class
from exactree.errors import MethodRefused
from exactree.methods import MethodForm, chosen_form
from exactree.names import answers_unknown_names
from exactree.problem import Listener, Outcome, Problem, Status
from exactree.problem.display.problem_text import problem_text
from exactree.problem.encoding.incumbent import Start, as_ensemble_incumbent, as_incumbent
from exactree.problem.parameters import checked_verbose
from exactree.problem.quantities import shown_cost
from exactree.progress import live_progress
from exactree.search_on_workers import opened_workers, refuse_undivided, run_on_workers
from exactree.search_options import checked_options, checkpoint_path
from exactree.spec.methods import NO_CONSTRAINTS
from exactree.stopping import Deadline, Interruptible, current_call, interrupted
from exactree.verified_outcome import verified, with_advice

__all__ = [
    "check_problem",
    "naming_minimum",
    "refuse_constrained",
    "solve",
    "start_from",
    "takes_incumbent",
]


@answers_unknown_names
def solve(
    problem: Problem,
    method: str = "auto",
    implementation: str = "native",
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    stop_at_gap: float = 0,
    on_progress: Listener | None = None,
    cluster: Any = None,
    resume: str | PathLike[str] | None = None,
    incumbent: Any = None,
    verbose: int = 0,
) -> Outcome:
    """Return an optimal tree or ensemble for a problem, with a proof of optimality.

    A search that is stopped early (by a limit, by Ctrl-C or by `on_progress`) returns the best
    solution found so far and a valid lower bound; that is not an error. Every cost is recounted
    from predictions before it is returned. Ctrl-C raises KeyboardInterrupt if it comes after the
    proof or while a specification runs.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    method : str
        "auto", "branch-and-bound", "proper", "witness", "box", "threshold", "support-sets" or
        "subsets".
    implementation : str
        "native", or "spec" for the readable specification of the method, which accepts only
        small tables, ignores the limits below and always runs to its end. If an ensemble has no
        native search and its specification needs about a second, method "auto" runs the
        specification.
    time_limit : float, optional
        Seconds. If the time is up before there is any tree, the search takes a tenth of a second
        more to read the table and build a greedy tree; on a small table it finishes this tree in
        any case.
    memory_limit : int, optional
        Bytes that the native search may allocate: its copy of the table and the data prepared
        from it, the workspaces of all threads, and the caches. Caches take at most half of the
        limit and evict entries when they are full. A search that needs more stops with
        ``stopped_by="memory limit"``, the best tree so far and its lower bound. The limit is
        checked together with the time limit, so a search may exceed it for a moment. Memory of
        Python, such as the table itself, and the stacks of threads are not counted. Without a
        limit the search stops in the same way when the system refuses memory. A system that
        promises more memory than it has, as Linux does by default, kills the process instead;
        set a limit there.
    n_jobs : int, optional
        Threads of the native searches for one tree that minimize errors of any kind; their number
        does not change the cost. -1 for all cores; None for the number that
        ``joblib.parallel_config`` sets, 1 without it. Other searches use one thread.
    stop_at_gap : float
        Stop when the gap is at most this, in [0, 1).
    on_progress : callable, optional
        Called with a `Progress`, at most about ten times a second; the search stops when it
        returns True.
    cluster : dask Client, str, Executor or tuple, optional
        Workers that share the search: a Dask client, the address of a Dask scheduler, an executor
        as in `concurrent.futures`, or a pair of an executor and its number of workers. A search
        for one tree that minimizes errors of any kind over trees deeper than two, without
        max_features and feature_penalty, is divided among all workers; any other search runs on
        one worker and reports no progress. An unusable cluster raises before any work.
    resume : path, optional
        A checkpoint file, with or without a cluster. The search writes its state to this file as
        it proceeds, and continues from the file if it exists. A file that belongs to another table
        is refused. Only for searches that a cluster would divide among its workers.
    incumbent : Tree, Ensemble or fitted estimator, optional
        A fitted tree of exactree or scikit-learn from which the native methods
        "branch-and-bound" and "proper" start. It is pruned to the limits and constraints. For
        problems with two or more trees, a fitted ensemble of exactree with as many, pruned to
        `max_depth` and `min_samples_leaf`: every method searches only for ensembles whose first
        quantity is not greater, if `Limits` can limit it. The incumbent never changes the optimal
        cost, only the time of the proof; if several solutions are optimal, the incumbent stays.
    verbose : int
        1 shows time, incumbent, lower bound and gap while the search runs, and the outcome at its
        end: as a live line on a terminal and in a notebook, else as lines on standard error.

    Returns
    -------
    Outcome
        Status, cost, lower bound, tree or ensemble.

    Raises
    ------
    ValueError, TypeError
        If a parameter is invalid; raised before any work.
    MethodRefused
        If the method does not accept the problem; the message names those that do.
    InternalError
        If the solution fails its recount; the message names a file that replays the failure.
    KeyboardInterrupt
        On Ctrl-C, unless the outcome reports that Ctrl-C stopped the search.
    """
    check_problem(problem)
    options = checked_options(time_limit, memory_limit, n_jobs, stop_at_gap, on_progress)
    path = checkpoint_path(resume)
    seconds = options["time_limit"]
    deadline, alone = Deadline(seconds), current_call() is None
    with Interruptible() as call, live_progress(checked_verbose(verbose), seconds) as live:
        options["on_progress"] = live.listener(problem, on_progress)
        form = None
        if problem.limits_any_class:
            options |= {"method": method, "implementation": implementation}
            outcome = _for_some_class(problem, options, incumbent, cluster=cluster, resume=path)
        else:
            form = chosen_form(problem, method, implementation)
            start, searched = None, problem
            if incumbent is not None and problem.infeasible_reason is None:
                start = start_from(problem, incumbent, form)
                searched, more = start.problem_and_options(problem)
                options |= more
            try:
                if cluster is None and path is None:
                    outcome = form.run(searched, **options)
                else:
                    if path is not None:
                        refuse_undivided(problem, form)
                    with opened_workers(cluster) as workers:
                        outcome = run_on_workers(workers, path, searched, form, options)
            except MemoryError:
                if form.implementation == "spec":
                    raise
                outcome = _without_search(problem)
            if start is not None and not form.prunes_incumbent:
                # A search that stops early may not have read the incumbent.
                outcome = start.unless_proved(problem, outcome)
            outcome = verified(problem, outcome)
        # A search that stopped early has no proof: an interrupt that came since ends the call.
        if interrupted() and outcome.status in (Status.FEASIBLE, Status.STOPPED):
            outcome = replace(outcome, stopped_by="interrupt")
        if alone and implementation == "native":
            outcome = naming_minimum(problem, outcome, deadline, memory_limit, n_jobs)
        outcome = with_advice(problem, outcome, form, options, shared=cluster is not None)
        live.last_sentence = str(outcome)
        call.answered = outcome.stopped_by == "interrupt"
        return outcome


# Seconds for the minimum number of errors, if the search that it explains took less.
_LEAST_SECONDS = 0.1


def naming_minimum(
    problem: Problem,
    outcome: Outcome,
    deadline: Deadline,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
) -> Outcome:
    """Return an outcome whose reason names the minimum errors, if too small a max_errors is it.

    The search without `max_errors` takes at most as long as the search that failed, or a tenth of
    a second, within the time limit. Calls that run many searches do not use it.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    outcome : Outcome
        Its outcome.
    deadline : Deadline
        The deadline of the call.
    memory_limit, n_jobs
        As in `solve`.
    """
    named = f"max_errors={problem.max_errors}" in (outcome.reason or "")
    prices = problem.leaf_penalty or problem.feature_constraints.prices
    plain = problem.plain_errors and problem.n_trees == 1 and not prices
    if outcome.status is not Status.INFEASIBLE or not named or not plain:
        return outcome
    seconds = max(outcome.stats.get("seconds", 0.0), _LEAST_SECONDS)
    left = deadline.left()
    seconds = seconds if left is None else min(seconds, left)
    first = problem.quantities[0] == "errors"
    way_out = "leave out max_errors" if first else "minimize errors without max_errors"
    reason = f"{outcome.reason}; {way_out} to see the minimum"
    if seconds > 0 and problem.limits.max_depth is not None:
        free = problem.with_errors_alone()
        free = free.within(replace(free.limits, max_errors=None))
        with Interruptible():  # a nested call, which explains no reason
            best = solve(free, time_limit=seconds, memory_limit=memory_limit, n_jobs=n_jobs)
        if best.status is Status.INFEASIBLE:  # the other limits alone leave no tree
            return outcome
        if best.status is Status.OPTIMAL and best.cost is not None:
            reason = (
                f"max_errors={problem.max_errors}, but the minimum within the other limits is "
                f"{shown_cost(best.cost)} errors"
            )
    return replace(outcome, reason=reason)


def _for_some_class(
    problem: Problem, options: dict[str, Any], incumbent: Any, **shared: Any
) -> Outcome:
    """Return the best tree that meets an integer `max_leaves_of` for at least one class."""
    options = dict(options)
    time_limit = options.pop("time_limit")
    solve_for_class = partial(solve, **options, **shared)
    outcome = best_over_classes(problem, solve_for_class, time_limit, incumbent)
    return replace(outcome, problem_text=problem_text(problem))


def takes_incumbent(problem: Problem, method: str, implementation: str) -> bool:
    """Return whether `solve` can start from an incumbent.

    Parameters
    ----------
    problem, method, implementation
        As in `solve`.
    """
    if problem.limits_any_class:
        problem = limited_for_each_class(problem)[0]
    return problem.n_trees == 1 and chosen_form(problem, method, implementation).takes_incumbent


def start_from(problem: Problem, model: Any, form: MethodForm) -> Start:
    """Return a fitted tree as a tree of the problem, or a fitted ensemble as one of its ensembles.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    model : Tree, Ensemble or fitted estimator
        The tree or the ensemble.
    form : MethodForm
        The method that is to start from it.

    Raises
    ------
    TypeError, ValueError
        If the method takes no incumbent, or the model is no tree of the problem.
    """
    if problem.n_trees > 1:
        return as_ensemble_incumbent(problem, model)
    if not form.takes_incumbent:
        raise ValueError(
            "incumbent is for method='branch-and-bound' or 'proper' with implementation='native', "
            f"not for method={form.method!r} with implementation={form.implementation!r}."
        )
    return as_incumbent(problem, model, checks_constraints=not form.prunes_incumbent)


def _without_search(problem: Problem) -> Outcome:
    from exactree.engine import without_search

    return without_search(problem, "memory limit")


def check_problem(problem: Any) -> None:
    """Raise TypeError unless an object is a `Problem`.

    Parameters
    ----------
    problem : object
        The user's argument.
    """
    if not isinstance(problem, Problem):
        raise TypeError(
            f"problem must be a Problem(X, y, ...), got {type(problem).__name__}; solve a "
            "table by solve(Problem(X, y, limits=Limits(max_depth=...)))."
        )


def refuse_constrained(problem: Problem, what: str) -> None:
    """Raise MethodRefused for a problem under constraints.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    what : str
        The function or method that does not support constraints, for the message.
    """
    if problem.constrained:
        raise MethodRefused(
            f"{what} does not accept this problem: {NO_CONSTRAINTS}, because it joins trees of the "
            "two children of a node whatever features and leaves they have; use solve."
        )
