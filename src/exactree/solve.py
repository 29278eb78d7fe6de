"""`solve`: choose a method, run it, recount its answer; fronts.

Length: the table of native forms stands beside the choice among them, which is all that reads it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from exactree.errors import InternalError, MethodRefused
from exactree.objectives.additive import plain
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.asked import asked_of
from exactree.problem.confusion import KINDS_OF_ERRORS, confusion_of
from exactree.problem.cost import as_tuple
from exactree.problem.float32 import in_float32
from exactree.problem.incumbent import Incumbent, as_incumbent
from exactree.problem.parameters import (
    is_number,
    number_of_threads,
    positive_seconds,
    whole_number,
)
from exactree.problem.recount import keeps_limits, recount
from exactree.spec.definition_rates import best_pairs
from exactree.spec.front import front as definition_front
from exactree.spec.methods import METHODS, NO_CONSTRAINTS, accepting
from exactree.spec.table import grown
from exactree.trees import Tree

__all__ = [
    "METHODS",
    "NATIVE",
    "Native",
    "check_problem",
    "pareto_front",
    "refuse_constrained",
    "solve",
    "takes_incumbent",
]

Listener = Callable[[Progress], object]


@dataclass(frozen=True)
class Native:
    """The fast form of a method.

    Attributes
    ----------
    accepts : callable
        Returns None for a problem it accepts, else in one clause why not.
    run : callable
        Takes the problem, then time_limit, memory_limit, n_jobs, stop_at_gap, on_progress.
    """

    accepts: Callable[[Problem], str | None]
    run: Callable[..., Outcome]


_PLAIN_ONLY = "it counts the weight of misclassified examples, no other errors or costs"

_CLASSES_ONLY = "it predicts classes, no numbers"


def _counts_other_errors(problem: Problem) -> str | None:
    """Say in a clause what a method that counts plain errors misses; None if nothing."""
    if problem.plain_errors:
        return None
    return _CLASSES_ONLY if problem.regression else _PLAIN_ONLY


# The engine is imported when it is called, so that specifications run without the native module.


def _engine_accepts(problem: Problem) -> str | None:
    from exactree.engine import (
        accepts,
        accepts_class_costs,
        accepts_constrained,
        accepts_ensemble,
        accepts_rate,
        accepts_regression,
    )

    if problem.constrained:
        return accepts_constrained(problem)
    if problem.regression:
        return accepts_regression(problem)
    if problem.rate is not None:
        return accepts_rate(problem)
    if not problem.plain_errors:
        return accepts_class_costs(problem)
    if problem.n_trees > 1:
        return accepts_ensemble("branch-and-bound", problem)
    return accepts(problem)


def _engine(problem: Problem, **how: Any) -> Outcome:
    from exactree.engine import (
        branch_and_bound,
        class_costs_tree,
        constrained_tree,
        rate_tree,
        regression_tree,
        run_ensemble,
    )

    if problem.constrained:
        return constrained_tree(problem, **how)
    if problem.regression:
        return regression_tree(problem, **how)
    if problem.rate is not None:
        return rate_tree(problem, **how)
    if not problem.plain_errors:
        return class_costs_tree(problem, **how)
    if problem.n_trees > 1:
        return run_ensemble("branch-and-bound", problem, **_alone(how))
    return branch_and_bound(problem, **how)


def _alone(how: dict[str, Any]) -> dict[str, Any]:
    """Return how to solve with one thread: the other searches know no more."""
    return {name: value for name, value in how.items() if name != "n_jobs"}


def _paper(method: str) -> Native:
    """Make the entry of one of the papers' own methods."""

    def accepts(problem: Problem) -> str | None:
        from exactree.engine import accepts_ensemble, accepts_paper

        others = _counts_other_errors(problem)
        if others is not None or problem.constrained:
            return others or NO_CONSTRAINTS
        return (accepts_paper if problem.n_trees == 1 else accepts_ensemble)(method, problem)

    def run(problem: Problem, **how: Any) -> Outcome:
        from exactree.engine import run_ensemble, run_paper

        paper = run_paper if problem.n_trees == 1 else run_ensemble
        return paper(method, problem, **_alone(how))

    return Native(accepts, run)


def _proper_accepts(problem: Problem) -> str | None:
    from exactree.engine import accepts_proper

    others = _counts_other_errors(problem)
    if others is not None or problem.constrained:
        return others or NO_CONSTRAINTS
    return accepts_proper(problem)


def _proper_promising(problem: Problem) -> bool:
    from exactree.engine import promising

    return promising(problem)


