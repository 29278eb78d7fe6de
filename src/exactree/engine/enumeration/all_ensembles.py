"""Native enumeration of all optimal ensembles, if the total size is minimized."""

from collections.abc import Sequence
from fractions import Fraction

from exactree.engine.enumeration.all_trees import reason_to_refuse_columns
from exactree.engine.native import allowed_errors, list_ensembles
from exactree.engine.oblique.memory import columns_within
from exactree.engine.prepare import Timer
from exactree.engine.single_objective.ensembles import reason_to_refuse_ensemble
from exactree.errors import MethodRefused
from exactree.problem import Problem
from exactree.problem.verification.recount import errors_of_found
from exactree.stopping import Stopped
from exactree.trees import Ensemble
from exactree.trees.arrays import grow

__all__ = ["MAX_ENSEMBLES", "all_ensembles", "reason_to_refuse_all_ensembles"]

# Every ensemble is kept, in about a kilobyte, so that it is listed once.
MAX_ENSEMBLES = 100_000


def reason_to_refuse_all_ensembles(problem: Problem, slack: Sequence[Fraction] = ()) -> str | None:
    """Return None if the optimal ensembles of a problem are listed natively, else the reason.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of two or more trees.
    slack : sequence of Fraction
        The slack of each quantity; empty means 0.
    """
    if any(slack):
        # The search finds an ensemble only if none of its nodes can be removed.
        return "its native enumeration supports no slack"
    if (why := reason_to_refuse_columns(problem)) is not None:
        return why
    if "total_size" not in problem.quantities:
        # If only the largest size is minimized, smaller trees may have nodes that can be removed.
        return "its native enumeration requires that the total size is minimized"
    if not {"total_size", "largest_size", "errors"}.issuperset(problem.quantities):
        return "its native enumeration supports sizes and errors only"
    if problem.min_rows > 1 or problem.limits_any_class or problem.leaf_limits:
        return "its native enumeration supports neither min_samples_leaf nor max_leaves_of"
    return reason_to_refuse_ensemble("witness", problem)


def all_ensembles(
    problem: Problem, ensemble: Ensemble, limit: int | None, time_limit: float | None
) -> tuple[list[Ensemble], bool]:
    """Return optimal ensembles, each once, and whether these are all of them.

    Parameters
    ----------
    problem : Problem
        The problem to solve; `reason_to_refuse_all_ensembles` must return None for it.
    ensemble : Ensemble
        An optimal ensemble.
    limit : int or None
        The maximum number of ensembles to list.
    time_limit : float or None
        Seconds.

    Raises
    ------
    MethodRefused
        If there are more than `MAX_ENSEMBLES`, and `limit` is None or larger.
    KeyboardInterrupt
        On Ctrl-C.
    """
    timer = Timer(time_limit)
    try:
        # A test for a code and its opposite are different rules, so they make different trees.
        columns = columns_within(problem, None, opposites=True, check=timer.check)
    except Stopped:
        return [], False
    encoded, total = columns.problem, ensemble.total_size
    largest = total if problem.max_tree_size is None else min(total, problem.max_tree_size)
    if "largest_size" in problem.quantities:
        largest = ensemble.largest_size
    errors = allowed_errors(problem)
    if "errors" in problem.quantities:
        errors = errors_of_found(problem, ensemble)
    max_count = MAX_ENSEMBLES + 1
    if limit is not None and limit <= MAX_ENSEMBLES:
        max_count = limit
    result = list_ensembles(encoded, (total, largest), errors, max_count, timer.left())
    if result.stopped_by == "interrupt":
        raise KeyboardInterrupt
    if len(result.ensembles) > MAX_ENSEMBLES:
        raise MethodRefused(
            f"There are more than {MAX_ENSEMBLES:,} optimal ensembles, which are too many to "
            "list; give a limit up to that, or minimize more quantities."
        )
    ensembles = [
        Ensemble(tuple(columns.lift_tree(grow(encoded.dataset, *tree)) for tree in trees))
        for trees in result.ensembles
    ]
    return ensembles, result.complete
