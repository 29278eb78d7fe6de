"""Trees as an SQL expression over columns with the names of their features."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from exactree.export.calls import TEXT, answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.statements import (
    LITERALS,
    Statement,
    labels_of,
    operand_of,
    splits_on_surface,
    statements_of,
)
from exactree.export.wording import checked_float32_note, trees_of

if TYPE_CHECKING:
    from exactree.trees import Ensemble, Tree

INDENT = "  "


@answers_file_names(TEXT)
def to_sql_expression(model: Model) -> str:
    """Return an SQL expression for the predicted label of a row.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        Trees of an ensemble vote.

    Returns
    -------
    str
        ``CASE ... END`` over columns with the names of the features, which must be of double
        precision, or hold levels; a missing value is NULL. For an ensemble it is a subquery in
        parentheses. Numbers are the shortest decimals that read back as the same float64. Weighted
        sums are added in the same order as in `predict`; the overflow of a sum depends on the
        database.

    Raises
    ------
    ValueError
        If SQL has no literal for a label, or no identifier for the name of a feature.

    Warns
    -----
    UserWarning
        If float32 columns would send training rows to other leaves.
    """
    model = fitted(model)
    checked_float32_note(model, "the SQL expression")
    labels, trees = sql_labels(model), trees_of(model)
    if len(trees) == 1:
        return sql_case(trees[0], labels, "")
    return _election(trees, labels)


def sql_labels(model: Tree | Ensemble) -> list[str]:
    """Return the literals of the labels, by class.

    Parameters
    ----------
    model : Tree or Ensemble
        The exported model.
    """
    return [_literal(label) for label in labels_of(model, "SQL", LITERALS)]


_SIGNS = {"<=": "<=", ">": ">", "==": "=", "!=": "<>", "in": "IN", "not in": "NOT IN"}


def _election(trees: tuple[Tree, ...], labels: list[str]) -> str:
    """Write a query of the votes of every tree, counted by class."""
    numbers = [str(number) for number in range(len(labels))]
    names = [f"tree_{number}" for number in range(len(trees))]
    cases = [sql_case(tree, numbers, INDENT * 3) for tree in trees]
    voted = ",\n".join(f"{case} AS {name}" for case, name in zip(cases, names, strict=True))
    counted = ",\n".join(
        f"{INDENT * 2}{sql_votes(number, names)} AS votes_{number}" for number in numbers
    )
    chosen = sql_winner([f"votes_{number}" for number in numbers], labels)
    return (
        f"(SELECT {chosen}\nFROM (SELECT\n{counted}\n{INDENT}FROM (SELECT\n{voted}\n{INDENT}"
        ") AS trees) AS votes)"
    )


def sql_votes(class_index: str, trees: list[str]) -> str:
    """Write an expression for the votes of a class.

    Parameters
    ----------
    class_index : str
        The index of the class.
    trees : list of str
        Names of the columns that hold the class index that each tree predicts.
    """
    return " + ".join(f"CASE {tree} WHEN {class_index} THEN 1 ELSE 0 END" for tree in trees)


def sql_winner(votes: list[str], labels: list[str]) -> str:
    """Write the label with the most votes, ties to the earlier class.

    Parameters
    ----------
    votes : list of str
        The columns of the numbers of votes of each class.
    labels : list of str
        The literals of the classes.
    """
    # The first class with at least as many votes as each later class has the most votes, because
    # each earlier class has fewer votes than some later class.
    elected = "".join(
        f"{INDENT}WHEN {' AND '.join(f'{votes[k]} >= {later}' for later in votes[k + 1 :])}"
        f" THEN {labels[k]}\n"
        for k in range(len(labels) - 1)
    )
    return f"CASE\n{elected}{INDENT}ELSE {labels[-1]}\nEND" if elected else labels[0]


def sql_case(tree: Tree, results: list[str], margin: str) -> str:
    """Write a tree as nested CASEs, where each WHEN has the smaller subtree of a node.

    Parameters
    ----------
    tree : Tree
        The tree.
    results : list of str
        The text for leaves, by class.
    margin : str
        The indentation of every line.
    """
    statements = list(statements_of(tree))
    lines: list[str] = []
    for index, statement in enumerate(statements):
        indent = margin + INDENT * (2 * statement.depth)
        opening = index == 0 or statements[index - 1].depth < statement.depth
        if not statement.comparison:
            answer = results[tree.prediction[statement.node]]
            alone, last = [f"{indent}{answer}"], [f"{indent}{INDENT}ELSE {answer}", f"{indent}END"]
            lines += alone if opening else last
            continue
        if opening:
            lines.append(f"{indent}CASE")
        lines.append(f"{indent}{INDENT}WHEN {_condition(tree, statement)} THEN")
    return "\n".join(lines)


def _condition(tree: Tree, statement: Statement) -> str:
    names = tree.feature_names
    operand = operand_of(tree, statement.node, lambda f: sql_identifier(names[f]), _number)
    if statement.only_missing:
        return f"{operand} IS {'' if statement.missing else 'NOT '}NULL"
    threshold = _threshold(tree, statement.node)
    holds = f"{operand} {_SIGNS[statement.comparison]} {threshold}"
    # A comparison with NULL is not true, so missing values skip this WHEN; if they belong to its
    # subtree, IS NULL is added. Surfaces take no missing values.
    if splits_on_surface(tree, statement.node) or not statement.missing:
        return holds
    return f"{holds} OR {operand} IS NULL"


def _threshold(tree: Tree, node: int) -> str:
    """Write the threshold of a node, or its levels."""
    levels = tree.levels.get(int(tree.feature[node]))

    def literal(value: float) -> str:
        return _number(value) if levels is None else _literal(levels[int(value)])

    if codes := tree.level_set_at(node):
        return f"({', '.join(literal(float(code)) for code in codes)})"
    return literal(float(tree.threshold[node]))


def sql_identifier(name: str) -> str:
    """Return a name as an identifier in quotes, or refuse it.

    Parameters
    ----------
    name : str
        The name of a column or a table.
    """
    _check_text(name, f"no identifier for the name {name!r}")
    if not name:
        raise ValueError("SQL has no identifier for an empty name.")
    return '"' + name.replace('"', '""') + '"'


def _literal(label: Any) -> str:
    if label is None:
        return "NULL"
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    if isinstance(label, str):
        _check_text(label, f"no literal for the label {label!r}")
        return "'" + label.replace("'", "''") + "'"
    if isinstance(label, float) and math.isfinite(label):
        return _number(label)
    if isinstance(label, int) and -(2**63) < label < 2**63:
        return str(label)
    raise ValueError(f"SQL has no literal for the label {label!r}.")


def _check_text(text: str, problem: str) -> None:
    """Refuse characters that databases do not accept: NUL and lone surrogates."""
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ValueError(f"SQL has {problem}.")


def _number(value: float) -> str:
    """Write a float64 with an exponent, which makes it a number of double precision."""
    text = repr(value)
    return text.replace("e", "E") if "e" in text else f"{text}E0"