def _proper(problem: Problem, **how: Any) -> Outcome:
    from exactree.engine import run_proper

    return run_proper(problem, **_alone(how))


# The fast form of every method of `exactree.spec.methods`.
_PAPERS = ("box", "subsets", "support-sets", "threshold", "witness")
NATIVE = {
    "branch-and-bound": Native(_engine_accepts, _engine),
    **{method: _paper(method) for method in _PAPERS},
    "proper": Native(_proper_accepts, _proper),
}


def solve(
    problem: Problem,
    method: str = "auto",
    implementation: str = "native",
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int | None = 1,
    stop_at_gap: float = 0,
    on_progress: Listener | None = None,
    cluster: Any = None,
    resume: str | PathLike[str] | None = None,
    incumbent: Any = None,
) -> Outcome:
    """Return the best tree or ensemble for a problem and the proof that it is best.

    Stopped early (by a limit, by Ctrl-C, by `on_progress`), it returns the best so far with a
    valid lower bound; that is not an error. Every cost is recounted from predictions before it is
    returned.

    Parameters
    ----------
    problem : Problem
        What is asked.
    method : str
        "auto", "branch-and-bound", "proper", "witness", "box", "threshold", "support-sets" or
        "subsets".
    implementation : str
        "native", or "spec" for the readable specification of the method, which takes small
        tables only, ignores the limits below and runs to its end.
    time_limit : float, optional
        Seconds.
    memory_limit : int, optional
        Bytes the search may keep for remembering what it proved.
    n_jobs : int, optional
        Threads of the engine's search for least errors, the same cost for any number; -1 for all
        cores, None for 1, as in joblib. Other searches use one.
    stop_at_gap : float
        Stop when the gap is at most this, in [0, 1).
    on_progress : callable, optional
        Called with a `Progress`, about ten times a second at most; returning True stops.
    cluster : dask Client, str, Executor or tuple, optional
        Workers that share the search: a Dask client, the address of a Dask scheduler, an executor
        as of `concurrent.futures`, or a pair of an executor and its number of workers. Searches for
        one tree deeper than two are divided among all where its errors, of whatever kind, are
        searched; anything else goes to one worker, which tells no progress. What cannot be used
        raises before any work.
    resume : path, optional
        A file that holds the state of the search, with or without a cluster: written as it goes,
        read when it is there. One that is about another table is refused. For searches for least
        errors of one tree deeper than two.
    incumbent : Tree or fitted estimator, optional
        A fitted tree of exactree or scikit-learn to begin with; of problems with one tree and rules
        about one feature, for the engine. It is pruned to the limits. No incumbent changes the
        optimum, only how fast it is proved; where several trees are best, the incumbent stays.

    Returns
    -------
    Outcome
        Status, cost, lower bound, tree or ensemble.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not allowed; raised before any work.
    MethodRefused
        If the method does not accept the problem; the message names those that do.
    InternalError
        If the answer fails its recount; the message names a file to replay it with.
    """
    check_problem(problem)
    how = _checked(time_limit, memory_limit, n_jobs, stop_at_gap, on_progress)
    if implementation not in ("native", "spec"):
        raise ValueError(f"implementation must be 'native' or 'spec', got {implementation!r}.")
    name = _choose(problem, method, implementation)
    _refuse(problem, name, implementation)
    if incumbent is not None and problem.infeasible_reason is None:
        how |= {"incumbent": _incumbent(problem, incumbent, name, implementation)}
    if cluster is None and resume is None:
        outcome = _run(problem, name, implementation, how)
    else:
        outcome = _run_on(cluster, resume, problem, name, implementation, how)
    recount(problem, outcome)
    dataset = problem.dataset
    rounding = {"weight_scale": dataset.weight_scale, "weight_rounding": dataset.weight_rounding}
    stats = {**outcome.stats, **rounding, **_ties(problem, outcome), **_to_the_end(outcome)}
    return in_float32(problem, replace(outcome, stats=stats, asked=asked_of(problem)))


def takes_incumbent(problem: Problem, method: str, implementation: str) -> bool:
    """Tell whether `solve` can begin with a tree.

    Parameters
    ----------
    problem, method, implementation
        As in `solve`.
    """
    chosen = (_choose(problem, method, implementation), implementation)
    counted = problem.plain_errors or problem.regression
    alone = problem.n_trees == 1 and counted and not problem.constrained
    return alone and chosen == ("branch-and-bound", "native")


