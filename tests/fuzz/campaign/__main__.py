"""Run a campaign, or replay an instance: ``python -m campaign --help``, in the folder tests/fuzz.

Instances number 0, 1, 2 ... of a seed are drawn, solved and checked until there were enough, or
time is over. An instance that fails is written to a file, as it was and as small as it can be made.
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
from .record import Tally, written
from .shrink import shrunk

# Of the processor, for one instance. None takes a second, but for those that a callback stops.
SECONDS_EACH = 60


def main() -> int:
    """Run what the command line says; returns 1 if an instance failed."""
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first instance")
    parser.add_argument(
        "--instances", type=int, help="number of instances; by default until --seconds are over"
    )
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--files", type=Path, default=Path("target/fuzz"), help="of failures")
    parser.add_argument("--record", type=Path, help="write what was found to this Markdown file")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        help="leave out a combination of choices: kind=gini,weights=heavy (words of the choice)",
    )
    parser.add_argument(
        "--replay", type=Path, help="check and show the instance in this file, then exit"
    )
    parser.add_argument("--shrink", action="store_true", help="make what is replayed smaller, too")
    options = parser.parse_args()
    signal.signal(signal.SIGPROF, _too_long)
    if options.replay is not None:
        return _replayed(options.replay, options.shrink)
    tally = _campaign(options)
    _record(tally, options)
    print(tally.line())
    for said, number in tally.failures.most_common():
        print(f"{number:6} {said}")
    return int(bool(tally.failures))


def _campaign(options: argparse.Namespace) -> Tally:
    tally = Tally()
    began, processor, shown = monotonic(), process_time(), monotonic()
    number = options.first
    while (options.instances is None or number < options.first + options.instances) and (
        monotonic() - began < options.seconds
    ):
        case = draw(options.seed, number)
        chosen = tags(case)
        if not any(_matches(chosen, words) for words in options.without):
            verdict = checked(case)
            new = tally.add(number, chosen, verdict)
            if verdict.kind == "failed":
                print(f"instance {number}: {verdict.said}"[:400], flush=True)
                _save(options.files, options.seed, number, case, verdict, new)
        else:
            tally.left_out += 1
        number += 1
        tally.seconds, tally.processor = monotonic() - began, process_time() - processor
        if monotonic() - shown > 30:
            print(tally.line(), flush=True)
            _record(tally, options)  # a run that is killed has its record, too
            shown = monotonic()
    return tally


def _record(tally: Tally, options: argparse.Namespace) -> None:
    if options.record is not None:
        options.record.write_text(written(tally, vars(options)), encoding="utf-8")


def checked(case: Case) -> Verdict:
    """Check an instance; to take very long is a failure, as is an error of the check itself."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS_EACH)
    try:
        return check(case)
    except TookLong:
        return Verdict("failed", f"took more than {SECONDS_EACH} seconds of the processor")
    except Exception as broken:
        return Verdict("failed", f"the check raised {broken!r}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


class TookLong(BaseException):
    """An instance took too long; not an Exception, so that no `except Exception` catches it."""


def _too_long(*_: object) -> None:
    raise TookLong


def _matches(chosen: dict[str, str], words: str) -> bool:
    """Return whether an instance has all of some choices, "kind=gini,weights=heavy"."""
    pairs = [word.split("=", 1) for word in words.split(",")]
    return all(value in chosen[name] for name, value in pairs)


def _save(folder: Path, seed: int, number: int, case: Case, verdict: Verdict, new: bool) -> None:
    """Write a failing instance, and, if it fails in a new way, a smaller one that fails alike."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{seed}-{number}.json"
    _write(path, case, verdict)
    if new and "calls" not in case.how:  # such searches take seconds each
        small = shrunk(case, _fails_like(verdict))
        _write(path.with_suffix(".small.json"), small, checked(small))


def _fails_like(verdict: Verdict) -> Callable[[Case], bool]:
    def fails(case: Case) -> bool:
        found = checked(case)
        return found.kind == "failed" and found.signature == verdict.signature

    return fails


def _write(path: Path, case: Case, verdict: Verdict) -> None:
    held: dict[str, Any] = {"verdict": verdict.said, "stated": case.stated, "how": case.how}
    path.write_text(json.dumps(held, indent=1), encoding="utf-8")


def _replayed(path: Path, smaller: bool) -> int:
    held = json.loads(path.read_text(encoding="utf-8"))
    case = Case(held["stated"], held["how"])
    verdict = checked(case)
    if smaller and verdict.kind == "failed":
        case = shrunk(case, _fails_like(verdict))
        verdict = checked(case)
        _write(path.with_suffix(".small.json"), case, verdict)
    print(json.dumps({"stated": case.stated, "how": case.how}, indent=1))
    print(f"{verdict.kind}: {verdict.said}")
    return int(verdict.kind == "failed")


if __name__ == "__main__":
    sys.exit(main())
