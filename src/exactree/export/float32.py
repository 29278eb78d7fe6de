"""The effect of float32 on the training rows of a model, as a clause for all exporters."""

from __future__ import annotations

import warnings

import numpy as np

from exactree.export.wording import trees_of
from exactree.trees import Ensemble, Tree

KEEPS = "rounding features to float32 changes the leaf of no training row"
CHANGES = "rounding features to float32 changes the leaf of training rows: keep them in float64"
NOT_KNOWN = (
    "rounding features to float32 may change the leaf of training rows: keep them in float64"
)


def float32_note(model: Tree | Ensemble) -> str:
    """Return a clause that says whether rounding to float32 changes the leaf of any training row.

    The search has checked this for the trees that it found. For a tree that was read from a file it
    is known if all thresholds are float32 numbers: a search chooses such thresholds only if
    rounding changes nothing.

    Parameters
    ----------
    model : Tree or Ensemble
        The exported model.
    """
    trees = trees_of(model)
    if any(tree.same_in_float32 is False for tree in trees):
        return CHANGES
    known = all(tree.same_in_float32 or thresholds_are_float32(tree) for tree in trees)
    return KEEPS if known else NOT_KNOWN


def thresholds_are_float32(tree: Tree) -> bool:
    """Return whether every threshold is a float32 number, and no node splits on a weighted sum.

    Parameters
    ----------
    tree : Tree
        A tree of any kind.
    """
    with np.errstate(over="ignore"):
        rounded = tree.threshold.astype(np.float32)
    return bool((rounded == tree.threshold).all()) and not len(tree.surfaces)


def checked_float32_note(model: Tree | Ensemble, form: str, *, rounds: bool = False) -> str:
    """Return the note of a model, and warn if an exported form may send rows to other leaves.

    Parameters
    ----------
    model : Tree or Ensemble
        The exported model.
    form : str
        The name of the exported form, such as "the C function".
    rounds : bool
        Whether the form itself rounds features. Then an unknown effect is also a warning; otherwise
        only a known change is, because users may store features in float32.
    """
    note = float32_note(model)
    if note == CHANGES or (rounds and note == NOT_KNOWN):
        comparison = "compares rounded features" if rounds else "compares in float64"
        warnings.warn(f"{form} {comparison}, and {note}", UserWarning, stacklevel=3)
    return note
