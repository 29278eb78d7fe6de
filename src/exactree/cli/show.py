"""The commands `exactree show` and `exactree export`: a model as text, picture or program."""

import json
from pathlib import Path

import click

from exactree.cli.endings import epilog
from exactree.cli.formats import FORMATS, write_as
from exactree.cli.model_file import read_model
from exactree.cli.new_file import Command, NewFile
from exactree.cli.spreadsheet import ALIASES, SPREADSHEET, formula_of, table_option
from exactree.files import write_text

_FORMAT_OF = {form.ending: name for name, form in FORMATS.items()}
_ENDINGS = tuple(_FORMAT_OF)


@click.command(
    cls=Command,
    short_help="Print a tree, as text or in another format.",
    epilog=epilog(
        "show model.json",
        "show model.json --format sql",
        "show model.json --format spreadsheet --table raisin.csv",
    ),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_name",
    type=click.Choice([*(name for name, form in FORMATS.items() if form.text), *ALIASES]),
    default="text",
    show_default=True,
    help="How to print the tree.",
)
@click.option("--json", "format_name", flag_value="json", help="The same as --format json.")
@table_option
def show(model: Path, format_name: str, table: Path | None) -> None:
    """Print the tree of MODEL, or the trees of an ensemble.

    With --format spreadsheet, standard error says which column each letter of the formula is.
    """
    if _is_formula(format_name, table):
        formula, legend = formula_of(read_model(model), table)
        click.echo(formula)
        click.echo(f"exactree: {legend}", err=True)
        return
    converted = FORMATS[format_name].convert(read_model(model).predictor)
    assert isinstance(converted, str)
    click.echo(converted.rstrip())


@click.command(
    "export",
    cls=Command,
    short_help="Write a tree to a file: picture, program, ONNX, PMML.",
    epilog=epilog(
        "export model.json -o tree.png",
        "export model.json -o model.onnx",
        "export model.json -o rules.txt --format rules",
    ),
)
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=NewFile(),
    required=True,
    help=f"The file; its ending is the format, one of {', '.join(_ENDINGS)}.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice([*FORMATS, *ALIASES]),
    help="The format, if it is not that of the ending.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
@table_option
def export_command(
    model: Path, output: Path, format_name: str | None, as_json: bool, table: Path | None
) -> None:
    """Write the tree of MODEL, or the trees of an ensemble, to a file.

    Pictures are .svg, .png and .pdf, programs .sql, .c, .py and .js; .onnx and .pmml are read by
    other systems.
    """
    if format_name is None and output.suffix not in _ENDINGS:
        raise click.UsageError(
            f"{str(output)!r} must end in {' or '.join(_ENDINGS)}, unless --format is given."
        )
    written, legend = {"output": str(output)}, ""
    if _is_formula(format_name or _FORMAT_OF[output.suffix], table):
        formula, legend = formula_of(read_model(model), table)
        write_text(output, formula + "\n")
        written["columns"] = legend
    else:
        write_as(output, read_model(model), format_name)
    click.echo(json.dumps(written) if as_json else f"written: {output}")
    if legend and not as_json:
        click.echo(legend)


def _is_formula(format_name: str, table: Path | None) -> bool:
    """Return whether a format is a formula; only that has a table."""
    if ALIASES.get(format_name, format_name) == SPREADSHEET:
        return True
    if table is not None:
        raise click.UsageError("--table needs --format spreadsheet.")
    return False
