"""Exceptions of a command as one sentence, a hint and an exit code."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from exactree.cli.endings import BadTable, Exit, end, see_help
from exactree.cli.library_words import in_own_words
from exactree.cli.model_file import looks_like_model
from exactree.errors import InternalError, MethodRefused, ModelError

__all__ = ["one_sentence"]

WRITTEN_BY = "model files are written by exactree fit -o model.json."


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
        reason, way_out = in_own_words(str(error))
        end(Exit.USAGE, reason, way_out or _other_method())
    except ModelError as error:
        end(Exit.BAD_INPUT, str(error), _swapped() or WRITTEN_BY)
    except BadTable as error:
        end(Exit.BAD_INPUT, str(error), error.hint)
    except (ValueError, TypeError) as error:
        reason, way_out = in_own_words(str(error))
        end(Exit.BAD_INPUT, reason, way_out or see_help(reason))
    except BrokenPipeError:  # from "exactree ... | head"
        # Python flushes the standard output once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(Exit.BROKEN_PIPE) from None
    except ImportError as error:
        end(Exit.BAD_INPUT, str(error), "it is optional, and only this output needs it.")
    except OSError as error:
        # All files are opened by name, so an error without a name is about the standard output.
        place = error.filename or "the standard output"
        way_out = "check its permissions and the space that is left, or write to another place."
        end(Exit.BAD_INPUT, f"{place} cannot be used: {error.strerror or error}.", way_out)
    except KeyboardInterrupt:
        end(Exit.INTERRUPTED, "interrupted.", "nothing was written.")


def _swapped() -> str | None:
    """Return a hint if the model was given as the table."""
    context = click.get_current_context()
    model, table = (context.params.get(name) for name in ("model", "table"))
    if not (isinstance(model, Path) and isinstance(table, Path) and looks_like_model(table)):
        return None
    words = shlex.join([str(table), str(model)])
    return f"the model comes before the table: {context.command_path} {words}"


def _other_method() -> str:
    """Return what helps after a method has refused the problem, by the options in use."""
    options = click.get_current_context().params
    if options.get("method", "auto") != "auto":
        return "--method auto selects a method that accepts the problem."
    if options.get("implementation") == "spec":
        return "--implementation native accepts more problems, and larger tables."
    return "fewer rows, fewer columns or a smaller --max-depth make the problem smaller."
