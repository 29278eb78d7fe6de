"""to_sql_expression: a database predicts like the model; names cannot become code."""

import dataclasses
import sqlite3
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data.dataset import make_dataset
from exactree.export import to_sql_expression
from exactree.trees import Ensemble, Tree, grow

LEAF = (-1, 0.0, 0.0, -1, -1)
# Without subnormal numbers such as 1e-310, of which SQLite reads the last digit wrong.
VALUES = [0.0, 1.0, np.nextafter(1.0, 0.0), 1 + 1e-8, 2.5, -3.0, 1e30, -1e30, 1e-30, 16777217.0]


def run(model: Tree | Ensemble, X: np.ndarray, names: tuple[str, ...]) -> list[Any]:
    """Return the predictions of SQLite for a table with columns of these names."""
    database = sqlite3.connect(":memory:")
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    database.execute(f"CREATE TABLE t ({', '.join(f'{name} DOUBLE' for name in quoted)})")
    database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", X.tolist())
    query = f"SELECT {to_sql_expression(model)} FROM t ORDER BY rowid"
    return [row[0] for row in database.execute(query)]


def writable(labels: list[Any]) -> bool:
    """Return whether SQL has literals for all labels."""
    texts = [label for label in labels if isinstance(label, str)]
    numbers = [label for label in labels if not isinstance(label, str)]
    return not any("\0" in text or "\ud800" in text for text in texts) and all(
        abs(number) < 2**63 for number in numbers
    )


@given(data=st.data())
def test_every_row_gets_the_prediction_of_the_model(
    fitted_table: Any, voting: Any, rows_and_neighbours: Any, data: Any
) -> None:
    case = data.draw(fitted_table(VALUES))
    ensemble, dataset = data.draw(voting(VALUES))
    for model, table in ((case.tree, case.dataset), (ensemble, dataset)):
        if not writable(table.classes.tolist()):
            with pytest.raises(ValueError, match="SQL has no literal for the label"):
                to_sql_expression(model)
            continue
        trees = model.trees if isinstance(model, Ensemble) else [model]
        rows = rows_and_neighbours(table.X, trees)
        assert run(model, rows, table.feature_names) == model.predict(rows).tolist()


def test_the_expression_of_a_small_tree(small_tree: Tree) -> None:
    assert to_sql_expression(small_tree) == (
        "CASE\n  WHEN \"length\" <= 2.5E0 THEN\n    'round'\n"
        "  WHEN \"width\" <= 1.75E0 THEN\n    'long'\n  ELSE 'flat'\nEND"
    )


def test_a_single_leaf_is_its_label(single_leaf: Tree) -> None:
    assert to_sql_expression(single_leaf) == "9"


def test_the_expression_can_be_used_in_updates_and_conditions(three_trees: Ensemble) -> None:
    X = np.random.default_rng(0).uniform(0, 5, (200, 2))
    database = sqlite3.connect(":memory:")
    database.execute('CREATE TABLE t (length DOUBLE, width DOUBLE, "class" TEXT)')
    database.executemany("INSERT INTO t VALUES (?, ?, NULL)", X.tolist())
    database.execute(f'UPDATE t SET "class" = {to_sql_expression(three_trees)}')
    answers = [row[0] for row in database.execute('SELECT "class" FROM t ORDER BY rowid')]
    assert answers == three_trees.predict(X).tolist()
    where = f"SELECT COUNT(*) FROM t WHERE {to_sql_expression(three_trees)} = 'flat'"
    assert database.execute(where).fetchone()[0] == answers.count("flat")


def test_hostile_names_are_quoted_or_refused(hostile_tree: Tree) -> None:
    with pytest.raises(ValueError, match="SQL has no literal for the label"):
        to_sql_expression(hostile_tree)
    with_numbers = dataclasses.replace(hostile_tree, classes=np.arange(hostile_tree.n_classes))
    with pytest.raises(ValueError, match="SQL has no identifier for"):
        to_sql_expression(with_numbers)
    names = tuple(
        name.replace("\0", "").replace("\ud800", "") or "empty"
        for name in hostile_tree.feature_names
    )
    labels = np.array(names, dtype=object)[: hostile_tree.n_classes]
    tree = dataclasses.replace(hostile_tree, feature_names=names, classes=labels)
    X = np.random.default_rng(1).uniform(0, 24, (100, tree.n_features))
    for model in (tree, Ensemble((tree, tree))):
        assert run(model, X, names) == model.predict(X).tolist()


def test_labels_of_every_type_are_returned() -> None:
    labels = [True, 0.5, "it's", -7]
    y = np.empty(4, dtype=object)
    y[:] = labels
    dataset = make_dataset(np.arange(4.0)[:, None], y)
    nodes: list[Any] = []
    for at in range(3):
        nodes += [(0, float(at), at + 1.0, 2 * at + 1, 2 * at + 2), LEAF]
    tree = grow(dataset, [*nodes, LEAF])
    assert run(tree, dataset.X, ("x0",)) == labels
