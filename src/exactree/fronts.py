"""`pareto_front`: the Pareto front of several quantities, by native searches or the definition."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from exactree.any_class_limit import limited_for_each_class
from exactree.data.parameters import count
from exactree.errors import InternalError
from exactree.front_searches import FrontSearches
from exactree.methods import NATIVE, MethodForm
from exactree.names import answers_unknown_names
from exactree.objectives.objective import plain
from exactree.problem import Listener, Outcome, ParetoFront, Problem, Status
from exactree.problem.confusion import KINDS_OF_ERRORS, confusion_of
from exactree.problem.display.advice import advice_after
from exactree.problem.encoding.incumbent import as_ensemble_incumbent, as_incumbent
from exactree.problem.parameters import checked_verbose, positive_seconds
from exactree.problem.quantities import ENSEMBLE_LIMITS, as_tuple
from exactree.problem.verification.recount import keeps_limits, note_float32, recount
from exactree.progress import live_progress
from exactree.search_on_workers import opened_workers, refuse_undivided
from exactree.search_options import checked_options, checkpoint_path
from exactree.solve import check_problem, refuse_constrained, solve
from exactree.spec.definition_rates import nondominated_pairs
from exactree.spec.front import front as definition_front
from exactree.spec.table import fitted_tree
from exactree.stopping import Interruptible, immediate_interrupts
from exactree.verified_outcome import tied_rows

if TYPE_CHECKING:
    from exactree.engine import PairsFound

__all__ = ["finds_front_natively", "pareto_front"]


@answers_unknown_names
def pareto_front(
    problem: Problem,
    quantities: tuple[str, ...],
    implementation: str = "native",
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    on_progress: Listener | None = None,
    cluster: Any = None,
    resume: str | PathLike[str] | None = None,
    incumbent: Any = None,
    verbose: int = 0,
) -> ParetoFront:
    """Return the Pareto front of several quantities: a solution for each nondominated vector.

    The quantities replace `minimize`, and only limits that the user set apply. A front takes
    several searches, which run one after the other, or in parallel in the joblib backend that the
    user has set. A `stop_at_gap` does not exist here: a vector belongs to the front because a
    search proves that no other vector dominates it, and a search that stops at a gap proves less.

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
    memory_limit : int, optional
        Bytes that each search may allocate, as in `solve`.
    n_jobs : int, optional
        Threads of each search, as in `solve`.
    on_progress : callable, optional
        Called with the `Progress` of the current search, and at the end of each search; the front
        stops when it returns True. Its cost and lower bound are those of the quantities that this
        search minimizes, often the errors alone; with false positives and false negatives there is
        only a lower bound.
    cluster : dask Client, str, Executor or tuple, optional
        Workers that share each search, as in `solve`; the searches then run one after the other.
    resume : path, optional
        A checkpoint file for all searches that can be divided among workers, as in `solve`; with it
        the searches run one after the other. Searches for trees of at most two levels are not
        saved. Only for fronts of one tree whose search without limits on sizes can be divided.
    incumbent : Tree, Ensemble or fitted estimator, optional
        A tree from which the searches start whose limits it can be pruned to, as in `solve`; an
        ensemble of `n_trees` trees for ensembles.
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
    seconds = positive_seconds(time_limit)
    options = checked_options(time_limit, memory_limit, n_jobs, 0, on_progress)
    checkpoint = checkpoint_path(resume)
    del options["time_limit"], options["on_progress"]
    with Interruptible() as call, ExitStack() as stack:
        live = stack.enter_context(live_progress(checked_verbose(verbose), seconds))
        workers = None if cluster is None else stack.enter_context(opened_workers(cluster))
        searches = FrontSearches(
            seconds, options, live, on_progress, workers, checkpoint, incumbent
        )
        outcomes = _front(problem, quantities, implementation, searches)
        outcomes = _with_advice(problem, outcomes, searches)
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
    problem: Problem, quantities: Any, implementation: str, searches: FrontSearches
) -> list[Outcome]:
    """Return the front, within an interruptible call."""
    check_problem(problem)
    if not isinstance(quantities, tuple) or len(quantities) < 2:
        raise ValueError(f"quantities must be a tuple of at least two names, got {quantities!r}.")
    if implementation not in ("native", "spec"):
        raise ValueError(f"implementation must be 'native' or 'spec', got {implementation!r}.")
    if searches.incumbent is not None:  # refuses other models
        read = as_incumbent if problem.n_trees == 1 else as_ensemble_incumbent
        read(problem, searches.incumbent, checks_constraints=False)
    if set(quantities) == set(KINDS_OF_ERRORS):
        refuse_constrained(problem, "a front of false positives and negatives")
        return _front_of_errors(problem, quantities, implementation, searches)
    if "n_trees" in quantities:
        return _front_by_trees(problem, quantities, implementation, searches)
    front_problem = problem.minimizing(quantities)
    native = _native_front(front_problem) if implementation == "native" else None
    _check_resume(searches, None if native is None else native.widest)
    if native is None:
        searches.live.say("every tree, by the definition")
        outcomes = _by_definition(front_problem, searches.options["memory_limit"])
    else:
        outcomes = native.found(front_problem, searches.solver_of(native.form_of))
    for outcome in outcomes:
        recount(front_problem, outcome)
    return [_with_notes(front_problem, outcome) for outcome in outcomes]


