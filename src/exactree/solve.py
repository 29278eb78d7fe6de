"""`solve`: choose a method, run it, recount its answer."""

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from exactree.errors import MethodRefused
from exactree.problem import Outcome, Problem, Progress
from exactree.problem.parameters import whole_number
from exactree.problem.recount import recount
from exactree.spec import least_cost

__all__ = ["METHODS", "Method", "solve"]

Listener = Callable[[Progress], object]


@dataclass(frozen=True)
class Method:
    """An entry of the list of methods.

    Attributes
    ----------
    native : callable
        The fast form: problem, then time_limit, memory_limit, stop_at_gap, on_progress.
    spec : callable
        The readable specification of the same name. It runs to its end and refuses problems
        for which that would take long.
    """

    native: Callable[..., Outcome]
    spec: Callable[[Problem], Outcome]


def _engine(problem: Problem, **how: Any) -> Outcome:
    from exactree.engine import branch_and_bound  # so that the spec runs without the native module

    return branch_and_bound(problem, **how)


METHODS = {"branch-and-bound": Method(native=_engine, spec=least_cost)}

# Reserved by the interface; refused until they are built.
_LATER = ("witness", "box", "threshold", "support-sets", "subsets", "proper")


def solve(
    problem: Problem,
    method: str = "auto",
    implementation: str = "native",
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0,
    on_progress: Listener | None = None,
) -> Outcome:
    """Return the best tree for a problem and the proof that it is best.

    Stopped early (by a limit, by Ctrl-C, by `on_progress`), it returns the best tree so far with
    a valid lower bound; that is not an error. The cost of every tree is recounted from its
    predictions before it is returned.

    Parameters
    ----------
    problem : Problem
        What is asked.
    method : str
        "auto" or "branch-and-bound".
    implementation : str
        "native", or "spec" for the readable specification of the method, which takes small
        tables only, ignores the limits below and runs to its end.
    time_limit : float, optional
        Seconds.
    memory_limit : int, optional
        Bytes the search may keep for remembering what it proved.
    n_jobs : int
        1 for now.
    stop_at_gap : float
        Stop when the gap is at most this, in [0, 1).
    on_progress : callable, optional
        Called with a `Progress`, about ten times a second at most; returning True stops.

    Returns
    -------
    Outcome
        Status, cost, lower bound, tree.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not allowed; raised before any work.
    MethodRefused
        If the method does not accept the problem.
    InternalError
        If the answer fails its recount; the message names a file to replay it with.
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be a Problem(X, y, ...), got {type(problem).__name__}.")
    how = _checked(time_limit, memory_limit, n_jobs, stop_at_gap, on_progress)
    chosen = METHODS[_choose(problem, method)]
    if implementation == "spec":
        outcome = chosen.spec(problem)
    elif implementation == "native":
        outcome = chosen.native(problem, **how)
    else:
        raise ValueError(f"implementation must be 'native' or 'spec', got {implementation!r}.")
    recount(problem, outcome)
    dataset = problem.dataset
    rounding = {"weight_scale": dataset.weight_scale, "weight_rounding": dataset.weight_rounding}
    return replace(outcome, stats={**outcome.stats, **rounding})


def _choose(problem: Problem, method: str) -> str:
    """Return the name of a method that accepts the problem."""
    if method == "auto":
        return "branch-and-bound"  # it accepts every problem
    if isinstance(method, str) and method in METHODS:
        return method
    accepting = " or ".join(repr(name) for name in ("auto", *METHODS))
    if isinstance(method, str) and method in _LATER:
        raise MethodRefused(
            f"method={method!r} comes in a later version; {accepting} accept this problem."
        )
    raise ValueError(f"method must be {accepting}, got {method!r}.")


def _checked(
    time_limit: Any, memory_limit: Any, n_jobs: Any, stop_at_gap: Any, on_progress: Any
) -> dict[str, Any]:
    """Check how to solve and return it as the keywords of a method."""
    if time_limit is not None and not (_is_number(time_limit) and time_limit > 0):
        raise ValueError(
            f"time_limit must be a positive number of seconds or None, got {time_limit!r}."
        )
    if memory_limit is not None:
        allowed = "a positive integer (bytes) or None"
        memory_limit = whole_number("memory_limit", memory_limit, 1, allowed)
    if whole_number("n_jobs", n_jobs, 1, "1 (more come in a later version)") != 1:
        raise ValueError(f"n_jobs must be 1 (more come in a later version), got {n_jobs!r}.")
    if not (_is_number(stop_at_gap) and 0 <= stop_at_gap < 1):
        raise ValueError(f"stop_at_gap must be a number in [0, 1), got {stop_at_gap!r}.")
    if on_progress is not None and not callable(on_progress):
        raise TypeError(f"on_progress must be callable or None, got {on_progress!r}.")
    if time_limit is not None:
        time_limit = float(time_limit) if math.isfinite(time_limit) else None
    return {
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "stop_at_gap": float(stop_at_gap),
        "on_progress": on_progress,
    }


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, numbers.Real) and not math.isnan(value)
