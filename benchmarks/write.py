"""Write a record: everything as JSON, and a page to read."""

import json
import re
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.ablation import Ablation
from benchmarks.ratios import means, ratio
from benchmarks.record import Record, Row
from benchmarks.report import markdown

__all__ = ["write", "write_files", "write_plain"]


def write(record: Record, folder: Path) -> Path:
    """Write two files, named by date and name; an older record is never replaced.

    Parameters
    ----------
    record : Record
        The run.
    folder : Path
        Where; it is made when it is not there.

    Returns
    -------
    Path
        The JSON file; the page beside it ends in ``.md``.
    """
    return _write(folder, f"{record.date}-{record.name}", _plain(record), markdown(record))


def write_files(ablation: Ablation, page: str, folder: Path) -> Path:
    """Write an ablation and its page in the same way, and return the JSON file."""
    return _write(folder, f"{ablation.date}-{ablation.name}", asdict(ablation), page)


def write_plain(plain: dict[str, Any], page: str, folder: Path) -> Path:
    """Write what is plain already, with its page, in the same way, and return the JSON file."""
    return _write(folder, f"{plain['date']}-{plain['name']}", plain, page)


def _write(folder: Path, stem: str, plain: dict[str, Any], page: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = _free(folder, stem)
    text = json.dumps(plain, indent=1, ensure_ascii=False)
    text = re.sub(r"\[[-\d.,\s]+\]", lambda numbers: " ".join(numbers[0].split()), text)
    path.write_text(text + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page, encoding="utf-8")
    return path


def _free(folder: Path, stem: str) -> Path:
    """Return the first of stem, stem-2, stem-3 ... that no file has."""
    for number in count(1):
        path = folder / (f"{stem}.json" if number == 1 else f"{stem}-{number}.json")
        if not path.exists():
            return path
    raise AssertionError("there is always another number")


def _plain(record: Record) -> dict[str, Any]:
    """Return the record for JSON, with its ratios and means."""
    rows = [asdict(row) | {"ratios": _ratios(row)} for row in record.rows]
    return asdict(record) | {"rows": rows, "means": [asdict(mean) for mean in means(record.rows)]}


def _ratios(row: Row) -> dict[str, Any]:
    found = {name: ratio(row, name) for name in row.measurements}
    return {name: asdict(one) for name, one in found.items() if one is not None}
