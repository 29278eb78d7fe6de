"""The command `exactree fit`: the best tree or ensemble for a table."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from exactree.certified_bound import certify, check_covered
from exactree.cli.certified_problem import CertifiedProblem
from exactree.cli.encoding import features_named
from exactree.cli.endings import OF_SEARCHES, Exit, end, epilog, hint
from exactree.cli.examples import CsvExamples, read_examples
from exactree.cli.formats import PICTURES, check_picture, write_as
from exactree.cli.library_words import in_own_words
from exactree.cli.model_file import SavedModel, named, read_model
from exactree.cli.new_file import MODEL_FILE, Command, NewFile
from exactree.cli.options import json_option, quiet_option, time_limit_option
from exactree.cli.problem_options import ProblemArguments, problem_options
from exactree.cli.report import entries, print_comparison, sentence
from exactree.cli.table_options import TableArguments, table_options
from exactree.problem import Outcome, Problem, Status
from exactree.progress import live_progress
from exactree.solve import solve
from exactree.spec.methods import METHODS
from exactree.stopping import Interruptible, interrupted
from exactree.trees import Ensemble, Tree

FIT_EPILOG = epilog(
    "fit raisin.csv --target Class --max-depth 2 -o model.json --plot tree.svg",
    "fit raisin.csv --target Class --max-depth 3 --time-limit 600 --jobs -1",
    "fit raisin.csv --target Class --leaf-penalty 0.02 --json",
    "fit raisin.csv --target Area --task regression --max-depth 2",
    "fit raisin.csv --target Class --n-trees 3 --max-errors 100",
    codes=OF_SEARCHES,
)


@click.command(
    cls=Command, epilog=FIT_EPILOG, short_help="Find the best tree or ensemble for a table."
)
@table_options
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
@time_limit_option("Seconds to search.")
@click.option(
    "--jobs", type=int, default=1, show_default=True, help="Number of threads; -1 for all cores."
)
@click.option(
    "--stop-at-gap",
    type=click.FloatRange(0, 1, max_open=True),
    default=0,
    show_default=True,
    help="Stop when the gap between the tree and the lower bound is at most this.",
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
    help="Start from the tree or ensemble of this model file, written by an earlier call.",
)
@click.option("-o", "--output", type=MODEL_FILE, help="Write the model here, as JSON.")
@click.option("--plot", type=NewFile(*PICTURES), help=f"Draw the tree: {', '.join(PICTURES)}.")
@click.option(
    "--certificate",
    type=NewFile(".xtc"),
    help="Write a proof of the lower bound, for `exactree check`; it takes as long as the search.",
)
@click.option("--cart", is_flag=True, help="Compare with scikit-learn's greedy tree.")
@quiet_option
@json_option
def fit(
    source: TableArguments,
    arguments: ProblemArguments,
    method: str,
    implementation: str,
    time_limit: float | None,
    jobs: int,
    stop_at_gap: float,
    scheduler: str | None,
    resume: Path | None,
    incumbent: Path | None,
    output: Path | None,
    plot: Path | None,
    certificate: Path | None,
    cart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find an optimal tree for TABLE (.csv, .csv.gz, .parquet or .arrow) within the limits.

    By default it minimizes the errors of a classification tree. --task regression minimizes the
    squared error of a regression tree. --n-trees finds an ensemble of trees with majority vote,
    by default the smallest ensemble without errors.

    Columns of text, and columns of integer codes named in --categories, are split by equality with
    a level instead of by a threshold. Empty cells and cells with NA, N/A, NaN, null, none or ? are
    missing values: the search chooses the child to which they go at every node.
    """
    check_picture(plot)
    examples = read_examples(source, quiet=quiet or as_json, regression=arguments.regression)
    problem = arguments.problem_of(examples, quiet=quiet or as_json)
    if certificate is not None:
        check_covered(problem)
    with Interruptible() as call:
        with live_progress(not quiet, time_limit) as live:
            outcome = solve(
                problem,
                method,
                implementation,
                time_limit=time_limit,
                n_jobs=jobs,
                stop_at_gap=stop_at_gap,
                on_progress=live.listener(problem),
                cluster=scheduler,
                resume=resume,
                incumbent=None if incumbent is None else _incumbent(incumbent, problem),
            )
        predictor = named(outcome, examples.encoding.features)
        if predictor is not None:
            result = entries(outcome, problem)
            model = SavedModel(
                source.target,
                examples.encoding,
                predictor,
                result,
                examples.target_decimal,
                arguments.smoothing,
                source.form.missing,
                _stored(problem, examples, arguments, source),
            )
            _write(model, output, plot)
            if certificate is not None and not interrupted():
                with live_progress(not quiet, text="proving"):
                    certify(problem, outcome, n_jobs=jobs).save(certificate)
        if (not_saved := outcome.stats.get("not_saved")) is not None:
            click.echo(f"exactree: --resume was not written: {not_saved}.", err=True)
        if as_json:
            paths = {"model": output, "picture": plot, "certificate": certificate}
            written = {name: path and str(path) for name, path in paths.items()}
            click.echo(json.dumps(entries(outcome, problem) | written))
        elif not quiet and predictor is not None:
            click.echo(str(predictor).rstrip())
            if outcome.status is Status.OPTIMAL:  # otherwise `_finish` prints it at the end
                click.echo(sentence(outcome, problem))
            if cart:
                print_comparison(outcome, problem)
            for name, path in (
                ("model", output), ("picture", plot), ("certificate", certificate)
            ):  # fmt: skip
                if path is not None:
                    click.echo(f"{name}: {path}")
        call.answered = True  # the exit code reports a Ctrl-C, no matter when it came
        was_interrupted = interrupted()
    _finish(outcome, problem, output, was_interrupted)


