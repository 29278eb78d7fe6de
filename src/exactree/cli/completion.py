"""Shell completion: the command `exactree completion`, and completion of column names."""

import csv
import zlib
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from exactree.cli.endings import USUAL, BadTable, Exit, epilog
from exactree.cli.table import column_names

_CODES = {code: USUAL[code] for code in (Exit.DONE, Exit.USAGE)}
SHELLS = ("bash", "zsh", "fish")
_WHERE = """\b
To enable completion permanently, add the script to the configuration of the shell:
  bash  exactree completion bash >> ~/.bashrc
  zsh   exactree completion zsh >> ~/.zshrc
  fish  exactree completion fish > ~/.config/fish/completions/exactree.fish
"""


@click.command(
    short_help="Print a shell completion script.",
    epilog=f"{_WHERE}\n{epilog('completion bash', codes=_CODES)}",
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print a script with which SHELL completes commands, options and column names."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"this release of click does not support {shell}.")
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "exactree", "_EXACTREE_COMPLETE").source())


def columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the columns of TABLE that complete a word, or the last word of a comma-separated list.

    Parameters
    ----------
    ctx : click.Context
        The context, with the table if it is given before the option.
    param : click.Parameter
        The option.
    incomplete : str
        The text typed so far.
    """
    # The option being completed has no value yet, so click has left the arguments unparsed.
    table = ctx.params.get("table") or next(iter(ctx.args), "")
    before, comma, word = incomplete.rpartition(",")
    try:
        names = column_names(Path(table))
    except (OSError, EOFError, csv.Error, zlib.error, BadTable):
        return []  # the command itself reports the error
    return [CompletionItem(before + comma + name) for name in names if name.startswith(word)]
