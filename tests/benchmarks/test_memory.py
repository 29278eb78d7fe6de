"""Cache hits of searches agree with the table on the page on the paper."""

import re
from pathlib import Path

from benchmarks.memory import PROBLEMS, rows

PAGE = Path(__file__).resolve().parents[2] / "docs" / "papers" / "004-proper-trees.md"


def test_shares_of_cache_hits_agree_with_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    searches = list(rows())
    assert len(searches) == sum(len(depths) for _, _, depths in PROBLEMS.values())
    for name, depth, nodes, lookups, hits in searches:
        assert 0 <= hits <= lookups
        assert nodes > 0
        share = re.search(rf"\| {name} \| {depth} \|.*\| (\d+\.\d)% \|", page)
        assert share is not None
        # The page has the counts of one version; the tolerance is for versions with other bounds.
        assert abs(float(share[1]) / 100 - hits / max(lookups, 1)) < 0.1
    # Deeper searches reach the same subset more often; rich rule families make more subsets.
    shares = {(name, depth): hits / lookups for name, depth, _, lookups, hits in searches}
    assert shares["hyperplanes", 3] < shares["binary features", 5]
    assert shares["hyperplanes", 3] < shares["hyperplanes", 4]
