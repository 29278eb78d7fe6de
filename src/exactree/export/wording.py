"""Text that all exporters share: names, numbers and nodes, refusals, the note on float32."""

from __future__ import annotations

import unicodedata
import warnings
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.errors import level_of_user
from exactree.rules.family import LEFT
from exactree.trees.ensemble import Ensemble
from exactree.trees.regression_tree import RegressionTree
from exactree.trees.routing import AT_MOST, EQUAL

if TYPE_CHECKING:
    from exactree.trees import Tree

# Names of a leaf's number, and of the deviation from it, which has the unit of the target.
CENTRE = {"squared_error": "mean", "absolute_error": "median"}
DEVIATION = {"squared_error": "standard deviation", "absolute_error": "mean absolute deviation"}

# The effect of float32 on the training rows of a model.
KEEPS = "rounding features to float32 changes the leaf of no training row"
CHANGES = "rounding features to float32 changes the leaf of training rows: keep them in float64"
NOT_KNOWN = (
    "rounding features to float32 may change the leaf of training rows: keep them in float64"
)

# Joiners are part of scripts and emoji and hide nothing; other unprintable characters are escaped.
_JOINERS = "\u200c\u200d"


def trees_of(model: Tree | Ensemble) -> tuple[Tree, ...]:
    """Return the trees to show: those of an ensemble, or the tree itself."""
    return model.trees if isinstance(model, Ensemble) else (model,)


def one_tree(model: Tree | Ensemble, form: str) -> Tree:
    """Return the only tree of a model, for formats without votes.

    Parameters
    ----------
    model : Tree or Ensemble
        The exported model.
    form : str
        The format that holds a single tree, such as "a formula".

    Raises
    ------
    ValueError
        If the model is an ensemble of several trees.
    """
    trees = trees_of(model)
    if len(trees) > 1:
        raise ValueError(
            f"{form} holds one tree, and this is an ensemble of {len(trees)}: give its to_tree()."
        )
    return trees[0]


def refuse_surfaces(tree: Tree | Ensemble, form: str) -> None:
    """Raise ValueError if a node splits on a surface, which a format cannot represent."""
    if any(len(member.surfaces) for member in trees_of(tree)):
        raise ValueError(
            f"{form} has one feature at each node, so it cannot hold trees with hyperplanes or "
            "other surfaces; predict, to_python, to_c, to_sql and to_json can."
        )


def one_line(name: Any) -> str:
    r"""Return a name or label as one line of printable text.

    Line ends, control characters, text-direction overrides and lone surrogates, which can break or
    disguise the surrounding text, are escaped as in Python (``\n``); blank names are quoted.
    """
    text = "".join(
        sign if sign.isprintable() or sign in _JOINERS else sign.encode("unicode_escape").decode()
        for sign in str(name)
    )
    return text if text == text.strip() != "" else f"'{text}'"


def number(value: float) -> str:
    """Return a threshold in the fewest digits that identify it, which all formats write."""
    return repr(float(value)).removesuffix(".0")


def quantity(value: float) -> str:
    """Return a weight or a count as text: integers exactly, other numbers with four decimals."""
    if abs(value) >= 1e15 or 0 < abs(value) < 1e-3:
        return f"{value:.6g}"
    return f"{value:.4f}".rstrip("0").rstrip(".")


def counted(value: float, noun: str) -> str:
    """Return a quantity with its noun, in the singular for one."""
    return f"{quantity(value)} {noun if value == 1 else noun + 's'}"


def feature_name(tree: Tree, node: int) -> str:
    """Return the name of the feature that a node splits on."""
    return one_line(tree.operand_names[tree.feature[node]])


def rule(tree: Tree, node: int, at_most: str = AT_MOST) -> str:
    """Return the rule of a node, which holds for examples that go left.

    Parameters
    ----------
    tree : Tree
        The tree.
    node : int
        An inner node.
    at_most : str
        The sign to write for "at most".
    """
    comparison = at_most if tree.comparison[node] == AT_MOST else tree.comparison[node]
    sign = "" if only_missing(tree, node) else f"{comparison} "
    return f"{feature_name(tree, node)} {sign}{threshold_or_code(tree, node)}"


def only_missing(tree: Tree, node: int) -> bool:
    """Return whether a node only separates missing values from all others."""
    return bool(np.isinf(tree.threshold[node]))


def threshold_or_code(tree: Tree, node: int) -> str:
    """Return the threshold of a node, or its code in full, and whether missing values go left."""
    value, missing_left = float(tree.threshold[node]), tree.missing[node] == LEFT
    if only_missing(tree, node):
        return "is missing" if missing_left else "is not missing"
    if codes := tree.level_set_at(node):
        text = f"{{{', '.join(level_or_code(tree, node, code) for code in codes)}}}"
    elif tree.comparison[node] == EQUAL:
        text = level_or_code(tree, node, int(value))
    else:
        text = number(value)
    return f"{text} or missing" if missing_left else text


def level_or_code(tree: Tree, node: int, code: int) -> str:
    """Return the level that a code of the node's feature stands for, or the code in full."""
    levels = tree.levels.get(int(tree.feature[node]))
    return str(code) if levels is None else one_line(levels[code])


def predicted(tree: Tree, node: int) -> str:
    """Return the label predicted at a node; a number in six digits."""
    if isinstance(tree, RegressionTree):
        return f"{tree.value[node, 0]:.6g}"
    return one_line(tree.classes[tree.prediction[node]])


def examples(tree: Tree, node: int) -> str:
    """Return the number of examples that reach a node, with their weight if it differs."""
    count = int(tree.n_node_samples[node])
    weight = float(tree.weighted_n_node_samples[node])
    text = counted(count, "example")
    return text if weight == count else f"{text} of weight {quantity(weight)}"


def counts(tree: Tree, node: int) -> tuple[str, ...]:
    """Return the examples, and of a leaf the errors; nothing if the tree does not count rows."""
    if not tree.counts_rows:
        return ()
    found = examples(tree, node)
    return (found, errors(tree, node)) if tree.is_leaf(node) else (found,)


def errors(tree: Tree, node: int) -> str:
    """Return the errors of a node: the misclassified weight, or the deviation from its number."""
    if isinstance(tree, RegressionTree):
        deviation = typical_deviation(tree, float(tree.errors[node]), float(tree.weight[node]))
        return f"{DEVIATION[tree.error_term]} {deviation:.4g}"
    return counted(float(tree.errors[node]), "error")


def typical_deviation(tree: RegressionTree, error: float, weight: float) -> float:
    """Return the deviation of examples from their predictions, in the unit of the target.

    Parameters
    ----------
    tree : RegressionTree
        The tree, which measures squared or absolute errors.
    error : float
        The sum of these errors.
    weight : float
        The weight of the examples, positive.
    """
    mean = error / weight
    return sqrt(mean) if tree.error_term == "squared_error" else mean


def counts_by_class(tree: Tree, node: int) -> str:
    """Return the weight of each class at a node, such as "round 2, flat 1"; empty for numbers."""
    if isinstance(tree, RegressionTree) or not tree.counts_rows:
        return ""
    weights = zip(tree.classes.tolist(), tree.value[node].tolist(), strict=True)
    return ", ".join(f"{one_line(label)} {quantity(weight)}" for label, weight in weights if weight)


def terminal_width(text: str) -> int:
    """Return the width of a text in the columns of a terminal."""
    return sum(
        0
        if unicodedata.combining(sign) or sign in _JOINERS
        else 2
        if unicodedata.east_asian_width(sign) in "WF"
        else 1
        for sign in text
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
