"""The command `exactree tune`: the size of a tree chosen by cross-validation."""

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from exactree.cli.endings import OF_SEARCHES, Exit, end, epilog, hint
from exactree.cli.examples import read_examples
from exactree.cli.formats import PLOTS, check_picture, write_plot
from exactree.cli.library_words import in_own_words
from exactree.cli.model_file import SavedModel, named
from exactree.cli.new_file import MODEL_FILE, Command, NewFile
from exactree.cli.options import json_option, quiet_option, time_limit_option
from exactree.cli.problem_options import ProblemArguments, problem_options
from exactree.cli.report import entries
from exactree.cli.table_options import TableArguments, table_options
from exactree.errors import DataWarning, Infeasible, NotProvedWarning
from exactree.tuning import LIMITED_QUANTITY_OF, plot_tuning
from exactree.tuning.front import size_or_depth

if TYPE_CHECKING:
    from exactree.estimators import OptimalTreeClassifierCV, OptimalTreeRegressorCV


@click.command(
    cls=Command,
    short_help="Choose the size of a tree by cross-validation.",
    epilog=epilog(
        "tune raisin.csv --target Class --max-depth 2 -o tuned.json --plot tuning.png",
        "tune raisin.csv --target Class --max-depth 2 --along depth --cv 3 --json",
        codes=OF_SEARCHES,
    ),
)
@table_options
@click.option(
    "--along",
    type=click.Choice([name.replace("_", "-") for name in LIMITED_QUANTITY_OF]),
    default="size",
    show_default=True,
    help="What is chosen.",
)
@click.option("--cv", type=click.IntRange(2), default=5, show_default=True, help="Number of folds.")
@click.option(
    "--scoring",
    help="Score to choose by, such as balanced_accuracy or f1, as in scikit-learn.  "
    "[default: accuracy or r2]",
)
@problem_options
@time_limit_option("Seconds to search the trees of a fold.")
@click.option(
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="Number of folds searched at a time; -1 for all cores.",
)
@click.option("-o", "--output", type=MODEL_FILE, help="Write the model here, as JSON.")
@click.option(
    "--plot", type=NewFile(*PLOTS), help=f"Draw scores and errors by size: {', '.join(PLOTS)}."
)
@quiet_option
@json_option
def tune(
    source: TableArguments,
    along: str,
    cv: int,
    scoring: str | None,
    arguments: ProblemArguments,
    time_limit: float | None,
    jobs: int,
    output: Path | None,
    plot: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Choose the size of a tree for TABLE by its scores on held-out folds.

    The best tree of every size within the limits is found for every fold and for the whole table.
    The size with the best mean score on the held-out rows is chosen, and its tree for the whole
    table is printed.
    """
    from exactree.estimators import OptimalTreeClassifierCV, OptimalTreeRegressorCV
    from exactree.estimators.front_of_rows import fronts_advice

    if plot is not None:
        check_picture(plot.with_suffix(".png"))
    silent = quiet or as_json
    examples = read_examples(source, quiet=silent, regression=arguments.regression)
    problem = arguments.problem_of(examples, quiet=silent)
    estimator = arguments.estimator_of(examples, time_limit=time_limit)
    kind = OptimalTreeRegressorCV if arguments.regression else OptimalTreeClassifierCV
    model = kind(
        estimator,
        along=along.replace("-", "_"),
        cv=cv,
        scoring=scoring,
        n_jobs=jobs,
        verbose=not silent,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(examples.X, examples.labels, examples.weights)
        except Infeasible as error:
            way_out = "relax the limit that the message names, or use fewer folds."
            end(Exit.INFEASIBLE, in_own_words(str(error))[0], way_out)
    predictor = named(model.outcome_, examples.encoding.features)
    assert predictor is not None
    result = entries(model.outcome_, problem)
    scores = _scores(model)
    if output is not None:
        SavedModel(
            source.target,
            examples.encoding,
            predictor,
            result,
            examples.target_decimal,
            arguments.smoothing,
            source.form.missing,
        ).write(output)
    if plot is not None:
        write_plot(plot, lambda: plot_tuning(model))
    if as_json:
        written = {"model": output and str(output), "picture": plot and str(plot)}
        click.echo(json.dumps(result | {"chosen": model.best_params_, "tried": scores} | written))
    elif not quiet:
        _print(scores)
        click.echo(str(predictor).rstrip())
        for name, path in (("model", output), ("picture", plot)):
            if path is not None:
                click.echo(f"{name}: {path}")
    proofs = [entry for entry in caught if issubclass(entry.category, NotProvedWarning)]
    for entry in caught:
        # What the data warn of was said when the table was read, by the names of its columns.
        if entry not in proofs and not issubclass(entry.category, DataWarning):
            click.echo(f"exactree: {entry.message}", err=True)
    if proofs:
        reason, _, _ = str(proofs[0].message).partition(" What would help")
        end(Exit.NOT_PROVED, reason, hint(fronts_advice(estimator, model.along)))


def _scores(model: "OptimalTreeClassifierCV | OptimalTreeRegressorCV") -> list[dict[str, object]]:
    """Return the score of every setting on held-out rows."""
    quantity, results = LIMITED_QUANTITY_OF[model.along], model.cv_results_
    columns = zip(
        results["params"],
        model.tried_,
        results["mean_test_score"].tolist(),
        results["std_test_score"].tolist(),
        strict=True,
    )
    return [
        {
            **setting,
            quantity: size_or_depth(outcome, quantity),
            "score": mean,
            "deviation": deviation,
            "chosen": index == model.best_index_,
        }
        for index, (setting, outcome, mean, deviation) in enumerate(columns)
    ]


def _print(scores: list[dict[str, object]]) -> None:
    """Print the scores as a table."""
    names = [name for name in scores[0] if name not in ("max_size", "max_depth")]
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(
            "" if name == "chosen" else name.replace("_", " "),
            justify="left" if name == "chosen" else "right",
        )
    for entry in scores:
        table.add_row(*(_shown(entry[name]) for name in names))
    Console().print(table)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "chosen" if value else ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
