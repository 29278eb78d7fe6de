"""Options of commands that read a table: how it is written, and what its columns are."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import click

from exactree.cli.completion import columns
from exactree.cli.lists import Names, columns_option, list_option
from exactree.cli.options import EncodingName, Separator
from exactree.cli.table import CellTable, column_names, found_form, read_table
from exactree.cli.text_form import TextForm
from exactree.progress import live_progress

CATEGORIES_HELP = "Columns of integer codes without an order, separated by commas."

_FORM = [
    click.option(
        "--sep", "separator", type=Separator(), help="Separator of the cells.  [default: detected]",
    ),
    click.option(
        "--decimal", type=click.Choice([".", ","]), help="Decimal mark.  [default: detected]",
    ),
    click.option(
        "--quote", type=click.Choice(['"', "'"]),
        help="Quotes around cells that contain separators.  [default: detected]",
    ),
    click.option(
        "--encoding", type=EncodingName(),
        help="Encoding, such as utf-8, cp1252 or utf-16.  [default: detected]",
    ),
    list_option(
        "--missing", metavar="CELLS", kind=Names(),
        help="Cells that are missing values, besides empty ones, NA, N/A, NaN, null, none and ?, "
        "separated by commas; the model keeps those of its fit.",
    ),
]  # fmt: skip

_COLUMNS = [
    click.argument("table", type=click.Path(path_type=Path)),
    click.option("--target", help="Column to predict.  [required]", shell_complete=columns),
    click.option(
        "--weights", metavar="COLUMN", help="Column of the examples' weights.",
        shell_complete=columns,
    ),
    columns_option(
        "--exclude", help="Columns that are left out, such as identifiers, separated by commas.",
    ),
    columns_option("--categories", help=CATEGORIES_HELP),
    columns_option(
        "--text",
        help="Columns whose distinct cells are levels, even if they are numbers or dates; also for "
        "--target.",
    ),
    columns_option(
        "--numbers",
        help="Columns of numbers with currency signs, percent signs or thousands separators, which "
        "are ignored; also for --target and --weights.",
    ),
]  # fmt: skip


@dataclass(frozen=True)
class TableArguments:
    """Values of the options above.

    Attributes
    ----------
    table : Path
        The file.
    target : str
        The column to predict.
    weights : str or None
        The column of weights, if any.
    exclude, categories, text, numbers : tuple of str
        Columns.
    form : TextForm
        How the table is written.
    """

    table: Path
    target: str
    weights: str | None = None
    exclude: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    form: TextForm = field(default_factory=TextForm)


def read(path: Path, form: TextForm, *, quiet: bool) -> CellTable:
    """Read a table, and say on standard error in which form if it is not the usual one.

    Parameters
    ----------
    path : Path
        The file.
    form : TextForm
        The form that the user gave.
    quiet : bool
        Whether to print nothing.
    """
    with live_progress(not quiet, text=f"reading {path}"):
        table = read_table(path, form)
    if not quiet and (found := found_form(table, form)) is not None:
        click.echo(f"exactree: {found}", err=True)
    return table


def form_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the form of a table to a command, which gets them as `form`."""

    @wraps(command)
    def command_with_form(
        separator: str | None,
        decimal: str | None,
        quote: str | None,
        encoding: str | None,
        missing: tuple[str, ...] | None,
        **values: Any,
    ) -> None:
        form = TextForm(separator, quote, decimal, encoding, missing or ())
        command(form=form, **values)

    return _with(_FORM, command_with_form)


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument TABLE and its options to a command, which gets them as `source`."""

    @wraps(command)
    def command_with_table(form: TextForm, **values: Any) -> None:
        names = [name for name in TableArguments.__dataclass_fields__ if name != "form"]
        arguments = {name: values.pop(name) for name in names}
        if arguments["target"] is None:
            found = ", ".join(column_names(arguments["table"]))
            raise click.UsageError(
                f"Missing option '--target', the column to predict; the columns are: {found}."
            )
        given = {name: value for name, value in arguments.items() if value is not None}
        command(source=TableArguments(**given, form=form), **values)

    return _with(_COLUMNS, form_options(command_with_table))


def _with(options: list[Any], command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with options, in their order."""
    for option in reversed(options):
        command = option(command)
    return command
