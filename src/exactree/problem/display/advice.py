"""Advice after a search that stopped early: what would help, with the numbers at hand.

Only changes that apply are named: no more threads if the search takes none or all cores are used,
no gap to stop at if the lower bound is still trivial.
"""

from math import ceil
from typing import Any

from exactree.data.notes import identifiers
from exactree.data.parameters import count
from exactree.objectives import ENSEMBLE_OBJECTIVES
from exactree.problem.outcome import ROUNDED, Outcome, Status, Suggestion
from exactree.problem.parameters import number_of_threads
from exactree.problem.problem import Problem
from exactree.problem.quantities import shown_cost

__all__ = ["advice_after", "limits_advice", "time_advice"]

# A first depth for a problem that has no limit on it; the default of the estimators.
_FIRST_DEPTH = 3


def advice_after(
    problem: Problem,
    outcome: Outcome,
    options: dict[str, Any],
    *,
    uses_threads: bool,
    stops_at_gap: bool,
) -> tuple[Suggestion, ...]:
    """Return what would help a search that stopped early; nothing after a proof.

    Parameters
    ----------
    problem : Problem
        The problem.
    outcome : Outcome
        The outcome of its search.
    options : dict
        The time_limit, memory_limit, n_jobs and stop_at_gap of the search.
    uses_threads, stops_at_gap : bool
        Whether n_jobs and stop_at_gap have an effect on this search.
    """
    if outcome.status not in (Status.FEASIBLE, Status.STOPPED):
        return ()
    if outcome.advice:
        return outcome.advice  # the search knows better
    # The searches for the size or depth of one tree may use one thread, and stop at no gap.
    by_errors = problem.quantities[0] == problem.error_term
    match outcome.stopped_by:
        case "time limit":
            advice = [time_advice(options["time_limit"])]
            if uses_threads and by_errors:
                advice += _threads_advice(options["n_jobs"])
        case "memory limit":
            advice = _memory_advice(options["memory_limit"], options["n_jobs"])
        case "gap":
            return (Suggestion("stop_at_gap", "a smaller", note=f"{options['stop_at_gap']:g} now"),)
        case "loss of the cluster":
            return (Suggestion("resume", "a file for", note="it keeps the proof so far"),)
        case by if by == ROUNDED:
            return (Suggestion("sample_weight", "weights of few digits in"),)
        case _:  # the user stopped it
            return ()
    advice = [*_columns_advice(problem), *advice, *limits_advice(problem)]
    if stops_at_gap and (by_errors or problem.n_trees > 1):
        advice += _gap_advice(outcome.gap)
    return tuple(advice)


def time_advice(seconds: float | None) -> Suggestion:
    """Return the advice to search longer.

    Parameters
    ----------
    seconds : float or None
        The seconds that were used, if they are known.
    """
    used = "" if seconds is None else f"{seconds:.3g} s used"
    return Suggestion("time_limit", "a longer", note=used)


def limits_advice(problem: Problem) -> list[Suggestion]:
    """Return the limits that would make the search of a problem shorter.

    Parameters
    ----------
    problem : Problem
        The problem.
    """
    limits = problem.limits
    advice = []
    if problem.quantities[0] in _SIZES:
        allowed = 0 if problem.max_errors is None else problem.max_errors
        advice.append(Suggestion("max_errors", "a larger", note=f"{shown_cost(allowed)} now"))
    elif limits.max_depth is None:
        note = "a leaf_penalty alone is slow" if problem.leaf_penalty else "no limit now"
        if limits.max_size is not None and not problem.leaf_penalty:
            note = "a max_size alone is slow"
        advice.append(Suggestion("max_depth", value=str(_FIRST_DEPTH), note=note))
    elif limits.max_depth > 1:
        note = "each level often takes over ten times as long"
        advice.append(Suggestion("max_depth", value=str(limits.max_depth - 1), note=note))
    if problem.n_trees > 2:
        advice.append(Suggestion("n_trees", value=str(problem.n_trees - 1)))
    return advice


_SIZES = {"size", "depth", *ENSEMBLE_OBJECTIVES}


def _threads_advice(n_jobs: int) -> list[Suggestion]:
    """Return the advice to use all cores, unless they are in use."""
    cores = number_of_threads(-1)
    if n_jobs >= cores:
        return []
    return [Suggestion("n_jobs", value="-1", note=f"{n_jobs} of {cores} cores used")]


def _memory_advice(memory_limit: int | None, n_jobs: int) -> list[Suggestion]:
    """Return the advice to allow more memory, or to need less."""
    if memory_limit is None:
        advice = []  # the system has refused memory
    else:
        note = f"{memory_limit / 2**20:,.3g} MiB now"
        advice = [Suggestion("memory_limit", "a larger", note=note)]
    if n_jobs > 1:
        advice.append(
            Suggestion("n_jobs", value="1", note=f"each of {n_jobs} threads takes memory")
        )
    return advice


def _columns_advice(problem: Problem) -> list[Suggestion]:
    """Return the advice to leave out identifiers, each level of which is a column to search."""
    dataset = problem.dataset
    names = [dataset.feature_names[column] for column in identifiers(dataset)]
    if not names:
        return []
    noun = "column" if len(names) == 1 else "columns"
    note = f"a distinct text in each of {count(len(dataset.X), 'row')}"
    return [Suggestion("X", f"no {noun} {', '.join(map(repr, names))} in", note=note)]


def _gap_advice(gap: float) -> list[Suggestion]:
    """Return the advice to stop at a gap that this search has reached."""
    if gap > 0.95:
        return []
    reached = ceil(gap * 20) / 20
    return [Suggestion("stop_at_gap", value=f"{reached:g}", note="if such a gap is enough")]
