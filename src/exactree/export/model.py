"""Models that exporters and pictures accept; `unwrap` finds the tree or the ensemble in each.

A pipeline is its last step, whose features get the names that the steps before it give to their
columns, and whose tables are those that these steps make of the user's tables.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from exactree.errors import level_of_user
from exactree.problem import Outcome
from exactree.trees import Ensemble, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

# A Tree, an Ensemble, an Outcome, a fitted estimator, or a fitted pipeline or parameter search of
# scikit-learn with such an estimator. This package must not import `estimators`, so no type can
# name them here.
Model = Any


@dataclass(frozen=True, eq=False)
class Unwrapped:
    """A model without the estimator, pipeline or outcome around it.

    Attributes
    ----------
    model : Tree or Ensemble
        The tree or the ensemble; in a pipeline its features have the names of the columns that the
        steps return.
    outcome : Outcome or None
        The result of its search, if it is known.
    smoothing : object
        The estimator's `smoothing`; None without an estimator.
    steps : tuple of transformers
        The fitted steps of a pipeline before the estimator.
    """

    model: Tree | Ensemble
    outcome: Outcome | None = None
    smoothing: Any = None
    steps: tuple[Any, ...] = ()

    def table(self, X: Any) -> Any:
        """Return the table that the tree gets in a prediction for the user's table."""
        for step in self.steps:
            X = step.transform(X)
        return X


def fitted(model: Model) -> Tree | Ensemble:
    """Return the tree or the ensemble of a model.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The exported model.

    Raises
    ------
    TypeError
        If the model is of another kind.
    ValueError
        If the model is not fitted, or its search found no tree.

    Warns
    -----
    UserWarning
        If steps of a pipeline change the values that the tree compares.
    """
    found = _unwrapped(model)
    _warn_of_units(found.steps)
    return found.model


def unwrap(model: Model) -> Unwrapped:
    """Return the tree or the ensemble of a model, with its outcome and the steps before it.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        The exported model; errors and warnings are those of `fitted`.
    """
    found = _unwrapped(model)
    _warn_of_units(found.steps)
    return found


def estimator_in(model: Model) -> Any:
    """Return the estimator in a pipeline or a parameter search; any other object as it is.

    Parameters
    ----------
    model : object
        The user's argument.
    """
    return _without_steps(model)[0]


def outcome_in(model: Model) -> Outcome | None:
    """Return the result of the search of a model, if it is known.

    Parameters
    ----------
    model : object
        A model, or any other object, which has none.
    """
    inner = estimator_in(model)
    outcome = inner if isinstance(inner, Outcome) else getattr(inner, "outcome_", None)
    return outcome if isinstance(outcome, Outcome) else None


def _without_steps(model: Model) -> tuple[Any, tuple[Any, ...]]:
    """Return the innermost estimator, and the steps before it."""
    steps: tuple[Any, ...] = ()
    while True:
        if hasattr(model, "named_steps"):
            *before, (_, model) = model.steps
            steps += tuple(step for _, step in before if step not in (None, "passthrough"))
        elif hasattr(model, "best_estimator_") and not hasattr(model, "tree_"):
            model = model.best_estimator_
        else:
            return model, steps


def _unwrapped(model: Model) -> Unwrapped:
    inner, steps = _without_steps(model)
    if isinstance(inner, Tree | Ensemble):
        return Unwrapped(inner)
    outcome = outcome_in(inner)
    for found in (
        getattr(inner, "tree_", None),
        getattr(inner, "ensemble_", None),
        getattr(outcome, "ensemble", None),
        getattr(outcome, "tree", None),
    ):
        if isinstance(found, Tree | Ensemble):
            named = _named_by_steps(found, steps, getattr(model, "feature_names_in_", None))
            chosen = getattr(inner, "best_estimator_", inner)  # of a tuned tree
            return Unwrapped(named, outcome, getattr(chosen, "smoothing", None), steps)
    raise _refusal(model, inner, outcome)


def _refusal(model: Model, inner: Any, outcome: Outcome | None) -> Exception:
    """Return the error for a model without a tree."""
    if outcome is not None:
        return ValueError(f"the search found no tree to export: {outcome}.")
    if type(inner).__module__.startswith("exactree.") and hasattr(inner, "fit"):
        return ValueError(f"this {type(model).__name__} is not fitted yet: call fit first.")
    kind = type(model).__name__
    inside = "" if inner is model else f" with {type(inner).__name__}"
    return TypeError(
        "model must be a Tree, an Ensemble, an Outcome, a fitted estimator of exactree, or a "
        f"fitted Pipeline whose last step is one, got {kind}{inside}."
    )


def _named_by_steps(found: Tree | Ensemble, steps: Sequence[Any], names: Any) -> Tree | Ensemble:
    """Return the model with the names that the steps give to their columns, if they give any.

    A step that takes the names of its input and gets none, because a step before it does not keep
    them, numbers the columns of its input.
    """
    if not steps or found.named:  # a tree fitted on a frame has its names
        return found
    named = names is not None
    for step in steps:
        try:
            names = step.get_feature_names_out(names)
        except (AttributeError, TypeError, ValueError):
            names, named = None, False
    if names is None or len(names) != len(found.feature_names):
        return found

    def rename(tree: Tree) -> Tree:
        return replace(tree, feature_names=tuple(map(str, names)), named=named)

    return (
        Ensemble(tuple(map(rename, found.trees))) if isinstance(found, Ensemble) else rename(found)
    )


def _warn_of_units(steps: Sequence[Any]) -> None:
    """Warn if steps change values: thresholds are then in units of the columns they return.

    Steps that select columns (they have `get_support`) change no values.
    """
    changing = [type(step).__name__ for step in steps if not hasattr(step, "get_support")]
    if changing:
        return_columns = "returns" if len(changing) == 1 else "return"
        warnings.warn(
            f"thresholds and values are in the units of the columns that {' and '.join(changing)} "
            f"{return_columns}, not of the table given to the pipeline.",
            UserWarning,
            stacklevel=level_of_user(),
        )
