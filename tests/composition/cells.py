"""How a problem is solved, by the package's own checks: natively, by a loop, or as defined."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from exactree import MethodRefused, Problem, enumerate_optimal
from exactree.all_optimal import lists_natively
from exactree.any_class_limit import limited_for_each_class
from exactree.engine import (
    reason_to_refuse_all_ensembles,
    reason_to_refuse_all_trees,
    reason_to_refuse_ensemble_front,
    reason_to_refuse_front_by_limits,
)
from exactree.fronts import finds_front_natively, pareto_front
from exactree.methods import NATIVE as FORMS
from exactree.methods import chosen_form
from exactree.problem.quantities import slack_of

__all__ = ["Cell", "cell_of", "enumeration_cell", "front_cell", "same_for_all"]

NATIVE, LOOP, DEFINITION = "native", "outer loop", "definition"


@dataclass(frozen=True)
class Cell:
    """How a problem is solved.

    Attributes
    ----------
    kind : str
        "native", "outer loop" (a loop around native searches), "definition" (the specification, for
        small tables), or "refused".
    reason : str
        The message of a refusal, or why no native search serves.
    """

    kind: str
    reason: str = ""


def _attempt(cell: Callable[[], Cell]) -> Cell:
    """Return a cell, or the refusal that is raised."""
    try:
        return cell()
    except (ValueError, MethodRefused) as refusal:
        return Cell("refused", str(refusal))


def cell_of(make: Callable[[], Problem]) -> Cell:
    """Return how `solve` solves a problem.

    Parameters
    ----------
    make : callable
        Returns the problem, or raises its refusal.
    """

    def cell() -> Cell:
        problem = make()
        any_class = problem.limits_any_class
        if any_class:  # a search for each class
            problem = limited_for_each_class(problem)[0]
        form = chosen_form(problem, "auto", "native")
        if form.implementation == "spec":
            native = FORMS["witness" if problem.n_trees > 1 else "branch-and-bound"](problem)
            return Cell(DEFINITION, str(native.refusal))
        return Cell(LOOP if form.is_loop or any_class else NATIVE)

    return _attempt(cell)


def front_cell(make: Callable[[], Problem], quantities: tuple[str, ...]) -> Cell:
    """Return how `pareto_front` finds the front of some quantities; its searches form a loop."""

    def cell() -> Cell:
        problem = make()
        if finds_front_natively(problem, quantities):
            return Cell(LOOP)
        pareto_front(problem, quantities)
        several = problem.minimizing(quantities)
        if problem.n_trees > 1:
            return Cell(DEFINITION, str(reason_to_refuse_ensemble_front(several)))
        return Cell(DEFINITION, str(reason_to_refuse_front_by_limits(several)))

    return _attempt(cell)


def enumeration_cell(make: Callable[[], Problem]) -> Cell:
    """Return how `enumerate_optimal` lists all optimal solutions of a problem."""

    def cell() -> Cell:
        problem = make()
        listing = enumerate_optimal(problem)
        one_tree = problem.n_trees == 1
        refusal = reason_to_refuse_all_trees if one_tree else reason_to_refuse_all_ensembles
        if lists_natively(problem, slack_of(problem.minimize, 0)):
            return Cell(NATIVE)
        next(listing, None)
        return Cell(DEFINITION, str(refusal(problem)))

    return _attempt(cell)


def same_for_all(message: str) -> str:
    """Return a message without the value of `minimize` and numbers of rows."""
    message = re.sub(r"(minimize|quantities)=(\([^)]*\)|'[^']*')", r"\1=...", message)
    return re.sub(r"\brow \d+|'\w+'(?= is minimized)", "...", message)
