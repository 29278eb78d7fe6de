"""Trees as a self-contained JavaScript function."""

from __future__ import annotations

import json
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
def to_javascript(model: Model) -> str:
    """Return the source of a JavaScript function ``predict(x)`` for one row of features.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        Trees of an ensemble vote.

    Returns
    -------
    str
        A script for any engine since ECMAScript 2016; in Node.js ``module.exports.predict`` is the
        function. It takes an array and returns the label. Numbers are float64, as in `predict`;
        ``null``, ``undefined`` and ``NaN`` are missing values. Rows contain levels, not codes.

    Raises
    ------
    ValueError
        If a label or a level is not a string, number, boolean or None, or an integer that is not
        exact in JavaScript.

    Warns
    -----
    UserWarning
        If features in float32 would send training rows to other leaves.
    """
    found = fitted(model)
    note = f"// Compares in float64; {checked_float32_note(found, 'the JavaScript function')}.\n"
    labels = [_literal(label) for label in labels_of(found, "JavaScript", LITERALS)]
    trees = trees_of(found)
    functions = [_function(f"tree_{k}", member) for k, member in enumerate(trees)]
    names = ", ".join(f"tree_{k}" for k in range(len(trees)))
    classes = "".join(
        f"  {label}, // {k}: {one_line(name)}\n"
        for k, (label, name) in enumerate(zip(labels, found.classes, strict=True))
    )
    return note + "\n".join([f"const CLASSES = [\n{classes}];\n", *functions, _PREDICT % names])


# JavaScript compares null like 0 and undefined like NaN; both become NaN, the missing value.
_PREDICT = """\
function predict(x) {
  const row = Array.from(x, (value) => (value === null || value === undefined ? NaN : value));
  const votes = new Array(CLASSES.length).fill(0);
  for (const tree of [%s]) {
    votes[tree(row)] += 1;
  }
  return CLASSES[votes.indexOf(Math.max(...votes))];
}

if (typeof module !== "undefined") {
  module.exports = { predict };
}
"""


def _function(name: str, tree: Tree) -> str:
    """Write a function that returns the index of the class that a tree predicts."""
    lines = [f"function {name}(x) {{"]
    open_blocks = 0
    for statement in statements_of(tree):
        indent = "  " * (statement.depth + 1)
        if open_blocks > statement.depth:
            open_blocks -= 1
            lines.append(f"{indent}}}")
        if not statement.comparison:
            lines.append(f"{indent}return {tree.prediction[statement.node]};")
            continue
        comment = feature_name(tree, statement.node)
        lines.append(f"{indent}if ({_condition(tree, statement)}) {{ // {comment}")
        open_blocks += 1
    return "\n".join([*lines, "}"]) + "\n"


def _condition(tree: Tree, statement: Statement) -> str:
    operand = operand_of(tree, statement.node, lambda feature: f"x[{feature}]", repr)
    levels = tree.levels.get(int(tree.feature[statement.node]))
    if levels is None or statement.only_missing:
        condition = comparison_of(tree, statement, operand, repr)
        return condition.replace("==", "===").replace("!=", "!==")
    codes = tree.left_codes_at(statement.node)
    literals = ", ".join(_literal(levels[code]) for code in codes)
    holds = f"[{literals}].includes({operand})"
    # Only NaN, the missing value, differs from itself.
    if statement.comparison in (EQUAL, IN):
        return f"{holds} || {operand} !== {operand}" if statement.missing else holds
    return f"!{holds}" if statement.missing else f"!{holds} && {operand} === {operand}"


def _literal(label: Any) -> str:
    if label is None or isinstance(label, bool | str):
        return json.dumps(label)  # ASCII, so without line ends
    if isinstance(label, float) and not math.isfinite(label):
        return "NaN" if math.isnan(label) else f"{'-' if label < 0 else ''}Infinity"
    if isinstance(label, int) and abs(label) > 2**53:
        raise ValueError(f"JavaScript has no number for {label!r}; give the class a name.")
    return repr(label)
