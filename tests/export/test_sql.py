"""to_sql: in SQLite and DuckDB the last column of the result has the predictions of the model."""

import dataclasses
import sqlite3
from typing import Any

import numpy as np
import pytest

from exactree.export import to_sql
from exactree.trees import Ensemble, Tree

CASES = (
    "leaf", "numbers", "missing", "sets of codes", "codes", "levels", "sets", "hyperplanes",
    "curves", "regression", "medians with codes", "ensemble", "ensemble with codes", "close",
)  # fmt: skip


def in_sqlite(case: Any, rows: np.ndarray, table: str = "data") -> list[tuple[Any, ...]]:
    """Return the rows of the result."""
    database = sqlite3.connect(":memory:")
    columns = [
        f"{quoted(name)} {'TEXT' if f in case.model.levels else 'DOUBLE'}"
        for f, name in enumerate(case.model.feature_names)
    ]
    database.execute(f"CREATE TABLE {quoted(table)} ({', '.join(columns)})")
    marks = ", ".join("?" * len(columns))
    # SQLite stores NaN as NULL.
    database.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", case.as_levels(rows))
    answers = database.execute(to_sql(case.model, table)).fetchall()
    database.close()
    return answers


def in_duckdb(case: Any, rows: np.ndarray, table: str = "data") -> Any:
    """Return the result as a data frame."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=list(case.model.feature_names))
    for feature in case.model.levels:
        name = case.model.feature_names[feature]
        column = [row[feature] for row in case.as_levels(rows[:, : feature + 1])]
        frame[name] = pandas.Series(column, dtype="str")
    database = duckdb.connect()
    database.register("frame", frame)
    # Missing values are NULL: as a float64, NaN is greater than all numbers in DuckDB.
    numbers = (f for f in range(rows.shape[1]) if f not in case.model.levels)
    names = [quoted(case.model.feature_names[feature]) for feature in numbers]
    nulls = ", ".join(f"CASE WHEN isnan({n}) THEN NULL ELSE {n} END AS {n}" for n in names)
    database.execute(
        f"CREATE TABLE {quoted(table)} AS SELECT * "
        + (f"REPLACE ({nulls}) " if nulls else "")
        + "FROM frame"
    )
    return database.execute(to_sql(case.model, table)).fetchdf()


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize("name", CASES)
def test_sqlite_keeps_the_rows_and_predicts_as_the_model(zoo: Any, name: str) -> None:
    case = zoo[name]
    rows = case.rows(20_000)
    answers = in_sqlite(case, rows)
    assert [row[-1] for row in answers] == case.answers(rows)
    with_nulls = [[None if v != v else v for v in row] for row in case.as_levels(rows)]
    assert [list(row[: rows.shape[1]]) for row in answers] == with_nulls


@pytest.mark.parametrize("name", CASES)
def test_duckdb_keeps_the_rows_and_predicts_as_the_model(zoo: Any, name: str) -> None:
    case = zoo[name]
    rows = case.rows(50_000)
    answers = in_duckdb(case, rows)
    assert answers.iloc[:, -1].tolist() == case.answers(rows)
    first_feature = answers.iloc[:, 0].to_numpy()
    assert np.array_equal(first_feature, rows[:, 0], equal_nan=True)


MANY = [50_000, pytest.param(1_000_000, marks=pytest.mark.long)]


@pytest.mark.parametrize("count", MANY)
def test_sqlite_predicts_many_rows_as_the_model(zoo: Any, count: int) -> None:
    case = zoo["missing"]
    rows = case.rows(count)
    assert [row[-1] for row in in_sqlite(case, rows)] == case.answers(rows)


@pytest.mark.parametrize("count", MANY)
@pytest.mark.parametrize("name", ["missing", "ensemble"])
def test_duckdb_predicts_many_rows_as_the_model(zoo: Any, name: str, count: int) -> None:
    case = zoo[name]
    rows = case.rows(count)
    assert (in_duckdb(case, rows).iloc[:, -1].to_numpy() == np.array(case.answers(rows))).all()


def test_the_query_of_a_small_tree(small_tree: Tree) -> None:
    assert to_sql(small_tree, "my table") == (
        "SELECT *,\n"
        "CASE\n  WHEN \"length\" <= 2.5E0 THEN\n    'round'\n"
        "  WHEN \"width\" <= 1.75E0 THEN\n    'long'\n  ELSE 'flat'\nEND AS \"prediction\"\n"
        'FROM "my table"\n'
        "/* Compares in double precision; rounding features to float32 changes the leaf of no "
        "training row. */\n"
    )


def test_columns_of_votes_do_not_hide_features_of_the_same_names(three_trees: Ensemble) -> None:
    renamed = tuple(
        dataclasses.replace(tree, feature_names=("tree_0", "Votes_1")) for tree in three_trees.trees
    )
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE data (tree_0 DOUBLE, Votes_1 DOUBLE)")
    rows = np.random.default_rng(0).uniform(0, 5, (200, 2))
    database.executemany("INSERT INTO data VALUES (?, ?)", rows.tolist())
    answers = [row[-1] for row in database.execute(to_sql(Ensemble(renamed)))]
    assert answers == three_trees.predict(rows).tolist()


def test_hostile_names_stay_in_their_quotes(hostile_tree: Tree) -> None:
    names = tuple(
        name.replace("\0", "").replace("\ud800", "") or "empty"
        for name in hostile_tree.feature_names
    )
    labels = np.array(names, dtype=object)[: hostile_tree.n_classes]
    tree = dataclasses.replace(hostile_tree, feature_names=names, classes=labels)
    rows = np.random.default_rng(1).uniform(0, 24, (100, tree.n_features))
    table = 'x"; DROP TABLE data; --'
    for model in (tree, Ensemble((tree, tree))):
        database = sqlite3.connect(":memory:")
        columns = ", ".join(f"{quoted(name)} DOUBLE" for name in names)
        database.execute(f"CREATE TABLE {quoted(table)} ({columns})")
        marks = ", ".join("?" * len(names))
        database.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", rows.tolist())
        answers = [row[-1] for row in database.execute(to_sql(model, table))]
        assert answers == model.predict(rows).tolist()
    with pytest.raises(ValueError, match="SQL has no identifier for"):
        to_sql(tree, "\0")
