"""The page on running times agrees with the newest records."""

from pathlib import Path

import pytest
from benchmarks import how_fast


def test_the_page_agrees_with_the_newest_records() -> None:
    written = how_fast.PAGE.read_text(encoding="utf-8")
    assert written == how_fast.page(), "run: python -m benchmarks.how_fast"


def test_the_newest_record_of_a_name_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("2026-01-02-deep.md", "2026-11-01-deep.md", "2026-12-01-deeper.md"):
        (tmp_path / name).touch()
    monkeypatch.setattr(how_fast, "RECORDS", tmp_path)
    assert how_fast.newest("deep").name == "2026-11-01-deep.md"


def test_every_mean_of_a_record_is_taken() -> None:
    """No mean is omitted, also if another solver is faster."""
    record = how_fast.newest("binary").read_text(encoding="utf-8")
    expected = [line for line in record.splitlines() if " / exactree, geometric mean" in line]
    assert len(expected) >= 6
    assert how_fast.sentences(record)[: len(expected)] == expected
