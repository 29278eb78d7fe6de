"""The command `exactree report`: an HTML page about a model, its rules, and the proof."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from exactree import export
from exactree.certificates import Certificate
from exactree.cli.certificates import stated_weights, weights_option
from exactree.cli.endings import Exit, end, epilog
from exactree.cli.model_file import SavedModel, read_model
from exactree.cli.new_file import Command, NewFile
from exactree.cli.options import quiet_option
from exactree.cli.table_options import form_options, read
from exactree.cli.target import weights_of
from exactree.cli.text_form import TextForm
from exactree.errors import ModelError
from exactree.files import write_text
from exactree.problem import Cost, Outcome, Status
from exactree.trees import Ensemble


@click.command(cls=Command, epilog=epilog("report model.json raisin.csv -o report.html"))
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=NewFile(".html"), required=True, help="Write the page here.")
@click.option(
    "--held-out",
    type=click.Path(path_type=Path),
    help="Table of held-out examples, to measure errors on.",
)
@click.option("--title", help="Title of the page.")
@click.option(
    "--front-seconds",
    type=click.FloatRange(0),
    default=10,
    show_default=True,
    help="Seconds to search for the minimum errors by size; 0 for none.",
)
@click.option(
    "--examples",
    type=click.IntRange(0),
    default=200,
    show_default=True,
    help="Maximum rows stored in the page, to show their paths; 0 for none.",
)
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    help="Certificate of the model; readers can check it in the page.",
)
@click.option(
    "--embed-table",
    is_flag=True,
    help="Store all of TABLE in the page, for that check; else readers choose its CSV file.",
)
@weights_option
@form_options
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
@quiet_option
def report(
    model: Path,
    table: Path,
    output: Path,
    held_out: Path | None,
    title: str | None,
    front_seconds: float,
    examples: int,
    certificate: Path | None,
    embed_table: bool,
    weights: str | None,
    form: TextForm,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write an HTML page about MODEL, which was fitted to TABLE.

    It shows the proof, how well the model predicts, with a confusion matrix and scikit-learn's
    greedy tree (CART) for comparison, the tree, its rules, and the errors by size, and needs no
    network and no other file. The tree can be folded and searched, and it highlights the path of
    an example. If TABLE is not the table of the fit, its rows count as held-out examples.
    """
    if certificate is None and (embed_table or weights is not None):
        raise click.UsageError("--embed-table and --weights are for a --certificate.")
    fitted, silent = read_model(model), quiet or as_json
    fitted.check_counted("a report")
    form = fitted.form(form)
    rows = read(table, form, quiet=silent)
    weights = None if certificate is None else weights or stated_weights(fitted)
    page = _page(
        _outcome(fitted, model),
        *fitted.examples(rows),
        held_out=held_out and fitted.examples(read(held_out, form, quiet=silent)),
        title=title,
        target=fitted.target,
        front_seconds=front_seconds,
        examples=examples,
        certificate=certificate and Certificate.load(certificate),
        sample_weight=weights and weights_of(rows, weights),
        weights_name=weights,
        embed_table=embed_table,
    )
    write_text(output, page)
    if as_json:
        click.echo(json.dumps({"report": str(output)}))
    elif not quiet:
        click.echo(f"report: {output}")


def _page(*arguments: Any, **options: Any) -> str:
    """Return the page; a package that is not installed ends the command with an error message."""
    try:
        return export.report(*arguments, **options)
    except ImportError as error:
        end(Exit.BAD_INPUT, str(error), "this package is needed only for reports.")


def _outcome(model: SavedModel, path: Path) -> Outcome:
    """Return the outcome stored in a model file; that of a pruned tree has no proof."""
    stored = model.result
    is_ensemble = isinstance(model.predictor, Ensemble)
    found: dict[str, Any] = {
        "tree": None if is_ensemble else model.predictor,
        "ensemble": model.predictor if is_ensemble else None,
    }
    if stored.get("status") not in {status.value for status in Status}:
        return Outcome(Status.FEASIBLE, None, 0, **found)
    try:
        cost, lower_bound = _cost(stored["cost"]), _cost(stored["lower_bound"])
        assert lower_bound is not None
        return Outcome(
            status=Status(stored["status"]),
            cost=cost,
            lower_bound=lower_bound,
            **found,
            stats={"seconds": stored.get("seconds")},
            stopped_by=_text(stored.get("stopped_by")),
            problem_text=_text(stored.get("problem")),
        )
    except (AssertionError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise ModelError(f"{path} is damaged: its result has no cost or lower bound.") from error


def _cost(stored: Any) -> Cost | None:
    """Return a cost stored in a model file."""
    if stored is None:
        return None
    return tuple(map(_number, stored)) if isinstance(stored, list) else _number(stored)


def _number(stored: Any) -> int | float | Fraction:
    if isinstance(stored, int | float) and not isinstance(stored, bool):
        return stored
    return Fraction(str(stored))


def _text(stored: Any) -> str | None:
    if stored is not None and not isinstance(stored, str):
        raise TypeError
    return stored
