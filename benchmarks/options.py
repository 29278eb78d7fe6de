"""The command `python -m benchmarks options`: the running time of each option.

Every option on every table of its kind, classification or regression, with the ratio of its time to
that of plain errors (of the squared error in a regression) on the same table, within the same depth
and in the same run. CPU seconds of one thread. The options of a table are measured one after
another, and the short ones once more in reverse order, so that a machine that becomes slower or
faster favours none.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from benchmarks.apart import measure_apart
from benchmarks.evaluation.command import Evaluation
from benchmarks.machine import facts
from benchmarks.measure import SHORT
from benchmarks.measurement import End, Measurement, Task
from benchmarks.option_problems import OPTIONS, PLAIN
from benchmarks.options_report import contradictions, markdown, status_text
from benchmarks.record import Record, Row, read_record
from benchmarks.run import empty_row
from benchmarks.suites import DEEP, NUMBERS, Group, RowProblem, Suite

__all__ = ["OPTIONS_COMMAND"]

LIMIT = 60.0
QUICK_LIMIT = 1.0
QUICK_TABLES = ("raisin", "primary_tumor", "pmlb_1028_swd")  # one of each group
# Wall seconds, as a multiple of the limit, that a process has in addition to those of every
# measurement before it is killed: on a loaded machine one CPU second takes several wall seconds.
PATIENCE = 10

BINARY = (
    *("anneal", "australian_credit", "breast_wisconsin", "diabetes", "german_credit"),
    *("heart_cleveland", "hypothyroid", "kr_vs_kp", "primary_tumor", "tic_tac_toe"),
)
TABLES = Suite(
    "options",
    (
        Group(
            "continuous",
            "continuous/contree_*_train.csv.gz",
            peers=("exactree",),
            limit=LIMIT,
            tables=(*DEEP, "rice", "htru", "bean", "eeg"),
            depths=(3,),
        ),
        Group(
            "binary",
            "binary/cp4im_*.csv.gz",
            peers=("exactree",),
            limit=LIMIT,
            tables=BINARY,
            depths=(4,),
        ),
        Group(
            "regression",
            "regression/*.csv.gz",
            peers=("exactree",),
            limit=LIMIT,
            minimize="squared_error",
            tables=NUMBERS,
            depths=(3,),
        ),
    ),
)


def _problems(data: Path, chosen: argparse.Namespace) -> list[RowProblem]:
    """Return the problems of a run, a table and a depth each; options are added later."""
    quick = QUICK_TABLES if chosen.quick else None
    return list(TABLES.problems(data, tables=chosen.tables or quick))


def _measure(problems: Sequence[RowProblem], chosen: argparse.Namespace) -> Record:
    """Measure table by table; Ctrl-C ends this and keeps finished tables."""
    machine, date = facts(["exactree"]), datetime.now(UTC).date().isoformat()
    limit = min(chosen.limit, QUICK_LIMIT) if chosen.quick else chosen.limit
    name = f"{chosen.name}-quick" if chosen.quick else chosen.name
    console = Console(stderr=True)
    rows: list[Row] = []
    complete = True
    try:
        for problem in problems:
            row = empty_row(problem, limit)
            measurements = _measured(problem, row, _options(problem, chosen), console)
            rows.append(replace(row, measurements=measurements))
    except KeyboardInterrupt:
        complete = False
    wrong = tuple(contradictions(rows))
    return Record(name, date, TABLES.name, machine, tuple(rows), wrong, complete=complete)


def _options(problem: RowProblem, chosen: argparse.Namespace) -> list[str]:
    """Return the options for a table; the first is the one that the others are compared with."""
    minimize = problem.group.minimize
    return [
        option.name
        for option in OPTIONS.values()
        if option.minimize == minimize
        if not chosen.options or option.name in (PLAIN[minimize], *chosen.options)
    ]


def _measured(
    problem: RowProblem, row: Row, options: Sequence[str], console: Console
) -> dict[str, Measurement]:
    """Measure the options of a table in order, and the short ones again in reverse order."""
    measurements: dict[str, Measurement] = {}
    for option in options:
        measurements[option] = _measurement(problem, row, option)
        line = f"{row.place}, {option}: {status_text(measurements[option])}"
        seconds = measurements[option].seconds
        spent = "" if seconds is None else f", {seconds:.3g} CPU s"
        console.print(line + spent, markup=False, highlight=False)
    for option in reversed(options):
        first = measurements[option]
        if first.end is End.PROVED and first.cpu_seconds[0] < SHORT:
            measurements[option] = _joined(first, _measurement(problem, row, option))
    return measurements


def _measurement(problem: RowProblem, row: Row, option: str) -> Measurement:
    """Measure an option in a process of its own."""
    task = Task(
        "benchmarks.option_problems",
        str(problem.path.resolve()),
        row.depth,
        row.limit,
        minimize=row.minimize,
        option=option,
    )
    return measure_apart(task, grace=30.0 + PATIENCE * row.limit)


def _joined(first: Measurement, second: Measurement) -> Measurement:
    """Return one measurement with the fits of two, of the same option on the same table."""
    if second.end is End.UNFINISHED:  # the machine was too slow for the limit this time
        return first
    if second.end is not End.PROVED:
        return second
    if second.cost != first.cost:
        reason = f"equal fits had different costs: {first.cost} and {second.cost}"
        return replace(first, end=End.FAILED, reason=reason)
    return replace(
        first,
        cpu_seconds=first.cpu_seconds + second.cpu_seconds,
        wall_seconds=first.wall_seconds + second.wall_seconds,
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--tables", nargs="+", metavar="NAME", help="some tables only, such as raisin or anneal")
    against = f"some options only, and plain: {', '.join(OPTIONS)}"
    add("--options", nargs="+", choices=list(OPTIONS), metavar="OPTION", help=against)
    quick = f"one table of each group, {QUICK_LIMIT:g} s for each fit: about a minute"
    add("--quick", action="store_true", help=quick)


OPTIONS_COMMAND = Evaluation(
    name=TABLES.name,
    about=__doc__,
    limit=LIMIT,
    options=_add_options,
    tables=_problems,
    measure=_measure,
    read=read_record,
    page=markdown,
    refuted=lambda record: record.wrong,
)
