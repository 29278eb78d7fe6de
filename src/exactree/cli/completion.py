"""Completion in shells: the command `exactree completion`, and the columns of a table as words."""

import csv
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from exactree.cli.csv_table import BadTable, opened
from exactree.cli.endings import epilog

SHELLS = ("bash", "zsh", "fish")
_WHERE = """\b
To have it always, write it where the shell reads it:
  bash  exactree completion bash >> ~/.bashrc
  zsh   exactree completion zsh >> ~/.zshrc
  fish  exactree completion fish > ~/.config/fish/completions/exactree.fish
"""


@click.command(
    short_help="Print what makes a shell complete words.",
    epilog=f"{epilog('completion bash', codes=False)}\n{_WHERE}",
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script of SHELL for commands, options and names of columns."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"this release of click knows no {shell}.")
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "exactree", "_EXACTREE_COMPLETE").source())


def columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the columns of TABLE that an incomplete word can become; after a comma, the next.

    Parameters
    ----------
    ctx : click.Context
        Holds the table, where it stands before the option.
    param : click.Parameter
        The option.
    incomplete : str
        What is typed so far.
    """
    # The option that is being completed has no value yet, so click left the arguments unread.
    table = ctx.params.get("table") or next(iter(ctx.args), "")
    before, comma, word = incomplete.rpartition(",")
    try:
        with opened(Path(table)) as file:
            header = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError, csv.Error, BadTable):
        return []  # nothing to offer: the command itself says what is wrong
    names = [name.strip() for name in header]
    return [CompletionItem(before + comma + name) for name in names if name.startswith(word)]
