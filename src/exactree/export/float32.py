"""What float32 does to the training rows of a model, in a clause that every form can tell."""

from __future__ import annotations

import warnings

import numpy as np

from exactree.export.model import Model
from exactree.export.wording import trees_of
from exactree.trees import Tree

KEEPS = "rounding features to float32 changes the leaf of no training row"
CHANGES = "rounding features to float32 changes the leaf of training rows: keep them in float64"
NOT_KNOWN = (
    "rounding features to float32 may change the leaf of training rows: keep them in float64"
)


def float32_note(model: Model) -> str:
    """Return in one clause whether float32 changes the leaf of any training row.

    `solve` has counted it. Of a tree that was read from a file or made by hand it is known by its
    thresholds if all are float32 numbers: then they were chosen because float32 changes nothing.

    Parameters
    ----------
    model : Tree, Ensemble or fitted estimator
        What is exported.
    """
    trees = trees_of(model)
    if any(tree.same_in_float32 is False for tree in trees):
        return CHANGES
    known = all(tree.same_in_float32 or thresholds_are_float32(tree) for tree in trees)
    return KEEPS if known else NOT_KNOWN


def thresholds_are_float32(tree: Tree) -> bool:
    """Return whether every threshold is a float32 number, and no weighted sum is asked.

    Parameters
    ----------
    tree : Tree
        A tree of any kind.
    """
    with np.errstate(over="ignore"):
        rounded = tree.threshold.astype(np.float32)
    return bool((rounded == tree.threshold).all()) and not len(tree.surfaces)


def checked_float32_note(model: Model, form: str, *, rounds: bool = False) -> str:
    """Return the note of a model, and warn if it is no good news for a form.

    Parameters
    ----------
    model : Tree, Ensemble or fitted estimator
        What is exported.
    form : str
        What it becomes, such as "the C function".
    rounds : bool
        Whether the form itself rounds features. Then it is a warning, too, that nothing is known;
        else only that float32 does change a leaf, since users may store features in it.
    """
    note = float32_note(model)
    if note == CHANGES or (rounds and note == NOT_KNOWN):
        does = "compares rounded features" if rounds else "compares in float64"
        warnings.warn(f"{form} {does}, and {note}", UserWarning, stacklevel=3)
    return note
