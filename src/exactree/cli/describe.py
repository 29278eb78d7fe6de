"""The command `exactree describe`: the parameters of a table, as text or as JSON."""

import json
from dataclasses import replace
from pathlib import Path

import click

from exactree.cli.endings import EXIT_CODES, one_sentence
from exactree.cli.examples import CATEGORIES_HELP, read_examples
from exactree.describe import describe as description_of
from exactree.problem import Problem
from exactree.problem.columns import in_columns


@click.command(epilog=EXIT_CODES)
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--target", required=True, help="Column of the labels.")
@click.option("--weights", metavar="COLUMN", help="Column of the examples' weights.")
@click.option("--categories", metavar="COLUMNS", help=CATEGORIES_HELP)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def describe(
    table: Path, target: str, weights: str | None, categories: str | None, as_json: bool
) -> None:
    """Tell how hard TABLE (.csv or .csv.gz) is, and which methods are promising for it.

    Columns of text are encoded as for fit. Contradictory rows count from 0, below the header.
    """
    with one_sentence():
        examples = read_examples(table, target, weights, categories, quiet=as_json)
        stated = (examples.X, examples.labels, examples.weights)
        description = description_of(*stated, categories=examples.categories)
        columns = in_columns(Problem(*stated, categories=examples.categories)).columns
        names = [column.name(examples.encoding.features) for column in columns]
        features = zip(description.features, names, strict=True)
        named = tuple(replace(feature, name=name) for feature, name in features)
        description = replace(description, features=named)
        click.echo(json.dumps(description.to_dict()) if as_json else str(description))
