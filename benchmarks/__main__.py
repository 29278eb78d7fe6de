"""The command `python -m benchmarks`: run a comparison, check it, print it, write its record."""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from benchmarks import ablation, pruning
from benchmarks.ablations import ABLATIONS
from benchmarks.agreement import check
from benchmarks.evaluation import EVALUATIONS
from benchmarks.known import known_sizes
from benchmarks.machine import facts
from benchmarks.options import OPTIONS_COMMAND
from benchmarks.peers import PEERS
from benchmarks.record import Record, Row
from benchmarks.report import print_report
from benchmarks.run import rows
from benchmarks.suites import SUITES, RowProblem
from benchmarks.write import write

RECORDS = Path(__file__).resolve().parent / "records"
NO_DATA = (
    "Nothing was compared: the environment variable EXACTREE_DATA is not set. "
    "It names the folder with the tables; benchmarks/README.md says which."
)

# Commands other than the comparison of solvers on a suite.
COMMANDS = {name: command.main for name, command in EVALUATIONS.items()}
COMMANDS |= {OPTIONS_COMMAND.name: OPTIONS_COMMAND.main, "pruning": pruning.main}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code.

    It is 1 if a table is absent, exactree fails, or a proof is refuted for no known reason; 130
    for Ctrl-C; else 0, also without data.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given and given[0] in ABLATIONS:
        return ablation.main(ABLATIONS[given[0]], given[1:])
    if given and given[0] in COMMANDS:
        return COMMANDS[given[0]](given[1:])
    options = _read(given)
    if not os.environ.get("EXACTREE_DATA"):
        print(NO_DATA)
        return 0
    data = Path(os.environ["EXACTREE_DATA"])
    try:
        suite = SUITES[options.suite]
        problems = list(suite.problems(data, options.groups, options.tables, options.depths))
    except FileNotFoundError as absent:
        print(f"The folder that EXACTREE_DATA names has no {absent}.", file=sys.stderr)
        return 1
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # files and pipes have no width
    record = _compare(options, problems, data, console)
    print_report(record, console)
    console.print(f"Record: {write(record, options.out)}", soft_wrap=True)
    if record.wrong:
        print("The comparison failed: " + " ".join(record.wrong), file=sys.stderr)
        return 1
    return 0 if record.complete else 130


def _compare(
    options: argparse.Namespace, problems: list[RowProblem], data: Path, console: Console
) -> Record:
    """Measure all problems of the options; Ctrl-C ends this and keeps the finished rows."""
    solvers = {name for problem in problems for name in problem.group.peers}
    chosen = solvers if options.peers is None else solvers & set(options.peers)
    machine = facts(PEERS[name].distribution for name in chosen if not PEERS[name].program)
    today = datetime.now(UTC).date().isoformat()
    measured: list[Row] = []
    complete = True
    remaining = rows(
        problems,
        peers=options.peers,
        programs={} if options.prototype is None else {"prototype": options.prototype},
        limit=options.peer_limit,
        known=known_sizes(data),
        report=lambda line: console.print(line, markup=False, highlight=False),
    )
    try:
        for row in remaining:
            measured.append(row)
    except KeyboardInterrupt:
        complete = False
    wrong, remarks = check(measured)
    return Record(
        name=options.name or options.suite,
        date=today,
        suite=options.suite,
        machine=machine,
        rows=tuple(measured),
        wrong=tuple(wrong),
        remarks=tuple(remarks),
        complete=complete,
    )


def _read(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command line; exit with code 2 if they are wrong."""
    parser = _parser()
    options = parser.parse_args(arguments)
    groups = [group.name for group in SUITES[options.suite].groups]
    absent = set(options.groups or ()) - set(groups)
    if absent:
        parser.error(f"{options.suite} has no group {absent.pop()}; it has {', '.join(groups)}")
    if options.prototype is not None and not options.prototype.is_file():
        parser.error(f"there is no {options.prototype}")
    return options


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        epilog=f"Other commands, each with its own --help: {', '.join([*ABLATIONS, *COMMANDS])}",
    )
    add = parser.add_argument
    add("suite", nargs="?", choices=list(SUITES), default="continuous", help="the comparison")
    add("--groups", nargs="+", metavar="NAME", help="some groups of tables only")
    add("--tables", nargs="+", metavar="NAME", help="some tables only")
    add("--depths", nargs="+", type=int, metavar="D", help="depths to use instead of the suite's")
    add("--peers", nargs="+", choices=list(PEERS), help="some solvers only")
    peer_limit = "limit of a fit in seconds (default: that of the suite)"
    add("--peer-limit", type=float, metavar="S", help=peer_limit)
    add("--prototype", type=Path, metavar="PROGRAM", help="executable to compare sizes with")
    add("--name", help="name of the record (default: that of the suite)")
    add("--out", type=Path, default=RECORDS, metavar="DIR", help="folder of the record")
    return parser


if __name__ == "__main__":
    sys.exit(main())
