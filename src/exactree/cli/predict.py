"""The command `exactree predict`: predictions, probabilities, errors."""

import json
import sys
from collections.abc import Sequence
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
from exactree.cli.table_file import TEXT_ENDINGS, Columns, write_csv, write_table
from exactree.cli.table_options import form_options, read
from exactree.cli.text_form import TextForm
from exactree.trees import Ensemble, RegressionTree


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
    type=NewFile(*TEXT_ENDINGS, *ENDINGS, strict=False),
    help="Write here instead of standard output: CSV, or a file that ends in "
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
    With --append and --ids the file has the separator, the decimal mark and the encoding of TABLE.
    """
    if append and ids:
        raise click.UsageError("--append writes all columns, so --ids cannot be given, too.")
    fitted = read_model(model)
    rows = read(table, fitted.form(form), quiet=quiet or as_json)
    X = fitted.encoding.apply(rows, used_features(fitted))
    predictions = [str(label) for label in fitted.predictor.predict(X)]
    written = _kept_columns(rows, append, ids or ())
    name = f"predicted_{fitted.target}" if append else fitted.target
    to_arrow = output is not None and output.suffix.lower() in ENDINGS
    like = rows.form if append or ids else TextForm()
    mark = "." if to_arrow or like.separator is None else _decimal_in(rows, fitted)
    numeric = isinstance(fitted.predictor, RegressionTree)
    added = {name: _with_mark(predictions, mark) if numeric else tuple(predictions)}
    if probabilities:
        fitted.check_counted("--probabilities")
        shares = _probabilities(fitted, X)
        added |= {column: _with_mark(cells, mark) for column, cells in shares.items()}
    for column in added:
        if column in written:
            raise BadTable(
                f"{table} already has a column {column!r}.",
                "--ids writes only some columns." if append else "leave it out of --ids.",
            )
    written |= added
    note = None
    if output is not None and to_arrow:
        text = StringIO()
        write_csv(text, written, TextForm())
        source = table if append and table.suffix.lower() in ENDINGS else None
        labels = None if numeric else name
        write_arrow(output, text.getvalue(), labels, source)
    elif output is not None:
        note = write_table(output, written, like)
    elif not as_json:
        if like.encoding == "utf-8-sig":
            sys.stdout.write("\ufeff")  # by which Excel recognizes UTF-8
        write_csv(sys.stdout, written, like)
    if note is not None and not quiet and not as_json:
        click.echo(f"exactree: {note}", err=True)
    has_labels = fitted.target in rows.columns and (as_json or not quiet)
    errors = errors_of(fitted, rows, predictions) if has_labels else {}
    if as_json:
        result: dict[str, Any] = {"target": fitted.target, "rows": len(predictions)} | errors
        if output is None:
            result["predictions"] = predictions
            if len(written) > 1:
                result["columns"] = written
        else:
            result["output"] = str(output)
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
        raise click.UsageError("--probabilities needs a classifier, not a regression tree.")
    if isinstance(predictor, Ensemble):
        shares = predictor.votes(X) / len(predictor.trees)
    else:
        shares = predictor.predict_proba(X, model.smoothing)
    named = zip(predictor.classes.tolist(), shares.T.tolist(), strict=True)
    return {f"probability_{label}": tuple(f"{share:.6g}" for share in of) for label, of in named}


def _with_mark(numbers: Sequence[str], mark: str) -> tuple[str, ...]:
    """Return numbers with a decimal mark."""
    return tuple(number.replace(".", mark) for number in numbers)


def _decimal_in(rows: CellTable, model: SavedModel) -> str:
    """Return the decimal mark of a table; amounts such as 1.200,50 € show it, too."""
    declared = {column.decimal for column in model.encoding.columns} | {model.target_decimal}
    return "," if declared - {None} == {","} else rows.decimal
