"""Results of a campaign, counted by choices, and their record as a page of Markdown."""

import platform
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import sklearn

import exactree

from .check import Verdict

__all__ = ["Tally", "record"]

KINDS = ("agreed", "refused", "too large", "failed")


class Tally:
    """Counts of instances.

    Attributes
    ----------
    verdicts : Counter of str
        By kind of verdict.
    choices : Counter of tuple
        By kind of choice, choice, and kind of verdict.
    pairs : set
        Pairs of choices made together in an instance that agreed with the definition.
    ended, refusals, failures : Counter of str
        By status and reason of the end, by reason of the refusal, by signature of the failure.
    first : dict of str to int
        The first instance with each signature of a failure.
    left_out : int
        Instances that were not checked.
    seconds, cpu_seconds : float
        Wall time and CPU time.
    """

    def __init__(self) -> None:
        self.verdicts: Counter[str] = Counter()
        self.choices: Counter[tuple[str, str, str]] = Counter()
        self.pairs: set[tuple[tuple[str, str], tuple[str, str]]] = set()
        self.ended: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.first: dict[str, int] = {}
        self.left_out = 0
        self.seconds = self.cpu_seconds = 0.0

    def add(self, number: int, choices: dict[str, str], verdict: Verdict) -> bool:
        """Count an instance; return whether it is the first failure with its signature."""
        self.verdicts[verdict.kind] += 1
        for name, word in choices.items():
            self.choices[name, word, verdict.kind] += 1
        if verdict.kind == "agreed":
            self.ended[verdict.message] += 1
            self.pairs.update(combinations(choices.items(), 2))
        elif verdict.kind == "refused":
            self.refusals[verdict.message] += 1
        elif verdict.kind == "failed":
            self.failures[verdict.signature] += 1
            self.first.setdefault(verdict.signature, number)
            return self.failures[verdict.signature] == 1
        return False

    def line(self) -> str:
        """Return the counts in one line."""
        counts = ", ".join(f"{self.verdicts[kind]:,} {kind}" for kind in KINDS)
        per_hour = 3600 * sum(self.verdicts.values()) / max(self.seconds, 1e-9)
        return f"{sum(self.verdicts.values()):,} instances: {counts} ({per_hour:,.0f} an hour)"


def record(tally: Tally, options: dict[str, Any]) -> str:
    """Return the record of a campaign as Markdown."""
    return "\n".join(_lines(tally, options)) + "\n"


def _lines(tally: Tally, options: dict[str, Any]) -> Iterator[str]:
    yield "# A campaign over combinations, against the definition"
    yield ""
    yield (
        f"`make fuzz` with seed {options['seed']}, from instance {options['first']} on: "
        f"{tally.line()}. {tally.seconds:,.0f} seconds of wall time, "
        f"{tally.cpu_seconds:,.0f} CPU seconds."
    )
    yield ""
    yield (
        f"exactree {exactree.__version__}, Python {platform.python_version()}, numpy "
        f"{np.__version__}, scikit-learn {sklearn.__version__}, {sys.platform} "
        f"{platform.machine()}; the native module of an editable install: release with overflow "
        "checks."
    )
    if options["without"]:
        yield ""
        yield f"Left out: {tally.left_out:,} instances with {'; '.join(options['without'])}."
    yield ""
    yield "## Failures"
    yield ""
    if not tally.failures:
        yield "None."
    for message, count in tally.failures.most_common():
        yield f"- {count} times, first in instance {tally.first[message]}: {message}"
    yield ""
    yield "## How searches ended that agree with the definition"
    yield ""
    for message, count in tally.ended.most_common():
        yield f"- {count:,} {message}"
    yield ""
    yield "## Instances by choice"
    yield ""
    yield f"{len(tally.pairs):,} different pairs of choices agree with the definition."
    for name in dict.fromkeys(name for name, _, _ in tally.choices):
        yield from _table(tally, name)
    yield ""
    yield "## Refusals by reason"
    yield ""
    for message, count in tally.refusals.most_common():
        yield f"- {count:,}: {message}"


def _table(tally: Tally, name: str) -> Iterator[str]:
    """List the choices of a kind, the most frequent first, with the rare choices in one line."""
    totals: Counter[str] = Counter()
    for (choice, word, _), count in tally.choices.items():
        if choice == name:
            totals[word] += count
    yield ""
    yield f"| {name} | instances | {' | '.join(KINDS)} |"
    yield "|---|" + "---:|" * (1 + len(KINDS))
    shown = totals.most_common(40)
    for word, total in shown:
        counts = " | ".join(f"{tally.choices[name, word, kind]:,}" for kind in KINDS)
        yield f"| {word} | {total:,} | {counts} |"
    rare = len(totals) - len(shown)
    if rare:
        yield f"| {rare} others | {sum(totals.values()) - sum(n for _, n in shown):,} | | | | |"
