"""The end of a command: its exit code, and an error message with a hint."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import click

from exactree.errors import InternalError, MethodRefused, ModelError
from exactree.problem.outcome import Suggestion, alternatives


class BadTable(ValueError):
    """Raised for a table or a column that cannot be used.

    Parameters
    ----------
    reason : str
        The reason, in one sentence.
    hint : str, optional
        A suggestion for the user.
    """

    def __init__(self, reason: str, hint: str | None = None) -> None:
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
    BROKEN_PIPE = 141  # as of a program that SIGPIPE ends


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
    return f"{alternatives(texts)} would help." if texts else _see_help()


@contextmanager
def one_sentence() -> Iterator[None]:
    """Convert exceptions to one sentence, a hint and an exit code."""
    try:
        yield
        sys.stdout.flush()  # a broken pipe may appear only here
    except InternalError as error:
        hint = "please report it, with the command and, if you may, the table."
        end(Exit.BUG, f"this is a bug in exactree: {error}", hint)
    except MethodRefused as error:
        end(Exit.USAGE, str(error), _after_refusal())
    except ModelError as error:
        end(Exit.BAD_INPUT, str(error), "model files are written by exactree fit -o model.json.")
    except (ValueError, TypeError) as error:
        end(Exit.BAD_INPUT, str(error), getattr(error, "hint", None) or _see_help())
    except BrokenPipeError:  # from "exactree ... | head"
        # Python flushes the standard output once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(Exit.BROKEN_PIPE) from None
    except ImportError as error:
        end(Exit.BAD_INPUT, str(error), "it is optional, and only this output needs it.")
    except OSError as error:
        # All files are opened by name, so an error without a name is about the standard output.
        place = error.filename or "the standard output"
        end(Exit.BAD_INPUT, f"{place} cannot be used: {error.strerror or error}.", _see_help())
    except KeyboardInterrupt:
        end(Exit.INTERRUPTED, "interrupted.", "nothing was written.")


def _after_refusal() -> str:
    """Return what helps after a method has refused the problem, by the options in use."""
    options = click.get_current_context().params
    if options.get("method", "auto") != "auto":
        return "--method auto selects a method that accepts the problem."
    if options.get("implementation") == "spec":
        return "--implementation native accepts more problems, and larger tables."
    return _see_help()


def _see_help() -> str:
    return f"{click.get_current_context().command_path} --help shows what is accepted."
