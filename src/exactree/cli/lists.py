"""Options whose values are comma-separated lists; an option may be repeated."""

import csv
import shlex
from collections.abc import Callable, Sequence
from io import StringIO
from itertools import chain
from typing import Any

import click

from exactree.cli.completion import columns
from exactree.cli.options import Kind

__all__ = ["Names", "as_option", "columns_option", "comma_hint", "list_option", "parse_names"]


class Names(Kind):
    """Names separated by commas; quotes enclose a name with a comma."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a tuple of the names."""
        return value if isinstance(value, tuple) else parse_names(str(value))


def list_option(*names: str, kind: Kind, **settings: Any) -> Callable[[Any], Any]:
    """Return an option whose value is a tuple of all entries, or None if it is not given.

    Parameters
    ----------
    *names : str
        The names of the option.
    kind : Kind
        Converts a text to a tuple.
    **settings
        Other arguments of `click.option`.
    """
    return click.option(*names, type=kind, multiple=True, callback=_join, **settings)


def columns_option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """Return a `list_option` whose entries are columns of the table."""
    common: dict[str, Any] = {"metavar": "COLUMNS", "shell_complete": columns}
    return list_option(*names, kind=Names(), **(common | settings))


def _join(
    ctx: click.Context, param: click.Parameter, values: tuple[tuple[Any, ...], ...]
) -> tuple[Any, ...] | None:
    entries = chain.from_iterable(values)
    if not values:
        return None
    return tuple(dict.fromkeys(entries) if isinstance(param.type, Names) else entries)


def parse_names(names: str) -> tuple[str, ...]:
    """Return names separated by commas; quotes enclose a name with a comma.

    Parameters
    ----------
    names : str
        The value of an option.
    """
    words = [name.strip() for name in next(csv.reader([names], skipinitialspace=True), [])]
    return tuple(name for name in dict.fromkeys(words) if name)


def as_option(names: Sequence[str]) -> str:
    """Return names of columns as the value of an option, to be read by `parse_names`.

    Parameters
    ----------
    names : sequence of str
        The names.
    """
    text = StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return shlex.quote(text.getvalue())


def comma_hint(command: click.Command, words: Sequence[str]) -> str | None:
    """Return a hint if a list seems to be separated by spaces instead of commas.

    Parameters
    ----------
    command : click.Command
        The command, which has more arguments than it accepts.
    words : sequence of str
        The words after the command.
    """
    lists = {
        option: parameter
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.callback is _join
        for option in parameter.opts
    }
    for place, option in enumerate(words[:-2]):
        values = []
        for word in words[place + 1 :]:
            if word.startswith("-"):
                break
            values.append(word)
        if option in lists and len(values) > 1:
            noun = "columns" if lists[option].metavar == "COLUMNS" else "entries"
            entries = [entry for value in values for entry in parse_names(value)]
            return f"separate {noun} by commas, as in {option} {as_option(entries)}."
    return None
