"""Page on the running times of options: a table for every group of tables, and a summary."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from benchmarks.evaluation.pages import page, table
from benchmarks.measure import REPEATS, SHORT
from benchmarks.measurement import End, Measurement
from benchmarks.option_problems import CODES, MAX_WEIGHT, MISSING, OPTIONS, PLAIN
from benchmarks.ratios import Ratio, mean_of, quotient
from benchmarks.record import Record, Row
from benchmarks.report import load_sentences

__all__ = ["contradictions", "markdown", "status_text"]

Quantity = float | Fraction | None

# Exceptions by which exactree refuses a problem before any work.
REFUSALS = ("MethodRefused", "ValueError")

LEGEND = (
    "`ratio`: CPU seconds of the option over those of plain errors (`plain`; `squared_error` in "
    "a regression) on the same table within the same depth. Seconds are those from a numpy table "
    f"to the verified tree, medians of {2 * REPEATS} fits, or of one fit that takes {SHORT:g} s or "
    "more. A fit that is not proved within the limit counts with the limit: its ratio is a lower "
    "bound, marked `>=` (`<=` if only plain is unproved; no ratio if both are). `refused`: "
    "exactree does not accept the option on this table. Costs have the unit of the option: "
    f"`sample_weight` and `cost_matrix` are random integers from 1 to {MAX_WEIGHT}, `missing` has "
    f"{MISSING:.0%} of the cells missing, `categories` has at most {CODES} codes in place of the "
    "column most correlated with the label, `monotonic_cst` has one increasing and one decreasing "
    "feature, those with the greatest and the smallest correlation with the label. In the summary, "
    "`ratios`: tables with a ratio; "
    "`unproved`: tables on which the limit ended the search; `refused`: tables on which the option "
    "is not accepted."
)


def markdown(record: Record) -> str:
    """Return the record as a page."""
    groups: dict[str, list[Row]] = {}
    for row in record.rows:
        groups.setdefault(row.group, []).append(row)
    limits = {f"{row.limit:g} CPU s" for row in record.rows}
    facts = {**record.machine, "limit": ", ".join(sorted(limits))}
    parts = [
        f"## {group}, depth {rows[0].depth}\n\n{_lines(rows)}" for group, rows in groups.items()
    ]
    parts.append(f"## Summary\n\n{_summary(groups)}")
    return page(f"{record.name}, {record.date}", facts, LEGEND, parts, list(_sentences(record)))


def status_text(measurement: Measurement) -> str:
    """Return the end of a measurement as text of the page."""
    if _refused(measurement):
        return "refused"
    failed = measurement.end is End.FAILED
    return f"failed ({measurement.reason})" if failed else str(measurement.end)


def contradictions(rows: Iterable[Row]) -> Iterator[str]:
    """Yield a sentence for every option that failed, or whose tree refutes a proof.

    An option that does not change the table allows no further trees, so that its tree has no fewer
    errors than the proved minimum. Errors are counted from predictions.
    """
    for row in rows:
        name = PLAIN[row.minimize]
        plain = row.measurements[name]
        bound = row.value(name) if plain.end is End.PROVED else plain.lower_bound
        for option, measurement in row.measurements.items():
            place, value = f"{row.place}, {option}", row.value(option)
            if measurement.end in (End.FAILED, End.MISSING) and not _refused(measurement):
                yield f"{place}: {status_text(measurement)}."
            elif _above(measurement.lower_bound, measurement.cost):
                yield f"{place}: it costs {measurement.cost}, below the proved lower bound."
            elif not OPTIONS[option].new_table and _above(bound, value):
                found = f"{row.minimize} = {value}"
                yield f"{place}: its tree has {found}, and {name} claims at least {bound}."


def _above(bound: Quantity, value: Quantity) -> bool:
    """Return whether a lower bound is above a value, by more than rounding errors."""
    return bound is not None and value is not None and bound > value + 1e-9 * abs(float(value))


def _refused(measurement: Measurement) -> bool:
    return measurement.end is End.FAILED and measurement.reason in REFUSALS


def _ratio(row: Row, option: str) -> Ratio | None:
    return quotient(row.measurements[option], row.measurements[PLAIN[row.minimize]], row.limit)


def _lines(rows: Iterable[Row]) -> str:
    lines = []
    for row in rows:
        for option, measurement in row.measurements.items():
            bounds = [_text(measurement.cost), _text(measurement.lower_bound)]
            ratio = _ratio(row, option)
            last = [_seconds(measurement, row), "-" if ratio is None else str(ratio)]
            lines.append([row.table, option, status_text(measurement), *bounds, *last])
    header = ["table", "option", "status", "cost", "lower bound", "CPU s", "ratio to plain"]
    return table(header, lines)


def _text(value: int | float | None) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _seconds(measurement: Measurement, row: Row) -> str:
    if measurement.end is End.UNFINISHED:
        return f"> {row.limit:g}"
    return "-" if measurement.seconds is None else f"{measurement.seconds:.3g}"


def _summary(groups: dict[str, list[Row]]) -> str:
    """Return a line for every option and group of tables."""
    lines = []
    for group, rows in groups.items():
        for option in rows[0].measurements:
            ratios = {
                row.table: ratio for row in rows if (ratio := _ratio(row, option)) is not None
            }
            largest = max(ratios, key=lambda name: ratios[name].value, default="-")
            of_option = [row.measurements[option] for row in rows]
            means = (
                [str(mean_of([*ratios.values()])), str(ratios[largest])] if ratios else ["-", "-"]
            )
            unproved = sum(measurement.end is End.UNFINISHED for measurement in of_option)
            counts = [str(unproved), str(sum(_refused(measurement) for measurement in of_option))]
            lines.append([option, group, str(len(ratios)), *means, largest, *counts])
    header = ["option", "group", "ratios", "geometric mean", "maximum", "table of the maximum"]
    return table([*header, "unproved", "refused"], lines)


def _sentences(record: Record) -> Iterator[str]:
    yield from (f"WRONG: {sentence}" for sentence in record.wrong)
    yield from load_sentences(row.load for row in record.rows)
    if not record.complete:
        yield "Interrupted: the run is not complete."
