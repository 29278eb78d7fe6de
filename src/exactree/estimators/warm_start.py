"""Warm start: estimators that reuse the results of their last fit."""

from typing import Any

from exactree.estimators.base import ExactEstimator
from exactree.problem import Outcome, Problem
from exactree.warm_start import Proved, proved_by, solve_after


class WarmStart(ExactEstimator):
    """An estimator of one tree with the parameters `incumbent` and `warm_start`."""

    incumbent: Any = None
    warm_start: bool = False
    _proved: Proved | None = None

    def _how(self) -> dict[str, Any]:
        return super()._how() | {"incumbent": self.incumbent}

    def _solve(self, problem: Problem, **how: Any) -> Outcome:
        """Return the outcome of the search, started from the results of the last fit."""
        return solve_after(problem, self._proved if self.warm_start else None, **how)

    def _set_fitted(self, problem: Problem, outcome: Any) -> None:
        super()._set_fitted(problem, outcome)
        self._proved = proved_by(problem, outcome) if self.warm_start else None
