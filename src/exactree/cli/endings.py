"""The end of a command: its exit code, and an error message with a hint."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import click

from exactree.errors import InternalError, MethodRefused, ModelError

EXIT_CODES = """\b
Exit codes:
  0    done; after fit: the tree is proved optimal
  1    a table or model file that cannot be used
  2    a wrong option or argument
  3    stopped before the proof; the best tree so far is given
  4    proved: no tree meets the limits
  5    stopped before any tree was found
  70   a bug in exactree
  130  interrupted; the best tree so far is given, if there is one
"""


def epilog(*examples: str, codes: bool = True) -> str:
    """Return the end of the help text of a command: examples, and the exit codes.

    Parameters
    ----------
    *examples : str
        Command lines without the name of the program; the tests run them.
    codes : bool
        Whether to list the exit codes.
    """
    lines = "".join(f"  exactree {example}\n" for example in examples)
    heading = f"\b\n{'Example' if len(examples) == 1 else 'Examples'}:\n{lines}"
    return f"{heading}\n{EXIT_CODES}" if codes else heading


class Exit(IntEnum):
    """Exit codes, as listed by ``--help`` and in docs/command-line.md."""

    DONE = 0
    BAD_INPUT = 1
    USAGE = 2  # click's own
    NOT_PROVED = 3
    INFEASIBLE = 4
    NO_TREE = 5
    BUG = 70
    INTERRUPTED = 130


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


@contextmanager
def one_sentence() -> Iterator[None]:
    """Convert exceptions to one sentence, a hint and an exit code."""
    try:
        yield
    except InternalError as error:
        hint = "please report it, with the command and, if you may, the table."
        end(Exit.BUG, f"this is a bug in exactree: {error}", hint)
    except MethodRefused as error:
        end(Exit.USAGE, str(error), "--method auto selects a method that accepts the problem.")
    except ModelError as error:
        end(Exit.BAD_INPUT, str(error), "model files are written by exactree fit -o model.json.")
    except (ValueError, TypeError) as error:
        end(Exit.BAD_INPUT, str(error), getattr(error, "hint", None) or _see_help())
    except BrokenPipeError:  # from "exactree ... | head": click exits silently
        raise
    except OSError as error:
        # All files are opened by name, so an error without a name is about the standard output.
        place = error.filename or "the standard output"
        end(Exit.BAD_INPUT, f"{place} cannot be used: {error.strerror or error}.", _see_help())
    except KeyboardInterrupt:
        end(Exit.INTERRUPTED, "interrupted.", "nothing was written.")


def _see_help() -> str:
    return f"{click.get_current_context().command_path} --help shows what is accepted."
