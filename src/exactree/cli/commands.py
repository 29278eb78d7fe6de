"""The group of all commands."""

import click

from exactree import __version__
from exactree.cli.bound import bound
from exactree.cli.certificates import certify_command, check_command
from exactree.cli.completion import completion
from exactree.cli.compress import compress
from exactree.cli.describe import describe
from exactree.cli.endings import epilog
from exactree.cli.enumerate import enumerate_command
from exactree.cli.explain import explain
from exactree.cli.fit import fit
from exactree.cli.front import front
from exactree.cli.generate import generate
from exactree.cli.new_file import Command
from exactree.cli.predict import predict
from exactree.cli.prune import prune
from exactree.cli.report_page import report
from exactree.cli.show import export_command, show
from exactree.cli.tune import tune

MAIN_EPILOG = epilog(
    "fit raisin.csv --target Class --max-depth 2 -o model.json",
    "predict model.json raisin.csv -o predictions.csv",
    "show model.json",
    codes={},
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
    """Provably optimal decision trees from tables in CSV, Parquet and Arrow files."""


for command in (
    fit, predict, show, explain, export_command, report, front, tune, enumerate_command, compress,
    certify_command, check_command, describe, prune, bound, generate, completion,
):  # fmt: skip
    main.add_command(command)