def _incumbent(problem: Problem, model: Any, name: str, implementation: str) -> Incumbent:
    """Return a fitted tree as a tree of the problem."""
    if problem.constrained or not (problem.plain_errors or problem.regression):
        raise ValueError("incumbent is for plain errors or regressions, without constraints.")
    if problem.n_trees == 1 and not takes_incumbent(problem, name, implementation):
        raise ValueError(
            "incumbent is for method='branch-and-bound' in its native form, not for "
            f"method={name!r} with implementation={implementation!r}."
        )
    return as_incumbent(problem, model)


def _run(problem: Problem, name: str, implementation: str, how: dict[str, Any]) -> Outcome:
    if implementation == "spec":
        return METHODS[name].spec(problem)
    return NATIVE[name].run(problem, **how)


def _run_on(
    cluster: Any,
    resume: str | PathLike[str] | None,
    problem: Problem,
    name: str,
    implementation: str,
    how: dict[str, Any],
) -> Outcome:
    """Run a method with the workers of a cluster: with all of them, or else with one.

    Without a cluster there is one worker, here.
    """
    from exactree.distributed import cluster_of, is_shared, shared_branch_and_bound

    shared = (name, implementation) == ("branch-and-bound", "native") and is_shared(problem)
    if resume is not None and not shared:
        raise ValueError(
            "resume is for searches that workers share, and this one goes to one of them."
        )
    with cluster_of(cluster) as workers:
        if shared:
            path = None if resume is None else Path(resume)
            return shared_branch_and_bound(problem, workers, resume=path, **how)
        alone = how | {"on_progress": None}
        outcome: Outcome = workers.alone(_run, problem, name, implementation, alone)
        return outcome


def pareto_front(
    problem: Problem,
    quantities: tuple[str, ...],
    implementation: str = "native",
    time_limit: float | None = None,
) -> list[Outcome]:
    """Return the best answers by several quantities: none is beaten in all of them.

    The quantities replace `minimize`, and only limits that the problem states apply.

    Parameters
    ----------
    problem : Problem
        What is asked.
    quantities : tuple of str
        At least two of what `minimize` accepts, such as ``("size", "errors")``. For ensembles also
        "n_trees" with one of "total_size" and "largest_size": ensembles of one tree, of two, and so
        on up to the problem's number of trees. Of two classes also ``("false_positives",
        "false_negatives")``, the weights of errors of both kinds, by the problem's positive class:
        there a leaf may predict either class.
    implementation : str
        "native", or "spec" for the definition, which takes small tables only and runs to its end;
        where the engine does not accept the problem the definition answers, too.
    time_limit : float, optional
        Seconds for the whole front.

    Returns
    -------
    list of Outcome
        One for each vector of quantities that no other one is at most in every component, by
        increasing first quantity; the cost is the vector. Empty when nothing meets the limits.
        Stopped early, the last outcome is the one that was stopped; those before are optimal.

    Raises
    ------
    ValueError
        If the quantities are not allowed.
    MethodRefused
        If the table is too large, or the problem has constraints.
    """
    check_problem(problem)
    if not isinstance(quantities, tuple) or len(quantities) < 2:
        raise ValueError(f"quantities must be a tuple of at least two names, got {quantities!r}.")
    if implementation not in ("native", "spec"):
        raise ValueError(f"implementation must be 'native' or 'spec', got {implementation!r}.")
    left = _checked(time_limit, None, 1, 0, None)["time_limit"]
    refuse_constrained(problem, "pareto_front")
    if set(quantities) == set(KINDS_OF_ERRORS):
        return _front_of_errors(problem, quantities, implementation, left)
    if "n_trees" in quantities:
        return _front_by_trees(problem, quantities, implementation, left)
    asked = problem.minimizing(quantities)
    native = _native_front(asked) if implementation == "native" else None
    outcomes = definition_front(asked) if native is None else native(asked, left)
    for outcome in outcomes:
        recount(asked, outcome)
    return [in_float32(asked, replace(o, stats={**o.stats, **_ties(asked, o)})) for o in outcomes]


def _ties(problem: Problem, outcome: Outcome) -> dict[str, int]:
    """Count the rows about which an ensemble's votes tie, so that the outcome can say so."""
    if outcome.ensemble is None:
        return {}
    votes = outcome.ensemble.votes_of(problem.dataset.X)
    return {"tied_rows": int(outcome.ensemble.tied(votes).sum())}


