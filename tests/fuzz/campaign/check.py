"""The check of every instance: status, cost and conditions of the outcome.

The definition (`exactree.spec.min_cost`) says what is best; it is asked about the same `Problem`,
so what `Problem` makes of the user's words is counted again from these words (`recount.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb, isinf
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import exactree as xt
from exactree.errors import InternalError, MethodRefused
from exactree.problem import Status
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import as_tuple
from exactree.spec import min_cost
from exactree.spec.effort import labelings_to_join, subsets_to_visit
from exactree.testing import check_irreducible
from exactree.warm_start import proved_by, solve_after

from .cases import Case, problem_of
from .recount import count_again

__all__ = ["Verdict", "check"]

# About 0.1 ms for each part that the definition visits. What is above is not compared with it.
MOST_PARTS = 2000
# And 0.01 ms for each pair of labelings or each ensemble.
MOST_ENSEMBLES = 20_000
# Seconds for a search that is stopped in another try, and then compared with this one.
PATIENCE = 5


@dataclass(frozen=True)
class Verdict:
    """What came of an instance.

    Attributes
    ----------
    kind : str
        "agreed", "refused", "too large" for the definition, or "failed".
    said : str
        The status, the reason of a refusal without its numbers and names, or what is wrong.
    """

    kind: str
    said: str

    @property
    def signature(self) -> str:
        """What is wrong without its numbers, so that failures alike are counted as one."""
        return _without_numbers(self.said)[:200]


def check(case: Case) -> Verdict:
    """Solve an instance and check the answer."""
    try:
        problem = problem_of(case)
    except (ValueError, TypeError) as refused:
        return _refused(case, refused)
    except Exception as broken:
        return Verdict("failed", f"Problem raised {broken!r}")
    try:
        best = _best(case, problem)
        if best is None:
            return Verdict("too large", "")
        outcome, heard = _solved(case, problem, best)
    except (ValueError, TypeError) as refused:
        return _refused(case, refused)
    except InternalError as broken:
        return Verdict("failed", f"InternalError: {_without_paths(str(broken))}")
    except BaseException as broken:
        if isinstance(broken, KeyboardInterrupt):
            raise
        return Verdict("failed", f"solve raised {broken!r}")
    wrong = "; ".join(_faults(case, problem, best, outcome, heard))
    ended = f"{outcome.status}" + (f" by {outcome.stopped_by}" if outcome.stopped_by else "")
    return Verdict("failed", wrong) if wrong else Verdict("agreed", ended)


def _best(case: Case, problem: xt.Problem) -> Any:
    """Return what the definition says, None where that takes more than some milliseconds.

    Progress is reported after a tenth of a second, and by then the definition has no answer. So
    what stops on a call of `on_progress` is compared with what the engine says if nothing stops it.
    """
    if "calls" in case.how:
        return xt.solve(problem, time_limit=PATIENCE)
    if problem.n_trees > 1:
        joined, labelings = labelings_to_join(problem)
        ensembles = comb(labelings + problem.n_trees - 1, problem.n_trees)
        few = max(joined, ensembles) <= MOST_ENSEMBLES
    else:
        few = subsets_to_visit(problem) <= MOST_PARTS
    try:
        return min_cost(problem) if few else None
    except MethodRefused:
        return None


def _solved(case: Case, problem: xt.Problem, best: Any) -> tuple[Any, list[Any]]:
    """Solve a problem as an instance says; returns the outcome and the progress that was heard."""
    how: dict[str, Any] = dict(case.how)
    heard: list[Any] = []
    calls = how.pop("calls", None)

    def listen(progress: Any) -> bool:
        heard.append(progress)
        return len(heard) == calls

    how["on_progress"] = listen
    start = how.pop("start", None)
    if start == "warm":  # what is proved within limits that are not the same
        other = problem.within(xt.Limits(max_depth=1))
        return solve_after(problem, proved_by(other, xt.solve(other)), **how), heard
    if start is not None:
        how["incumbent"] = best.tree if start == "best" else _greedy(case, problem, start)
    return xt.solve(problem, **how), heard


def _greedy(case: Case, problem: xt.Problem, start: str) -> Any:
    """Return a tree of scikit-learn, fitted to the labels or to noise."""
    dataset = problem.dataset
    y = dataset.targets if problem.regression else dataset.labels
    y = y[::-1] if start == "noise" else y
    model = DecisionTreeRegressor if problem.regression else DecisionTreeClassifier
    return model(random_state=0).fit(dataset.X, y)


def _faults(
    case: Case, problem: xt.Problem, best: Any, outcome: Any, heard: list[Any]
) -> Iterator[str]:
    """Say what is wrong about an answer."""
    near = _Near(problem, outcome)
    stopped = outcome.stopped_by is not None
    if not best.trees and best.status is Status.STOPPED:
        return
    if outcome.status is Status.INFEASIBLE or best.status is Status.INFEASIBLE:
        may_be_open = stopped and outcome.status is Status.STOPPED
        if outcome.status is not best.status and not may_be_open:
            yield f"the definition says {best}, the answer is {outcome}"
        if outcome.trees:
            yield "a tree where there is none"
        if outcome.status is Status.INFEASIBLE and not outcome.reason:
            yield "no reason"
        return
    if not near.at_most(outcome.lower_bound, best.cost):
        yield f"lower bound {outcome.lower_bound} above the optimum {best.cost}"
    if (outcome.status is Status.OPTIMAL) != (outcome.gap == 0) and not stopped:
        yield f"{outcome.status} with gap {outcome.gap}"
    if not stopped and outcome.status is not Status.OPTIMAL:
        yield f"{outcome.status}, and nothing stopped the search"
    if outcome.stopped_by == ROUNDED:
        if not (problem.exact_errors and outcome.stats["rounding"] > 0):
            yield "stopped by a rounding, and there is none"
    elif stopped and not {"time_limit", "calls", "stop_at_gap", "memory_limit"} & {*case.how}:
        yield f"stopped by {outcome.stopped_by} without being asked to"
    if outcome.stopped_by == "gap" and outcome.gap > case.how["stop_at_gap"]:
        yield f"stopped at gap {outcome.gap}"
    for moment in heard:
        if not near.at_most(moment.lower_bound, best.cost):
            yield f"progress told lower bound {moment.lower_bound} above {best.cost}"
        if moment.cost is not None and not near.at_most(best.lower_bound, moment.cost):
            yield f"progress told cost {moment.cost} below the optimum {best.lower_bound}"
    if outcome.cost is None:
        return
    if outcome.status is Status.OPTIMAL and not near.at_most(outcome.cost, best.cost):
        yield f"cost {outcome.cost} is called optimal, the definition has {best.cost}"
    if not near.at_most(best.lower_bound, outcome.cost):
        yield f"cost {outcome.cost} below the optimum {best.lower_bound}"
    rounded = problem.dataset.weight_rounding > 0
    counted, faults = count_again(case, list(outcome.trees), rounded)
    yield from faults
    if not near.same(counted, outcome.cost):
        yield f"cost {outcome.cost}, counted again {tuple(map(float, counted))}"
    if outcome.status is Status.OPTIMAL and _reducible_here(case, problem):
        try:
            check_irreducible(problem, outcome.trees)
        except AssertionError as fault:
            yield str(fault)


def _reducible_here(case: Case, problem: xt.Problem) -> bool:
    """Return whether `check_irreducible` knows problems of this kind."""
    return not (problem.regression or problem.constrained or "surfaces" in case.stated)


class _Near:
    """How far costs may be off that are reported as floats, or of weights that were rounded."""

    def __init__(self, problem: xt.Problem, outcome: Any) -> None:
        rounding = 4 * problem.dataset.weight_rounding
        self.exact = problem.exact_errors and not rounding
        leaf = Fraction(0)
        if not self.exact and problem.error_term in problem.quantities:
            everything = np.arange(len(problem.dataset.X))
            leaf = Fraction(problem.term.value(problem.term.leaf(problem.dataset, everything)))
        self.of_cost = Fraction(1, 10**9) + Fraction(rounding)
        self.least = leaf * Fraction(1, 10**12) + Fraction(outcome.stats.get("rounding") or 0)

    def at_most(self, first: Any, second: Any) -> bool:
        """Return whether a cost is at most another one, as far as roundings tell."""
        for a, b in zip(as_tuple(first), as_tuple(second), strict=True):
            if not self._same(a, b):
                return bool(a < b)
        return True

    def same(self, first: Any, second: Any) -> bool:
        """Return whether two costs are equal, as far as roundings tell."""
        return self.at_most(first, second) and self.at_most(second, first)

    def _same(self, a: Any, b: Any) -> bool:
        if self.exact or (isinstance(a, int) and isinstance(b, int)) or isinf(a) or isinf(b):
            return bool(a == b)
        room = self.least + self.of_cost * max(abs(Fraction(a)), abs(Fraction(b)))
        return abs(Fraction(a) - Fraction(b)) <= room


def _refused(case: Case, refused: Exception) -> Verdict:
    """Check that a refusal is one sentence about something that the user stated."""
    told = str(refused)
    sentence = told[:1].isalpha() and told.endswith((".", ".)")) and "\n" not in told
    limits = case.stated["limits"]
    stated = {*case.stated, *case.how, *limits, *case.stated.get("constraints", {})}
    stated |= {"incumbent"} if "start" in case.how else set()
    stated |= {"method"} if isinstance(refused, MethodRefused) else set()
    named = [name for name in stated if re.search(rf"\b{name}\b", told)]
    if not sentence or not named:
        return Verdict("failed", f"refused with {refused!r}")
    return Verdict("refused", f"{type(refused).__name__}: {_without_numbers(told)}")


def _without_numbers(told: str) -> str:
    """Leave numbers and quotes out of a sentence, so that those alike are counted as one."""
    told = re.sub(r"\[.*\]|\{.*\}", "[...]", told)
    told = re.sub(r"Fraction\([^)]*\)|'[^']*'|\"[^\"]*\"", "'...'", told)
    told = re.sub(r"('\.\.\.'(, | or | and )?)+", "'...' ", told)
    return re.sub(r"\d[\d,./e+-]*", "N", told)


def _without_paths(told: str) -> str:
    return re.sub(r"/\S+", "FILE", told)
