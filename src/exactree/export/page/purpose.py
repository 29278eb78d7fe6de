"""The purpose of a model: the title of its report, a sentence, and the legend of its colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactree.export.palette import DARK, LIGHT, class_colour
from exactree.export.wording import one_line, trees_of
from exactree.trees import Ensemble, RegressionTree

if TYPE_CHECKING:
    from exactree.trees import Tree

__all__ = ["LegendEntry", "default_title", "legend", "purpose"]

MAX_LISTED = 6  # classes in a sentence


@dataclass(frozen=True)
class LegendEntry:
    """A colour of the page.

    Attributes
    ----------
    name : str
        The class.
    light, dark : str
        Its colours on the two backgrounds.
    """

    name: str
    light: str
    dark: str


def default_title(model: Tree | Ensemble, target: str | None) -> str:
    """Return the title of a report, such as "Class, predicted by a decision tree".

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    target : str or None
        The name of what is predicted.
    """
    count = len(trees_of(model))
    trees = f"{count} decision trees" if isinstance(model, Ensemble) else "a decision tree"
    if target is not None:
        return f"{target}, predicted by {trees}"
    verb = "predict" if isinstance(model, Ensemble) and count > 1 else "predicts"
    return f"{trees[0].upper()}{trees[1:]} that {verb} {_values(model)}"


def purpose(model: Tree | Ensemble, target: str | None) -> str:
    """Return a sentence that says what is predicted, and from what.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    target : str or None
        The name of what is predicted.
    """
    features = len(model.feature_names)
    given = f"from {features:,} features" if features != 1 else "from 1 feature"
    if target is None:
        return f"Predicts {_values(model)} {given}."
    if isinstance(model, RegressionTree):
        return f"Predicts the number {one_line(target)} {given}."
    return f"Predicts whether {one_line(target)} is {_values(model)}, {given}."


def legend(model: Tree | Ensemble) -> list[LegendEntry]:
    """Return the colours of the classes; there are none in a regression.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    """
    if isinstance(model, RegressionTree):
        return []
    return [
        LegendEntry(one_line(label), class_colour(index, LIGHT), class_colour(index, DARK))
        for index, label in enumerate(model.classes.tolist())
    ]


def _values(model: Tree | Ensemble) -> str:
    """Return the predicted values in words."""
    if isinstance(model, RegressionTree):
        return "a number"
    names = [one_line(label) for label in model.classes.tolist()]
    if len(names) > MAX_LISTED:
        return f"one of {len(names):,} classes"
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
