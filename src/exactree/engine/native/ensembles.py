"""Calls of the searches for ensembles: an optimal ensemble, and all ensembles of minimum sizes."""

from exactree import _native
from exactree.engine.native.border import EnsembleListResult, EnsembleResult
from exactree.engine.native.call import examples_of, refused_by, replay_of
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import EnsembleListSettings, EnsembleSettings
from exactree.problem import Problem

__all__ = ["allowed_errors", "ensemble_method", "list_ensembles"]


def ensemble_method(method: str, problem: Problem, options: SearchOptions) -> EnsembleResult:
    """Search for the ensemble with the fewest nodes or errors, or the minimum depth.

    Parameters
    ----------
    method : str
        "branch-and-bound", "witness" or "subsets".
    problem : Problem
        The table, the quantities to minimize, and the limits on sizes, depth, leaves and errors.
    options : SearchOptions
        Limits of the search.

    Returns
    -------
    EnsembleResult
        The result of the native module; the lower bound is a list with an entry for every
        quantity, and a tree is a pair of its nodes and the classes of its leaves.

    Raises
    ------
    MethodRefused
        If the table is too large for the method.
    """
    settings = EnsembleSettings(
        resources=options.resources,
        n_trees=problem.n_trees,
        quantities=list(problem.quantities),
        errors=allowed_errors(problem),
        max_size=problem.limits.max_size,
        max_depth=problem.limits.max_depth,
        max_total_size=problem.limits.max_total_size,
        min_samples_leaf=problem.min_rows,
        leaves=_leaves_by_class(problem),
        stop_at_gap=options.stop_at_gap,
    )
    examples = examples_of(problem)
    with refused_by(method), replay_of(problem):
        return _native.ensemble_method(method, examples, settings, options.callback)


def _leaves_by_class(problem: Problem) -> list[int]:
    """Return the maximum number of leaves per tree for each class; empty without limits.

    A tree has at most as many leaves as the table has rows, so that number means no limit.
    """
    rows, classes = len(problem.dataset.X), range(len(problem.dataset.classes))
    limits = problem.leaf_limits
    return [min(limits.get(label, rows), rows) for label in classes] if limits else []


def allowed_errors(problem: Problem) -> int:
    """Return the integer weight that an ensemble may misclassify.

    Parameters
    ----------
    problem : Problem
        The problem; the result is its limit on errors, or the total weight without a limit.
    """
    limit = problem.max_error_weight
    return problem.dataset.total_weight if limit is None else limit


def list_ensembles(
    problem: Problem, sizes: tuple[int, int], errors: int, max_count: int, time_limit: float | None
) -> EnsembleListResult:
    """List all ensembles of minimum sizes for a number of errors.

    Parameters
    ----------
    problem : Problem
        The table, the number of trees and the limit on depth.
    sizes : pair of int
        Maximum nodes of all trees together, and of the largest tree.
    errors : int
        Maximum misclassified integer weight, with which no smaller sizes suffice.
    max_count : int
        Maximum number of ensembles to list.
    time_limit : float or None
        Seconds.

    Returns
    -------
    EnsembleListResult
        `ensembles`, with trees as in `ensemble_method`; `complete` says whether these are all.

    Raises
    ------
    MethodRefused
        If the table is too large.
    """
    settings = EnsembleListSettings(
        resources=SearchOptions.within(time_limit).resources,
        n_trees=problem.n_trees,
        errors=errors,
        max_depth=problem.limits.max_depth,
        sizes=sizes,
        max_count=max_count,
    )
    examples = examples_of(problem)
    with refused_by("witness"), replay_of(problem):
        return _native.list_ensembles(examples, settings)
