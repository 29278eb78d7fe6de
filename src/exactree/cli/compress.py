"""The command `exactree compress`: the smallest single tree that is equal to an ensemble."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from exactree.cli.endings import OF_SEARCHES, Exit, end, epilog, hint
from exactree.cli.library_words import ReadTable, remember
from exactree.cli.model_file import read_model, with_names
from exactree.cli.new_file import MODEL_FILE, Command
from exactree.cli.options import json_option, time_limit_option
from exactree.cli.report import cost_in_json
from exactree.cli.table_options import form_options, read
from exactree.cli.text_form import TextForm
from exactree.compress import smallest_equal_tree
from exactree.data.parameters import count
from exactree.problem import Status
from exactree.progress import live_progress
from exactree.trees import Tree


@click.command(
    cls=Command,
    short_help="Find the smallest tree equal to an ensemble.",
    epilog=epilog(
        "compress votes.json -o one-tree.json",
        "compress votes.json raisin.csv -o one-tree.json",
        codes=OF_SEARCHES,
    ),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", type=MODEL_FILE, help="Write the model here, as JSON.")
@click.option(
    "--max-cells",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Maximum number of combinations of intervals of the ensemble's thresholds.",
)
@form_options
@time_limit_option("Seconds to search.")
@json_option
def compress(
    model: Path,
    table: Path | None,
    output: Path | None,
    max_cells: int,
    form: TextForm,
    time_limit: float | None,
    as_json: bool,
) -> None:
    """Find the smallest tree that predicts the same as the ensemble of MODEL for every row.

    The leaves of the tree count the rows of TABLE, usually that of the fit. If it is not given, or
    has no row for some leaf, counts and probabilities of the tree are unknown.
    """
    fitted = read_model(model)
    examples: dict[str, Any] = {}
    if table is not None:
        rows = read(table, fitted.form(form), quiet=as_json)
        examples = dict(zip(("X", "y"), fitted.examples(rows), strict=True))
        remember(ReadTable(rows, fitted.encoding.features, fitted.target))
    with live_progress(not as_json, time_limit, "searching for the smallest tree") as live:
        outcome = smallest_equal_tree(
            fitted.predictor,
            max_cells,
            time_limit=time_limit,
            on_progress=live.listener(None),
            **examples,
        )
    result = {
        "status": outcome.status.value,
        "cost": cost_in_json(outcome.cost),
        "lower_bound": cost_in_json(outcome.lower_bound),
        "seconds": outcome.stats.get("seconds"),
        "stopped_by": outcome.stopped_by,
    }
    if outcome.tree is not None:
        tree = with_names(outcome.tree, fitted.encoding.features)
        if output is not None:
            replace(fitted, predictor=tree, result=result).write(output)
        if not as_json:
            click.echo(str(tree).rstrip())
            if not tree.counts_rows:
                click.echo(f"counts of rows are unknown: {_why_unknown(tree, table, examples)}")
            nodes = count(outcome.tree.size, "node")
            click.echo(f"{nodes}; lower bound {outcome.lower_bound}, {outcome.status.value}")
            if output is not None:
                click.echo(f"model: {output}")
    if as_json:
        written = {"model": output and str(output)}
        counted = outcome.tree is not None and outcome.tree.counts_rows
        click.echo(json.dumps(result | written | {"counts_rows": counted}))
    if outcome.status is not Status.OPTIMAL:
        code = Exit.NO_TREE if outcome.tree is None else Exit.NOT_PROVED
        code = Exit.INTERRUPTED if outcome.stopped_by == "interrupt" else code
        end(code, f"not proved, stopped by {outcome.stopped_by}.", hint(outcome.advice))


def _why_unknown(tree: Tree, table: Path | None, examples: dict[str, Any]) -> str:
    """Return why a tree does not count rows."""
    if table is None:
        return "exactree compress MODEL TABLE counts the rows of a table"
    reached = len(set(tree.apply(examples["X"]).tolist()))
    leaves = count(tree.leaves - reached, "leaf").replace("leafs", "leaves")
    return f"no row of {table} reaches {leaves}"
