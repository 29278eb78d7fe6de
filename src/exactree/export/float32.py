"""The effect of float32 on the training rows of a model, as a clause for all exporters."""

from __future__ import annotations

import warnings

from exactree.errors import level_of_user
from exactree.export.wording import trees_of
from exactree.trees import Ensemble, Tree

KEEPS = "rounding features to float32 changes the leaf of no training row"
CHANGES = "rounding features to float32 changes the leaf of training rows: keep them in float64"
NOT_KNOWN = (
    "rounding features to float32 may change the leaf of training rows: keep them in float64"
)


def float32_note(model: Tree | Ensemble) -> str:
    """Return a clause that says whether rounding to float32 changes the leaf of any training row.

    The search has checked this for the trees that it found, and files keep what is known.

    Parameters
    ----------
    model : Tree or Ensemble
        The exported model.
    """
    trees = trees_of(model)
    if any(tree.same_in_float32 is False for tree in trees):
        return CHANGES
    return KEEPS if all(tree.same_in_float32 for tree in trees) else NOT_KNOWN


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
        warnings.warn(f"{form} {comparison}, and {note}", UserWarning, stacklevel=level_of_user())
    return note
