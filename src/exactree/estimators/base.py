"""Base class of the estimators that run a search: parameters, search, fitted attributes."""

import warnings
from collections.abc import Callable
from functools import partial
from inspect import unwrap
from typing import Any, Self

import numpy as np

from exactree.data.dataset import Dataset
from exactree.data.notes import notes_on_columns, notes_on_target
from exactree.errors import DataWarning, Infeasible, NotProvedWarning, level_of_user
from exactree.estimators.fitted import FittedEstimator
from exactree.problem import Outcome, Problem, Status
from exactree.problem.outcome import ROUNDED
from exactree.problem.parameters import checked_verbose, positive_seconds
from exactree.problem.quantities import cost_in_words, shown_cost
from exactree.progress import live_progress
from exactree.solve import naming_minimum, solve
from exactree.stopping import Deadline, Interruptible
from exactree.trees import Ensemble
from exactree.warm_start import Proved, proved_by, solve_after

# Sentences of a warning about the table.
_SHOWN_NOTES = 5
_FITTED_ATTRIBUTES = ("outcome_", "classes_", "n_classes_", "n_features_in_", "feature_names_in_")


class ExactEstimator(FittedEstimator):
    """A scikit-learn estimator whose parameters are those of a problem and of `solve`."""

    outcome_: Outcome

    def _fit(self, problem: Problem) -> Self:
        """Solve the problem with this estimator's parameters, and keep the outcome."""
        warn_about_data(problem.dataset, classes=not problem.regression)
        verbose = checked_verbose(self.verbose)
        search, options = self._search()
        deadline = Deadline(positive_seconds(self.time_limit))
        with Interruptible():
            with live_progress(verbose, deadline.limit) as live:
                listener = live.listener(self._shown_problem(problem), self.on_progress)
                outcome = search(problem, **options, on_progress=listener)
                if options.get("implementation") == "native":
                    memory_limit, n_jobs = options.get("memory_limit"), options.get("n_jobs", 1)
                    outcome = naming_minimum(problem, outcome, deadline, memory_limit, n_jobs)
                live.last_sentence = outcome.sentence  # the advice is in the warning
            self._keep(problem, outcome)
        return self

    def _shown_problem(self, problem: Problem) -> Problem | None:
        """Return the problem whose quantities are the unit of costs; None if there is none."""
        return problem

    def _search(self) -> tuple[Callable[..., Outcome], dict[str, Any]]:
        """Return the function that solves, and its keywords except `on_progress`."""
        # The keywords are right: unknown names were answered when the estimator was made.
        return unwrap(solve), {
            "method": self.method,
            "implementation": self.implementation,
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
            "n_jobs": self.n_jobs,
            "stop_at_gap": self.stop_at_gap,
            "cluster": self.cluster,
            "resume": self.resume,
        }

    def _keep(self, problem: Problem, outcome: Outcome) -> None:
        """Set the fitted attributes, or raise Infeasible; warn without a proof, re-raise Ctrl-C.

        Everything that can fail happens before the first attribute changes.
        """
        if outcome.status is Status.INFEASIBLE:
            raise Infeasible(f"No {self._fitted_kind} meets the limits: {outcome.reason}.")
        for name in (self._MODEL_ATTRIBUTE, *_FITTED_ATTRIBUTES):
            self.__dict__.pop(name, None)
        self._set_fitted(problem, outcome)
        if outcome.stopped_by == "interrupt":
            raise KeyboardInterrupt
        if outcome.status is not Status.OPTIMAL:
            warnings.warn(self._not_proved(outcome), NotProvedWarning, stacklevel=level_of_user())

    def _set_fitted(self, problem: Problem, outcome: Outcome) -> None:
        """Set the fitted attributes; without a tree, those of the outcome and the features."""
        dataset = problem.dataset
        self.outcome_ = outcome
        self.n_features_in_ = dataset.X.shape[1]
        if dataset.named:
            self.feature_names_in_ = np.asarray(dataset.feature_names, dtype=object)
        if outcome.trees:
            found = outcome.tree if self._MODEL_ATTRIBUTE == "tree_" else Ensemble(outcome.trees)
            setattr(self, self._MODEL_ATTRIBUTE, found)

    def _not_proved(self, outcome: Outcome) -> str:
        """Return the warning of a search that stopped early: its gap and what stopped it."""
        if not outcome.trees:
            return (
                f"No {self._fitted_kind} was found before the {outcome.stopped_by} stopped the "
                f"search (lower bound {shown_cost(outcome.lower_bound)}), so the estimator is not "
                f"fitted.{_advice(outcome)}"
            )
        if outcome.stopped_by == ROUNDED:
            return (
                f"The {self._fitted_kind} is proved optimal only up to the rounding of weights, "
                "which take more than 62 bits exactly: see lower_bound of the outcome."
            )
        assert outcome.cost is not None
        cost = cost_in_words(outcome.cost, outcome.cost_names)
        return (
            f"The {self._fitted_kind} is not proved optimal: the {outcome.stopped_by} stopped the "
            f"search at {cost} and lower bound {shown_cost(outcome.lower_bound)}, a gap of "
            f"{outcome.gap:.1%}.{_advice(outcome)}"
        )


def warn_about_data(dataset: Dataset, *, classes: bool) -> None:
    """Warn, once, about columns and labels that look otherwise than they were meant.

    Parameters
    ----------
    dataset : Dataset
        The table of a fit.
    classes : bool
        Whether the labels are classes.
    """
    notes = list(notes_on_columns(dataset))
    if classes:
        notes += notes_on_target(dataset)
    if notes:
        more = f" And {len(notes) - _SHOWN_NOTES:,} more." if len(notes) > _SHOWN_NOTES else ""
        warnings.warn(
            " ".join(notes[:_SHOWN_NOTES]) + more, DataWarning, stacklevel=level_of_user()
        )


def _advice(outcome: Outcome) -> str:
    """Return a sentence on what would help the search; empty if nothing is known."""
    return f" What would help: {outcome.advice_text}." if outcome.advice else ""


class WarmStart(ExactEstimator):
    """An estimator of one tree with the parameters `incumbent` and `warm_start`."""

    incumbent: Any = None
    warm_start: bool = False
    _proved: Proved | None = None

    def _search(self) -> tuple[Callable[..., Outcome], dict[str, Any]]:
        """Return the function that solves; it uses the results of the last fit if they are kept."""
        search, options = super()._search()
        options["incumbent"] = self.incumbent
        if self.warm_start and self._proved is not None:
            return partial(solve_after, before=self._proved), options
        return search, options

    def _set_fitted(self, problem: Problem, outcome: Any) -> None:
        super()._set_fitted(problem, outcome)
        self._proved = proved_by(problem, outcome) if self.warm_start else None
