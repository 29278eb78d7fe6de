"""Results of a campaign, counted by choices, and its record as a page of Markdown."""

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

__all__ = ["Tally", "written"]

KINDS = ("agreed", "refused", "too large", "failed")


class Tally:
    """Counts of instances.

    Attributes
    ----------
    verdicts : Counter of str
        By kind of verdict.
    choices : Counter of (choice, word, kind of verdict)
    pairs : set
        Pairs of choices that were made together in an instance that agreed with the definition.
    ended, refusals, failures : Counter of str
        By how searches ended, by the reason, by what is wrong.
    left_out : int
        Instances that were not checked.
    seconds, processor : float
        Time on the clock and of the processor.
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
        self.seconds = self.processor = 0.0

    def add(self, number: int, chosen: dict[str, str], verdict: Verdict) -> bool:
        """Count an instance; returns whether it failed in a way that no one before did."""
        self.verdicts[verdict.kind] += 1
        for name, word in chosen.items():
            self.choices[name, word, verdict.kind] += 1
        if verdict.kind == "agreed":
            self.ended[verdict.said] += 1
            self.pairs.update(combinations(chosen.items(), 2))
        elif verdict.kind == "refused":
            self.refusals[verdict.said] += 1
        elif verdict.kind == "failed":
            self.failures[verdict.signature] += 1
            self.first.setdefault(verdict.signature, number)
            return self.failures[verdict.signature] == 1
        return False

    def line(self) -> str:
        """Return the counts in one line."""
        counts = ", ".join(f"{self.verdicts[kind]:,} {kind}" for kind in KINDS)
        hour = 3600 * sum(self.verdicts.values()) / max(self.seconds, 1e-9)
        return f"{sum(self.verdicts.values()):,} instances: {counts} ({hour:,.0f} an hour)"


def written(tally: Tally, asked: dict[str, Any]) -> str:
    """Return the record of a campaign as Markdown."""
    return "\n".join(_lines(tally, asked)) + "\n"


def _lines(tally: Tally, asked: dict[str, Any]) -> Iterator[str]:
    yield "# A campaign over combinations, against the definition"
    yield ""
    yield (
        f"`make fuzz` with seed {asked['seed']}, from instance {asked['first']} on: {tally.line()}."
        f" {tally.seconds:,.0f} seconds, of which {tally.processor:,.0f} of one processor."
    )
    yield ""
    yield (
        f"exactree {exactree.__version__}, Python {platform.python_version()}, numpy "
        f"{np.__version__}, scikit-learn {sklearn.__version__}, {sys.platform} "
        f"{platform.machine()}; the native module of an editable install: release with overflow "
        "checks."
    )
    if asked["without"]:
        yield ""
        yield f"Left out: {tally.left_out:,} instances with {'; '.join(asked['without'])}."
    yield ""
    yield "## Failures"
    yield ""
    if not tally.failures:
        yield "None."
    for said, count in tally.failures.most_common():
        yield f"- {count} times, first in instance {tally.first[said]}: {said}"
    yield ""
    yield "## How searches ended that agree with the definition"
    yield ""
    for said, count in tally.ended.most_common():
        yield f"- {count:,} {said}"
    yield ""
    yield "## Instances by choice"
    yield ""
    yield f"{len(tally.pairs):,} different pairs of choices agree with the definition."
    for name in dict.fromkeys(name for name, _, _ in tally.choices):
        yield from _table(tally, name)
    yield ""
    yield "## Refusals by reason"
    yield ""
    for said, count in tally.refusals.most_common():
        yield f"- {count:,}: {said}"


def _table(tally: Tally, name: str) -> Iterator[str]:
    """List the words of a choice, most frequent first; rare ones together."""
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
