"""The fast form of every method: the check that it accepts a problem, and the function to run.

The engine is imported on the first call, so that specifications run without the native module.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from exactree.problem import Outcome, Problem
from exactree.spec.methods import NO_CONSTRAINTS

__all__ = ["NATIVE", "Native", "proper_promising", "under_constraints"]


@dataclass(frozen=True)
class Native:
    """The fast form of a method.

    Attributes
    ----------
    accepts : callable
        Returns None for a problem that the method accepts, else the reason as a clause.
    run : callable
        Takes the problem, then time_limit, memory_limit, n_jobs, stop_at_gap, on_progress.
    """

    accepts: Callable[[Problem], str | None]
    run: Callable[..., Outcome]


_PLAIN_ONLY = "it counts the weight of misclassified examples, not other errors or costs"

_CLASSES_ONLY = "it predicts classes, not numbers"


def _counts_other_errors(problem: Problem) -> str | None:
    """Return why a method for plain errors does not accept a problem, in a clause, or None."""
    if problem.plain_errors:
        return None
    return _CLASSES_ONLY if problem.regression else _PLAIN_ONLY


def under_constraints(problem: Problem) -> bool:
    """Return whether the engine solves a problem by its search under constraints.

    It also handles limits on the leaves of classes if errors are allowed. With such a limit a
    subset of the examples may be harder, because a leaf predicts its majority, and the bounds of
    the other searches rely on the opposite.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    from exactree.engine import accepts

    if problem.constrained:
        return True
    leaves = problem.limits.max_leaves_of is not None and problem.plain_errors
    return leaves and problem.n_trees == 1 and accepts(problem) is not None


def _engine_accepts(problem: Problem) -> str | None:
    from exactree.engine import (
        accepts,
        accepts_class_costs,
        accepts_constrained,
        accepts_ensemble,
        accepts_rate,
        accepts_regression,
    )

    if under_constraints(problem):
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


def _engine(problem: Problem, **options: Any) -> Outcome:
    from exactree.engine import (
        branch_and_bound,
        class_costs_tree,
        constrained_tree,
        rate_tree,
        regression_tree,
        run_ensemble,
    )

    if under_constraints(problem):
        return constrained_tree(problem, **options)
    if problem.regression:
        return regression_tree(problem, **options)
    if problem.rate is not None:
        return rate_tree(problem, **options)
    if not problem.plain_errors:
        return class_costs_tree(problem, **options)
    if problem.n_trees > 1:
        return run_ensemble("branch-and-bound", problem, **_alone(options))
    return branch_and_bound(problem, **options)


def _alone(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options without `n_jobs`, for searches with one thread."""
    return {name: value for name, value in options.items() if name != "n_jobs"}


def _paper(method: str) -> Native:
    """Return the entry of a method of a paper."""

    def accepts(problem: Problem) -> str | None:
        from exactree.engine import accepts_ensemble, accepts_paper

        others = _counts_other_errors(problem)
        if others is not None or problem.constrained:
            return others or NO_CONSTRAINTS
        return (accepts_paper if problem.n_trees == 1 else accepts_ensemble)(method, problem)

    def run(problem: Problem, **options: Any) -> Outcome:
        from exactree.engine import run_ensemble, run_paper

        paper = run_paper if problem.n_trees == 1 else run_ensemble
        return paper(method, problem, **_alone(options))

    return Native(accepts, run)


def _proper_accepts(problem: Problem) -> str | None:
    from exactree.engine import accepts_proper

    others = _counts_other_errors(problem)
    if others is not None or problem.constrained:
        return others or NO_CONSTRAINTS
    return accepts_proper(problem)


def proper_promising(problem: Problem) -> bool:
    """Return whether "proper" is likely to be the fastest method for a problem that it accepts.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    from exactree.engine import promising

    return promising(problem)


def _proper(problem: Problem, **options: Any) -> Outcome:
    from exactree.engine import run_proper

    return run_proper(problem, **_alone(options))


# The fast form of every method of `exactree.spec.methods`.
_PAPERS = ("box", "subsets", "support-sets", "threshold", "witness")
NATIVE = {
    "branch-and-bound": Native(_engine_accepts, _engine),
    **{method: _paper(method) for method in _PAPERS},
    "proper": Native(_proper_accepts, _proper),
}
