"""The group of all commands, and the commands `fit`, `predict` and `show`."""

import csv
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from exactree import __version__, export
from exactree.cli.bound import bound
from exactree.cli.completion import columns, completion
from exactree.cli.csv_table import read_csv
from exactree.cli.describe import describe
from exactree.cli.endings import Exit, end, epilog, one_sentence
from exactree.cli.examples import CATEGORIES_HELP, read_examples
from exactree.cli.generate import generate
from exactree.cli.model_file import SavedModel, read_model
from exactree.cli.new_file import Command, NewFile
from exactree.cli.options import OrWord
from exactree.cli.problem_options import ProblemArguments, problem_options
from exactree.cli.prune import prune
from exactree.cli.report import entries, errors_in_words, errors_of, print_comparison, sentence
from exactree.cli.report_page import report
from exactree.cli.working import working
from exactree.estimators.progress import progress_line
from exactree.files import replacing, write_text
from exactree.problem import Outcome, Problem, Status
from exactree.problem.outcome import ROUNDED
from exactree.solve import solve
from exactree.spec.methods import METHODS
from exactree.stopping import Interruptible, interrupted
from exactree.trees import Ensemble, Tree

MAIN_EPILOG = epilog(
    "fit raisin.csv --target Class --max-depth 2 -o model.json",
    "predict model.json raisin.csv -o predictions.csv",
    "show model.json",
)
FIT_EPILOG = epilog(
    "fit raisin.csv --target Class --max-depth 2 -o model.json --plot tree.svg",
    "fit raisin.csv --target Class --max-depth 3 --time-limit 600 --jobs -1",
    "fit raisin.csv --target Class --leaf-penalty 0.02 --json",
    "fit raisin.csv --target Area --task regression --max-depth 2",
    "fit raisin.csv --target Class --n-trees 3 --max-errors 100",
)


class _Main(click.Group):
    command_class = Command


@click.group(
    "exactree",
    cls=_Main,
    epilog=MAIN_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__)
def main() -> None:
    """Provably optimal decision trees from tables in CSV files."""


