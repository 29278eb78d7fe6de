"""`pareto_front`: the Pareto front of several quantities, by native searches or the definition."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from exactree.data.features import count
from exactree.errors import InternalError
from exactree.methods import NATIVE, run_native
from exactree.names import answers_unknown_names
from exactree.objectives.objective import plain
from exactree.problem import Listener, Outcome, ParetoFront, Problem, Status
from exactree.problem.confusion import KINDS_OF_ERRORS, confusion_of
from exactree.problem.display.advice import limits_advice, time_advice
from exactree.problem.parameters import checked_verbose, positive_seconds
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import keeps_limits, note_float32, recount
from exactree.progress import Live, limits_in_words, live_progress
from exactree.solve import check_problem, refuse_constrained, solve
from exactree.spec.definition_rates import nondominated_pairs
from exactree.spec.front import front as definition_front
from exactree.spec.table import fitted_tree
from exactree.stopping import Deadline, Interruptible, immediate_interrupts
from exactree.trees import Tree
from exactree.verified_outcome import tied_rows

__all__ = ["finds_front_natively", "pareto_front"]


@answers_unknown_names
def pareto_front(
    problem: Problem,
    quantities: tuple[str, ...],
    implementation: str = "native",
    time_limit: float | None = None,
    verbose: int = 0,
) -> ParetoFront:
    """Return the Pareto front of several quantities: a solution for each nondominated vector.

    The quantities replace `minimize`, and only limits that the user set apply.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    quantities : tuple of str
        At least two values that `minimize` accepts, such as ``("size", "errors")`` or
        ``("size", "f1_error")``. For ensembles also "n_trees" with one other quantity, as in
        ``("n_trees", "errors")``: ensembles of one tree, of two, and so on up to the problem's
        number of trees. For two classes also ``("false_positives", "false_negatives")``, the
        weights of both kinds of errors, by the problem's positive class; a leaf may then predict
        either class.
    implementation : str
        "native", or "spec" for the definition, which accepts only small tables and runs to its
        end; "native" also falls back to the definition if the engine does not accept the problem.
    time_limit : float, optional
        Seconds for the whole front.
    verbose : int
        1 shows the limits and the progress of the current search: a live line on a terminal or in a
        notebook, lines on standard error elsewhere.

    Returns
    -------
    ParetoFront
        A list of outcomes, shown as a table: one for each nondominated vector of quantities, by
        increasing first quantity; the cost is the vector. Empty if no tree or ensemble meets the
        limits. If the computation stops early, the last outcome is that of the stopped search. All
        others are optimal, except where only the rounding of weights prevents a proof.

    Raises
    ------
    ValueError
        If the quantities are not allowed.
    MethodRefused
        If the table is too large.
    KeyboardInterrupt
        On Ctrl-C, unless the last outcome reports that Ctrl-C stopped its search.
    """
    with Interruptible() as call:
        with live_progress(checked_verbose(verbose), positive_seconds(time_limit)) as live:
            outcomes = _front(problem, quantities, implementation, time_limit, live)
            outcomes = _with_advice(problem, outcomes, positive_seconds(time_limit))
            live.last_sentence = _sentence(outcomes)
        call.answered = any(outcome.stopped_by == "interrupt" for outcome in outcomes)
        return ParetoFront(outcomes, quantities)


def finds_front_natively(problem: Problem, quantities: tuple[str, ...]) -> bool:
    """Return whether native searches find a front that `pareto_front` does not refuse.

    Parameters
    ----------
    problem, quantities
        As in `pareto_front`.
    """
    problem.leaf_limits  # noqa: B018  (refuses a limit on the leaves of any class)
    if set(quantities) == set(KINDS_OF_ERRORS):
        return _reason_to_refuse_pairs(problem) is None
    if "n_trees" in quantities:
        others = tuple(name for name in quantities if name != "n_trees")
        restricted = problem.minimizing(others)
        problems = (restricted.with_trees(n) for n in range(1, problem.n_trees + 1))
        return all(map(_accepted_natively, problems))
    return _native_front(problem.minimizing(quantities)) is not None


def _sentence(outcomes: list[Outcome]) -> str:
    """Return how many points a front has, and whether it is complete, as a sentence."""
    proved = sum(outcome.status is Status.OPTIMAL for outcome in outcomes)
    if proved == len(outcomes):
        return f"front complete, proved: {count(proved, 'point')}"
    return f"front stopped by the {outcomes[-1].stopped_by}: {count(proved, 'proved point')}"


def _front(
    problem: Problem,
    quantities: tuple[str, ...],
    implementation: str,
    time_limit: float | None,
    live: Live,
) -> list[Outcome]:
    """Return the front, within an interruptible call."""
    check_problem(problem)
    if not isinstance(quantities, tuple) or len(quantities) < 2:
        raise ValueError(f"quantities must be a tuple of at least two names, got {quantities!r}.")
    if implementation not in ("native", "spec"):
        raise ValueError(f"implementation must be 'native' or 'spec', got {implementation!r}.")
    seconds_left = positive_seconds(time_limit)
    problem.leaf_limits  # noqa: B018  (refuses a limit on the leaves of any class)
    if set(quantities) == set(KINDS_OF_ERRORS):
        refuse_constrained(problem, "a front of false positives and negatives")
        return _front_of_errors(problem, quantities, implementation, seconds_left)
    if "n_trees" in quantities:
        return _front_by_trees(problem, quantities, implementation, seconds_left, live)
    front_problem = problem.minimizing(quantities)
    native = _native_front(front_problem) if implementation == "native" else None
    if native is None:
        live.say("every tree, by the definition")
        outcomes = _by_definition(front_problem)
    else:
        outcomes = native(front_problem, seconds_left, live)
    for outcome in outcomes:
        recount(front_problem, outcome)
    return [_with_notes(front_problem, outcome) for outcome in outcomes]


def _by_definition(problem: Problem) -> list[Outcome]:
    from exactree.engine import refuse_many_surfaces

    refuse_many_surfaces(problem, None)
    with immediate_interrupts():
        return definition_front(problem)


def _with_notes(problem: Problem, outcome: Outcome) -> Outcome:
    """Return an outcome with the number of tied rows and with the check for float32."""
    stats = {**outcome.stats, **tied_rows(problem, outcome)}
    return note_float32(problem, replace(outcome, stats=stats, cost_names=problem.cost_names))


def _with_advice(problem: Problem, outcomes: list[Outcome], seconds: float | None) -> list[Outcome]:
    """Return a front with advice in its last outcome; a front has neither threads nor gaps."""
    if not outcomes or outcomes[-1].stopped_by != "time limit":
        return outcomes
    of_errors = problem.minimizing((problem.error_term,))
    advice = (time_advice(seconds), *limits_advice(of_errors))
    return [*outcomes[:-1], replace(outcomes[-1], advice=advice)]


def _native_front(
    problem: Problem,
) -> Callable[[Problem, float | None, Live], list[Outcome]] | None:
    """Return the native search of a front, None if there is none."""
    from exactree import engine

    found: Callable[[Problem, engine.ParallelSolver], list[Outcome]]
    solve_one = run_native
    if problem.n_trees > 1:
        if engine.reason_to_refuse_ensemble_front(problem) is not None:
            return None
        found, solve_one = engine.ensemble_front, partial(engine.run_ensemble, "witness")
    elif engine.reason_to_refuse_errors_front(problem) is None:
        found = engine.errors_front
    elif _in_stages(problem):
        found = engine.front
    elif (
        engine.reason_to_refuse_front_by_limits(problem) is None
        and NATIVE["branch-and-bound"](engine.errors_problem_of(problem)).refusal is None
    ):
        found = engine.front_by_limits
    else:
        return None

    def front(problem: Problem, time_limit: float | None, live: Live) -> list[Outcome]:
        shown = partial(_solve_and_show, solve_one, live)
        return found(problem, engine.ParallelSolver(shown, time_limit))

    return front


def _solve_and_show(
    solve_one: Callable[..., Outcome], live: Live, problem: Problem, **options: Any
) -> Outcome:
    """Run a search of a front, and show its limits and its progress."""
    listener = live.listener(problem, stage=limits_in_words(problem))
    return solve_one(problem, on_progress=listener, **options)


def _in_stages(problem: Problem) -> bool:
    """Return whether lexicographic searches find a front: of plain errors and other quantities."""
    from exactree import engine

    form = NATIVE["branch-and-bound"](problem)
    plain = problem.plain_errors and not problem.leaf_penalty
    return plain and form.refusal is None and not engine.under_constraints(problem)


def _front_of_errors(
    problem: Problem, quantities: tuple[str, ...], implementation: str, seconds_left: float | None
) -> list[Outcome]:
    """Return the front of false positives and false negatives."""
    if problem.leaf_penalty:
        raise ValueError("leaf_penalty must be 0 for a front of false positives and negatives.")
    front_problem = problem.minimizing("f1_error")  # so that leaves may predict either class
    found, stopped = _pairs_of_errors(front_problem, implementation, seconds_left)
    is_reversed = quantities[0] != KINDS_OF_ERRORS[0]

    def point_cost(wrong: tuple[int, int]) -> tuple[int | Fraction, ...]:
        cost = [plain(Fraction(weight, front_problem.dataset.weight_scale)) for weight in wrong]
        return tuple(cost[::-1] if is_reversed else cost)

    outcomes = []
    for wrong, tree in found[::-1] if is_reversed else found:
        if confusion_of(front_problem, tree) != wrong or not keeps_limits(front_problem, tree):
            raise InternalError(f"a tree of the front does not have the errors {wrong}")
        outcomes.append(Outcome(Status.OPTIMAL, point_cost(wrong), point_cost(wrong), tree))
    if stopped is not None:
        stopped_by, best = stopped
        status = Status.STOPPED if best is None else Status.FEASIBLE
        cost = None if best is None else point_cost(confusion_of(front_problem, best))
        outcomes.append(Outcome(status, cost, (0, 0), best, {}, stopped_by))
    return [replace(outcome, cost_names=quantities) for outcome in outcomes]


def _pairs_of_errors(
    problem: Problem, implementation: str, seconds_left: float | None
) -> tuple[list[tuple[tuple[int, int], Tree]], tuple[str, Tree | None] | None]:
    """Return pairs of integer weights with their trees; if incomplete, the reason and a tree."""
    if problem.infeasible_reason is not None:
        return [], None
    if implementation == "spec" or _reason_to_refuse_pairs(problem) is not None:
        with immediate_interrupts():
            pairs = nondominated_pairs(problem)
        return [(wrong, fitted_tree(problem, tree)) for wrong, tree in pairs.items()], None
    from exactree.engine import front_of_pairs

    return front_of_pairs(problem, seconds_left)


def _reason_to_refuse_pairs(problem: Problem) -> str | None:
    from exactree.engine import reason_to_refuse_pairs

    return reason_to_refuse_pairs(problem)


# The limit on each quantity that can form a front with the number of trees; None for the total
# depth, on which there is no limit.
_LIMIT_OF = {
    "total_size": "max_total_size",
    "largest_size": "max_size",
    "largest_depth": "max_depth",
    "total_depth": None,
    "errors": "max_errors",
}


def _front_by_trees(
    problem: Problem,
    quantities: tuple[str, ...],
    implementation: str,
    seconds_left: float | None,
    live: Live,
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
    restricted, deadline = problem.minimizing((quantity,)), Deadline(seconds_left)
    (of_quantity,) = restricted.cost_names
    names = tuple(name if name == "n_trees" else of_quantity for name in quantities)
    minimum = None
    for n_trees in range(1, problem.n_trees + 1):
        seconds = None if seconds_left is None else max(deadline.left() or 0.0, 1e-3)
        numbered = restricted.with_trees(n_trees)
        listener = live.listener(numbered, stage=count(n_trees, "tree"))
        outcome = _solve_in_some_form(numbered, implementation, seconds, listener)
        cost = None if outcome.cost is None else vector(n_trees, as_tuple(outcome.cost)[0])
        lower_bound = vector(n_trees, as_tuple(outcome.lower_bound)[0])
        point = replace(outcome, cost=cost, lower_bound=lower_bound, cost_names=names)
        if outcome.stopped_by is not None or outcome.status is Status.STOPPED:
            return [*_in_order(found, quantities), point]
        if outcome.cost is None:
            continue
        value = as_tuple(outcome.cost)[0]
        if minimum is None or value < minimum:
            found.append(point)
            # More trees belong to the front only if the quantity decreases.
            minimum, limit = value, _LIMIT_OF[quantity]
            if minimum == 0:
                break
            if limit is not None:
                unit = Fraction(1, problem.dataset.weight_scale) if quantity == "errors" else 1
                below: dict[str, Any] = {limit: minimum - unit}
                restricted = restricted.within(replace(restricted.limits, **below))
    return _in_order(found, quantities)


def _in_order(found: list[Outcome], quantities: tuple[str, ...]) -> list[Outcome]:
    """Return a front, which was found by number of trees, by its first quantity."""
    return found if quantities[0] == "n_trees" else found[::-1]


def _solve_in_some_form(
    problem: Problem, implementation: str, time_limit: float | None, listener: Listener | None
) -> Outcome:
    """Solve natively if a native form accepts the problem, else by the definition."""
    if not _accepted_natively(problem):
        implementation = "spec"
    return solve(
        problem, implementation=implementation, time_limit=time_limit, on_progress=listener
    )


def _accepted_natively(problem: Problem) -> bool:
    return any(form(problem).refusal is None for form in NATIVE.values())
