"""How a command ends: its exit code, and one sentence when something is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import click

from exactree.errors import InternalError, MethodRefused

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


def end(code: Exit, reason: str) -> NoReturn:
    """End the command with one sentence on standard error."""
    click.echo(f"exactree: {reason}", err=True)
    raise SystemExit(code)


@contextmanager
def one_sentence() -> Iterator[None]:
    """Turn what can go wrong into one sentence and an exit code."""
    try:
        yield
    except InternalError as error:
        end(Exit.BUG, f"this is a bug in exactree: {error}")
    except MethodRefused as error:
        end(Exit.USAGE, str(error))
    except (ValueError, TypeError) as error:
        end(Exit.BAD_INPUT, str(error))
    except OSError as error:
        end(Exit.BAD_INPUT, f"{error.filename} cannot be used: {error.strerror}.")
    except KeyboardInterrupt:
        end(Exit.INTERRUPTED, "interrupted.")
