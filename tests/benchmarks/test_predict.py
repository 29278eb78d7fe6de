"""The trees whose predictions are timed have the size stated on the page."""

import pytest
from benchmarks.predict import DEGREES, FEATURES, tree


@pytest.mark.parametrize("degree", DEGREES.values())
def test_the_trees_use_sums_of_all_features(degree: int) -> None:
    timed = tree(degree)
    assert (timed.depth, timed.size) == (3, 7)
    for node in range(timed.node_count):
        if not timed.is_leaf(node):
            assert timed.features_of_operand(int(timed.feature[node])) == tuple(range(FEATURES))
