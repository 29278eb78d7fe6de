"""How a problem is solved, by the package's own checks: natively, by a loop, or as defined."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from exactree import Limits, MethodRefused, Problem, enumerate_optimal, solve
from exactree.all_optimal import lists_natively
from exactree.any_class_limit import limits_any_class
from exactree.distributed import is_shared
from exactree.fronts import finds_front_natively, pareto_front
from exactree.methods import chosen_form
from exactree.problem.quantities import slack_of

__all__ = [
    "Cell", "cell_of", "enumeration_cell", "front_cell", "option_cells", "same_for_all",
]  # fmt: skip

NATIVE, LOOP, DEFINITION = "native", "outer loop", "definition"


@dataclass(frozen=True)
class Cell:
    """How a problem is solved, or what an option of its search does.

    Attributes
    ----------
    kind : str
        "native", "outer loop" (a loop around native searches), "definition" (the specification, for
        small tables), or "refused"; for an option its effect, such as "threads" or "no effect".
    reason : str
        The message of a refusal.
    """

    kind: str
    reason: str = ""


def _attempt(kind_of: Callable[[], str]) -> Cell:
    """Return a kind as a cell, or the refusal that is raised."""
    try:
        return Cell(kind_of())
    except (ValueError, MethodRefused) as refusal:
        return Cell("refused", str(refusal))


def cell_of(make: Callable[[], Problem]) -> Cell:
    """Return how `solve` solves a problem.

    Parameters
    ----------
    make : callable
        Returns the problem, or raises its refusal.
    """

    def kind() -> str:
        problem = make()
        any_class = limits_any_class(problem)
        if any_class:  # a search for each class
            limits = replace(problem.limits, max_leaves_of={problem.dataset.classes[0]: 1})
            problem = problem.within(limits)
        form = chosen_form(problem, "auto", "native")
        if form.implementation == "spec":
            return DEFINITION
        return LOOP if form.is_loop or any_class else NATIVE

    return _attempt(kind)


def front_cell(make: Callable[[], Problem], quantities: tuple[str, ...]) -> Cell:
    """Return how `pareto_front` finds the front of some quantities; its searches form a loop."""

    def kind() -> str:
        problem = make()
        if finds_front_natively(problem, quantities):
            return LOOP
        pareto_front(problem, quantities)
        return DEFINITION

    return _attempt(kind)


def enumeration_cell(make: Callable[[], Problem]) -> Cell:
    """Return how `enumerate_optimal` lists all optimal solutions of a problem."""

    def kind() -> str:
        problem = make()
        listing = enumerate_optimal(problem)
        if lists_natively(problem, slack_of(problem.minimize, 0)):
            return NATIVE
        next(listing, None)
        return DEFINITION

    return _attempt(kind)


def _incumbent(problem: Problem) -> Cell:
    """Return whether a search can start from its own solution, which satisfies all constraints."""
    outcome = solve(problem)
    tree = outcome.tree if outcome.ensemble is None else outcome.ensemble.trees[0]
    if tree is None:  # no tree is within the limits
        tree = solve(problem.with_trees(1).within(Limits(max_depth=1))).tree

    def kind() -> str:
        solve(problem, incumbent=tree)
        return "yes"

    return _attempt(kind)


def _resume(problem: Problem) -> Cell:
    def kind() -> str:
        with TemporaryDirectory() as folder:
            solve(problem, resume=Path(folder) / "run.json")
        return "yes"

    return _attempt(kind)


def option_cells(random: Random, make: Callable[[Random], Problem]) -> dict[str, Cell]:
    """Return what the options of `solve` do, by the name of the option.

    Parameters
    ----------
    random : Random
        The source of the table.
    make : callable
        Returns the problem.
    """
    problem = make(random)
    deep = problem.within(replace(problem.limits, max_depth=3))
    form = chosen_form(problem, "auto", "native")
    shared = is_shared(deep, form.method)
    return {
        "`n_jobs`": Cell("threads" if form.uses_threads else "one thread"),
        "`stop_at_gap`": Cell("yes" if form.stops_at_gap else "no effect"),
        "`cluster`": Cell("all workers" if shared else "one worker"),
        "`resume`": _resume(deep),
        "`incumbent`": _incumbent(problem),
    }


def same_for_all(message: str) -> str:
    """Return a message without the value of `minimize` and numbers of rows."""
    message = re.sub(r"(minimize|quantities)=(\([^)]*\)|'[^']*')", r"\1=...", message)
    return re.sub(r"\brow \d+|'\w+'(?= is minimized)", "...", message)
