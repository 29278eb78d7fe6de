"""Numbers as people write them: decimal commas, currency signs, thousands separators, dates."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

__all__ = [
    "INTEGER",
    "decimal_of",
    "decimal_of_written",
    "is_date",
    "is_infinite",
    "is_written_number",
    "plain_number",
    "written_number",
]

INTEGER = re.compile(r"[+-]?[0-9]+")
# Excludes "1_000", "inf" and "nan", which Python reads as numbers.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COMMA_NUMBER = re.compile(r"[+-]?([0-9]+,?[0-9]*|,[0-9]+)([eE][+-]?[0-9]+)?")
# Digits in groups, such as 1,234,567 or 12,34,567; they never begin with 0.
_GROUPS = r"[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{2,3}})*{mark}[0-9]{{3}}"
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f"), " ") | {ord("\u2212"): "-"}
_CURRENCY = re.compile(
    r"\b(AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|SGD|TRY|"
    r"USD|ZAR|kr|Fr\.)(?=\W|\d|$)"
)
_DAY = re.compile(
    r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})( \d{1,2}:\d{2}(:\d{2})?)?|\d{4}/\d\d?/\d\d?"
)


def plain_number(cell: str, decimal: str) -> str | None:
    """Return a number with a decimal point, or None for any other text.

    Parameters
    ----------
    cell : str
        The text of a cell.
    decimal : str
        The decimal mark of the table, "." or ",".
    """
    if decimal == "." and _NUMBER.fullmatch(cell):
        return cell
    if decimal == "," and _COMMA_NUMBER.fullmatch(cell):
        return cell.replace(",", ".")
    return cell if is_infinite(cell) else None


def is_infinite(cell: str) -> bool:
    """Return whether a cell is a word for infinity."""
    return cell.lower().lstrip("+-") in {"inf", "infinity"}


def written_number(cell: str, decimal: str) -> str | None:
    """Return a number without currency signs, percent signs and thousands separators, or None.

    Parameters
    ----------
    cell : str
        The text of a cell, such as ``"$1,200.50"``, ``"(15 EUR)"`` for -15, or ``"5 %"`` for 5.
    decimal : str
        The decimal mark of the column, "." or ","; the other mark separates thousands.
    """
    text = cell.translate(_BLANKS).strip()
    sign = ""
    if text.startswith("(") and text.endswith(")"):  # as accountants write negative numbers
        sign, text = "-", text[1:-1].strip()
    text = _CURRENCY.sub("", text).removesuffix("%")
    text = "".join(c for c in text if unicodedata.category(c) != "Sc").strip()
    if text[:1] in ("+", "-"):
        if sign:
            return None
        sign, text = text[0], text[1:].strip()
    marks = {".": ",", ",": "."}[decimal]
    for mark in (marks, " ", "'", "\u2019"):
        grouped = _GROUPS.format(mark=re.escape(mark))
        if re.fullmatch(rf"{grouped}({re.escape(decimal)}[0-9]*)?", text):
            text = text.replace(mark, "")
    number = plain_number(text, decimal)
    return None if number is None or text[:1] in ("+", "-") else sign + number


def is_written_number(cell: str) -> bool:
    """Return whether a cell is a number, perhaps with signs and separators, with either mark."""
    return any(written_number(cell, decimal) is not None for decimal in ".,")


def _clear_mark(cell: str, mark: str, read: Callable[[str, str], str | None]) -> bool:
    """Return whether a cell is a number with a decimal mark that cannot separate thousands."""
    other = {".": ",", ",": "."}[mark]
    return mark in cell and read(cell, mark) is not None and written_number(cell, other) is None


def decimal_of(columns: Sequence[Sequence[str]]) -> str:
    """Return the decimal mark of a table.

    It is "," if a column consists of numbers with decimal commas, some of which cannot be thousands
    separators (0,5 but not 1,234), and no column in the same way of numbers with decimal points.

    Parameters
    ----------
    columns : sequence of sequence of str
        The cells of each column that are not missing.
    """

    def has(mark: str) -> bool:
        return any(
            any(_clear_mark(cell, mark, plain_number) for cell in column)
            and all(plain_number(cell, mark) is not None for cell in column)
            for column in columns
        )

    return "," if has(",") and not has(".") else "."


def decimal_of_written(cells: Iterable[str], default: str) -> str:
    """Return the decimal mark of a column with thousands separators or currency signs.

    Parameters
    ----------
    cells : iterable of str
        The cells that are not missing.
    default : str
        The mark of the table, if the cells have neither decimals nor separators.
    """
    cells = list(cells)
    for mark in ".,":
        if any(_clear_mark(cell, mark, written_number) for cell in cells):
            return mark
    # Groups of three digits are thousands here, so the other mark is the decimal mark.
    for mark, other in ((",", "."), (".", ",")):
        grouped = re.compile(_GROUPS.format(mark=re.escape(mark)))
        if any(grouped.search(cell) for cell in cells):
            return other
    return default


def is_date(cell: str) -> bool:
    """Return whether a cell is a date, perhaps with a time."""
    if _DAY.fullmatch(cell):
        return True
    if len(cell) < len("2000-1-1") or not ("-" in cell or ":" in cell):
        return False
    try:
        datetime.fromisoformat(cell)
    except ValueError:
        return False
    return True
