"""Trees as a self-contained Python function."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from exactree.export.calls import TEXT, answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.statements import (
    LITERALS,
    Statement,
    comparison_of,
    labels_of,
    operand_of,
    statements_of,
)
from exactree.export.wording import checked_float32_note, feature_name, one_line, trees_of
from exactree.trees.routing import EQUAL, IN

if TYPE_CHECKING:
    from exactree.trees import Tree


@answers_file_names(TEXT)
def to_python(model: Model) -> str:
    """Return the source of a Python function ``predict(x)`` for one row of features.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        Trees of an ensemble vote.

    Returns
    -------
    str
        Python source without imports; numbers are exact float64, and weighted sums are added in the
        same order as in `predict`. ``predict`` returns the label; ``float("nan")`` is a missing
        value. A row contains levels, not their codes; None also stands for a missing level.

    Raises
    ------
    ValueError
        If a label is not a string, number, boolean or None.

    Warns
    -----
    UserWarning
        If features in float32 would send training rows to other leaves.
    """
    found = fitted(model)
    note = f"# Compares in float64; {checked_float32_note(found, 'the Python function')}.\n"
    labels = [_literal(label) for label in labels_of(found, "Python", LITERALS)]
    trees = trees_of(found)
    if len(trees) == 1:
        return note + _function("predict", trees[0], labels)
    class_indices = [f"{k}  # {one_line(label)}" for k, label in enumerate(found.classes)]
    functions = [_function(f"tree_{k}", member, class_indices) for k, member in enumerate(trees)]
    names = ", ".join(f"tree_{k}" for k in range(len(trees)))
    classes = "".join(f"    {label},\n" for label in labels)
    return note + "\n\n".join([*functions, f"CLASSES = (\n{classes})\n", _ELECTION.format(names)])


_ELECTION = """\
def predict(x):
    votes = [0] * len(CLASSES)
    for tree in ({}):
        votes[tree(x)] += 1
    return CLASSES[votes.index(max(votes))]
"""


def _function(name: str, tree: Tree, results: list[str]) -> str:
    """Write the function of a tree; `results` has an expression for each class."""
    lines = [f"def {name}(x):"]
    for statement in statements_of(tree):
        indent = "    " * (statement.depth + 1)
        if not statement.comparison:
            lines.append(f"{indent}return {results[tree.prediction[statement.node]]}")
            continue
        comment = feature_name(tree, statement.node)
        lines.append(f"{indent}if {_condition(tree, statement)}:  # {comment}")
    return "\n".join(lines) + "\n"


def _condition(tree: Tree, statement: Statement) -> str:
    operand = operand_of(tree, statement.node, lambda feature: f"x[{feature}]", repr)
    levels = tree.levels.get(int(tree.feature[statement.node]))
    if levels is not None and not statement.only_missing:
        codes = tree.left_codes_at(statement.node)
        return _level_condition(statement, operand, [_literal(levels[code]) for code in codes])
    if levels is not None:
        return _missing(operand) if statement.missing else f"not ({_missing(operand)})"
    condition = comparison_of(tree, statement, operand, repr)
    for sign, word in (("!(", "not ("), ("||", "or"), ("&&", "and")):
        condition = condition.replace(sign, word)
    return condition


def _level_condition(statement: Statement, operand: str, levels: list[str]) -> str:
    """Write the condition of a split on levels."""
    # A tuple of a single level needs a comma, or `in` looks for a part of a string.
    level_tuple = f"({', '.join(levels)}{',' if len(levels) == 1 else ''})"
    operands = levels[0] if statement.comparison in (EQUAL, "!=") else level_tuple
    holds = f"{operand} {statement.comparison} {operands}"
    if statement.comparison in (EQUAL, IN):
        return f"{holds} or {_missing(operand)}" if statement.missing else holds
    return holds if statement.missing else f"{holds} and not ({_missing(operand)})"


def _missing(operand: str) -> str:
    """Write the condition that a level is missing: None or NaN."""
    return f"{operand} is None or {operand} != {operand}"


def _literal(label: Any) -> str:
    if isinstance(label, float) and not math.isfinite(label):
        return f"float({str(label)!r})"
    return repr(label)
