"""The command `exactree enumerate`: all optimal trees, or all nearly optimal ones."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from exactree.all_optimal import count_optimal, enumerate_optimal
from exactree.cli.endings import OF_SEARCHES, BadTable, Exit, end, epilog, hint
from exactree.cli.examples import CsvExamples, read_examples
from exactree.cli.library_words import in_own_words
from exactree.cli.lists import as_option
from exactree.cli.model_file import with_names
from exactree.cli.new_file import Command
from exactree.cli.options import Exact, OrWord, json_option, time_limit_option
from exactree.cli.problem_options import ProblemArguments, problem_options
from exactree.cli.table_options import TableArguments, table_options
from exactree.data.parameters import count
from exactree.errors import MethodRefused
from exactree.problem import Problem
from exactree.problem.display.advice import limits_advice, time_advice
from exactree.problem.outcome import Suggestion
from exactree.progress import live_progress
from exactree.solve import solve


@click.command(
    "enumerate",
    cls=Command,
    short_help="List or count all optimal trees.",
    epilog=epilog(
        "enumerate raisin.csv --target Class --max-depth 2",
        "enumerate raisin.csv --target Class --max-depth 2 --within 1 --count",
        "enumerate raisin.csv --target Class --minimize errors,size --max-depth 2 --json",
        codes=OF_SEARCHES,
    ),
)
@table_options
@problem_options
@click.option(
    "--within",
    type=Exact(),
    default=0,
    show_default=True,
    help="How much more than the minimum a tree may cost, in the unit of the cost.",
)
@click.option(
    "--limit",
    type=OrWord(int, "none"),
    default=10,
    show_default=True,
    help="Maximum number of trees to list.",
)
@click.option("--count", "only_count", is_flag=True, help="Print only the number of trees.")
@time_limit_option("Seconds to search.")
@json_option
def enumerate_command(
    source: TableArguments,
    arguments: ProblemArguments,
    within: Any,
    limit: int | None,
    only_count: bool,
    time_limit: float | None,
    as_json: bool,
) -> None:
    """List all optimal trees (or ensembles) for TABLE, in order of cost.

    Trees are different if they send some example another way or use another feature. Trees with
    superfluous nodes count, too; --minimize errors,size leaves them out.
    """
    examples = read_examples(source, quiet=as_json, regression=arguments.regression)
    problem = arguments.problem_of(examples, quiet=as_json)
    slack: Any = within
    if within and isinstance(problem.minimize, tuple):
        slack = (within, *(0 for _ in problem.minimize[1:]))
    options = {"time_limit": time_limit, "within": slack}
    if only_count:
        with live_progress(not as_json, time_limit, "counting"), _refusals(examples):
            number = count_optimal(problem, **options)
        if as_json:
            click.echo(json.dumps({"count": number}))
        elif number is not None:
            click.echo(f"{number:,}")
        if number is None:
            end(
                Exit.NO_TREE,
                "stopped by time limit: the number is not known.",
                _hint(problem, time_limit, within),
            )
        if number == 0:
            _infeasible(problem)
        return
    with _refusals(examples):
        listing = enumerate_optimal(problem, limit, **options)
        found = []
        for tree in listing:
            found.append(with_names(tree, examples.encoding.features))
            if not as_json:
                click.echo(f"{len(found)}.\n{str(found[-1]).rstrip()}\n")
    complete = listing.complete or (limit is not None and len(found) == limit)
    if as_json:
        trees = [tree.to_dict() for tree in found]
        click.echo(json.dumps({"complete": listing.complete, "trees": trees}))
    elif found:
        more = (
            "" if listing.complete else ", perhaps of more: --count counts all, --limit lists more"
        )
        click.echo(f"{count(len(found), 'tree')}{more}")
    if not complete:
        code = Exit.NOT_PROVED if found else Exit.NO_TREE
        advice = _hint(problem, time_limit, within)
        end(code, "stopped by time limit: some trees may be missing.", advice)
    if not found and limit != 0:
        _infeasible(problem)


@contextmanager
def _refusals(examples: CsvExamples) -> Iterator[None]:
    """Blame missing cells, not the size of the table, where trees are listed for small tables."""
    try:
        yield
    except MethodRefused as error:
        table, names = examples.table, [column.name for column in examples.encoding.columns]
        missing = [name for name in names if None in table.cells(name)]
        if not missing:
            raise
        place = table.place(table.cells(missing[0]).index(None))
        more = f", and {count(len(missing) - 1, 'other column')} too" if len(missing) > 1 else ""
        raise BadTable(
            f"Column {missing[0]!r} has no value in {place}{more}; with missing values, all trees "
            "are listed for small tables only.",
            "fill in the cells, or remove the rows; "
            f"--exclude {as_option(missing)} leaves out columns with missing values.",
        ) from error


def _hint(problem: Problem, time_limit: float | None, within: Any) -> str:
    """Return what would help a listing that was stopped; a --within can be smaller if it is set."""
    smaller = (Suggestion("within", "a smaller", note=f"{within} now"),) if within else ()
    return hint((time_advice(time_limit), *smaller, *limits_advice(problem)))


def _infeasible(problem: Any) -> None:
    found = solve(problem, time_limit=1).reason or "the limits exclude every tree."
    reason, _ = in_own_words(found)
    end(Exit.INFEASIBLE, f"no tree meets the limits: {reason}", "relax a limit.")