def _to_the_end(outcome: Outcome) -> dict[str, list[Progress]]:
    """Let the progress end with the outcome: a search is not asked what it knows at its end."""
    if "progress" not in outcome.stats:
        return {}
    told = list(outcome.stats["progress"])
    known = (outcome.cost, outcome.lower_bound)
    if not told or (told[-1].cost, told[-1].lower_bound) != known:
        seconds = [outcome.stats["seconds"], *(moment.seconds for moment in told[-1:])]
        told.append(Progress(*known, max(seconds)))
    return {"progress": told}


def _native_front(asked: Problem) -> Callable[[Problem, float | None], list[Outcome]] | None:
    """Return the native way to a front, None if there is none."""
    if asked.n_trees > 1:
        from exactree.engine import accepts_ensemble_front, ensemble_front

        return ensemble_front if accepts_ensemble_front(asked) is None else None
    if not asked.plain_errors:
        from exactree.engine import accepts_regression_front

        return _front_of_trees if accepts_regression_front(asked) is None else None
    from exactree.engine import accepts_errors_front

    in_turn = _engine_accepts(asked) is None and not asked.leaf_penalty
    return _front_of_trees if in_turn or accepts_errors_front(asked) is None else None


def _front_of_trees(asked: Problem, time_limit: float | None) -> list[Outcome]:
    """Return the front by the engine, which may use up the time."""
    from exactree.engine import (
        AtOnce,
        accepts_errors_front,
        errors_front,
        front,
        regression_front,
    )

    least = AtOnce(_engine, time_limit)
    if accepts_errors_front(asked) is None:
        return errors_front(asked, least)
    return (front if asked.plain_errors else regression_front)(asked, least)


def _front_of_errors(
    problem: Problem, quantities: tuple[str, ...], implementation: str, left: float | None
) -> list[Outcome]:
    """Return the front of false positives and false negatives."""
    if problem.leaf_penalty:
        raise ValueError("leaf_penalty must be 0 for a front of false positives and negatives.")
    asked = problem.minimizing("f1_error")  # which says that leaves may predict either class
    found, stopped_by = _pairs_of_errors(asked, implementation, left)
    flip = quantities[0] != KINDS_OF_ERRORS[0]
    outcomes = []
    for wrong, tree in found[::-1] if flip else found:
        if confusion_of(asked, tree) != wrong or not keeps_limits(asked, tree):
            raise InternalError(f"a tree of the front does not have the errors {wrong}")
        told = [plain(Fraction(weight, asked.dataset.weight_scale)) for weight in wrong]
        cost = tuple(told[::-1] if flip else told)
        outcomes.append(Outcome(Status.OPTIMAL, cost, cost, tree))
    if stopped_by is not None:
        outcomes.append(Outcome(Status.STOPPED, None, (0, 0), None, {}, stopped_by))
    return outcomes


def _pairs_of_errors(
    asked: Problem, implementation: str, left: float | None
) -> tuple[list[tuple[tuple[int, int], Tree]], str | None]:
    """Return pairs of integer weights with their trees, and why these are not all, if so."""
    if asked.infeasible_reason is not None:
        return [], None
    if implementation == "spec" or _engine_accepts_pairs(asked) is not None:
        pairs = best_pairs(asked)
        return [(wrong, grown(asked, tree)) for wrong, tree in pairs.items()], None
    from exactree.engine import front_of_pairs

    return front_of_pairs(asked, left)


def _engine_accepts_pairs(asked: Problem) -> str | None:
    from exactree.engine import accepts_pairs

    return accepts_pairs(asked)


# The limit on a size that is minimized against the number of trees.
_LIMIT_OF = {"total_size": "max_total_size", "largest_size": "max_size"}


def _front_by_trees(
    problem: Problem, quantities: tuple[str, ...], implementation: str, left: float | None
) -> list[Outcome]:
    """Return the front of the number of trees and a size: one search for every number."""
    size = next((name for name in quantities if name in _LIMIT_OF), "")
    if sorted(quantities) != sorted(("n_trees", size)) or problem.n_trees == 1:
        raise ValueError(
            "quantities may name 'n_trees' together with 'total_size' or 'largest_size', of a "
            f"problem of two or more trees, got {quantities!r} with n_trees={problem.n_trees}."
        )

    def vector(n_trees: int, value: Any) -> tuple[Any, ...]:
        return tuple(n_trees if name == "n_trees" else value for name in quantities)

    found: list[Outcome] = []
    asked = problem.minimizing((size,))
    for n_trees in range(1, problem.n_trees + 1):
        outcome = _solve_in_some_form(asked.with_trees(n_trees), implementation, left)
        if left is not None:
            left = max(left - outcome.stats.get("seconds", 0.0), 1e-3)
        cost = None if outcome.cost is None else vector(n_trees, as_tuple(outcome.cost)[0])
        lower_bound = vector(n_trees, as_tuple(outcome.lower_bound)[0])
        told = replace(outcome, cost=cost, lower_bound=lower_bound)
        if outcome.stopped_by is not None or outcome.status is Status.STOPPED:
            return [*_in_order(found, quantities), told]
        if outcome.cost is not None:
            found.append(told)
            # More trees are of the front only if they are smaller.
            smaller: dict[str, Any] = {_LIMIT_OF[size]: as_tuple(outcome.cost)[0] - 1}
            if smaller[_LIMIT_OF[size]] < 0:
                break
            asked = asked.within(replace(asked.limits, **smaller))
    return _in_order(found, quantities)


