"""The trees whose predictions are timed have the size stated on the page."""

import pytest
from benchmarks.predict import DEGREES, FEATURES, tree


@pytest.mark.parametrize("degree", DEGREES.values())
def test_the_trees_use_sums_of_all_features(degree: int) -> None:
    found = tree(degree)
    assert (found.depth, found.size) == (3, 7)
    for node in range(found.node_count):
        if not found.is_leaf(node):
            assert found.entry_features(int(found.feature[node])) == tuple(range(FEATURES))
