"""The statement about the proof in a report, for readers who did not run the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactree.problem import Status
from exactree.problem.quantities import shown_cost

if TYPE_CHECKING:
    from exactree.problem import Outcome

__all__ = ["ProofStatement", "proof_statement"]

_UNKNOWN = "The model has no record of the proof."


@dataclass(frozen=True)
class ProofStatement:
    """The statement about the optimality of a model.

    Attributes
    ----------
    status : str
        "proved", "not proved" or "unknown".
    sentence : str
        Its meaning.
    facts : tuple of (str, str)
        Names and values.
    """

    status: str
    sentence: str
    facts: tuple[tuple[str, str], ...]


def proof_statement(outcome: Outcome | None, kind: str) -> ProofStatement:
    """Return the statement about an outcome.

    Parameters
    ----------
    outcome : Outcome or None
        None if there is no outcome.
    kind : str
        "tree" or "ensemble".
    """
    if outcome is None or outcome.cost is None:
        return ProofStatement("unknown", _UNKNOWN, ())
    cost, bound = shown_cost(outcome.cost), shown_cost(outcome.lower_bound)
    facts = [] if outcome.problem_text is None else [("problem", f"{outcome.problem_text}.")]
    facts += [("cost", cost), ("lower bound", bound)]
    if outcome.status is Status.OPTIMAL:
        status = "proved"
        sentence = (
            f"No other {kind} within the limits costs less on these examples: its cost is {cost}, "
            f"and {bound} was proved to be a lower bound on the cost of every {kind} within them."
        )
    else:
        status = "not proved"
        stopped = f"{outcome.stopped_by} ended the search" if outcome.stopped_by else "search ended"
        sentence = (
            f"The {stopped} before the proof: this {kind} costs {cost}, and a "
            f"better one may exist, but none within the limits costs less than {bound}."
        )
        facts.append(("gap", f"{outcome.gap:.1%}"))
    seconds = outcome.stats.get("seconds")
    if isinstance(seconds, int | float):
        facts.append(("time", f"{seconds:,.3g} s" if seconds >= 0.01 else "less than 0.01 s"))
    if outcome.advice:
        facts.append(("what would help", f"{outcome.advice_text}."))
    if outcome.left_out:
        facts.append(("splits", outcome.left_out.removeprefix("; ")))
    return ProofStatement(status, sentence, tuple(facts))
