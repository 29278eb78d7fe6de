"""The command `python -m benchmarks.cluster`: what a search gains that workers share.

`measure` lets the engine, one worker and two workers prove the same tree, in turns; `play` plays a
run for any number of workers with one process; each leaves a record. `page` writes the page and the
picture of the documents from two records.
"""

import argparse
import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.cluster_measured import calls, local_cluster, overhead, planted, request
from benchmarks.cluster_report import draw, measured_page, page, played_page
from benchmarks.cluster_simulated import ON_THE_WAY, SCHEDULED, played
from benchmarks.machine import facts
from benchmarks.write import write_under

RECORDS = Path(__file__).with_name("records")
DOCUMENTS = Path(__file__).resolve().parents[1] / "docs"
PAGE, FIGURE = "cluster-scaling.md", "cluster-scaling.svg"


def begun(asked: argparse.Namespace) -> dict[str, Any]:
    """Return what every record begins with."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": facts(("dask", "distributed")),
        "examples": asked.examples,
        "features": asked.features,
        "depth": asked.depth,
    }


def measure(asked: argparse.Namespace) -> Path:
    """Measure, and write the record."""
    record = begun(asked)
    problem = planted(asked.examples, asked.features, asked.depth)
    done = []
    for call in calls(problem, asked.rounds):
        done.append(asdict(call))
        sys.stdout.write(f"{call}\n")
        sys.stdout.flush()
    costs = {call["cost"] for call in done}
    assert len(costs) == 1, f"they find different costs: {costs}"
    with local_cluster(1) as client:
        spent = asdict(overhead(request(problem), client))
    record |= {"calls": done, "overhead": spent}
    text = f"# {asked.name}, {record['date']}\n\n{measured_page(record)}"
    return write_under(asked.out, f"{record['date']}-{asked.name}", record, text)


def play(asked: argparse.Namespace) -> Path:
    """Play, and write the record."""
    record = begun(asked) | {"scheduled": SCHEDULED, "on_the_way": ON_THE_WAY, "runs": []}
    control = request(planted(asked.examples, asked.features, asked.depth))
    for workers in asked.workers:
        run = played(control, control.prepare(), workers)
        record["runs"].append(asdict(run))
        sys.stdout.write(f"{run}\n")
        sys.stdout.flush()
    text = f"# {asked.name}, {record['date']}\n\n{played_page(record)}"
    return write_under(asked.out, f"{record['date']}-{asked.name}", record, text)


def write_page(measured: Path, control: Path, folder: Path) -> Path:
    """Write the page and its picture from two records."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in (measured, control)]
    links = [f"../benchmarks/records/{path.name}" for path in (measured, control)]
    draw(records[1], folder / FIGURE)
    text = page((links[0], records[0]), (links[1], records[1]), FIGURE)
    path = folder / PAGE
    path.write_text(text, encoding="utf-8")
    return path


def main(words: list[str] | None = None) -> None:
    """Do what the words say, and print the file that was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, name in (("measure", "cluster-measured"), ("play", "cluster-played")):
        own = verbs.add_parser(verb)
        own.add_argument("--examples", type=int, default=4000)
        own.add_argument("--features", type=int, default=7)
        own.add_argument("--depth", type=int, default=4)
        own.add_argument("--out", type=Path, default=RECORDS)
        own.add_argument("--name", default=name)
        if verb == "measure":
            own.add_argument("--rounds", type=int, default=3)
        else:
            own.add_argument("--workers", type=_counts, default=_counts("1,2,16,100,1000,10000"))
    own = verbs.add_parser("page")
    own.add_argument("measured", type=Path)
    own.add_argument("played", type=Path)
    own.add_argument("--out", type=Path, default=DOCUMENTS)
    asked = parser.parse_args(words)
    match asked.verb:
        case "measure":
            path = measure(asked)
        case "play":
            path = play(asked)
        case _:
            path = write_page(asked.measured, asked.played, asked.out)
    sys.stdout.write(f"{path}\n")


def _counts(words: str) -> list[int]:
    return [int(word) for word in words.split(",")]


if __name__ == "__main__":
    main()
