"""The measured parts of the page on other packages agree with the newest records."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from benchmarks import comparison, how_fast, large_tables
from benchmarks.how_fast_chart import WITH_MORE_TIME
from benchmarks.measurement import End, Measurement
from benchmarks.peers import PEERS
from benchmarks.record import Record, Row, read_record
from benchmarks.suites import SUITES
from benchmarks.tables import read_table

PAGE = comparison.PAGE.read_text(encoding="utf-8")
CELLS = [
    cell.strip()
    for line in PAGE.splitlines()
    if line.startswith("|") and not line.startswith("| ---")
    for cell in line.strip("|").split("|")
]


def row(table: str, ours: tuple[End, float], theirs: tuple[End, float], **changes: object) -> Row:
    """Return a row of exactree and pystreed, each with an end and CPU seconds."""
    measurements = {
        name: Measurement(end, errors=5, cpu_seconds=(seconds,), extra_bytes=10**9)
        for name, (end, seconds) in {"exactree": ours, "pystreed": theirs}.items()
    }
    return Row(table, 1000, 10, 2, 3, 60.0, measurements, **changes)


def measured(*rows: Row) -> Record:
    """Return a record with these rows."""
    machine = {"packages": {"exactree": "1", "pystreed": "2"}, "commit": "abc"}
    return Record("binary", "2026-11-21", "binary", machine, rows)


def lines_of_losses(monkeypatch: pytest.MonkeyPatch, *rows: Row) -> list[str]:
    """Return the lists of losses for a comparison with these rows."""

    def one() -> Iterator[tuple[str, Record, str, list[Row]]]:
        yield "Binary features", measured(*rows), "pystreed", list(rows)

    monkeypatch.setattr(comparison, "comparisons", one)
    return [line for line in comparison.losses() if line.startswith("- ")]


def test_the_page_agrees_with_the_newest_records() -> None:
    assert comparison.page(PAGE) == PAGE, "run: python -m benchmarks.comparison"


def test_a_page_without_the_comments_is_refused() -> None:
    with pytest.raises(ValueError, match="end of speed"):
        comparison.page("<!-- speed: python -m benchmarks.comparison -->")


def test_what_is_written_by_hand_stays() -> None:
    changed = PAGE.replace("| 51, 51 of 51 |", "| 51, 0 of 51 |")
    assert changed != PAGE
    assert comparison.page(changed) == PAGE
    assert comparison.page(PAGE + "\nAt the end.\n") == PAGE + "\nAt the end.\n"


def test_the_page_lists_every_loss_of_the_page_on_running_times() -> None:
    slower = [
        speed
        for problem in how_fast.charted() + how_fast.charted(WITH_MORE_TIME)
        for speed in problem.speeds
        if speed.ratio.value < 1
    ]
    assert len(slower) >= 15
    listed = [line for line in comparison.losses() if line.startswith("- ")]
    for speed in slower:
        package = PEERS[speed.solver].distribution
        assert any(f"{package} " in line and f"{speed.table} (" in line for line in listed), speed


def test_every_solver_of_every_comparison_has_a_line() -> None:
    for name in comparison.COMPARED:
        record = comparison.record_of(name)
        for solver in {name for row in record.rows for name in row.measurements}:
            if solver != "exactree" and PEERS[solver].exact:
                assert f"| {comparison.release(record, solver)} | [{record.date}]" in PAGE


def test_the_table_of_packages_has_the_measured_releases() -> None:
    packages = PAGE.partition("## Packages\n")[2].partition("\n## ")[0]
    for name in comparison.COMPARED:
        for package, version in comparison.record_of(name).machine["packages"].items():
            if package not in {"exactree", "numpy"}:
                line = next(x for x in packages.splitlines() if x.startswith(f"| [{package}]"))
                assert f" | {version} | " in line


def test_cells_are_short() -> None:
    assert len(CELLS) > 100
    assert [cell for cell in CELLS if len(cell.split()) > 30] == []


def test_losses_are_listed_by_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    faster = row("faster", (End.PROVED, 2.0), (End.PROVED, 1.0))
    slower = row("slower", (End.PROVED, 1.0), (End.PROVED, 2.0))
    alone = row("alone", (End.UNFINISHED, 60.0), (End.PROVED, 1.0))
    neither = row("neither", (End.UNFINISHED, 60.0), (End.UNFINISHED, 60.0))
    place = "- Binary features, pystreed 2: "
    assert lines_of_losses(monkeypatch, faster, slower, alone, neither) == [
        f"{place}alone (3), faster (3)",
        f"{place}alone (3)",
        f"{place}1 of 4; exactree better on 0, the solver on 0",
    ]
    assert lines_of_losses(monkeypatch, slower) == ["- none"] * 3


def test_a_better_tree_without_a_proof_is_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    open_row = row("open", (End.UNFINISHED, 60.0), (End.UNFINISHED, 60.0))
    better = Measurement(End.UNFINISHED, errors=4, cpu_seconds=(60.0,))
    lost = Row(**vars(open_row) | {"measurements": dict(open_row.measurements, pystreed=better)})
    no_tree = Measurement(End.UNFINISHED, cpu_seconds=(60.0,))
    won = Row(**vars(open_row) | {"measurements": dict(open_row.measurements, pystreed=no_tree)})
    assert lines_of_losses(monkeypatch, lost, won)[-1].endswith(
        "2 of 2; exactree better on 1, the solver on 1: open (3)"
    )


@pytest.mark.parametrize(
    ("end", "seconds", "expected"),
    [(End.PROVED, 20.0, "400 s, 10 GB"), (End.UNFINISHED, 60.0, "-")],
)
def test_extrapolation_continues_the_growth(end: End, seconds: float, expected: str) -> None:
    small = row("s", (End.PROVED, 1.0), (End.PROVED, 1.0))
    large = row("l", (end, seconds), (End.PROVED, 1.0))
    rows = [Row(**vars(r) | {"examples": n}) for r, n in ((small, 10**5), (large, 10**6))]
    assert comparison._extrapolated(rows, "exactree") == expected


def test_a_record_is_read_as_it_was_written() -> None:
    path = how_fast.newest("least-size").with_suffix(".json")
    record = read_record(path)
    assert len(record.rows) == 92
    assert {type(r.known).__name__ for r in record.rows} == {"Known", "NoneType"}
    assert all(isinstance(m.end, End) for r in record.rows for m in r.measurements.values())


def test_large_tables_are_those_of_the_suite(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(large_tables, "LARGE", (30, 40))
    large_tables.write_tables(tmp_path)
    first, *_, last = SUITES["large"].problems(tmp_path)
    X, y = read_table(first.path)
    assert X.shape == (30, large_tables.FEATURES)
    assert np.unique(y).tolist() == [0, 1]
    assert read_table(last.path)[0].shape[0] == 40
    assert re.findall(r"planted_\d+", capsys.readouterr().out) == [first.table, last.table]
