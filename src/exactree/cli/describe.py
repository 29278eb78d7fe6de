"""The command `exactree describe`: columns and parameters of a table, as text or as JSON."""

import json
from dataclasses import asdict, replace
from typing import Any

import click
import numpy as np

from exactree.cli.column_list import column_lines, columns_of
from exactree.cli.endings import epilog
from exactree.cli.examples import CsvExamples, examples_of
from exactree.cli.new_file import Command
from exactree.cli.problem_options import TASKS, task_option
from exactree.cli.table_options import TableArguments, read, table_options
from exactree.describe import describe as description_of
from exactree.description import Description
from exactree.problem import Problem
from exactree.problem.encoding.columns import in_columns
from exactree.progress import live_progress
from exactree.rules import Column


@click.command(
    cls=Command,
    short_help="Describe the columns of a table, and what determines running times.",
    epilog=epilog(
        "describe raisin.csv --target Class",
        "describe raisin.csv --target Area --task regression",
        "describe raisin.csv --target Class --json",
    ),
)
@table_options
@task_option
@click.option("--quiet", is_flag=True, help="Print the description without notes and progress.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def describe(source: TableArguments, task: str, quiet: bool, as_json: bool) -> None:
    """Describe the columns of TABLE (CSV, Parquet or Arrow), and what determines running times.

    After a row for every column come the parameters on which running times depend. Every level of
    a text column counts as a binary feature. For classes, worst-case bounds of the methods follow.
    In JSON, contradictory rows are numbered from 0, the first row below the header.
    """
    silent, regression = quiet or as_json, task == "regression"
    table = read(source.table, source.form, quiet=silent)
    examples = examples_of(table, source, quiet=silent, regression=regression)
    columns = columns_of(examples, source, regression)
    with live_progress(not silent, text=f"describing {source.table}"):
        if regression:
            facts = _of_regression(examples)
            parameters = "\n".join(f"{name:<25}{fact}" for name, fact in _in_words(facts).items())
        else:
            description = _of_classes(examples)
            facts, parameters = description.to_dict(), _text(description)
    if as_json:
        click.echo(json.dumps({"task": task, "columns": list(map(asdict, columns))} | facts))
    else:
        click.echo("\n".join([*column_lines(columns), "", parameters]))


def _of_classes(examples: CsvExamples) -> Description:
    """Return the parameters of a classification, with the names of the features."""
    arrays = (examples.X, examples.labels, examples.weights)
    description = description_of(*arrays, categories=examples.categories)
    problem = Problem(*arrays, categories=examples.categories)
    columns, levels = in_columns(problem).columns, problem.dataset.levels
    names = [
        column.name(examples.encoding.features, levels)
        for column in columns
        if isinstance(column, Column)
    ]
    features = zip(description.features, names, strict=True)
    return replace(
        description, features=tuple(replace(feature, name=name) for feature, name in features)
    )


def _text(description: Description) -> str:
    """Return the text on the parameters; rows are numbered from 1, and options named."""
    groups = description.contradictions
    from_one = groups and tuple(tuple(row + 1 for row in group) for group in groups)
    text = str(replace(description, contradictions=from_one))
    text = text.replace("(rows are counted from 0)", "(row 1 is the first below the header)")
    return text.replace("set max_errors", "use --max-errors")


def _of_regression(examples: CsvExamples) -> dict[str, Any]:
    """Return the parameters of a regression."""
    problem = Problem(
        examples.X,
        examples.labels,
        examples.weights,
        categories=examples.categories,
        minimize=TASKS["regression"],
    )
    X = in_columns(problem).problem.dataset.X
    distinct = [len(np.unique(column)) for column in X.T]
    targets = examples.labels
    return {
        "n_examples": len(X),
        "n_features": X.shape[1],
        "target_mean": float(np.mean(targets)),
        "target_deviation": float(np.std(targets)),
        "D_max": max(distinct),
        "n_thresholds": sum(distinct) - len(distinct),
        "repeated": len(X) - len(np.unique(X, axis=0)),
    }


def _in_words(facts: dict[str, Any]) -> dict[str, str]:
    """Return the parameters of a regression by name, as text."""
    mean, deviation = facts["target_mean"], facts["target_deviation"]
    return {
        "examples (n)": f"{facts['n_examples']:,}",
        "features (d)": f"{facts['n_features']:,}",
        "target": f"mean {mean:,.6g}, standard deviation {deviation:,.6g}",
        "distinct values (D_max)": f"{facts['D_max']:,} at most in a feature",
        "thresholds": f"{facts['n_thresholds']:,}",
        "repeated rows": f"{facts['repeated']:,} equal in all features to an earlier row",
    }
