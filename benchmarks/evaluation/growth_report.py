"""Page on the growth of running time: a table for every factor, and a table of real tables."""

from collections.abc import Iterator
from itertools import pairwise
from math import log

from benchmarks.evaluation.growth_record import TABLES, Growth, GrowthRun
from benchmarks.evaluation.pages import page, table
from benchmarks.report import load_sentences

__all__ = ["by_series", "markdown"]

LEGEND = (
    "CPU seconds of one thread, from a numpy table to the recounted tree: making the problem, "
    "search, recount. A planted table has independent uniform features, so that nearly all values "
    "differ, and labels of a random tree of the given depth, a share of which (`noise`) is "
    "replaced by random labels. Times are medians of three such tables, or of one if the first "
    "took more than 5 s. `MB`: increase of the peak memory. `power`: exponent with which the time "
    "grew since the previous line. `open`: not proved within the limit, which ends a series. `n`, "
    "`d`, `c`: examples, features, classes."
)
MEANINGFUL = 0.02  # CPU seconds below which the start of a search dominates its time


def by_series(record: Growth) -> dict[tuple[str, str], list[GrowthRun]]:
    """Return the runs by varied factor and by series."""
    series: dict[tuple[str, str], list[GrowthRun]] = {}
    for run in record.runs:
        series.setdefault((run.factor, run.series), []).append(run)
    return series


def markdown(record: Growth) -> str:
    """Return the record as a page."""
    facts = {**record.machine, "limit": f"{record.limit:g} CPU s"}
    parts = []
    for (factor, name), runs in by_series(record).items():
        lines = _lines_of_tables(runs) if factor == TABLES else _lines(factor, runs)
        parts.append(f"{factor.capitalize()} ({name}):\n\n{lines}")
    return page(f"{record.name}, {record.date}", facts, LEGEND, parts, list(_sentences(record)))


def _lines(factor: str, runs: list[GrowthRun]) -> str:
    powers = ["", *(_power(before, after) for before, after in pairwise(runs))]
    lines = [
        [f"{run.value:,g}" if factor == "noise" else f"{run.value:,.0f}", *_text(run), power]
        for run, power in zip(runs, powers, strict=True)
    ]
    return table([factor, "CPU s", "MB", "errors", "power"], lines)


def _lines_of_tables(runs: list[GrowthRun]) -> str:
    lines = [
        [run.table, *map(str, (run.examples, run.features, run.classes)), *_text(run)]
        for run in runs
    ]
    return table(["table", "n", "d", "c", "CPU s", "MB", "errors"], lines)


def _text(run: GrowthRun) -> list[str]:
    """Return seconds, memory and errors of a run, or bounds of an open problem."""
    memory = "" if run.extra_bytes is None else f"{run.extra_bytes / 2**20:.0f}"
    if run.proved:
        return [_seconds(run.typical), memory, f"{run.errors}"]
    return [f"{_seconds(run.typical)}, open", memory, f"{run.lower_bound} to {run.errors}"]


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}"


def _power(before: GrowthRun, after: GrowthRun) -> str:
    """Return the exponent with which the time grew, empty if it would not be meaningful."""
    if before.factor in ("depth", "noise") or before.typical < MEANINGFUL or not after.proved:
        return ""
    return f"{log(after.typical / before.typical) / log(after.value / before.value):.1f}"


def _sentences(record: Growth) -> Iterator[str]:
    largest = max(
        (run for run in record.runs if run.factor == "examples" and run.depth == 2 and run.proved),
        key=lambda run: run.examples,
        default=None,
    )
    if largest is not None:
        text = _text(largest)
        yield (
            f"{largest.examples:,} rows and {largest.features} features at depth 2: {text[0]} CPU "
            f"s on one core, {text[1]} MB."
        )
    real = [run for run in record.runs if run.factor == TABLES]
    if real:
        proved = [run for run in real if run.proved]
        quick = sum(run.typical < 10 for run in proved)
        unproved = ", ".join(run.table for run in real if not run.proved)
        yield (
            f"Real tables at depth 3: {len(proved)} of {len(real)} proved within "
            f"{record.limit:g} CPU s, {quick} of them within 10"
            + (f"; open: {unproved}." if unproved else ".")
        )
    yield from load_sentences(record.loads)
    if not record.complete:
        yield "Interrupted: the run is not complete."
