"""Verification of an outcome by a recount; completion of its statistics and advice."""

from dataclasses import replace
from typing import Any

from exactree.methods import MethodForm
from exactree.problem import Outcome, Problem, Progress
from exactree.problem.display.advice import advice_after
from exactree.problem.display.problem_text import problem_text
from exactree.problem.verification.recount import note_float32, recount

__all__ = ["tied_rows", "verified", "with_advice"]


def verified(problem: Problem, outcome: Outcome) -> Outcome:
    """Recount an outcome, and complete its statistics.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    outcome : Outcome
        An outcome of any origin.

    Raises
    ------
    InternalError
        If the solution fails its recount.
    """
    recount(problem, outcome)
    dataset = problem.dataset
    stats = {
        **outcome.stats,
        "weight_scale": dataset.weight_scale,
        "weight_rounding": dataset.weight_rounding,
        **tied_rows(problem, outcome),
        **_with_final_progress(outcome),
    }
    text, names = problem_text(problem), problem.cost_names
    completed = replace(outcome, stats=stats, problem_text=text, cost_names=names)
    return note_float32(problem, completed)


def tied_rows(problem: Problem, outcome: Outcome) -> dict[str, int]:
    """Count the rows on which the votes of an ensemble tie, for the statistics of an outcome.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    outcome : Outcome
        The outcome of the search.

    Returns
    -------
    dict
        "tied_rows" for the outcome's `stats`; empty for one tree.
    """
    if outcome.ensemble is None:
        return {}
    votes = outcome.ensemble.votes_of(problem.dataset.X)
    return {"tied_rows": int(outcome.ensemble.tied(votes).sum())}


def _with_final_progress(outcome: Outcome) -> dict[str, list[Progress]]:
    """Return the recorded progress with the outcome appended: a search does not record its end."""
    if "progress" not in outcome.stats:
        return {}
    moments = list(outcome.stats["progress"])
    final = (outcome.cost, outcome.lower_bound)
    if not moments or (moments[-1].cost, moments[-1].lower_bound) != final:
        seconds = [outcome.stats["seconds"], *(moment.seconds for moment in moments[-1:])]
        moments.append(Progress(*final, max(seconds)))
    return {"progress": moments}


def with_advice(
    problem: Problem,
    outcome: Outcome,
    form: MethodForm | None,
    options: dict[str, Any],
    *,
    shared: bool,
) -> Outcome:
    """Return an outcome with what would help a search that stopped early.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    outcome : Outcome
        The outcome of its search.
    form : MethodForm or None
        The method; None if several searches were run by branch and bound.
    options : dict
        The options of the search.
    shared : bool
        Whether workers shared the search, which have their own threads.
    """
    advice = advice_after(
        problem,
        outcome,
        options,
        uses_threads=(form is None or form.uses_threads) and not shared,
        stops_at_gap=form is None or form.stops_at_gap,
    )
    return replace(outcome, advice=advice)
