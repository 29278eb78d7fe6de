"""The papers' own methods in their native form: box, subsets, threshold, witness; fewest nodes."""

from collections.abc import Callable, Mapping
from typing import Any

from exactree.engine.border import Caps, How, checked_switches, paper_method
from exactree.engine.stages import one_stage
from exactree.problem import Outcome, Problem, Progress
from exactree.problem.reasons import infeasible

__all__ = ["PAPERS", "accepts_paper", "run_paper"]

# What each takes besides fewest nodes of one tree: errors, and limits on the leaves of a class.
PAPERS: dict[str, frozenset[str]] = {
    "box": frozenset(),
    "subsets": frozenset({"errors"}),
    "threshold": frozenset({"leaves"}),
    "witness": frozenset({"errors"}),
}


def accepts_paper(method: str, problem: Problem) -> str | None:
    """Return None for a problem the native form of a method accepts, else in one clause why not.

    Parameters
    ----------
    method : str
        A key of `PAPERS`.
    problem : Problem
        What is asked.
    """
    takes, limits = PAPERS[method], problem.limits
    refused = {
        "one tree only": problem.n_trees > 1,
        "minimize='size' only": problem.quantities != ("size",),
        "no max_depth": limits.max_depth is not None,
        "no min_samples_leaf": problem.min_rows > 1,
        "no errors": "errors" not in takes and problem.most_errors != 0,
        "no max_leaves_of": "leaves" not in takes and limits.max_leaves_of is not None,
    }
    why = next((clause for clause, true in refused.items() if true), None)
    return None if why is None else f"its native form takes {why}"


def run_paper(
    method: str,
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    stop_at_gap: float = 0.0,
    on_progress: Callable[[Progress], object] | None = None,
    switches: Mapping[str, bool] | None = None,
) -> Outcome:
    """Return the smallest tree for a problem by one of the papers' methods.

    Parameters
    ----------
    method : str
        A key of `PAPERS`.
    problem : Problem
        What is asked; `accepts_paper` must take it.
    time_limit, memory_limit, stop_at_gap, on_progress
        As in `solve`; the gap is not minded.
    switches : mapping of str to bool, optional
        Accelerators to turn off or on, by name (see `accelerators`).

    Returns
    -------
    Outcome
        However the search ended.

    Raises
    ------
    ValueError
        If a switch does not exist.
    MethodRefused
        If the table is too large for the method.
    InternalError
        If the core failed; the message names a file with the problem.
    """
    chosen = checked_switches(method, switches)
    if problem.infeasible_reason is not None:
        return infeasible(problem)

    def stage(asked: Problem, caps: Caps, how: How) -> dict[str, Any]:
        return paper_method(method, asked, caps, how)

    how = How(time_limit, memory_limit, stop_at_gap, None, chosen)
    return one_stage(problem, stage, how, on_progress)