def _in_order(found: list[Outcome], quantities: tuple[str, ...]) -> list[Outcome]:
    """Return a front that was found by number of trees by its first quantity."""
    return found if quantities[0] == "n_trees" else found[::-1]


def _solve_in_some_form(problem: Problem, implementation: str, time_limit: float | None) -> Outcome:
    """Solve natively where a native form takes the problem, else by the definition."""
    native = any(form.accepts(problem) is None for form in NATIVE.values())
    form = implementation if native else "spec"
    return solve(problem, implementation=form, time_limit=time_limit)


def check_problem(problem: Any) -> None:
    """Raise TypeError unless a problem is one.

    Parameters
    ----------
    problem : object
        What the user gave.
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be a Problem(X, y, ...), got {type(problem).__name__}.")


def refuse_constrained(problem: Problem, what: str) -> None:
    """Raise MethodRefused for a problem under constraints.

    Parameters
    ----------
    problem : Problem
        What is asked.
    what : str
        Who takes no constraints.
    """
    if problem.constrained:
        raise MethodRefused(f"{what} does not accept this problem: {NO_CONSTRAINTS}; use solve.")


def _choose(problem: Problem, method: str, implementation: str) -> str:
    """Return the name of the method to use."""
    if method == "auto":
        if implementation == "spec":
            return "branch-and-bound"
        # The engine is the fastest; another native form may take what it does not take yet. The
        # definition takes every problem.
        if NATIVE["proper"].accepts(problem) is None and _proper_promising(problem):
            return "proper"
        native = (name for name, form in NATIVE.items() if form.accepts(problem) is None)
        if problem.n_trees > 1:  # "subsets" has no room for more than a few rows
            return next((name for name in native if name != "subsets"), "witness")
        return next(native, "branch-and-bound")
    if isinstance(method, str) and method in METHODS:
        return method
    names = " or ".join(repr(name) for name in ("auto", *METHODS))
    raise ValueError(f"method must be {names}, got {method!r}.")


def _refuse(problem: Problem, name: str, implementation: str) -> None:
    """Raise MethodRefused unless the method accepts the problem in this implementation."""
    accepts = METHODS[name].accepts if implementation == "spec" else NATIVE[name].accepts
    why = accepts(problem)
    if why is not None:
        asked = f"method={name!r} with implementation={implementation!r}"
        raise MethodRefused(f"{asked} does not accept this problem: {why}; {_takers(problem)}.")


def _takers(problem: Problem) -> str:
    """Name the methods that accept a problem."""
    native = [name for name, fast in NATIVE.items() if fast.accepts(problem) is None]
    taking = {"native": native, "spec": accepting(problem)}
    told = [
        f"{' or '.join(repr(name) for name in names)} with implementation={form!r}"
        for form, names in taking.items()
        if names
    ]
    return f"use {', or '.join(told)}" if told else "no method accepts it"


def _checked(
    time_limit: Any, memory_limit: Any, n_jobs: Any, stop_at_gap: Any, on_progress: Any
) -> dict[str, Any]:
    """Check how to solve and return it as the keywords of a method."""
    time_limit = positive_seconds(time_limit)
    if memory_limit is not None:
        allowed = "a positive integer (bytes) or None"
        memory_limit = whole_number("memory_limit", memory_limit, 1, allowed)
    n_jobs = number_of_threads(n_jobs)
    if not (is_number(stop_at_gap) and 0 <= stop_at_gap < 1):
        raise ValueError(f"stop_at_gap must be a number in [0, 1), got {stop_at_gap!r}.")
    if on_progress is not None and not callable(on_progress):
        raise TypeError(f"on_progress must be callable or None, got {on_progress!r}.")
    return {
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "n_jobs": n_jobs,
        "stop_at_gap": float(stop_at_gap),
        "on_progress": on_progress,
    }
