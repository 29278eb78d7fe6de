"""Cache hits of searches agree with the table on the page on the paper."""

import re
from pathlib import Path

from benchmarks.memory import QUESTIONS, rows

PAGE = Path(__file__).resolve().parents[2] / "docs" / "papers" / "004-proper-trees.md"


def test_look_ups_are_counted() -> None:
    page = PAGE.read_text(encoding="utf-8")
    found = list(rows())
    assert len(found) == sum(len(depths) for _, _, depths in QUESTIONS.values())
    for name, depth, nodes, lookups, hits in found:
        assert 0 <= hits <= lookups
        assert nodes > 0
        told = re.search(rf"\| {name} \| {depth} \|.*\| (\d+\.\d)% \|", page)
        assert told is not None
        # The page has the counts of one version; the tolerance allows for other bounds.
        assert abs(float(told[1]) / 100 - hits / max(lookups, 1)) < 0.1
    # Deeper searches reach the same subset more often; rich rule families make more subsets.
    shares = {(name, depth): hits / lookups for name, depth, _, lookups, hits in found}
    assert shares["hyperplanes", 3] < shares["binary features", 5]
    assert shares["hyperplanes", 3] < shares["hyperplanes", 4]
