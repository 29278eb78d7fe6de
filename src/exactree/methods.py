"""The native form and the specification of every method, and the choice of one for a problem.

The engine is imported when it is called, so that specifications run without the native module.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from exactree.errors import MethodRefused
from exactree.names import suggested_method
from exactree.problem import Outcome, Problem
from exactree.spec.effort import few_ensembles
from exactree.spec.methods import METHODS, NO_CONSTRAINTS, accepting
from exactree.stopping import immediate_interrupts

__all__ = ["NATIVE", "MethodForm", "chosen_form", "run_form", "run_native"]


@dataclass(frozen=True)
class MethodForm:
    """A method in one implementation, for one problem.

    Attributes
    ----------
    method, implementation : str
        As in `solve`.
    refusal : str or None
        The reason, as a clause, why the form does not accept the problem; None if it does.
    run : callable
        Called with the problem and the keywords time_limit, memory_limit, n_jobs, stop_at_gap and
        on_progress.
    is_loop : bool
        Whether a loop in Python calls several native searches.
    uses_threads, stops_at_gap : bool
        Whether n_jobs and stop_at_gap have an effect.
    prunes_incumbent : bool
        Whether the search prunes the tree of an incumbent to satisfy the constraints.
    """

    method: str
    implementation: str
    refusal: str | None
    run: Callable[..., Outcome]
    is_loop: bool = False
    uses_threads: bool = True
    stops_at_gap: bool = True
    prunes_incumbent: bool = False

    @property
    def takes_incumbent(self) -> bool:
        """Whether the search can start from an incumbent, in a problem of one tree."""
        return self.implementation == "native" and self.method in (_ENGINE, "proper")


def chosen_form(problem: Problem, method: str, implementation: str) -> MethodForm:
    """Return the form in which a problem is solved.

    "auto" chooses "proper" where it is the fastest method (most problems with hyperplanes or
    hypersurfaces), else branch and bound, if it accepts the problem, else the first method that
    does.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    method, implementation : str
        As in `solve`.

    Raises
    ------
    ValueError
        If there is no such method or implementation.
    MethodRefused
        If the form does not accept the problem; the message names the forms that do.
    """
    if implementation not in ("native", "spec"):
        raise ValueError(f"implementation must be 'native' or 'spec', got {implementation!r}.")
    given: object = method
    if method == "auto":
        form = _fastest(problem) if implementation == "native" else _spec(problem, _ENGINE)
    elif isinstance(given, str) and method in METHODS:
        form = NATIVE[method](problem) if implementation == "native" else _spec(problem, method)
    else:
        names = " or ".join(repr(name) for name in ("auto", *METHODS))
        ending = suggested_method(method, ("auto", *METHODS))
        raise ValueError(f"method must be {names}, got {method!r}{ending}")
    if form.refusal is not None:
        raise MethodRefused(
            f"method={form.method!r} with implementation={form.implementation!r} does not accept "
            f"this problem: {form.refusal}; {_accepting_forms(problem)}."
        )
    return form


def _fastest(problem: Problem) -> MethodForm:
    """Return the native form that is likely to be the fastest."""
    from exactree.engine import prefers_proper

    proper = NATIVE["proper"](problem)
    if proper.refusal is None and prefers_proper(problem):
        return proper
    # For ensembles, the table of "subsets" fits into memory for a few rows only.
    names = [name for name in NATIVE if problem.n_trees == 1 or name != "subsets"]
    accepted = (form for name in names if (form := NATIVE[name](problem)).refusal is None)
    found = next(accepted, None)
    if found is not None:
        return found
    if problem.n_trees > 1:
        if few_ensembles(problem):
            return _spec(problem, _ENGINE)  # the definition accepts every ensemble
        return NATIVE["witness"](problem)
    return NATIVE[_ENGINE](problem)


def _accepting_forms(problem: Problem) -> str:
    """Name the methods that accept a problem."""
    native = [name for name, form in NATIVE.items() if form(problem).refusal is None]
    by_implementation = {"native": native, "spec": accepting(problem)}
    accepted = [
        f"{' or '.join(repr(name) for name in names)} with implementation={form!r}"
        for form, names in by_implementation.items()
        if names
    ]
    small = "" if native else ", which takes small tables only"
    return f"use {', or '.join(accepted)}{small}" if accepted else "no method accepts it"


def run_form(
    method: str, implementation: str, problem: Problem, options: dict[str, Any]
) -> Outcome:
    """Solve a problem in one form; for workers, to which a `MethodForm` cannot be sent.

    Parameters
    ----------
    method, implementation, problem
        As in `chosen_form`.
    options : dict
        The keywords of the form's `run`.
    """
    return chosen_form(problem, method, implementation).run(problem, **options)


def run_native(problem: Problem, **options: Any) -> Outcome:
    """Solve a problem by branch and bound.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    **options
        The keywords of a form's `run`.
    """
    return NATIVE[_ENGINE](problem).run(problem, **options)


def _spec(problem: Problem, method: str) -> MethodForm:
    """Return the specification of a method."""
    entry = METHODS[method]

    def run(problem: Problem, **_: Any) -> Outcome:
        with immediate_interrupts():
            return entry.spec(problem)

    refusal = entry.reason_to_refuse(problem)
    return MethodForm(method, "spec", refusal, run, uses_threads=False, stops_at_gap=False)


def _engine(problem: Problem) -> MethodForm:
    """Return the search of the engine for a problem, or else a loop of searches."""
    from exactree import engine

    search = _engine_search(problem)
    if search.refusal is None or problem.n_trees > 1:
        return search
    loop = engine.outer_loop(problem)
    if loop is None:
        return search
    refusal = _engine(loop.inner).refusal
    run = partial(loop.run, solve=run_native)
    return MethodForm(_ENGINE, "native", refusal, run, is_loop=True)


def _engine_search(problem: Problem) -> MethodForm:
    """Return the search of the engine for the kind of a problem."""
    from exactree import engine

    refusal: str | None
    run: Callable[..., Outcome]
    is_loop = len(problem.quantities) > 1 and problem.n_trees == 1
    if engine.under_constraints(problem):
        refusal, run, is_loop = (
            engine.reason_to_refuse_constrained(problem),
            engine.constrained_tree,
            not engine.is_native(problem),
        )
    elif problem.regression:
        refusal, run = engine.reason_to_refuse_regression(problem), engine.regression_tree
    elif problem.rate is not None:
        refusal, run, is_loop = engine.reason_to_refuse_rate(problem), engine.rate_tree, True
    elif not problem.plain_errors:
        refusal, run = engine.reason_to_refuse_class_costs(problem), engine.class_costs_tree
    elif problem.n_trees > 1:
        refusal = engine.reason_to_refuse_ensemble(_ENGINE, problem)
        run = partial(engine.run_ensemble, _ENGINE)
    else:
        refusal, run = engine.reason_to_refuse(problem), engine.branch_and_bound
    one_tree = problem.n_trees == 1
    prunes = engine.under_constraints(problem) or problem.constrained
    return MethodForm(_ENGINE, "native", refusal, run, is_loop, one_tree, True, prunes)


def _paper(problem: Problem, method: str) -> MethodForm:
    """Return the native form of one of the papers' own methods."""
    from exactree import engine

    is_one_tree = problem.n_trees == 1
    refusal = _refusal_for_plain_errors(problem)
    if refusal is None:
        reason_to_refuse = (
            engine.reason_to_refuse_paper if is_one_tree else engine.reason_to_refuse_ensemble
        )
        refusal = reason_to_refuse(method, problem)
    run = partial(engine.run_paper if is_one_tree else engine.run_ensemble, method)
    gap = not is_one_tree and method != "subsets"
    return MethodForm(method, "native", refusal, run, uses_threads=False, stops_at_gap=gap)


def _proper(problem: Problem) -> MethodForm:
    """Return the native form of the search over all dichotomies."""
    from exactree import engine

    refusal = _refusal_for_plain_errors(problem) or engine.reason_to_refuse_proper(problem)
    is_loop = len(problem.quantities) > 1
    return MethodForm("proper", "native", refusal, engine.run_proper, is_loop)


def _refusal_for_plain_errors(problem: Problem) -> str | None:
    """Return the reason why methods that count plain errors refuse a problem, else None."""
    if problem.regression:
        return "it predicts classes, not numbers"
    if not problem.plain_errors:
        return "it counts the weight of misclassified examples, not other errors or costs"
    # The searches for ensembles have refusals of their own.
    return NO_CONSTRAINTS if problem.constrained and problem.n_trees == 1 else None


_ENGINE = "branch-and-bound"
# For every method of `exactree.spec.methods`, the function that returns its native form.
NATIVE: dict[str, Callable[[Problem], MethodForm]] = {
    _ENGINE: _engine,
    **{
        method: partial(_paper, method=method)
        for method in ("box", "subsets", "support-sets", "threshold", "witness")
    },
    "proper": _proper,
}
