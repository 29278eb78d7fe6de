"""The models that exporters accept, and their trees or ensembles."""

from __future__ import annotations

from typing import Any

from exactree.trees import Ensemble, Tree

# A Tree, an Ensemble, or a fitted estimator. This package must not import `estimators`, so no type
# can name them here.
Model = Any


def fitted(model: Model) -> Tree | Ensemble:
    """Return the tree or the ensemble of a model.

    Parameters
    ----------
    model : Tree, Ensemble or fitted estimator
        The exported model.

    Raises
    ------
    TypeError
        If the model has neither a tree nor an ensemble.
    """
    for found in (model, getattr(model, "tree_", None), getattr(model, "ensemble_", None)):
        if isinstance(found, Tree | Ensemble):
            return found
    raise TypeError(
        "model must be a Tree, an Ensemble or a fitted estimator of exactree, got "
        f"{type(model).__name__}."
    )
