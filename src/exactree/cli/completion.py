"""Shell completion: the command `exactree completion`, and completion of column names."""

import csv
import os
import re
import shlex
import zlib
from pathlib import Path

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

from exactree.cli.endings import USUAL, BadTable, Exit, epilog
from exactree.cli.table import column_names

_CODES = {code: USUAL[code] for code in (Exit.DONE, Exit.USAGE)}
# What bash splits or expands in a word that is not quoted.
_SPECIAL = re.compile(r"[\s'\"\\$`!*?\[\](){}<>|&;#~]")
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
        The option; it has a list if it may be repeated.
    incomplete : str
        The text typed so far.
    """
    # The option being completed has no value yet, so click has left the arguments unparsed.
    table = ctx.params.get("table") or next(iter(ctx.args), "")
    try:
        names = column_names(Path(table))
    except (OSError, EOFError, csv.Error, zlib.error, BadTable):
        return []  # the command itself reports the error
    if not param.multiple:
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]
    before, word = _last_word(incomplete)
    used = {name.strip() for name in next(csv.reader([before], skipinitialspace=True), [])}
    found = [name for name in names if name.startswith(word) and name not in used]
    return [CompletionItem(before + _in_list(name)) for name in found]


def _last_word(text: str) -> tuple[str, str]:
    """Return a list up to its last comma, and the word after it without an opening quote."""
    quoted, start = False, 0
    for place, sign in enumerate(text):
        quoted ^= sign == '"'
        if sign == "," and not quoted:
            start = place + 1
    return text[:start], text[start:].lstrip().removeprefix('"')


def _in_list(name: str) -> str:
    """Return a name as an entry of a list, in quotes if it has a comma or a quote."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"' if "," in name or '"' in name else name


@add_completion_class
class QuotingBashComplete(BashComplete):
    """Completion for bash with quotes around words that bash would split or expand.

    In an open quote, bash itself adds the closing quote. The other shells quote all words.
    """

    def format_completion(self, item: CompletionItem) -> str:
        """Return the kind and the value of a completion."""
        words = os.environ.get("COMP_WORDS", "").split("\n")
        place = int(os.environ.get("COMP_CWORD", "0"))
        in_quotes = place < len(words) and words[place][:1] in ("'", '"')
        if item.type == "plain" and _SPECIAL.search(item.value) and not in_quotes:
            return f"plain,{shlex.quote(item.value)}"
        return super().format_completion(item)
