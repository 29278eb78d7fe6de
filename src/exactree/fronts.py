"""`pareto_front`: the Pareto front of several quantities, by native searches or the definition."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactree.errors import InternalError
from exactree.methods import NATIVE, run_native, under_constraints
from exactree.objectives.objective import plain
from exactree.problem import Outcome, Problem, Status
from exactree.problem.confusion import KINDS_OF_ERRORS, confusion_of
from exactree.problem.parameters import positive_seconds
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import keeps_limits, note_float32, recount
from exactree.solve import check_problem, refuse_constrained, solve, tied_rows
from exactree.spec.definition_rates import best_pairs
from exactree.spec.front import front as definition_front
from exactree.spec.table import fitted_tree
from exactree.stopping import Deadline, Interruptible, immediate_interrupts
from exactree.trees import Tree

__all__ = ["pareto_front"]


def pareto_front(
    problem: Problem,
    quantities: tuple[str, ...],
    implementation: str = "native",
    time_limit: float | None = None,
) -> list[Outcome]:
    """Return the Pareto front of several quantities: all nondominated trees or ensembles.

    The quantities replace `minimize`, and only limits that the user stated apply.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    quantities : tuple of str
        At least two of what `minimize` accepts, such as ``("size", "errors")`` or
        ``("size", "f1_error")``. For ensembles also "n_trees" with one of them: ensembles of one
        tree, of two, and so on up to the problem's number of trees, as in ``("n_trees",
        "errors")``. For two classes also ``("false_positives",
        "false_negatives")``, the weights of both kinds of errors, by the problem's positive class;
        a leaf may then predict either class.
    implementation : str
        "native", or "spec" for the definition, which accepts only small tables and runs to its
        end; "native" also falls back to the definition if the engine does not accept the problem.
    time_limit : float, optional
        Seconds for the whole front.

    Returns
    -------
    list of Outcome
        One for each nondominated vector of quantities, by increasing first quantity; the cost is
        the vector. Empty if no tree or ensemble meets the limits. If the computation stops early,
        the last outcome is that of the stopped search, and all others are optimal.

    Raises
    ------
    ValueError
        If the quantities are not allowed.
    MethodRefused
        If the table is too large, or the problem has constraints.
    KeyboardInterrupt
        On Ctrl-C, unless the last outcome reports that Ctrl-C stopped its search.
    """
    with Interruptible() as call:
        outcomes = _front(problem, quantities, implementation, time_limit)
        call.answered = any(outcome.stopped_by == "interrupt" for outcome in outcomes)
        return outcomes


def _front(
    problem: Problem, quantities: tuple[str, ...], implementation: str, time_limit: float | None
) -> list[Outcome]:
    """Return the front, within an interruptible call."""
    check_problem(problem)
    if not isinstance(quantities, tuple) or len(quantities) < 2:
        raise ValueError(f"quantities must be a tuple of at least two names, got {quantities!r}.")
    if implementation not in ("native", "spec"):
        raise ValueError(f"implementation must be 'native' or 'spec', got {implementation!r}.")
    left = positive_seconds(time_limit)
    refuse_constrained(problem, "pareto_front")
    if set(quantities) == set(KINDS_OF_ERRORS):
        return _front_of_errors(problem, quantities, implementation, left)
    if "n_trees" in quantities:
        return _front_by_trees(problem, quantities, implementation, left)
    restated = problem.minimizing(quantities)
    native = _native_front(restated) if implementation == "native" else None
    outcomes = _by_definition(restated) if native is None else native(restated, left)
    for outcome in outcomes:
        recount(restated, outcome)
    return [_with_reported_cost(restated, outcome) for outcome in outcomes]


def _by_definition(restated: Problem) -> list[Outcome]:
    from exactree.engine import refuse_many_surfaces

    refuse_many_surfaces(restated, None)
    with immediate_interrupts():
        return definition_front(restated)


def _with_reported_cost(problem: Problem, outcome: Outcome) -> Outcome:
    """Return an outcome as users get it: with its ties, and with the warning about float32."""
    stats = {**outcome.stats, **tied_rows(problem, outcome)}
    return note_float32(problem, replace(outcome, stats=stats))


def _native_front(restated: Problem) -> Callable[[Problem, float | None], list[Outcome]] | None:
    """Return the native search of a front, None if there is none."""
    if restated.n_trees > 1:
        from exactree.engine import accepts_ensemble_front, ensemble_front

        return ensemble_front if accepts_ensemble_front(restated) is None else None
    if not restated.plain_errors:
        from exactree.engine import accepts_regression_front

        alone = NATIVE["branch-and-bound"](restated.minimizing((restated.error_term,))).refusal
        native = alone is None and accepts_regression_front(restated) is None
        return _front_of_trees if native else None
    from exactree.engine import accepts_errors_front

    in_turn = (
        NATIVE["branch-and-bound"](restated).refusal is None
        and not under_constraints(restated)
        and not restated.leaf_penalty
    )
    return _front_of_trees if in_turn or accepts_errors_front(restated) is None else None


def _front_of_trees(restated: Problem, time_limit: float | None) -> list[Outcome]:
    """Return the front by the engine, within a time limit."""
    from exactree.engine import (
        ParallelSolver,
        accepts_errors_front,
        errors_front,
        front,
        regression_front,
    )

    least = ParallelSolver(run_native, time_limit)
    if accepts_errors_front(restated) is None:
        return errors_front(restated, least)
    return (front if restated.plain_errors else regression_front)(restated, least)


def _front_of_errors(
    problem: Problem, quantities: tuple[str, ...], implementation: str, left: float | None
) -> list[Outcome]:
    """Return the front of false positives and false negatives."""
    if problem.leaf_penalty:
        raise ValueError("leaf_penalty must be 0 for a front of false positives and negatives.")
    restated = problem.minimizing("f1_error")  # so that leaves may predict either class
    found, stopped = _pairs_of_errors(restated, implementation, left)
    flip = quantities[0] != KINDS_OF_ERRORS[0]

    def point_cost(wrong: tuple[int, int]) -> tuple[int | Fraction, ...]:
        cost = [plain(Fraction(weight, restated.dataset.weight_scale)) for weight in wrong]
        return tuple(cost[::-1] if flip else cost)

    outcomes = []
    for wrong, tree in found[::-1] if flip else found:
        if confusion_of(restated, tree) != wrong or not keeps_limits(restated, tree):
            raise InternalError(f"a tree of the front does not have the errors {wrong}")
        outcomes.append(Outcome(Status.OPTIMAL, point_cost(wrong), point_cost(wrong), tree))
    if stopped is not None:
        stopped_by, best = stopped
        status = Status.STOPPED if best is None else Status.FEASIBLE
        cost = None if best is None else point_cost(confusion_of(restated, best))
        outcomes.append(Outcome(status, cost, (0, 0), best, {}, stopped_by))
    return outcomes


def _pairs_of_errors(
    restated: Problem, implementation: str, left: float | None
) -> tuple[list[tuple[tuple[int, int], Tree]], tuple[str, Tree | None] | None]:
    """Return pairs of integer weights with their trees; and, if incomplete, why, and a tree."""
    if restated.infeasible_reason is not None:
        return [], None
    if implementation == "spec" or _engine_accepts_pairs(restated) is not None:
        with immediate_interrupts():
            pairs = best_pairs(restated)
        return [(wrong, fitted_tree(restated, tree)) for wrong, tree in pairs.items()], None
    from exactree.engine import front_of_pairs

    return front_of_pairs(restated, left)


def _engine_accepts_pairs(restated: Problem) -> str | None:
    from exactree.engine import accepts_pairs

    return accepts_pairs(restated)


# The limit on each quantity that is minimized against the number of trees; a total depth has no
# limit.
_LIMIT_OF = {
    "total_size": "max_total_size",
    "largest_size": "max_size",
    "largest_depth": "max_depth",
    "total_depth": None,
    "errors": "max_errors",
}


def _front_by_trees(
    problem: Problem, quantities: tuple[str, ...], implementation: str, left: float | None
) -> list[Outcome]:
    """Return the front of the number of trees and another quantity: a search for every number."""
    quantity = next((name for name in quantities if name in _LIMIT_OF), "")
    if sorted(quantities) != sorted(("n_trees", quantity)) or problem.n_trees == 1:
        listed = ", ".join(repr(name) for name in _LIMIT_OF)
        raise ValueError(
            f"quantities may name 'n_trees' together with one of {listed}, of a problem of two "
            f"or more trees, got {quantities!r} with n_trees={problem.n_trees}."
        )

    def vector(n_trees: int, value: Any) -> tuple[Any, ...]:
        return tuple(n_trees if name == "n_trees" else value for name in quantities)

    found: list[Outcome] = []
    restated, deadline, least = problem.minimizing((quantity,)), Deadline(left), None
    for n_trees in range(1, problem.n_trees + 1):
        seconds = None if left is None else max(deadline.left() or 0.0, 1e-3)
        outcome = _solve_in_some_form(restated.with_trees(n_trees), implementation, seconds)
        cost = None if outcome.cost is None else vector(n_trees, as_tuple(outcome.cost)[0])
        lower_bound = vector(n_trees, as_tuple(outcome.lower_bound)[0])
        point_cost = replace(outcome, cost=cost, lower_bound=lower_bound)
        if outcome.stopped_by is not None or outcome.status is Status.STOPPED:
            return [*_in_order(found, quantities), point_cost]
        if outcome.cost is None:
            continue
        value = as_tuple(outcome.cost)[0]
        if least is None or value < least:
            found.append(point_cost)
            # More trees belong to the front only if the quantity decreases.
            least, limit = value, _LIMIT_OF[quantity]
            if least == 0:
                break
            if limit is not None:
                unit = Fraction(1, problem.dataset.weight_scale) if quantity == "errors" else 1
                less: dict[str, Any] = {limit: least - unit}
                restated = restated.within(replace(restated.limits, **less))
    return _in_order(found, quantities)


def _in_order(found: list[Outcome], quantities: tuple[str, ...]) -> list[Outcome]:
    """Return a front, which was found by number of trees, by its first quantity."""
    return found if quantities[0] == "n_trees" else found[::-1]


def _solve_in_some_form(problem: Problem, implementation: str, time_limit: float | None) -> Outcome:
    """Solve natively if a native form accepts the problem, else by the definition."""
    native = any(form(problem).refusal is None for form in NATIVE.values())
    form = implementation if native else "spec"
    return solve(problem, implementation=form, time_limit=time_limit)