def _check_resume(searches: FrontSearches, widest: Problem | None) -> None:
    """Refuse a checkpoint file unless native searches that it can continue find the front."""
    if searches.checkpoint is None:
        return
    if widest is None or widest.n_trees > 1:
        raise ValueError("resume is for fronts of one tree that native searches find.")
    refuse_undivided(widest, NATIVE["branch-and-bound"](widest))


def _by_definition(problem: Problem, memory_limit: int | None) -> list[Outcome]:
    from exactree.engine import refuse_many_surfaces

    refuse_many_surfaces(problem, memory_limit)
    with immediate_interrupts():
        return definition_front(problem)


def _with_notes(problem: Problem, outcome: Outcome) -> Outcome:
    """Return an outcome with the number of tied rows and with the check for float32."""
    stats = {**outcome.stats, **tied_rows(problem, outcome)}
    return note_float32(problem, replace(outcome, stats=stats, cost_names=problem.cost_names))


def _with_advice(
    problem: Problem, outcomes: list[Outcome], searches: FrontSearches
) -> list[Outcome]:
    """Return a front with advice in its last outcome."""
    if not outcomes:
        return outcomes
    advice = advice_after(
        problem.minimizing((problem.error_term,)),
        outcomes[-1],
        {**searches.options, "time_limit": searches.time_limit},
        uses_threads=problem.n_trees == 1 and searches.workers is None,
        stops_at_gap=False,
    )
    return [*outcomes[:-1], replace(outcomes[-1], advice=advice)]


@dataclass(frozen=True)
class _NativeFront:
    """A front by native searches.

    Attributes
    ----------
    found : callable
        Returns the outcomes of the front of a problem, with a solver of the searches.
    form_of : callable
        Returns the method of a search.
    widest : Problem
        The problem whose limits include those of all searches.
    """

    found: Callable[[Problem, Any], list[Outcome]]
    form_of: Callable[[Problem], MethodForm]
    widest: Problem


def _native_front(problem: Problem) -> _NativeFront | None:
    """Return the native searches of a front, None if there are none."""
    from exactree import engine

    if problem.limits_any_class:  # each search of the front becomes one for each class
        problem = limited_for_each_class(problem)[0]
    one_tree = NATIVE["branch-and-bound"]
    if problem.n_trees > 1:
        if engine.reason_to_refuse_ensemble_front(problem) is not None:
            return None
        return _NativeFront(engine.ensemble_front, NATIVE["witness"], problem)
    if engine.reason_to_refuse_errors_front(problem) is None:
        return _NativeFront(engine.errors_front, one_tree, engine.errors_problem_of(problem))
    if _in_stages(problem):
        return _NativeFront(engine.front, one_tree, problem)
    if engine.reason_to_refuse_front_by_limits(problem) is None:
        widest = engine.errors_problem_of(problem)
        if one_tree(widest).refusal is None:
            return _NativeFront(engine.front_by_limits, one_tree, widest)
    return None


