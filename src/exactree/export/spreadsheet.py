"""Trees as a spreadsheet formula for Excel, LibreOffice Calc and Google Sheets."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.errors import level_of_user
from exactree.export.calls import TEXT, answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.statements import Statement, labels_of, statements_of
from exactree.export.wording import KEEPS, float32_note, one_tree, refuse_surfaces
from exactree.problem.parameters import whole_number
from exactree.trees.routing import AT_MOST, EQUAL, IN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exactree.trees import Tree

# The limits of Excel; those of LibreOffice are larger.
MAX_CHARACTERS = 8192
MAX_LEVELS = 64
MAX_TEXT = 255

_MAX_ROWS = 1_048_576  # of a sheet


@answers_file_names(TEXT)
def to_spreadsheet(model: Model, columns: Sequence[str] | None = None, row: int = 2) -> str:
    """Return a formula for the predicted label of a row of a spreadsheet.

    Spreadsheets compare numbers by 15 decimal digits. A value that differs from a threshold only
    after 15 digits may go to the wrong child. A warning says if this may happen to training rows.

    Parameters
    ----------
    model : Tree, Outcome, fitted estimator or Pipeline
        A single tree; for an ensemble use its `to_tree()`.
    columns : sequence of str, optional
        The columns of the features; by default A, B, C and so on, in their order.
    row : int
        The number of the row. The formula can be copied into other rows.

    Returns
    -------
    str
        A formula such as ``=IF(AND(ISNUMBER(A2),A2<=2.5),"round","long")``, with commas. An empty
        cell, or text instead of a number, is a missing value.

    Raises
    ------
    ValueError
        If a node splits on a surface, or the formula is too large or its text too long for Excel.

    Warns
    -----
    UserWarning
        If 15 digits may send training rows to other leaves.
    """
    tree = one_tree(fitted(model), "a formula")
    refuse_surfaces(tree, "a formula")
    if columns is None:
        columns = [letters_of(number) for number in range(tree.n_features)]
    if len(columns) != tree.n_features:
        raise ValueError(
            f"columns must have {tree.n_features} names, one for each feature, got {len(columns)}."
        )
    row = whole_number("row", row, 1, f"an integer from 1 to {_MAX_ROWS:,}", _MAX_ROWS)
    cells = [f"{column}{row}" for column in columns]
    labels = [_literal(label) for label in labels_of(tree, "a spreadsheet", _LABEL_TYPES)]
    if tree.depth > MAX_LEVELS:
        raise ValueError(
            f"a formula has at most {MAX_LEVELS} levels of IF, and the tree has {tree.depth}."
        )
    formula = "=" + _formula(tree, statements_of(tree), cells, labels)
    if len(formula) > MAX_CHARACTERS:
        raise ValueError(
            f"a formula has at most {MAX_CHARACTERS:,} characters, not {len(formula):,}."
        )
    _warn_of_digits(tree)
    return formula


_LABEL_TYPES = (str, int, float, bool)


def _warn_of_digits(tree: Tree) -> None:
    """Warn unless 15 digits keep all training rows in their leaves.

    If float32 keeps them, it rounds the values right of a threshold to greater numbers than the
    threshold. So these values differ from it in 15 digits, unless it is next to a number where the
    rounding of float32 changes.
    """
    with np.errstate(over="ignore", under="ignore"):
        next_digits = tree.threshold + abs(tree.threshold) * 2.0**-46
        near = next_digits.astype(np.float32) != tree.threshold.astype(np.float32)
    if float32_note(tree) != KEEPS or near.any():
        warnings.warn(
            "spreadsheets compare 15 digits of numbers, which may change the leaf of training rows",
            UserWarning,
            stacklevel=level_of_user(),
        )


def letters_of(number: int) -> str:
    """Return the name of a column: A to Z, AA and so on.

    Parameters
    ----------
    number : int
        The position of the column, counted from 0.
    """
    name = ""
    while number >= 0:
        number, letter = number // 26 - 1, number % 26
        name = chr(ord("A") + letter) + name
    return name


def _formula(
    tree: Tree, statements: Iterator[Statement], cells: Sequence[str], labels: list[str]
) -> str:
    """Write nested IFs: a condition, the subtree where it holds, and the other subtree."""
    statement = next(statements)
    if not statement.comparison:
        return labels[int(tree.prediction[statement.node])]
    condition = _condition(tree, statement, cells)
    if_true = _formula(tree, statements, cells, labels)
    if_false = _formula(tree, statements, cells, labels)  # the statements after `if_true`
    return f"IF({condition},{if_true},{if_false})"


def _condition(tree: Tree, statement: Statement, cells: Sequence[str]) -> str:
    node, feature = statement.node, int(tree.feature[statement.node])
    cell, levels = cells[feature], tree.levels.get(feature)
    present = f"ISNUMBER({cell})" if levels is None else f'{cell}<>""'
    absent = f"NOT({present})"
    if statement.only_missing:
        return absent if statement.missing else present
    if tree.comparison[node] == AT_MOST:
        holds = f"{cell}{statement.comparison}{float(tree.threshold[node])!r}"
    else:
        codes = tree.left_codes_at(node)
        conditions = [_equal(cell, code if levels is None else levels[code]) for code in codes]
        holds = conditions[0] if len(conditions) == 1 else f"OR({','.join(conditions)})"
        holds = holds if statement.comparison in (EQUAL, IN) else f"NOT({holds})"
    return f"OR({absent},{holds})" if statement.missing else f"AND({present},{holds})"


def _equal(cell: str, level: Any) -> str:
    """Write the condition that a cell holds a level; "=" would ignore the case of letters."""
    if level == "":
        raise ValueError("in a spreadsheet the level '' is the same as a missing value.")
    if isinstance(level, str):
        return f"EXACT({cell},{_literal(level)})"
    return f"{cell}={_literal(level)}"


def _literal(label: Any) -> str:
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, int | float):
        if not (math.isfinite(label) and (isinstance(label, float) or abs(label) < 10**15)):
            raise ValueError(f"a spreadsheet has no number for {label!r}.")
        return repr(label)
    if any((sign < " " and sign not in "\n\t") or "\ud800" <= sign <= "\udfff" for sign in label):
        raise ValueError(f"a spreadsheet has no text for {label!r}.")
    pieces = [label[at : at + MAX_TEXT] for at in range(0, len(label), MAX_TEXT)] or [""]
    return "&".join('"' + piece.replace('"', '""') + '"' for piece in pieces)
