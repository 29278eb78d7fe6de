"""The end of a command: its exit code, and an error message with a hint."""

import re
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NoReturn

import click

from exactree.problem.outcome import Suggestion, alternatives


class BadTable(ValueError):
    """Raised for a table or a column that cannot be used.

    Parameters
    ----------
    reason : str
        The reason, in one sentence.
    hint : str
        What the user can do about it.
    """

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.hint = hint


class Exit(IntEnum):
    """Exit codes; ``--help`` lists those of a command, docs/command-line.md all of them."""

    DONE = 0
    BAD_INPUT = 1
    USAGE = 2  # click's own
    NOT_PROVED = 3
    INFEASIBLE = 4
    NO_TREE = 5
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141  # as of a program that is ended by SIGPIPE


# The exit codes of most commands.
USUAL: Mapping[Exit, str] = {
    Exit.DONE: "done",
    Exit.BAD_INPUT: "a table or model file that cannot be used",
    Exit.USAGE: "a wrong option or argument",
    Exit.BUG: "a bug in exactree",
    Exit.INTERRUPTED: "interrupted; nothing was written",
    Exit.BROKEN_PIPE: "the reader of a pipe, such as head, ended first",
}
# The exit codes of commands that search.
OF_SEARCHES: Mapping[Exit, str] = {
    **USUAL,
    Exit.DONE: "done; all that was found is proved optimal",
    Exit.NOT_PROVED: "stopped before the proof; the best that was found is given",
    Exit.INFEASIBLE: "proved: no tree meets the limits",
    Exit.NO_TREE: "stopped before any tree was found",
    Exit.INTERRUPTED: "interrupted; the best that was found is given, if there is anything",
}


def epilog(*examples: str, codes: Mapping[Exit, str] = USUAL) -> str:
    """Return the end of the help text of a command: examples, and its exit codes.

    Parameters
    ----------
    *examples : str
        Command lines without the name of the program; the tests run them.
    codes : mapping of Exit to str
        The exit codes of the command and their meanings.
    """
    lines = "".join(f"  exactree {example}\n" for example in examples)
    heading = "Example" if len(examples) == 1 else "Examples"
    meanings = "".join(f"  {code.value:<4} {codes[code]}\n" for code in sorted(codes))
    listed = f"\n\b\nExit codes:\n{meanings}" if codes else ""
    return f"\b\n{heading}:\n{lines}{listed}"


def end(code: Exit, reason: str, hint: str) -> NoReturn:
    """End the command with an error message and a hint on standard error.

    Parameters
    ----------
    code : Exit
        The exit code.
    reason : str
        The error, in one sentence.
    hint : str
        A suggestion for the user.
    """
    click.echo(f"exactree: {reason}\nhint: {hint}", err=True)
    raise SystemExit(code)


_OPTION = re.compile(r"(?<![\w-])--[a-z-]+")
# Options that are named otherwise than the parameter.
_OPTION_OF = {"n_jobs": "jobs", "sample_weight": "weights"}


def hint(advice: Sequence[Suggestion]) -> str:
    """Return advice in the options of this command; what it has no option for is left out.

    Parameters
    ----------
    advice : sequence of Suggestion
        What would help a search that was stopped.
    """
    options = {option.name for option in click.get_current_context().command.params}
    texts = []
    for entry in advice:
        option = _OPTION_OF.get(entry.parameter, entry.parameter)
        if option in options:
            value = "" if entry.value is None else f" {entry.value}"
            texts.append(entry.text_of(f"--{option.replace('_', '-')}{value}"))
    return f"{alternatives(texts)} would help." if texts else see_help()


def see_help(reason: str = "") -> str:
    """Return the hint that names the help of the command, for the options in an error message."""
    context = click.get_current_context()
    known = {option for parameter in context.command.params for option in parameter.opts}
    options = [word for word in dict.fromkeys(_OPTION.findall(reason)) if word in known]
    if options:
        return f"{context.command_path} --help describes {' and '.join(options)}."
    return f"{context.command_path} --help shows what is accepted."
