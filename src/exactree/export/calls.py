"""Calls of exporters: answers to file names, which they do not take, by the right call."""

from __future__ import annotations

import re
from functools import wraps
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TEXT", "answers_file_names", "is_file_name"]

Exporter = TypeVar("Exporter", bound="Callable[..., Any]")

# How to write what exporters return; the placeholders are the name of the exporter and the file.
TEXT = "returns text and writes no file: Path({1}).write_text(export.{0}(model), encoding='utf-8')"
_SUFFIX = re.compile(
    r"(?s).*\.(csv|dot|html?|js|json|md|onnx|pdf|pkl|png|pmml|py|sql|svg|txt|xlsx|xml)", re.I
)
_FILE_PARAMETERS = {"file", "filename", "fname", "out_file", "path"}


def answers_file_names(writes: str) -> Callable[[Exporter], Exporter]:
    """Let an exporter answer a file name by the call that writes its result.

    Parameters
    ----------
    writes : str
        The answer, without the name of the exporter before it, such as `TEXT`.
    """

    def decorate(exporter: Exporter) -> Exporter:
        name = exporter.__name__

        @wraps(exporter)
        def checked(*arguments: Any, **named: Any) -> Any:
            unknown = [value for key, value in named.items() if key in _FILE_PARAMETERS]
            files = [*filter(is_file_name, arguments[1:]), *unknown]
            if files:
                raise TypeError(f"{name} {writes.format(name, _quoted(files[0]))}.")
            return exporter(*arguments, **named)

        return checked  # type: ignore[return-value]

    return decorate


def is_file_name(value: Any) -> bool:
    """Return whether an argument is a path, or text that ends as the name of a file.

    Parameters
    ----------
    value : object
        The user's argument.
    """
    return isinstance(value, PathLike) or (
        isinstance(value, str) and _SUFFIX.fullmatch(value) is not None
    )


def _quoted(file: Any) -> str:
    return repr(fspath(file)) if isinstance(file, PathLike | str) else "..."
