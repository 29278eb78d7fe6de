"""The commands fit, predict and show: what they accept, in which order they work."""

import csv
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from exactree import __version__, export
from exactree.cli.asked import Asked, problem_options
from exactree.cli.bound import bound
from exactree.cli.csv_table import read_csv
from exactree.cli.describe import describe
from exactree.cli.endings import EXIT_CODES, Exit, end, one_sentence
from exactree.cli.examples import CATEGORIES_HELP, read_examples
from exactree.cli.generate import generate
from exactree.cli.model_file import Model, read_model
from exactree.cli.options import NewFile, OrWord
from exactree.cli.prune import prune
from exactree.cli.report import entries, how_right, print_comparison, sentence
from exactree.estimators.progress import progress_line
from exactree.problem import Outcome, Problem, Status
from exactree.solve import METHODS, solve
from exactree.trees import Tree


@click.group(epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Decision trees that are provably the best, from tables in CSV files."""


@main.command(epilog=EXIT_CODES)
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--target", required=True, help="Column of the labels.")
@click.option("--weights", metavar="COLUMN", help="Column of the examples' weights.")
@click.option("--categories", metavar="COLUMNS", help=CATEGORIES_HELP)
@problem_options
@click.option(
    "--method",
    type=click.Choice(["auto", *METHODS]),
    default="auto",
    show_default=True,
    help="How to search.",
)
@click.option(
    "--implementation",
    type=click.Choice(["native", "spec"]),
    default="native",
    show_default=True,
    help="The fast form of a method, or its readable specification, which takes small tables.",
)
@click.option(
    "--time-limit",
    type=OrWord(float, "none"),
    default=60,
    show_default=True,
    help="Seconds to search.",
)
@click.option(
    "--jobs", type=int, default=1, show_default=True, help="Threads; -1 for as many as cores."
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Search with the workers of the Dask cluster of this scheduler.",
)
@click.option(
    "--resume",
    type=NewFile(),
    help="With --scheduler: keep the state of the search in this file, and go on from there.",
)
@click.option("-o", "--output", type=NewFile(), help="Write the model here, as JSON.")
@click.option("--plot", type=NewFile(".svg", ".dot"), help="Draw the tree into a .svg or .dot.")
@click.option("--cart", is_flag=True, help="Compare with scikit-learn's greedy tree.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def fit(
    table: Path,
    target: str,
    weights: str | None,
    categories: str | None,
    asked: Asked,
    method: str,
    implementation: str,
    time_limit: float | None,
    jobs: int,
    scheduler: str | None,
    resume: Path | None,
    output: Path | None,
    plot: Path | None,
    cart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find the best tree for TABLE (.csv or .csv.gz) within the limits: by default of least errors.

    With --task regression the target is a number, and the squared error is least.

    Columns of text with at most 50 different words are one-hot encoded. Columns named in
    --categories are asked "is it this code?" instead of "is it at most this number?".
    """
    talkative = not quiet and not as_json
    with one_sentence():
        examples = read_examples(
            table,
            target,
            weights,
            categories,
            quiet=not talkative,
            regression=asked.regression,
        )
        problem = asked.of(examples)
        with nullcontext() if quiet else progress_line(None) as on_progress:
            outcome = solve(
                problem,
                method,
                implementation,
                time_limit=time_limit,
                n_jobs=jobs,
                on_progress=on_progress,
                cluster=scheduler,
                resume=resume,
            )
        tree = outcome.tree
        if tree is not None:
            tree = replace(tree, feature_names=examples.encoding.features, named=True)
            _write(Model(target, examples.encoding, tree, entries(outcome)), output, plot)
        if as_json:
            written = {"model": output and str(output), "picture": plot and str(plot)}
            click.echo(json.dumps(entries(outcome) | written))
        elif not quiet and tree is not None:
            click.echo(str(tree).rstrip())
            click.echo(sentence(outcome, problem))
            if cart:
                print_comparison(tree, outcome.status is Status.OPTIMAL, problem)
            for name, path in (("model", output), ("picture", plot)):
                if path is not None:
                    click.echo(f"{name}: {path}")
    _finish(outcome, problem)


def _write(model: Model, output: Path | None, plot: Path | None) -> None:
    if output is not None:
        model.write(output)
    if plot is not None:
        draw = export.to_svg if plot.suffix == ".svg" else export.to_dot
        plot.write_text(draw(model.tree), encoding="utf-8")


def _finish(outcome: Outcome, problem: Problem) -> None:
    """End the command with the exit code that says what was proved."""
    match outcome.status:
        case Status.OPTIMAL:
            return
        case Status.INFEASIBLE:
            end(Exit.INFEASIBLE, f"no tree meets the limits: {outcome.reason}")
        case Status.FEASIBLE | Status.STOPPED if outcome.stopped_by == "interrupt":
            end(Exit.INTERRUPTED, sentence(outcome, problem))
        case Status.FEASIBLE:
            end(Exit.NOT_PROVED, sentence(outcome, problem))
        case Status.STOPPED:
            end(Exit.NO_TREE, sentence(outcome, problem))


@main.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=NewFile(), help="Write here instead of standard output.")
@click.option("--quiet", is_flag=True, help="Do not count the errors.")
def predict(model: Path, table: Path, output: Path | None, quiet: bool) -> None:
    """Print the prediction of MODEL for every row of TABLE, as a CSV of one column.

    When TABLE holds the target column too, the errors are told on standard error.
    """
    with one_sentence():
        fitted = read_model(model)
        rows = read_csv(table)
        predictions = [str(label) for label in fitted.tree.predict(fitted.encoding.apply(rows))]
        if output is None:
            _write_labels(sys.stdout, fitted.target, predictions)
        else:
            with output.open("w", encoding="utf-8", newline="") as file:
                _write_labels(file, fitted.target, predictions)
        if fitted.target in rows.columns and not quiet:
            click.echo(f"exactree: {how_right(fitted, rows, predictions)}", err=True)


def _write_labels(file: Any, target: str, predictions: list[str]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([target])
    writer.writerows([label] for label in predictions)


@main.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "dot", "svg", "json", "sql", "c", "python"]),
    default="text",
    show_default=True,
    help="How to print the tree.",
)
def show(model: Path, form: str) -> None:
    """Print the tree of MODEL."""
    with one_sentence():
        fitted = read_model(model)
        renderings: dict[str, Callable[[Tree], str]] = {
            "text": str,
            "dot": export.to_dot,
            "svg": export.to_svg,
            "json": export.to_json,
            "sql": export.to_sql,
            "c": export.to_c,
            "python": export.to_python,
        }
        click.echo(renderings[form](fitted.tree).rstrip())


main.add_command(bound)
main.add_command(describe)
main.add_command(generate)
main.add_command(prune)
