"""How a command ends: its exit code, and one sentence and a hint when something is wrong."""

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
    """Return what stands at the end of a command's help: examples, and what exit codes mean.

    Parameters
    ----------
    *examples : str
        Command lines without the name of the program; the tests run them.
    codes : bool
        Whether exit codes are reported.
    """
    lines = "".join(f"  exactree {example}\n" for example in examples)
    shown = f"\b\n{'Example' if len(examples) == 1 else 'Examples'}:\n{lines}"
    return f"{shown}\n{EXIT_CODES}" if codes else shown


class Exit(IntEnum):
    """How a command ends; the text of ``--help`` and the README say the same."""

    DONE = 0
    BAD_INPUT = 1
    USAGE = 2  # click's own
    NOT_PROVED = 3
    INFEASIBLE = 4
    NO_TREE = 5
    BUG = 70
    INTERRUPTED = 130


def end(code: Exit, reason: str, hint: str) -> NoReturn:
    """End the command with one sentence on standard error, and a hint what to do.

    Parameters
    ----------
    code : Exit
        What the program returns.
    reason : str
        What is wrong.
    hint : str
        What would help.
    """
    click.echo(f"exactree: {reason}\nhint: {hint}", err=True)
    raise SystemExit(code)


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn what can go wrong into one sentence, a hint and an exit code."""
    try:
        yield
    except InternalError as error:
        hint = "please report it, with the command and, if you may, the table."
        end(Exit.BUG, f"this is a bug in exactree: {error}", hint)
    except MethodRefused as error:
        end(Exit.USAGE, str(error), "--method auto takes one that accepts the problem.")
    except ModelError as error:
        end(Exit.BAD_INPUT, str(error), "a model is what exactree fit -o model.json writes.")
    except (ValueError, TypeError) as error:
        end(Exit.BAD_INPUT, str(error), getattr(error, "hint", None) or _see_help())
    except BrokenPipeError:  # of "exactree ... | head": click ends quietly
        raise
    except OSError as error:
        # Every file is opened by its name; what has none is the standard output.
        place = error.filename or "the standard output"
        end(Exit.BAD_INPUT, f"{place} cannot be used: {error.strerror or error}.", _see_help())
    except KeyboardInterrupt:
        end(Exit.INTERRUPTED, "interrupted.", "nothing was written.")


def _see_help() -> str:
    return f"{click.get_current_context().command_path} --help shows what is accepted."
