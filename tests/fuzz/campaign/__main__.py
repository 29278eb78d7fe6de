"""Run a campaign, or replay an instance: ``python -m campaign --help``, in the folder tests/fuzz.

Instances 0, 1, 2 ... of a seed are drawn, solved and checked, until the given number or time is
reached. A failing instance is written to a file, as it was drawn and reduced.
"""

import argparse
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from .cases import Case, draw, tags
from .check import Verdict, check
from .record import Tally, record
from .shrink import shrunk

# Maximum CPU seconds of an instance. No instance takes a second, except those with a callback.
SECONDS_EACH = 60


def main() -> int:
    """Run the command; return 1 if an instance failed, otherwise 0."""
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first instance")
    parser.add_argument(
        "--instances", type=int, help="number of instances; by default as many as --seconds allow"
    )
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument(
        "--files", type=Path, default=Path("target/fuzz"), help="folder for failures"
    )
    parser.add_argument("--record", type=Path, help="write a record to this Markdown file")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        help="leave out instances with all of some choices, such as kind=gini,weights=heavy",
    )
    parser.add_argument(
        "--replay", type=Path, help="check and print the instance in this file, then exit"
    )
    parser.add_argument("--shrink", action="store_true", help="also reduce the replayed instance")
    arguments = parser.parse_args()
    signal.signal(signal.SIGPROF, _stop_check)
    if arguments.replay is not None:
        return _replay(arguments.replay, arguments.shrink)
    tally = _campaign(arguments)
    _write_record(tally, arguments)
    print(tally.line())
    for message, count in tally.failures.most_common():
        print(f"{count:6} {message}")
    return int(bool(tally.failures))


def _campaign(arguments: argparse.Namespace) -> Tally:
    tally = Tally()
    start, cpu_start, printed_at = monotonic(), process_time(), monotonic()
    number = arguments.first
    end = None if arguments.instances is None else arguments.first + arguments.instances
    while (end is None or number < end) and monotonic() - start < arguments.seconds:
        case = draw(arguments.seed, number)
        choices = tags(case)
        if any(_matches(choices, left_out) for left_out in arguments.without):
            tally.left_out += 1
        else:
            verdict = checked(case)
            is_new = tally.add(number, choices, verdict)
            if verdict.kind == "failed":
                print(f"instance {number}: {verdict.message}"[:400], flush=True)
                _save(arguments.files, arguments.seed, number, case, verdict, is_new)
        number += 1
        tally.seconds, tally.cpu_seconds = monotonic() - start, process_time() - cpu_start
        if monotonic() - printed_at > 30:
            print(tally.line(), flush=True)
            _write_record(tally, arguments)  # so that a run that is killed has a record
            printed_at = monotonic()
    return tally


def _write_record(tally: Tally, arguments: argparse.Namespace) -> None:
    if arguments.record is not None:
        arguments.record.write_text(record(tally, vars(arguments)), encoding="utf-8")


def checked(case: Case) -> Verdict:
    """Check an instance; too much time and errors of the check itself are failures."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS_EACH)
    try:
        return check(case)
    except TookLong:
        return Verdict("failed", f"took more than {SECONDS_EACH} CPU seconds")
    except Exception as broken:
        return Verdict("failed", f"the check raised {broken!r}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


class TookLong(BaseException):
    """Raised if an instance takes too long; `except Exception` in the package does not catch it."""


def _stop_check(*_: object) -> None:
    raise TookLong


def _matches(choices: dict[str, str], left_out: str) -> bool:
    """Return whether an instance has all choices of a text such as "kind=gini,weights=heavy"."""
    pairs = [pair.split("=", 1) for pair in left_out.split(",")]
    return all(value in choices[name] for name, value in pairs)


def _save(folder: Path, seed: int, number: int, case: Case, verdict: Verdict, is_new: bool) -> None:
    """Write a failing instance to a file; for a new kind of failure also a reduced instance."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{seed}-{number}.json"
    _write(path, case, verdict)
    if is_new and "calls" not in case.options:  # searches with a callback take seconds
        small = shrunk(case, _fails_like(verdict))
        _write(path.with_suffix(".small.json"), small, checked(small))


def _fails_like(verdict: Verdict) -> Callable[[Case], bool]:
    def fails(case: Case) -> bool:
        new = checked(case)
        return new.kind == "failed" and new.signature == verdict.signature

    return fails


def _write(path: Path, case: Case, verdict: Verdict) -> None:
    saved: dict[str, Any] = {"verdict": verdict.message, **vars(case)}
    path.write_text(json.dumps(saved, indent=1), encoding="utf-8")


def _replay(path: Path, reduce: bool) -> int:
    """Check the instance in a file; return 1 if it fails, otherwise 0."""
    saved = json.loads(path.read_text(encoding="utf-8"))
    case = Case(saved["parameters"], saved["options"])
    verdict = checked(case)
    if reduce and verdict.kind == "failed":
        case = shrunk(case, _fails_like(verdict))
        verdict = checked(case)
        _write(path.with_suffix(".small.json"), case, verdict)
    print(json.dumps(vars(case), indent=1))
    print(f"{verdict.kind}: {verdict.message}")
    return int(verdict.kind == "failed")


if __name__ == "__main__":
    sys.exit(main())
