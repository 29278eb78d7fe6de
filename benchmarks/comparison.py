"""The command `python -m benchmarks.comparison`: write the measured parts of docs/about/peers.md.

A part stands between two comments of the page. It is made from the newest records, those of
docs/about/how-fast.md, which has the ratios of single tables; a test compares page and records.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import log10
from statistics import median

from benchmarks.evaluation.pages import table
from benchmarks.how_fast import PAGE as HOW_FAST
from benchmarks.how_fast import ROOT, SECTIONS, newest
from benchmarks.how_fast_chart import CHARTED, WITH_MORE_TIME
from benchmarks.measurement import End
from benchmarks.peers import OURS, PEERS
from benchmarks.ratios import means, ratio
from benchmarks.record import Record, Row, read_record

__all__ = ["PAGE", "PARTS", "page"]

PAGE = HOW_FAST.with_name("peers.md")
COMPARED = [name for name in SECTIONS if name in CHARTED | WITH_MORE_TIME]
CART = "cart"
LARGE = "large"
# The number of rows for which times and memory are extrapolated.
EXTRAPOLATED = 10_000_000
# Differences of memory below this many bytes are noise.
ONE_MB = 1_000_000


def record_of(name: str) -> Record:
    """Return the newest record with a name."""
    return read_record(newest(name).with_suffix(".json"))


def solvers(record: Record) -> list[str]:
    """Return the other solvers of a record that prove optimality."""
    names = dict.fromkeys(name for row in record.rows for name in row.measurements)
    return [name for name in names if name != OURS and PEERS[name].exact]


def release(record: Record, solver: str) -> str:
    """Return package and version of a solver."""
    package = PEERS[solver].distribution
    return f"{package} {record.machine['packages'][package]}"


def comparisons() -> Iterator[tuple[str, Record, str, list[Row]]]:
    """Yield heading, record, solver and rows for each solver of each comparison."""
    for name in COMPARED:
        record = record_of(name)
        for solver in solvers(record):
            rows = [row for row in record.rows if solver in row.measurements]
            yield SECTIONS[name][0], record, solver, rows


def source(record: Record) -> str:
    """Return a link to a record by its date, and the measured commit."""
    link = f"../../benchmarks/records/{newest(record.name).name}"
    return f"[{record.date}]({link}), {record.machine['commit']}"


def speed() -> list[str]:
    """Return the table of speed, proofs and memory: a line for each solver of each comparison."""
    header = ["problem", "solver", "record and commit", "limit", "proved: exactree, solver"]
    header += ["ratio of times", "solver faster", "solver with less memory"]
    lines = []
    for heading, record, solver, rows in comparisons():
        anchor = heading.lower().replace(",", "").replace(" ", "-")
        ours, theirs = (sum(_proved(row, name) for row in rows) for name in (OURS, solver))
        limits = {f"{row.limit:g} s" for row in rows}
        by_depth = [mean.mean for mean in means(rows) if mean.peer == solver]
        least, greatest = (choice(by_depth, key=lambda m: m.value) for choice in (min, max))
        ratios = str(least) if least == greatest else f"{least} to {greatest}"
        lines.append(
            [
                f"[{heading}]({HOW_FAST.name}#{anchor})",
                release(record, solver),
                source(record),
                ", ".join(sorted(limits)),
                f"{ours}, {theirs} of {len(rows)}",
                ratios,
                str(len(list(_faster(rows, solver)))),
                str(sum(_needs_less_memory(row, solver) for row in rows)),
            ]
        )
    return [table(header, lines)]


def losses() -> list[str]:
    """Return lists of the tables on which another solver was faster, or found or proved more."""
    faster, proved_alone, unproved = [], [], []
    for heading, record, solver, rows in comparisons():
        place = f"- {heading}, {release(record, solver)}: "
        faster += _line(place, _faster(rows, solver))
        alone = (row for row in rows if _proved(row, solver) and not _proved(row, OURS))
        proved_alone += _line(place, alone)
        if neither := [row for row in rows if not _proved(row, solver) and not _proved(row, OURS)]:
            ours = sum(_better(row, OURS, solver) for row in neither)
            theirs = [row for row in neither if _better(row, solver, OURS)]
            counts = f"{len(neither)} of {len(rows)}; exactree better on {ours}, "
            counts += f"the solver on {len(theirs)}"
            unproved += _line(f"{place}{counts}: ", theirs) or [place + counts]
    return [
        "Tables on which a solver was faster than exactree, with the depths:",
        "",
        *(faster or ["- none"]),
        "",
        "Tables that a solver proved, and exactree did not:",
        "",
        *(proved_alone or ["- none"]),
        "",
        "Tables that neither proved, and those for which the solver has the better tree:",
        "",
        *(unproved or ["- none"]),
    ]


def greedy() -> list[str]:
    """Return the table of greedy trees: seconds of scikit-learn and of exactree."""
    header = ["problem", "rows", "scikit-learn: median, maximum", "exactree: median, maximum"]
    header += ["exactree better"]
    lines = []
    for name in COMPARED:
        rows = [row for row in record_of(name).rows if CART in row.measurements]
        if name in WITH_MORE_TIME or not rows:
            continue
        times = [_median_and_maximum(rows, solver) for solver in (CART, OURS)]
        better = str(sum(_better(row, OURS, CART) for row in rows))
        lines.append([SECTIONS[name][0], str(len(rows)), *times, better])
    return [table(header, lines)]


def large() -> list[str]:
    """Return the table of large tables, measured and extrapolated."""
    record = record_of(LARGE)
    rows = sorted(record.rows, key=lambda row: row.examples)
    header = ["solver", *(f"{row.examples:,} rows" for row in rows)]
    lines = [
        [
            release(record, solver),
            *(_time_and_memory(row, solver) for row in rows),
            _extrapolated(rows, solver),
        ]
        for solver in (OURS, *solvers(record), CART)
    ]
    features = rows[-1].features
    gigabytes = _rounded(EXTRAPOLATED * features * 8 / 1e9)
    return [
        table([*header, f"{EXTRAPOLATED:,} rows, extrapolated"], lines),
        "",
        f"Record of {source(record)}: depth {rows[-1].depth}, planted tables of {features}",
        "features, CPU seconds of one thread, and memory added by `fit`. Extrapolated means not",
        "measured: the time grows by the same power of the number of rows as between the two",
        f"tables, and memory in proportion to the rows. A table of {EXTRAPOLATED:,} rows itself",
        f"takes another {gigabytes} GB.",
    ]


PARTS: dict[str, Callable[[], list[str]]] = {
    "speed": speed,
    "losses": losses,
    "greedy": greedy,
    "large": large,
}


def page(written: str) -> str:
    """Return the text of the page with its measured parts replaced."""
    for name, part in PARTS.items():
        start, end = f"<!-- {name}: python -m benchmarks.comparison -->", f"<!-- end of {name} -->"
        before, found, rest = written.partition(start)
        _, ended, after = rest.partition(end)
        if not (found and ended):
            raise ValueError(f"the page has no comments {start} and {end}")
        written = "\n\n".join([before + start, "\n".join(part()), end + after])
    return written


def _faster(rows: Iterable[Row], solver: str) -> Iterator[Row]:
    """Yield the rows on which a solver was faster, or finished alone."""
    for row in rows:
        found = ratio(row, solver)
        if found is not None and (found.value < 1 or found.sign == "<="):
            yield row


def _proved(row: Row, solver: str) -> bool:
    return row.measurements[solver].end is End.PROVED


def _better(row: Row, solver: str, other: str) -> bool:
    """Return whether the tree of a solver is better; squared errors differ by rounding."""
    value, other_value = row.value(solver), row.value(other)
    if value is None or other_value is None:
        return other_value is None and value is not None
    margin = 1e-4 if row.minimize == "squared_error" else 0
    return value < other_value * (1 - margin)


def _needs_less_memory(row: Row, solver: str) -> bool:
    ours, theirs = row.measurements[OURS].extra_bytes, row.measurements[solver].extra_bytes
    return ours is not None and theirs is not None and theirs < ours - ONE_MB


def _line(place: str, rows: Iterable[Row]) -> list[str]:
    """Return a line with the tables of rows, and their depths or penalties; empty without rows."""
    limits: dict[str, list[str]] = {}
    for row in rows:
        limit = f"{row.depth}" if row.leaf_penalty is None else row.leaf_penalty
        limits.setdefault(row.table, []).append(limit)
    tables = [f"{name} ({', '.join(found)})" for name, found in sorted(limits.items())]
    return [place + ", ".join(tables)] if tables else []


def _rounded(value: float) -> str:
    """Return a number with two significant digits."""
    return f"{float(f'{value:.2g}'):g}"


def _median_and_maximum(rows: Sequence[Row], solver: str) -> str:
    seconds = [row.measurements[solver].counted(row.limit) or 0.0 for row in rows]
    return f"{_rounded(median(seconds))} s, {_rounded(max(seconds))} s"


def _time_and_memory(row: Row, solver: str) -> str:
    measurement = row.measurements[solver]
    if measurement.seconds is None or measurement.extra_bytes is None:
        return str(measurement.end)
    unfinished = "> " if measurement.end is End.UNFINISHED else ""
    megabytes = _rounded(measurement.extra_bytes / 1e6)
    return f"{unfinished}{_rounded(measurement.seconds)} s, {megabytes} MB"


def _extrapolated(rows: Sequence[Row], solver: str) -> str:
    """Return time and memory, extrapolated from the two largest tables."""
    smaller, larger = (row.measurements[solver] for row in rows[-2:])
    if End.UNFINISHED in (smaller.end, larger.end) or not (smaller.seconds and larger.seconds):
        return "-"  # nothing to continue
    power = log10(larger.seconds / smaller.seconds) / log10(rows[-1].examples / rows[-2].examples)
    factor = EXTRAPOLATED / rows[-1].examples
    gigabytes = (larger.extra_bytes or 0) * factor / 1e9
    return f"{_rounded(larger.seconds * factor**power)} s, {_rounded(gigabytes)} GB"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(PAGE.relative_to(ROOT))
