"""The command `exactree prune`: prune the tree of a model by a risk bound."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from exactree.cli.encoding import features_of_codes
from exactree.cli.endings import epilog
from exactree.cli.library_words import ReadTable, remember
from exactree.cli.lists import columns_option
from exactree.cli.model_file import read_model
from exactree.cli.new_file import MODEL_FILE, Command
from exactree.cli.options import json_option
from exactree.cli.table_options import CATEGORIES_HELP, form_options, read
from exactree.cli.target import labels_of
from exactree.cli.text_form import TextForm
from exactree.progress import live_progress
from exactree.prune import Pruning, prune_with_bound
from exactree.prune.by_bound import Risk
from exactree.theory.risk import DEFAULT_R

ShareRange = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command(
    cls=Command,
    short_help="Prune a tree by a risk bound.",
    epilog=epilog("prune model.json raisin.csv -o pruned.json"),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=MODEL_FILE, help="Write the pruned model here, as JSON.")
@click.option(
    "--delta",
    type=ShareRange,
    default=0.05,
    show_default=True,
    help="Probability with which the bound may fail.",
)
@click.option(
    "--r",
    type=ShareRange,
    default=DEFAULT_R,
    show_default="2^-13.7",
    help="Parameter of the prior of errors; a smaller value prunes less.",
)
@click.option(
    "--risk",
    type=click.Choice(get_args(Risk)),
    default="shawe-taylor",
    show_default=True,
    help="The risk bound.",
)
@columns_option("--categories", help=CATEGORIES_HELP)
@form_options
@json_option
def prune(
    model: Path,
    table: Path,
    output: Path | None,
    delta: float,
    r: float,
    risk: Risk,
    categories: tuple[str, ...] | None,
    form: TextForm,
    as_json: bool,
) -> None:
    """Prune the tree of MODEL by a bound on its errors on new examples.

    TABLE must be the table of `exactree fit`, with the same --categories. Nodes are replaced by
    leaves, one at a time, as long as the bound does not increase; no examples are held out.
    """
    fitted = read_model(model)
    rows = read(table, fitted.form(form), quiet=as_json)
    with live_progress(not as_json, text="pruning"):
        X = fitted.encoding.apply(rows)
        fitted.encoding.check_target(rows, fitted.target)
        y = labels_of(rows, fitted.target)
        remember(ReadTable(rows, fitted.encoding.features, fitted.target))
        codes = features_of_codes(rows, fitted.encoding, categories or ())
        pruning = prune_with_bound(fitted.tree, X, y, delta=delta, r=r, risk=risk, categories=codes)
    result = _entries(pruning, fitted.tree.leaves)
    if output is not None:
        replace(fitted, predictor=pruning.tree, result=result).write(output)
    if as_json:
        click.echo(json.dumps(result | {"model": output and str(output)}))
        return
    click.echo(str(pruning.tree).rstrip())
    are = "is" if pruning.n_errors == 1 else "are"
    click.echo(
        f"pruned from {fitted.tree.leaves} to {pruning.tree.leaves} leaves: "
        f"{pruning.n_errors} of {len(y)} rows {are} misclassified, risk bound "
        f"{pruning.bound:.4g} (before {pruning.bounds[0]:.4g})"
    )
    if output is not None:
        click.echo(f"model: {output}")


def _entries(pruning: Pruning, leaves_before: int) -> dict[str, Any]:
    """Return the result of pruning, for a model file or for ``--json``."""
    return {
        "status": "pruned",
        "risk_bound": pruning.bound,
        "risk_bound_before": pruning.bounds[0],
        "errors": pruning.n_errors,
        "depth": pruning.tree.depth,
        "leaves": pruning.tree.leaves,
        "leaves_before": leaves_before,
    }
