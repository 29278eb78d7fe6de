"""Trees as a complete SQL query, which returns every row of a table with its prediction."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from exactree.export.calls import TEXT, answers_file_names
from exactree.export.model import Model, fitted
from exactree.export.sql_expression import (
    sql_case,
    sql_identifier,
    sql_labels,
    sql_votes,
    sql_winner,
)
from exactree.export.wording import checked_float32_note, trees_of

if TYPE_CHECKING:
    from exactree.trees import Tree


@answers_file_names(TEXT)
def to_sql(model: Model, table: str = "data", prediction: str = "prediction") -> str:
    """Return an SQL query with all columns of a table, followed by the predicted label.

    Parameters
    ----------
    model : Tree, Ensemble, Outcome, fitted estimator or Pipeline
        Trees of an ensemble vote.
    table : str
        The name of the table, which is quoted. Its columns have the names of the features; see
        `to_sql_expression` for their content.
    prediction : str
        The name of the column of predictions.

    Returns
    -------
    str
        A ``SELECT`` with one row for each row of the table. It does not sort, so SQLite and DuckDB
        keep the order of the table. For an ensemble it also has columns of the class for which each
        tree votes, and of the votes of each class, before the prediction.

    Raises
    ------
    ValueError
        If SQL has no literal for a label, or no identifier for a name.

    Warns
    -----
    UserWarning
        If float32 columns would send training rows to other leaves.
    """
    model = fitted(model)
    note = checked_float32_note(model, "the SQL query")
    trees, source = trees_of(model), sql_identifier(table)
    if len(trees) == 1:
        expression = sql_case(trees[0], sql_labels(model), "")
        query = _select([(expression, sql_identifier(prediction))], source)
    else:
        query = _of_votes(trees, sql_labels(model), source, prediction)
    return f"{query}\n/* Compares in double precision; {note}. */\n"


def _of_votes(trees: tuple[Tree, ...], labels: list[str], source: str, prediction: str) -> str:
    """Write nested queries: the vote of every tree, the number of votes, and the winner.

    An expression with a subquery, as in `to_sql_expression`, may lose the order of rows.
    """
    numbers = [str(number) for number in range(len(labels))]
    taken = {name.lower() for name in (*trees[0].feature_names, prediction)}
    voters = [sql_identifier(_free(f"tree_{k}", taken)) for k in range(len(trees))]
    votes = [sql_identifier(_free(f"votes_{number}", taken)) for number in numbers]
    cases = [sql_case(tree, numbers, "") for tree in trees]
    voted = _select(list(zip(cases, voters, strict=True)), source)
    sums = [sql_votes(number, voters) for number in numbers]
    counted = _select(list(zip(sums, votes, strict=True)), f"(\n{voted}\n) AS voted")
    winner = [(sql_winner(votes, labels), sql_identifier(prediction))]
    return _select(winner, f"(\n{counted}\n) AS counted")


def _free(name: str, taken: set[str]) -> str:
    """Return the name, with a number if it is already used."""
    names = (name if number == 0 else f"{name}_{number}" for number in count())
    return next(free for free in names if free not in taken)


def _select(columns: list[tuple[str, str]], source: str) -> str:
    """Write a query of all columns of a source, followed by further columns."""
    added = ",\n".join(f"{expression} AS {name}" for expression, name in columns)
    return f"SELECT *,\n{added}\nFROM {source}"