def _in_stages(problem: Problem) -> bool:
    """Return whether lexicographic searches find a front: of plain errors and other quantities."""
    from exactree import engine

    form = NATIVE["branch-and-bound"](problem)
    plain = problem.plain_errors and not problem.leaf_penalty
    return plain and form.refusal is None and not engine.under_constraints(problem)


def _front_of_errors(
    problem: Problem, quantities: tuple[str, ...], implementation: str, searches: FrontSearches
) -> list[Outcome]:
    """Return the front of false positives and false negatives."""
    if problem.leaf_penalty:
        raise ValueError("leaf_penalty must be 0 for a front of false positives and negatives.")
    front_problem = problem.minimizing("f1_error")  # so that leaves may predict either class
    found, stopped = _pairs_of_errors(front_problem, implementation, searches)
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
    problem: Problem, implementation: str, searches: FrontSearches
) -> "PairsFound":
    """Return pairs of integer weights with their trees; if incomplete, the reason and a tree."""
    is_native = implementation == "native" and _reason_to_refuse_pairs(problem) is None
    _check_resume(searches, problem if is_native else None)
    if problem.infeasible_reason is not None:
        return [], None
    if not is_native:
        with immediate_interrupts():
            pairs = nondominated_pairs(problem)
        return [(wrong, fitted_tree(problem, tree)) for wrong, tree in pairs.items()], None
    return searches.pairs_of_errors(problem)


def _reason_to_refuse_pairs(problem: Problem) -> str | None:
    from exactree.engine import reason_to_refuse_pairs

    return reason_to_refuse_pairs(problem)


def _front_by_trees(
    problem: Problem, quantities: tuple[str, ...], implementation: str, searches: FrontSearches
) -> list[Outcome]:
    """Return the front of the number of trees and another quantity: a search for every number."""
    quantity = next((name for name in quantities if name in ENSEMBLE_LIMITS), "")
    if sorted(quantities) != sorted(("n_trees", quantity)) or problem.n_trees == 1:
        listed = ", ".join(repr(name) for name in ENSEMBLE_LIMITS)
        raise ValueError(
            f"quantities may name 'n_trees' together with one of {listed}, of a problem of two "
            f"or more trees, got {quantities!r} with n_trees={problem.n_trees}."
        )
    _check_resume(searches, None)

    def vector(n_trees: int, value: Any) -> tuple[Any, ...]:
        return tuple(n_trees if name == "n_trees" else value for name in quantities)

    found: list[Outcome] = []
    restricted, minimum = problem.minimizing((quantity,)), None
    (of_quantity,) = restricted.cost_names
    names = tuple(name if name == "n_trees" else of_quantity for name in quantities)
    solver = searches.solver(partial(_solve_in_some_form, implementation, searches))
    for n_trees in range(1, problem.n_trees + 1):
        (outcome,) = solver([restricted.with_trees(n_trees)])
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
            minimum, limit = value, ENSEMBLE_LIMITS[quantity]
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
    implementation: str, searches: FrontSearches, problem: Problem, *, time_limit: float | None
) -> Outcome:
    """Solve natively if a native form accepts the problem, else by the definition."""
    solve_from = partial(
        solve,
        problem,
        implementation=implementation if _accepted_natively(problem) else "spec",
        time_limit=None if time_limit is None else max(time_limit, 1e-3),
        memory_limit=searches.options["memory_limit"],
        n_jobs=searches.options["n_jobs"],
        on_progress=searches.listener(problem, count(problem.n_trees, "tree")),
        cluster=searches.workers,
    )
    trees = getattr(getattr(searches.incumbent, "ensemble_", searches.incumbent), "trees", ())
    if len(trees) == problem.n_trees > 1:
        try:
            return solve_from(incumbent=searches.incumbent)
        except ValueError:  # it is not within the limits of this search
            pass
    return solve_from()


def _accepted_natively(problem: Problem) -> bool:
    return any(form(problem).refusal is None for form in NATIVE.values())
