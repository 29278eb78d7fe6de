"""Short text and HTML of objects, for prompts and notebooks; everything inserted is escaped.

Notebooks style the elements, so that they fit light and dark themes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from html import escape
from typing import Any

__all__ = ["changed_fields", "paragraph", "table"]


def changed_fields(record: Any) -> str:
    """Return a data class as the call that makes it, without arguments that equal their defaults.

    Parameters
    ----------
    record : dataclass
        Such as ``Limits(max_depth=2)``.
    """
    arguments = []
    for field in fields(record):
        value = getattr(record, field.name)
        default = field.default
        if default is MISSING and field.default_factory is not MISSING:
            default = field.default_factory()
        if default is MISSING or value != default:
            arguments.append(f"{field.name}={value!r}")
    return f"{type(record).__name__}({', '.join(arguments)})"


def paragraph(text: str) -> str:
    """Return a text as a paragraph of HTML, line by line.

    Parameters
    ----------
    text : str
        Plain text.
    """
    return f"<p>{'<br>'.join(map(escape, text.splitlines()))}</p>"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows of plain text as a table of HTML; numbers are right-aligned.

    Parameters
    ----------
    header : sequence of str
        The names of the columns; a table without names has an empty header.
    rows : iterable of sequence of str
        The cells of each row.
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    head = f"<thead><tr>{head}</tr></thead>" if header else ""
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    number = text.lstrip("-").replace(",", "").replace(".", "", 1).isdigit()
    align = "right" if number else "left"
    return f'<td style="text-align:{align}">{escape(text)}</td>'
