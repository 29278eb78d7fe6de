"""The command `exactree describe`: parameters of a table, as text or as JSON."""

import json
from dataclasses import replace
from pathlib import Path

import click

from exactree.cli.completion import columns
from exactree.cli.endings import epilog, one_sentence
from exactree.cli.examples import CATEGORIES_HELP, read_examples
from exactree.cli.working import working
from exactree.describe import describe as description_of
from exactree.problem import Problem
from exactree.problem.encoding.columns import in_columns
from exactree.rules import Column


@click.command(
    short_help="Describe how hard a table is.",
    epilog=epilog(
        "describe raisin.csv --target Class", "describe raisin.csv --target Class --json"
    ),
)
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--target", required=True, help="Column of the labels.", shell_complete=columns)
@click.option(
    "--weights",
    metavar="COLUMN",
    help="Column of the examples' weights.",
    shell_complete=columns,
)
@click.option("--categories", metavar="COLUMNS", help=CATEGORIES_HELP, shell_complete=columns)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def describe(
    table: Path, target: str, weights: str | None, categories: str | None, as_json: bool
) -> None:
    """Describe how hard TABLE (.csv or .csv.gz) is, and which methods are promising for it.

    Every level of a text column counts as a binary feature. Indices of contradictory rows start
    at 0 below the header.
    """
    with one_sentence(), working(f"describing {table}", quiet=as_json):
        examples = read_examples(table, target, weights, categories, quiet=as_json)
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
