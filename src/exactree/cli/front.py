"""The command `exactree front`: the fewest errors for every size of a tree, and other fronts."""

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from exactree import export
from exactree.cli.endings import OF_SEARCHES, Exit, end, epilog, hint
from exactree.cli.examples import CsvExamples, read_examples
from exactree.cli.formats import PLOTS, check_picture, write_plot
from exactree.cli.library_words import in_own_words
from exactree.cli.lists import list_option
from exactree.cli.new_file import Command, NewFile
from exactree.cli.options import Quantities, json_option, quiet_option, time_limit_option
from exactree.cli.problem_options import ProblemArguments, problem_options
from exactree.cli.report import cost_in_json
from exactree.cli.table_file import TEXT_ENDINGS, write_table
from exactree.cli.table_options import TableArguments, read, table_options
from exactree.cli.target import labels_of, numbers_of
from exactree.cli.text_form import TextForm
from exactree.fronts import pareto_front
from exactree.problem import Outcome, Problem, Status
from exactree.problem.quantities import as_tuple, error_term, read_quantities, shown_cost
from exactree.stopping import Interruptible, interrupted

HeldOut = tuple[Any, Any]


@click.command(
    cls=Command,
    short_help="List the fewest errors for every size.",
    epilog=epilog(
        "front raisin.csv --target Class --max-depth 2",
        "front raisin.csv --target Class --max-depth 2 --held-out raisin.csv --plot front.png",
        "front raisin.csv --target Class --quantities depth,errors --max-depth 2 --json",
        codes=OF_SEARCHES,
    ),
)
@table_options
@list_option(
    "--quantities",
    kind=Quantities(),
    help="Quantities of the front, separated by commas, such as size,errors or depth,errors; for "
    "two classes also false_positives,false_negatives; for several trees n_trees,errors.  "
    "[default: size (of several trees total_size) and errors of the task]",
)
@problem_options
@time_limit_option("Seconds for the whole front.")
@click.option(
    "--held-out",
    type=click.Path(path_type=Path),
    help="Table of held-out examples, to measure errors on.",
)
@click.option(
    "--plot", type=NewFile(*PLOTS), help=f"Draw the front of sizes and errors: {', '.join(PLOTS)}."
)
@click.option(
    "-o",
    "--output",
    type=NewFile(*TEXT_ENDINGS, strict=False),
    help="Write the lines here, as CSV.",
)
@quiet_option
@json_option
def front(
    source: TableArguments,
    quantities: tuple[str, ...] | None,
    arguments: ProblemArguments,
    time_limit: float | None,
    held_out: Path | None,
    plot: Path | None,
    output: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """List the trade-off of quantities: for TABLE, the fewest errors of a tree of every size.

    Each line of the result is one tree (or ensemble). No other tree within the limits is better
    in one quantity and not worse in the others. Only the limits given here hold, as in
    `pareto_front` of Python: without --max-depth or --max-size the front can take long.
    `fit --max-size N --max-depth none` writes the tree of a line.
    """
    if arguments.max_depth == "auto":
        arguments = replace(arguments, max_depth=None)
    if plot is not None:
        check_picture(plot.with_suffix(".png"))
    silent = quiet or as_json
    examples = read_examples(source, quiet=silent, regression=arguments.regression)
    problem = arguments.problem_of(examples, quiet=silent)
    others = None if held_out is None else _held_out(source, held_out, examples, arguments)
    names = quantities or _default_quantities(arguments)
    if len(names) == 1:
        raise click.UsageError("--quantities needs at least two names, such as size,errors.")
    with Interruptible() as call:
        outcomes = pareto_front(problem, names, time_limit=time_limit, verbose=not silent)
        call.answered = True
        was_interrupted = interrupted()
    if plot is not None and outcomes:
        write_plot(plot, lambda: export.plot_front(outcomes, held_out=others))
    entries = [_entry(outcome, names, others) for outcome in outcomes if outcome.trees]
    if output is not None and entries:
        columns = {name: tuple(_plain(entry[name]) for entry in entries) for name in entries[0]}
        write_table(output, columns, TextForm())
    if as_json:
        written = {"output": output and str(output), "picture": plot and str(plot)}
        click.echo(json.dumps({"front": entries, "limits": _limits(problem)} | written))
    elif entries and not quiet:
        _print(entries, names)
        limits = ", ".join(f"{name}={value}" for name, value in _limits(problem).items())
        click.echo(f"limits: {limits or 'none'}")
        for name, path in (("lines", output), ("picture", plot)):
            if path is not None:
                click.echo(f"{name}: {path}")
    _finish(problem, outcomes, was_interrupted)


for _option in front.params:
    if _option.name == "max_depth":
        assert isinstance(_option, click.Option)
        _option.help = "Maximum depth; auto means none, because a front has no limits of its own."


def _limits(problem: Problem) -> dict[str, Any]:
    """Return the limits that hold, by name."""
    given = {
        limit.name: getattr(problem.limits, limit.name)
        for limit in fields(problem.limits)
        if getattr(problem.limits, limit.name) != limit.default
    }
    return {
        name: {str(label): leaves for label, leaves in value.items()}
        if isinstance(value, Mapping)
        else cost_in_json(value)
        for name, value in given.items()
    }


def _default_quantities(arguments: ProblemArguments) -> tuple[str, str]:
    """Return the size and the kind of errors of --minimize."""
    size = "size" if arguments.n_trees == 1 else "total_size"
    return size, error_term(read_quantities(arguments.minimize, arguments.n_trees, "--minimize"))


def _held_out(
    source: TableArguments, path: Path, examples: CsvExamples, arguments: ProblemArguments
) -> HeldOut:
    """Return features and labels of a table, as in the table of the front."""
    table = read(path, source.form, quiet=True)
    X = examples.encoding.apply(table)
    examples.encoding.check_target(table, source.target)
    if arguments.regression:
        return X, numbers_of(table, source.target, examples.target_decimal)
    labels = {str(label): label for label in examples.labels.tolist()}
    found = map(str, labels_of(table, source.target).tolist())
    return X, [labels.get(label, label) for label in found]


def _entry(outcome: Outcome, names: tuple[str, ...], held_out: HeldOut | None) -> dict[str, Any]:
    """Return a line of the front."""
    assert outcome.cost is not None
    entry: dict[str, Any] = dict(
        zip(names, [cost_in_json(cost) for cost in as_tuple(outcome.cost)], strict=True)
    )
    entry |= {"leaves": sum(tree.leaves for tree in outcome.trees)}
    if held_out is not None:
        X, y = held_out
        model = outcome.trees[0] if outcome.ensemble is None else outcome.ensemble
        predicted = model.predict(X)
        if predicted.dtype.kind == "f":
            entry["held_out_mean_squared_error"] = float(np.mean((predicted - np.array(y)) ** 2))
        else:
            entry["held_out_errors"] = sum(
                a != b for a, b in zip(predicted.tolist(), y, strict=True)
            )
    return entry | {"proved": outcome.status is Status.OPTIMAL}


def _print(entries: list[dict[str, Any]], names: tuple[str, ...]) -> None:
    """Print the front as a table with aligned numbers."""
    table = Table(box=None, pad_edge=False)
    for name in entries[0]:
        table.add_column(
            name.replace("held_out", "held-out").replace("_", " "),
            justify="left" if name == "proved" else "right",
        )
    for entry in entries:
        table.add_row(*(_shown(value) for value in entry.values()))
    Console().print(table)


def _plain(value: Any) -> str:
    """Return an entry as a cell that other programs read."""
    return _shown(value) if isinstance(value, bool) else str(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.10g}" if isinstance(value, float) else str(value)


def _finish(problem: Problem, outcomes: list[Outcome], was_interrupted: bool) -> None:
    """Exit with the code of the status of the front."""
    if not outcomes:
        reason, _ = in_own_words(problem.infeasible_reason or "the front is empty.")
        end(Exit.INFEASIBLE, f"no tree meets the limits: {reason}", "relax a limit.")
    last = outcomes[-1]
    if last.status is Status.OPTIMAL:
        if was_interrupted:
            end(Exit.INTERRUPTED, "interrupted, after the front was complete.", "it is printed.")
        return
    reason = (
        f"the front was stopped by {last.stopped_by}: lines of larger trees are missing or not "
        f"proved, lower bound {shown_cost(last.lower_bound)}."
    )
    if last.stopped_by == "interrupt":
        end(Exit.INTERRUPTED, reason, "the lines above are proved where they say so.")
    proved_any = any(outcome.trees for outcome in outcomes)
    end(Exit.NOT_PROVED if proved_any else Exit.NO_TREE, reason, hint(last.advice))
