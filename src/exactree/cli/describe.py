"""The command `exactree describe`: parameters of a table, as text or as JSON."""

import json
from dataclasses import replace

import click

from exactree.cli.endings import epilog
from exactree.cli.examples import read_examples
from exactree.cli.new_file import Command
from exactree.cli.table_options import TableArguments, table_options
from exactree.describe import describe as description_of
from exactree.problem import Problem
from exactree.problem.encoding.columns import in_columns
from exactree.progress import live_progress
from exactree.rules import Column


@click.command(
    cls=Command,
    short_help="Describe how hard a table is.",
    epilog=epilog(
        "describe raisin.csv --target Class", "describe raisin.csv --target Class --json"
    ),
)
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def describe(source: TableArguments, as_json: bool) -> None:
    """Describe how hard TABLE is (CSV, Parquet or Arrow), with worst cases of the methods.

    Every level of a text column counts as a binary feature. Indices of contradictory rows start
    at 0 below the header.
    """
    examples = read_examples(source, quiet=as_json)
    with live_progress(not as_json, text=f"describing {source.table}"):
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
        named = tuple(replace(feature, name=name) for feature, name in features)
        description = replace(description, features=named)
    click.echo(json.dumps(description.to_dict()) if as_json else str(description))
