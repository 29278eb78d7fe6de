"""Writing of a record as JSON and as a page."""

import json
import re
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.ratios import means, ratio
from benchmarks.record import Record, Row
from benchmarks.report import markdown

__all__ = ["write", "write_under"]


def write(record: Record, folder: Path) -> Path:
    """Write a record and its page under its date and name; an older record is never replaced.

    Parameters
    ----------
    record : Record
        The run.
    folder : Path
        The folder, created if it does not exist.

    Returns
    -------
    Path
        The JSON file; the page next to it ends in ``.md``.
    """
    return write_under(folder, f"{record.date}-{record.name}", _plain(record), markdown(record))


def write_under(folder: Path, stem: str, plain: dict[str, Any], page: str) -> Path:
    """Write record and page under a name, or that name with a number; return the JSON file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = _free(folder, stem)
    text = _short_lists(json.dumps(plain, indent=1, ensure_ascii=False))
    path.write_text(text + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page, encoding="utf-8")
    return path


def _short_lists(text: str) -> str:
    """Write every list of numbers or truth values in one line, because people also read records."""
    return re.sub(r"\[\n\s*([-+\d.e,\s]+|(?:true|false|null|[,\s])+)\n\s*\]", _in_one_line, text)


def _in_one_line(found: re.Match[str]) -> str:
    return f"[{' '.join(found[1].split())}]"


def _free(folder: Path, stem: str) -> Path:
    """Return the first of the paths stem, stem-2, stem-3, ... that does not exist."""
    for number in count(1):
        path = folder / (f"{stem}.json" if number == 1 else f"{stem}-{number}.json")
        if not path.exists():
            return path
    raise AssertionError("count never ends")


def _plain(record: Record) -> dict[str, Any]:
    """Return the record for JSON, with its ratios and means."""
    rows = [asdict(row) | {"ratios": _ratios(row)} for row in record.rows]
    return asdict(record) | {"rows": rows, "means": [asdict(mean) for mean in means(record.rows)]}


def _ratios(row: Row) -> dict[str, Any]:
    ratios = {name: ratio(row, name) for name in row.measurements}
    return {name: asdict(found) for name, found in ratios.items() if found is not None}
