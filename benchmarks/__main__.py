"""The command `python -m benchmarks`: run a comparison, print it, leave a record, judge it."""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from benchmarks.agreement import check
from benchmarks.machine import facts
from benchmarks.peers import PEERS
from benchmarks.record import Record, Row
from benchmarks.report import print_report
from benchmarks.run import rows
from benchmarks.suites import SUITES
from benchmarks.write import write

RECORDS = Path(__file__).resolve().parent / "records"
NO_DATA = (
    "Nothing was compared: the environment variable EXACTREE_DATA is not set. "
    "It names the folder with the tables; benchmarks/README.md says which."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 when something is wrong, 130 on Ctrl-C, else 0, also without data."""
    asked = _parser().parse_args(arguments)
    if not os.environ.get("EXACTREE_DATA"):
        print(NO_DATA)
        return 0
    data, suite = Path(os.environ["EXACTREE_DATA"]), SUITES[asked.suite]
    files = [suite.file.format(table=table) for table in asked.tables or suite.tables]
    absent = [file for file in files if not (data / file).is_file()]
    if absent:
        print(f"The folder that EXACTREE_DATA names has no {', '.join(absent)}.", file=sys.stderr)
        return 1
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # a file or a pipe has no width of its own
    record = _compare(asked, data, console)
    print_report(record, console)
    console.print(f"Record: {write(record, asked.out)}", soft_wrap=True)
    if record.wrong:
        print("The comparison failed: " + " ".join(record.wrong), file=sys.stderr)
        return 1
    return 0 if record.complete else 130


def _compare(asked: argparse.Namespace, data: Path, console: Console) -> Record:
    """Measure everything that was asked for; Ctrl-C ends that and keeps what is done."""
    suite = SUITES[asked.suite]
    peers = asked.peers or suite.peers
    machine = facts(PEERS[name].distribution for name in peers)
    today = datetime.now(UTC).date().isoformat()
    done: list[Row] = []
    complete = True
    todo = rows(
        suite,
        data,
        tables=asked.tables or suite.tables,
        depths=asked.depths or suite.depths,
        peers=peers,
        limit=asked.peer_limit,
        tell=lambda line: console.print(line, markup=False, highlight=False),
    )
    try:
        for row in todo:
            done.append(row)
    except KeyboardInterrupt:
        complete = False
    wrong, remarks = check(done)
    return Record(
        name=asked.name or suite.name,
        date=today,
        suite=suite.name,
        machine=machine,
        rows=tuple(done),
        wrong=tuple(wrong),
        remarks=tuple(remarks),
        complete=complete,
    )


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("suite", nargs="?", choices=list(SUITES), default="continuous", help="what is compared")
    add("--tables", nargs="+", metavar="NAME", help="some tables only")
    add("--depths", nargs="+", type=int, metavar="D", help="other depths")
    add("--peers", nargs="+", choices=list(PEERS), help="some solvers only")
    add("--peer-limit", type=float, default=600.0, metavar="S", help="CPU seconds (600)")
    add("--name", help="name of the record (that of the suite)")
    add("--out", type=Path, default=RECORDS, metavar="DIR", help="folder of the record")
    return parser


if __name__ == "__main__":
    sys.exit(main())
