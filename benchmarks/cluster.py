"""The command `python -m benchmarks.cluster`: speed-up of a search by several workers.

`measure` alternately times the engine, one worker and two workers on the same problem; `simulate`
simulates any number of workers in one process. Both write a record. `page` writes a page of the
documentation and its picture from the two records.
"""

import argparse
import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.cluster_measured import calls, local_cluster, overhead, planted, request
from benchmarks.cluster_report import draw, measured_page, page, simulated_page
from benchmarks.cluster_simulated import MESSAGE_SECONDS, SCHEDULER_SECONDS, simulated_run
from benchmarks.machine import facts
from benchmarks.write import write_under

RECORDS = Path(__file__).with_name("records")
DOCUMENTS = Path(__file__).resolve().parents[1] / "docs"
PAGE, FIGURE = "cluster-scaling.md", "cluster-scaling.svg"


def header(options: argparse.Namespace) -> dict[str, Any]:
    """Return the first entries of every record."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": facts(("dask", "distributed")),
        "examples": options.examples,
        "features": options.features,
        "depth": options.depth,
    }


def measure(options: argparse.Namespace) -> Path:
    """Measure, and write the record."""
    record = header(options)
    problem = planted(options.examples, options.features, options.depth)
    measured = []
    for call in calls(problem, options.rounds):
        measured.append(asdict(call))
        sys.stdout.write(f"{call}\n")
        sys.stdout.flush()
    costs = {call["cost"] for call in measured}
    assert len(costs) == 1, f"the searches find different costs: {costs}"
    with local_cluster(1) as client:
        task_overhead = asdict(overhead(request(problem), client))
    record |= {"calls": measured, "overhead": task_overhead}
    text = f"# {options.name}, {record['date']}\n\n{measured_page(record)}"
    return write_under(options.out, f"{record['date']}-{options.name}", record, text)


def simulate(options: argparse.Namespace) -> Path:
    """Simulate, and write the record."""
    constants = {"scheduler_seconds": SCHEDULER_SECONDS, "message_seconds": MESSAGE_SECONDS}
    record = header(options) | constants | {"runs": []}
    search_request = request(planted(options.examples, options.features, options.depth))
    for workers in options.workers:
        run = simulated_run(search_request, search_request.prepare(), workers)
        record["runs"].append(asdict(run))
        sys.stdout.write(f"{run}\n")
        sys.stdout.flush()
    text = f"# {options.name}, {record['date']}\n\n{simulated_page(record)}"
    return write_under(options.out, f"{record['date']}-{options.name}", record, text)


def write_page(measured: Path, simulated: Path, folder: Path) -> Path:
    """Write the page and its picture from two records."""
    paths = (measured, simulated)
    records = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    links = [f"../benchmarks/records/{path.name}" for path in paths]
    draw(records[1], folder / FIGURE)
    text = page((links[0], records[0]), (links[1], records[1]), FIGURE)
    path = folder / PAGE
    path.write_text(text, encoding="utf-8")
    return path


def main(words: list[str] | None = None) -> None:
    """Run the command with these arguments, and print the path of the written file."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for command, name in (("measure", "cluster-measured"), ("simulate", "cluster-simulated")):
        subparser = commands.add_parser(command)
        subparser.add_argument("--examples", type=int, default=4000)
        subparser.add_argument("--features", type=int, default=7)
        subparser.add_argument("--depth", type=int, default=4)
        subparser.add_argument("--out", type=Path, default=RECORDS)
        subparser.add_argument("--name", default=name)
        if command == "measure":
            subparser.add_argument("--rounds", type=int, default=3)
        else:
            counts = _counts("1,2,16,100,1000,10000")
            subparser.add_argument("--workers", type=_counts, default=counts)
    subparser = commands.add_parser("page")
    subparser.add_argument("measured", type=Path)
    subparser.add_argument("simulated", type=Path)
    subparser.add_argument("--out", type=Path, default=DOCUMENTS)
    options = parser.parse_args(words)
    match options.command:
        case "measure":
            path = measure(options)
        case "simulate":
            path = simulate(options)
        case _:
            path = write_page(options.measured, options.simulated, options.out)
    sys.stdout.write(f"{path}\n")


def _counts(words: str) -> list[int]:
    return [int(word) for word in words.split(",")]


if __name__ == "__main__":
    main()
