"""The command `exactree predict`: predictions, probabilities, errors."""

import csv
import json
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import click
import numpy as np

from exactree.cli.arrow_file import ENDINGS, write_arrow
from exactree.cli.endings import BadTable, epilog
from exactree.cli.lists import columns_option
from exactree.cli.model_file import SavedModel, read_model
from exactree.cli.new_file import Command, NewFile
from exactree.cli.options import json_option
from exactree.cli.report import errors_in_words, errors_of
from exactree.cli.table import CellTable
from exactree.cli.table_options import form_options, read
from exactree.cli.text_form import TextForm
from exactree.files import replacing
from exactree.trees import Ensemble, RegressionTree

# The columns of a result, by name.
Columns = dict[str, tuple[str, ...]]


@click.command(
    cls=Command,
    short_help="Predict the rows of a table.",
    epilog=epilog(
        "predict model.json raisin.csv -o predictions.csv",
        "predict model.json raisin.csv --append --probabilities -o raisin-predicted.csv",
        "predict model.json raisin.csv --ids Area,Perimeter",
        "predict model.json raisin.csv --json",
    ),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=NewFile(),
    help=f"Write here instead of standard output: CSV, or a file that ends in "
    f"{' or '.join(ENDINGS)}.",
)
@click.option(
    "--append", is_flag=True, help="Write all columns of TABLE, and the predictions after them."
)
@columns_option("--ids", help="Columns to write before predictions.")
@click.option(
    "--probabilities", is_flag=True, help="Write a column with the probability of each class."
)
@form_options
@click.option("--quiet", is_flag=True, help="Do not print the number of errors.")
@json_option
def predict(
    model: Path,
    table: Path,
    output: Path | None,
    append: bool,
    ids: tuple[str, ...] | None,
    probabilities: bool,
    form: TextForm,
    quiet: bool,
    as_json: bool,
) -> None:
    """Print the prediction of MODEL for every row of TABLE, as a CSV of one column.

    TABLE needs only the columns that the tree uses. If it has the target column, the errors are
    printed to standard error. With --append the predictions are in the column predicted_TARGET.
    """
    if append and ids:
        raise click.UsageError("--append writes all columns, so --ids cannot be given, too.")
    fitted = read_model(model)
    rows = read(table, fitted.form(form), quiet=quiet or as_json)
    X = fitted.encoding.apply(rows, used_features(fitted))
    predictions = [str(label) for label in fitted.predictor.predict(X)]
    written = _kept_columns(rows, append, ids or ())
    name = f"predicted_{fitted.target}" if append else fitted.target
    added = {name: _in_form(rows, predictions, fitted) if append else tuple(predictions)}
    if probabilities:
        added |= _probabilities(fitted, X)
    for column in added:
        if column in written:
            raise BadTable(
                f"{table} already has a column {column!r}.",
                "--ids writes only some columns." if append else "leave it out of --ids.",
            )
    written |= added
    if output is not None and output.suffix.lower() in ENDINGS:
        text = StringIO()
        _write_csv(text, written, None)
        source = table if append and table.suffix.lower() in ENDINGS else None
        labels = None if isinstance(fitted.predictor, RegressionTree) else name
        write_arrow(output, text.getvalue(), labels, source)
    elif output is not None:
        with replacing(output) as file:
            _write_csv(file, written, rows if append else None)
    elif not as_json:
        _write_csv(sys.stdout, written, rows if append else None)
    has_labels = fitted.target in rows.columns and (as_json or not quiet)
    errors = errors_of(fitted, rows, predictions) if has_labels else {}
    if as_json:
        result: dict[str, Any] = {"target": fitted.target, "rows": len(predictions)} | errors
        result |= {"predictions": predictions} if output is None else {"output": str(output)}
        if output is None and len(written) > 1:
            result["columns"] = written
        click.echo(json.dumps(result))
    elif errors:
        click.echo(f"exactree: {errors_in_words(errors, len(predictions))}", err=True)


def used_features(model: SavedModel) -> set[int]:
    """Return the features that some node of a model uses.

    Parameters
    ----------
    model : SavedModel
        The model.
    """
    predictor = model.predictor
    trees = predictor.trees if isinstance(predictor, Ensemble) else (predictor,)
    return {
        feature
        for tree in trees
        for node in np.flatnonzero(tree.children_left >= 0).tolist()
        for feature in tree.features_of_operand(int(tree.feature[node]))
    }


def _kept_columns(rows: CellTable, append: bool, ids: tuple[str, ...]) -> Columns:
    """Return the columns of the table that are written before the predictions."""
    if append:
        return dict(rows.columns)
    rows.check_columns(ids)
    return {name: rows.columns[name] for name in ids}


def _probabilities(model: SavedModel, X: Any) -> Columns:
    """Return the shares of the classes in leaves, or of the votes of an ensemble."""
    predictor = model.predictor
    if isinstance(predictor, RegressionTree):
        raise click.UsageError(
            "--probabilities needs a model of classes; this one predicts numbers."
        )
    if isinstance(predictor, Ensemble):
        shares = predictor.votes(X) / len(predictor.trees)
    else:
        shares = predictor.predict_proba(X, model.smoothing)
    named = zip(predictor.classes.tolist(), shares.T.tolist(), strict=True)
    return {f"probability_{label}": tuple(f"{share:.6g}" for share in of) for label, of in named}


def _in_form(rows: CellTable, predictions: list[str], model: SavedModel) -> tuple[str, ...]:
    """Return predicted numbers with the decimal mark of a table."""
    if not isinstance(model.predictor, RegressionTree):
        return tuple(predictions)
    return tuple(number.replace(".", rows.decimal) for number in predictions)


def _write_csv(file: Any, written: Columns, like: CellTable | None) -> None:
    """Write columns as CSV, in the form of a table if it is given and a text."""
    form = TextForm() if like is None else like.form
    if form.encoding == "utf-8-sig":
        file.write("\ufeff")  # by which Excel recognizes UTF-8
    writer = csv.writer(
        file,
        delimiter=form.separator or ",",
        quotechar=form.quote or '"',
        lineterminator="\n",
    )
    writer.writerow(written)
    writer.writerows(zip(*written.values(), strict=True))
