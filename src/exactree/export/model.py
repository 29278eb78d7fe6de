"""What is exported of a model: its tree or its ensemble."""

from __future__ import annotations

from typing import Any

from exactree.trees import Ensemble, Tree

# A Tree, an Ensemble, or an estimator that has fitted one. Estimators stand above this room, so
# that no type can name them here.
Model = Any


def fitted(model: Model) -> Tree | Ensemble:
    """Return the tree or the ensemble of a model.

    Parameters
    ----------
    model : Tree, Ensemble or fitted estimator
        What is exported.

    Raises
    ------
    TypeError
        If there is none.
    """
    for found in (model, getattr(model, "tree_", None), getattr(model, "ensemble_", None)):
        if isinstance(found, Tree | Ensemble):
            return found
    raise TypeError(
        "model must be a Tree, an Ensemble or a fitted estimator of exactree, got "
        f"{type(model).__name__}."
    )