def _stored(
    problem: Problem, examples: CsvExamples, arguments: ProblemArguments, source: TableArguments
) -> dict[str, Any] | None:
    """Return what the model file stores of the problem, for `exactree certify`."""
    stored = CertifiedProblem.of(
        problem,
        examples,
        features=features_named(examples.encoding, arguments.features),
        weights=source.weights,
        weighs_classes=bool(arguments.class_weight),
    )
    return None if stored is None else stored.to_dict()


def _incumbent(path: Path, problem: Problem) -> Tree | Ensemble:
    """Return the tree, or the ensemble for a problem of ensembles, of a model file."""
    model = read_model(path)
    if problem.n_trees == 1:
        return _unnamed(model.tree)
    return Ensemble(tuple(map(_unnamed, model.ensemble.trees)))


def _unnamed(tree: Tree) -> Tree:
    """Return a tree whose features are identified by position, as in the problems of `fit`."""
    return replace(tree, named=False)


def _write(model: SavedModel, output: Path | None, plot: Path | None) -> None:
    if output is not None:
        model.write(output)
    if plot is not None:
        write_as(plot, model)


ALL_WRITTEN = "all requested output is written."


def _finish(outcome: Outcome, problem: Problem, output: Path | None, was_interrupted: bool) -> None:
    """Exit with the code of the status of the outcome, or of Ctrl-C."""
    match outcome.status:
        case Status.OPTIMAL if was_interrupted:
            end(Exit.INTERRUPTED, "interrupted, after the tree was proved optimal.", ALL_WRITTEN)
        case Status.OPTIMAL:
            return
        case Status.INFEASIBLE:
            way_out = "relax the limit that the message names, or another limit."
            model = "tree" if problem.n_trees == 1 else "ensemble"
            end(
                Exit.INFEASIBLE,
                f"no {model} meets the limits: {in_own_words(outcome.reason or '')[0]}",
                way_out,
            )
        case Status.FEASIBLE | Status.STOPPED if outcome.stopped_by == "interrupt":
            way_out = "-o model.json keeps the best tree so far."
            if output is not None and outcome.trees:
                way_out = f"{output} holds the best tree so far."
            end(Exit.INTERRUPTED, sentence(outcome, problem), way_out)
        case Status.FEASIBLE:
            end(Exit.NOT_PROVED, sentence(outcome, problem), hint(outcome.advice))
        case Status.STOPPED:
            end(Exit.NO_TREE, sentence(outcome, problem), hint(outcome.advice))