@main.command(epilog=FIT_EPILOG, short_help="Find the best tree or ensemble for a table.")
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--target", required=True, help="Column of the labels.", shell_complete=columns)
@click.option(
    "--weights",
    metavar="COLUMN",
    help="Column of the examples' weights.",
    shell_complete=columns,
)
@click.option("--categories", metavar="COLUMNS", help=CATEGORIES_HELP, shell_complete=columns)
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
    help="The fast form of a method, or its readable specification, for small tables only.",
)
@click.option(
    "--time-limit",
    type=OrWord(float, "none"),
    default=60,
    show_default=True,
    help="Seconds to search.",
)
@click.option(
    "--jobs", type=int, default=1, show_default=True, help="Number of threads; -1 for all cores."
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Search with the workers of a Dask cluster, given the address of its scheduler.",
)
@click.option(
    "--resume",
    type=NewFile(),
    help="Save the state of the search in this file, and continue from it.",
)
@click.option(
    "--incumbent",
    type=click.Path(path_type=Path),
    help="Start from the tree of this model file, written by an earlier call.",
)
@click.option("-o", "--output", type=NewFile(), help="Write the model here, as JSON.")
@click.option("--plot", type=NewFile(".svg", ".dot"), help="Draw the tree to a .svg or .dot.")
@click.option("--cart", is_flag=True, help="Compare with scikit-learn's greedy tree.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def fit(
    table: Path,
    target: str,
    weights: str | None,
    categories: str | None,
    arguments: ProblemArguments,
    method: str,
    implementation: str,
    time_limit: float | None,
    jobs: int,
    scheduler: str | None,
    resume: Path | None,
    incumbent: Path | None,
    output: Path | None,
    plot: Path | None,
    cart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find an optimal tree for TABLE (.csv or .csv.gz) within the limits.

    By default it minimizes the errors of a classification tree. --task regression minimizes the
    squared error of a regression tree. --n-trees finds an ensemble of trees with majority vote,
    by default the smallest ensemble without errors.

    Columns of text, and columns of integer codes named in --categories, are split by equality with
    a level instead of by a threshold. Empty cells and cells with NA, N/A, NaN, null, none or ? are
    missing values: the search chooses the child to which they go at every node.
    """
    verbose = not quiet and not as_json
    with one_sentence(), ExitStack() as stack:
        with working(f"reading {table}", quiet=quiet):
            examples = read_examples(
                table,
                target,
                weights,
                categories,
                quiet=not verbose,
                regression=arguments.regression,
            )
        problem = arguments.problem_of(examples)
        call = stack.enter_context(Interruptible())
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
                incumbent=None if incumbent is None else _unnamed(read_model(incumbent).tree),
            )
        predictor = _named(outcome, examples.encoding.features)
        if predictor is not None:
            result = entries(outcome, problem)
            _write(SavedModel(target, examples.encoding, predictor, result), output, plot)
        if (not_saved := outcome.stats.get("not_saved")) is not None:
            click.echo(f"exactree: --resume was not written: {not_saved}.", err=True)
        if as_json:
            written = {"model": output and str(output), "picture": plot and str(plot)}
            click.echo(json.dumps(entries(outcome, problem) | written))
        elif not quiet and predictor is not None:
            click.echo(str(predictor).rstrip())
            if outcome.status is Status.OPTIMAL:  # otherwise `_finish` prints it at the end
                click.echo(sentence(outcome, problem))
            if cart:
                print_comparison(outcome, problem)
            for name, path in (("model", output), ("picture", plot)):
                if path is not None:
                    click.echo(f"{name}: {path}")
        call.answered = True  # the exit code reports a Ctrl-C, no matter when it came
        was_interrupted = interrupted()
    _finish(outcome, problem, output, was_interrupted)


def _named(outcome: Outcome, features: tuple[str, ...]) -> Tree | Ensemble | None:
    """Return the tree or ensemble with the names of its features."""
    trees = tuple(replace(tree, feature_names=features, named=True) for tree in outcome.trees)
    return Ensemble(trees) if outcome.ensemble is not None else next(iter(trees), None)


def _unnamed(tree: Tree) -> Tree:
    """Return a tree whose features are identified by position, as in the problems of `fit`."""
    return replace(tree, named=False)


def _write(model: SavedModel, output: Path | None, plot: Path | None) -> None:
    if output is not None:
        model.write(output)
    if plot is not None:
        draw = export.to_svg if plot.suffix == ".svg" else export.to_dot
        write_text(plot, draw(model.predictor))


ALL_WRITTEN = "all requested output is written."
# Hint for a search that was stopped before its proof was complete.
MORE_TIME = (
    "--time-limit none searches to the end, --jobs -1 on all cores; a smaller --max-depth takes "
    "less time."
)


def _finish(outcome: Outcome, problem: Problem, output: Path | None, was_interrupted: bool) -> None:
    """Exit with the code of the status of the outcome, or of Ctrl-C."""
    match outcome.status:
        case Status.OPTIMAL if was_interrupted:
            end(Exit.INTERRUPTED, "interrupted, after the tree was proved optimal.", ALL_WRITTEN)
        case Status.OPTIMAL:
            return
        case Status.INFEASIBLE:
            hint = "relax the limit that the message names, or another limit."
            model = "tree" if problem.n_trees == 1 else "ensemble"
            end(Exit.INFEASIBLE, f"no {model} meets the limits: {outcome.reason}", hint)
        case Status.FEASIBLE | Status.STOPPED if outcome.stopped_by == "interrupt":
            hint = "-o model.json keeps the best tree so far."
            if output is not None and outcome.trees:
                hint = f"{output} holds the best tree so far."
            end(Exit.INTERRUPTED, sentence(outcome, problem), hint)
        case Status.FEASIBLE if outcome.stopped_by == ROUNDED:
            hint = "weights that are whole numbers of few digits need no rounding."
            end(Exit.NOT_PROVED, sentence(outcome, problem), hint)
        case Status.FEASIBLE:
            end(Exit.NOT_PROVED, sentence(outcome, problem), MORE_TIME)
        case Status.STOPPED:
            end(Exit.NO_TREE, sentence(outcome, problem), MORE_TIME)


PREDICT_EPILOG = epilog(
    "predict model.json raisin.csv -o predictions.csv",
    "predict model.json raisin.csv --json",
    codes=False,
)


@main.command(epilog=PREDICT_EPILOG, short_help="Predict the rows of a table.")
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=NewFile(), help="Write here instead of standard output.")
@click.option("--quiet", is_flag=True, help="Do not print the number of errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def predict(model: Path, table: Path, output: Path | None, quiet: bool, as_json: bool) -> None:
    """Print the prediction of MODEL for every row of TABLE, as a CSV of one column.

    If TABLE has the target column, the errors are printed to standard error.
    """
    with one_sentence():
        fitted = read_model(model)
        with working(f"reading {table}", quiet=quiet):
            rows = read_csv(table)
            predicted = fitted.predictor.predict(fitted.encoding.apply(rows))
            predictions = [str(label) for label in predicted]
        if output is not None:
            with replacing(output) as file:
                _write_labels(file, fitted.target, predictions)
        elif not as_json:
            _write_labels(sys.stdout, fitted.target, predictions)
        has_labels = fitted.target in rows.columns
        count_errors = has_labels and (as_json or not quiet)
        errors = errors_of(fitted, rows, predictions) if count_errors else {}
        if as_json:
            result: dict[str, Any] = {"target": fitted.target, "rows": len(predictions)} | errors
            result |= {"predictions": predictions} if output is None else {"output": str(output)}
            click.echo(json.dumps(result))
        elif errors:
            click.echo(f"exactree: {errors_in_words(errors, len(predictions))}", err=True)


def _write_labels(file: Any, target: str, predictions: list[str]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([target])
    writer.writerows([label] for label in predictions)


SHOW_EPILOG = epilog("show model.json", "show model.json --format sql", codes=False)


@main.command(epilog=SHOW_EPILOG, short_help="Print a tree, as text or in another format.")
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_name",
    type=click.Choice("text rules dot svg json sql c python javascript spreadsheet pmml".split()),
    default="text",
    show_default=True,
    help="How to print the tree.",
)
@click.option("--json", "format_name", flag_value="json", help="The same as --format json.")
def show(model: Path, format_name: str) -> None:
    """Print the tree of MODEL, or the trees of an ensemble."""
    with one_sentence():
        fitted = read_model(model)
        renderings: dict[str, Callable[[Tree | Ensemble], str]] = {
            "text": str,
            "dot": export.to_dot,
            "svg": export.to_svg,
            "json": export.to_json,
            "sql": export.to_sql_expression,
            "c": export.to_c,
            "python": export.to_python,
            "javascript": export.to_javascript,
            "spreadsheet": export.to_spreadsheet,
            "pmml": export.to_pmml,
            "rules": export.to_rules,
        }
        click.echo(renderings[format_name](fitted.predictor).rstrip())


main.add_command(bound)
main.add_command(completion)
main.add_command(describe)
main.add_command(generate)
main.add_command(prune)
main.add_command(report)
