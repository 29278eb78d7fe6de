"""Branch and bound for one tree and plain errors: accepted problems, start, and stages."""

from collections.abc import Mapping

from exactree.engine.lexicographic.initial_tree import initial_tree
from exactree.engine.lexicographic.one_quantity import Searches
from exactree.engine.lexicographic.stages import through_stages
from exactree.engine.native import minimum_errors, minimum_size
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.switches import checked_switches
from exactree.engine.prepare import encode_before_deadline, timer_of
from exactree.errors import MethodRefused
from exactree.problem import Listener, Outcome, Problem
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.encoding.decoding import decode_outcome
from exactree.problem.encoding.incumbent import Incumbent
from exactree.trees.arrays import ArrayNode, grow

__all__ = ["ENGINE", "branch_and_bound", "reason_to_refuse"]

ENGINE: Searches[list[ArrayNode]] = Searches(
    minimum_errors, minimum_size, lambda problem, nodes: grow(problem.dataset, nodes)
)


def reason_to_refuse(problem: Problem) -> str | None:
    """Return None if the native engine accepts a problem, else the reason as a clause.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    if not problem.plain_errors:
        return "its lexicographic searches count the weight of errors, not other costs"
    if problem.n_trees > 1:
        return "its search for one tree does not take n_trees"
    if problem.limits.max_leaves_of is not None:
        return _reason_to_refuse_leaves(problem)
    if problem.leaf_penalty and problem.max_errors is not None:
        return "its native form does not take leaf_penalty and max_errors together"
    if problem.leaf_penalty and problem.quantities[-1] != "errors":
        return "its native form does not take leaf_penalty with another quantity after errors"
    return None


def _reason_to_refuse_leaves(problem: Problem) -> str | None:
    """Return the reason why the native engine does not accept max_leaves_of, None if it does.

    The search for the fewest nodes relies on monotonicity: fewer examples never need more nodes. If
    errors are allowed, a leaf predicts its majority, and with fewer examples the majority may be a
    class whose leaves are limited to zero.
    """
    if "errors" in problem.quantities or problem.max_error_weight != 0:
        return "its native form takes max_leaves_of for minimum size or depth without errors only"
    if problem.min_rows > 1:
        return "its native form does not take max_leaves_of with min_samples_leaf"
    return None


def branch_and_bound(
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Listener | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Incumbent | None = None,
    searches: Searches[list[ArrayNode]] = ENGINE,
) -> Outcome:
    """Return the best tree for a problem by the native engine.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    time_limit : float, optional
        Seconds.
    memory_limit : int, optional
        Bytes that the search may hold, as in `solve`; caches take at most half.
    n_jobs : int
        Threads; searches for errors use them.
    stop_at_gap : float
        Stop when the gap of the quantity that is being minimized is at most this.
    on_progress : callable, optional
        Called with a `Progress` at most ten times a second; returning True stops. An exception
        in it stops the search and is raised.
    switches : mapping of str to bool, optional
        Accelerators to turn off or on, by name (see `accelerators`).
    incumbent : Incumbent, optional
        A tree from which the search starts.
    searches : Searches
        The native searches to run.

    Returns
    -------
    Outcome
        The outcome of the search.

    Raises
    ------
    ValueError
        If a switch does not exist.
    MethodRefused
        If this engine does not accept the problem (see `reason_to_refuse`).
    InternalError
        If the native search failed; the message names a file with the problem.
    """
    why = reason_to_refuse(problem)
    if why is not None:
        raise MethodRefused(f"The engine does not accept this problem: {why}.")
    chosen = checked_switches(switches)
    if problem.infeasible_reason is not None:
        return infeasible(problem)
    timer = timer_of(problem, time_limit, on_progress)
    encoded = encode_before_deadline(problem, timer, memory_limit, pairs=True)
    if isinstance(encoded, Outcome):
        return encoded
    nodes = None if incumbent is None else incumbent.nodes_in(encoded)
    start = None
    if incumbent is not None and nodes is not None:
        start = initial_tree(problem, incumbent.tree, nodes)
    options = SearchOptions(timer.left(), memory_limit, stop_at_gap, None, chosen, n_jobs)
    found = through_stages(encoded.problem, options, on_progress, searches, start)
    return decode_outcome(encoded, found, timer.stopped)
