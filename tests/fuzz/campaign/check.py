"""The check of an instance: status, cost and conditions of the outcome.

The optimum comes from the definition (`exactree.spec.min_cost`). Since that uses the same
`Problem`, cost and limits are also recounted from the arguments of the user (`recount.py`).
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
from .recount import recount

__all__ = ["Verdict", "check"]

# Maximum number of subsets that the definition visits, about 0.1 ms each. Larger instances are not
# checked.
MAX_SUBSETS = 2000
# Maximum number of pairs of labelings and of ensembles, about 0.01 ms each.
MAX_ENSEMBLES = 20_000
# Time limit of the complete search with which a search stopped by a callback is compared.
REFERENCE_SECONDS = 5


@dataclass(frozen=True)
class Verdict:
    """The result of the check of an instance.

    Attributes
    ----------
    kind : str
        "agreed", "refused", "too large" for the definition, or "failed".
    message : str
        The status, the reason of a refusal without its numbers and names, or what is wrong.
    """

    kind: str
    message: str

    @property
    def signature(self) -> str:
        """The message without numbers, which is equal for failures of the same kind."""
        return _without_numbers(self.message)[:200]


def check(case: Case) -> Verdict:
    """Solve an instance and check the outcome."""
    try:
        problem = problem_of(case)
    except (ValueError, TypeError) as refusal:
        return _refused(case, refusal)
    except Exception as error:
        return Verdict("failed", f"Problem raised {error!r}")
    try:
        reference = _reference(case, problem)
        if reference is None:
            return Verdict("too large", "")
        outcome, reports = _solved(case, problem, reference)
    except (ValueError, TypeError) as refusal:
        return _refused(case, refusal)
    except InternalError as error:
        return Verdict("failed", f"InternalError: {_without_paths(str(error))}")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return Verdict("failed", f"solve raised {error!r}")
    faults = "; ".join(_faults(case, problem, reference, outcome, reports))
    ended = f"{outcome.status}" + (f" by {outcome.stopped_by}" if outcome.stopped_by else "")
    return Verdict("failed", faults) if faults else Verdict("agreed", ended)


def _reference(case: Case, problem: xt.Problem) -> Any:
    """Return an optimal outcome by the definition; None if that takes more than 0.2 seconds.

    Progress is reported after 0.1 seconds; problems that take so long are too large for the
    definition. So a search that a callback stops is compared with a complete search of the engine.
    """
    if "calls" in case.options:
        return xt.solve(problem, time_limit=REFERENCE_SECONDS)
    if problem.n_trees > 1:
        joined, labelings = labelings_to_join(problem)
        ensembles = comb(labelings + problem.n_trees - 1, problem.n_trees)
        is_small = max(joined, ensembles) <= MAX_ENSEMBLES
    else:
        is_small = subsets_to_visit(problem) <= MAX_SUBSETS
    try:
        return min_cost(problem) if is_small else None
    except MethodRefused:
        return None


def _solved(case: Case, problem: xt.Problem, reference: Any) -> tuple[Any, list[Any]]:
    """Solve a problem with the options of an instance; return the outcome and progress reports."""
    options: dict[str, Any] = dict(case.options)
    reports: list[Any] = []
    calls = options.pop("calls", None)

    def on_progress(progress: Any) -> bool:
        reports.append(progress)
        return len(reports) == calls

    options["on_progress"] = on_progress
    start = options.pop("start", None)
    if start == "warm":  # with the proofs of a search within other limits
        other = problem.within(xt.Limits(max_depth=1))
        return solve_after(problem, proved_by(other, xt.solve(other)), **options), reports
    if start == "best":
        options["incumbent"] = reference.tree
    elif start is not None:
        options["incumbent"] = _greedy(problem, start)
    return xt.solve(problem, **options), reports


def _greedy(problem: xt.Problem, start: str) -> Any:
    """Return a tree of scikit-learn, fitted to the labels ("cart") or to wrong labels ("noise")."""
    dataset = problem.dataset
    y = dataset.targets if problem.regression else dataset.labels
    y = y[::-1] if start == "noise" else y
    model = DecisionTreeRegressor if problem.regression else DecisionTreeClassifier
    return model(random_state=0).fit(dataset.X, y)


def _faults(
    case: Case, problem: xt.Problem, reference: Any, outcome: Any, reports: list[Any]
) -> Iterator[str]:
    """List the faults of an outcome."""
    tolerance = _Tolerance(problem, outcome)
    stopped = outcome.stopped_by is not None
    if not reference.trees and reference.status is Status.STOPPED:
        return  # the search for comparison has no tree
    if outcome.status is Status.INFEASIBLE or reference.status is Status.INFEASIBLE:
        may_be_open = stopped and outcome.status is Status.STOPPED
        if outcome.status is not reference.status and not may_be_open:
            yield f"the definition says {reference}, the outcome is {outcome}"
        if outcome.trees:
            yield "a tree although the problem is infeasible"
        if outcome.status is Status.INFEASIBLE and not outcome.reason:
            yield "infeasible without a reason"
        return
    if not tolerance.at_most(outcome.lower_bound, reference.cost):
        yield f"lower bound {outcome.lower_bound} above the optimum {reference.cost}"
    if (outcome.status is Status.OPTIMAL) != (outcome.gap == 0) and not stopped:
        yield f"{outcome.status} with gap {outcome.gap}"
    if not stopped and outcome.status is not Status.OPTIMAL:
        yield f"{outcome.status}, and nothing stopped the search"
    if outcome.stopped_by == ROUNDED:
        several = isinstance(problem.minimize, tuple)
        if not ((problem.exact_errors or several) and outcome.stats["rounding"] > 0):
            yield "stopped by a rounding, but nothing is rounded"
    elif stopped and not {"time_limit", "calls", "stop_at_gap", "memory_limit"} & {*case.options}:
        yield f"stopped by {outcome.stopped_by}, but the options allow no stop"
    if outcome.stopped_by == "gap" and outcome.gap > case.options["stop_at_gap"]:
        yield f"stopped at gap {outcome.gap}"
    for report in reports:
        if not tolerance.at_most(report.lower_bound, reference.cost):
            yield f"reported lower bound {report.lower_bound} above {reference.cost}"
        if report.cost is not None and not tolerance.at_most(reference.lower_bound, report.cost):
            yield f"reported cost {report.cost} below the optimum {reference.lower_bound}"
    if outcome.cost is None:
        return
    if outcome.status is Status.OPTIMAL and not tolerance.at_most(outcome.cost, reference.cost):
        yield f"cost {outcome.cost} is called optimal, by definition it is {reference.cost}"
    if not tolerance.at_most(reference.lower_bound, outcome.cost):
        yield f"cost {outcome.cost} below the optimum {reference.lower_bound}"
    rounded = problem.dataset.weight_rounding > 0
    recounted, faults = recount(case, list(outcome.trees), rounded)
    yield from faults
    if not tolerance.same(recounted, outcome.cost):
        yield f"cost {outcome.cost}, recounted {tuple(map(float, recounted))}"
    if outcome.status is Status.OPTIMAL and _irreducibility_is_defined(case, problem):
        try:
            check_irreducible(problem, outcome.trees)
        except AssertionError as fault:
            yield str(fault)


def _irreducibility_is_defined(case: Case, problem: xt.Problem) -> bool:
    """Return whether `check_irreducible` supports problems of this kind."""
    return not (problem.regression or problem.constrained or "surfaces" in case.parameters)


class _Tolerance:
    """Comparison of costs, up to the errors of floats and of rounded weights."""

    def __init__(self, problem: xt.Problem, outcome: Any) -> None:
        rounding = 4 * problem.dataset.weight_rounding
        self.exact = problem.exact_errors and not rounding
        self.names = problem.quantities
        self.rounded_term = None if problem.exact_errors else problem.error_term
        leaf = Fraction(0)
        if not self.exact and problem.error_term in problem.quantities:
            everything = np.arange(len(problem.dataset.X))
            leaf = Fraction(problem.term.value(problem.term.leaf(problem.dataset, everything)))
        self.relative = Fraction(1, 10**9) + Fraction(rounding)
        self.absolute = leaf * Fraction(1, 10**12) + Fraction(outcome.stats.get("rounding") or 0)

    def at_most(self, first: Any, second: Any) -> bool:
        """Return whether a cost is at most another cost, up to the tolerance."""
        for name, a, b in zip(self.names, as_tuple(first), as_tuple(second), strict=True):
            if not self._same(a, b):
                return bool(a < b)
            if name == self.rounded_term:  # quantities after errors that are nearly equal are free
                return True
        return True

    def same(self, first: Any, second: Any) -> bool:
        """Return whether two costs are equal, up to the tolerance."""
        pairs = zip(as_tuple(first), as_tuple(second), strict=True)
        return all(self._same(a, b) for a, b in pairs)

    def _same(self, a: Any, b: Any) -> bool:
        if self.exact or (isinstance(a, int) and isinstance(b, int)) or isinf(a) or isinf(b):
            return bool(a == b)
        allowed = self.absolute + self.relative * max(abs(Fraction(a)), abs(Fraction(b)))
        return abs(Fraction(a) - Fraction(b)) <= allowed


def _refused(case: Case, refusal: Exception) -> Verdict:
    """Check that a refusal is one sentence that names a parameter which the user has set."""
    text = str(refusal)
    is_sentence = text[:1].isalpha() and text.endswith((".", ".)")) and "\n" not in text
    limits = case.parameters["limits"]
    names = {*case.parameters, *case.options, *limits, *case.parameters.get("constraints", {})}
    names |= {"incumbent"} if "start" in case.options else set()
    names |= {"method"} if isinstance(refusal, MethodRefused) else set()
    if not is_sentence or not any(re.search(rf"\b{name}\b", text) for name in names):
        return Verdict("failed", f"refused with {refusal!r}")
    return Verdict("refused", f"{type(refusal).__name__}: {_without_numbers(text)}")


def _without_numbers(text: str) -> str:
    """Replace numbers and quotes in a sentence, so that sentences of the same kind are equal."""
    text = re.sub(r"\[.*\]|\{.*\}", "[...]", text)
    text = re.sub(r"Fraction\([^)]*\)|'[^']*'|\"[^\"]*\"", "'...'", text)
    text = re.sub(r"('\.\.\.'(, | or | and )?)+", "'...' ", text)
    return re.sub(r"\d[\d,./e+-]*", "N", text)


def _without_paths(text: str) -> str:
    return re.sub(r"/\S+", "FILE", text)
