"""The command `exactree explain`: why a row has its prediction, and what would change it."""

import json
import shlex
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from exactree import export
from exactree.cli.endings import BadTable, epilog
from exactree.cli.lists import columns_option, list_option
from exactree.cli.model_file import read_model
from exactree.cli.new_file import Command
from exactree.cli.options import PriceOf, RowNumbers, json_option
from exactree.cli.predict import used_features
from exactree.cli.table_options import form_options, read
from exactree.cli.text_form import TextForm
from exactree.export import Explanation
from exactree.trees import RegressionTree


@click.command(
    cls=Command,
    short_help="Explain the predictions of rows.",
    epilog=epilog(
        "explain model.json raisin.csv --rows 1,2",
        "explain model.json raisin.csv --rows 3 --fixed Perimeter --price MajorAxisLength=2",
        "explain model.json raisin.csv --to Besni --json",
    ),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@list_option(
    "--rows",
    kind=RowNumbers(),
    default=["1"],
    show_default=True,
    help="Rows to explain, separated by commas; the first row below the header is 1.",
)
@click.option("--to", help="The label that the change shall lead to.  [default: any other]")
@columns_option("--fixed", help="Columns that cannot change.")
@click.option(
    "--price",
    type=PriceOf(),
    multiple=True,
    help="Price of a change, per unit of a number or once for a level; 1 by default. Once per "
    "column.",
)
@form_options
@json_option
def explain(
    model: Path,
    table: Path,
    rows: tuple[int, ...],
    to: str | None,
    fixed: tuple[str, ...] | None,
    price: tuple[tuple[str, Any], ...],
    form: TextForm,
    as_json: bool,
) -> None:
    """Explain the predictions of MODEL for rows of TABLE.

    Each line has the rules on the path of the row, and the cheapest change of its values to
    another prediction.
    """
    fitted = read_model(model)
    read_table = read(table, fitted.form(form), quiet=as_json)
    X = fitted.encoding.apply(read_table, used_features(fitted))
    if max(rows) > len(X):
        raise BadTable(
            f"{table} has no row {max(rows)}; it has {len(X):,} rows.",
            "--rows counts from 1, the first row below the names of the columns.",
        )
    labels = {str(label): label for label in fitted.predictor.classes.tolist()}
    classes = not isinstance(fitted.predictor, RegressionTree)
    if classes and to is not None and to not in labels:
        near = get_close_matches(to, labels, n=1)
        similar = f"; did you mean --to {shlex.quote(near[0])}?" if near else "."
        listed = ", ".join(labels)
        raise BadTable(
            f"--to {to!r} is not a label of the model.", f"its labels are: {listed}{similar}"
        )
    wanted = None if to is None else labels.get(to, to)
    change: dict[str, Any] = {"to": wanted, "costs": dict(price) or None, "fixed": fixed or ()}
    found = {row: export.explain(fitted.tree, X[row - 1 : row], **change) for row in rows}
    if as_json:
        click.echo(json.dumps({"rows": [_entry(*entry) for entry in found.items()]}))
    else:
        for row, explanation in found.items():
            click.echo(f"row {row}: {explanation}")


def _entry(row: int, explanation: Explanation) -> dict[str, Any]:
    """Return an explanation for JSON."""
    change = explanation.change
    return {
        "row": row,
        "prediction": explanation.prediction,
        "path": [
            {"rule": step.rule, "holds": step.holds, "value": step.value, "margin": step.margin}
            for step in explanation.path
        ],
        "change": None
        if change is None
        else {
            "values": dict(change.values),
            "prediction": change.prediction,
            "cost": change.cost,
        },
        "no_change": explanation.no_change or None,
    }
