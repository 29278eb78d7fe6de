"""The ancestry matrix of He and Little, also for their Figure 5."""

import numpy as np
import pytest
from hypothesis import given
from tests.proper.shared_rules import FIGURE_5, rules

from exactree.proper import ancestry, relation


def test_the_matrix_of_figure_5() -> None:
    """Computed by hand: the side of each line on which the points of the other lines lie."""
    K = ancestry(FIGURE_5, relation).matrix()
    assert K.tolist() == [[0, -1, 0, 1], [-1, 0, -1, -1], [-1, 1, 0, 0], [-1, -1, -1, 0]]


@given(rules())
def test_the_matrix_agrees_with_definition_3_3(rs) -> None:
    """Definition 3.3: the side on which all examples that define the other rule lie, or 0."""
    K = ancestry(rs, relation)
    matrix = K.matrix()
    assert not np.diag(matrix).any()
    for i, above in enumerate(rs):
        for j, below in enumerate(rs):
            if i != j:
                sides = {above.side(point) for point in below.objects}
                assert matrix[i, j] == (0 if len(sides) == 2 else min(sides))
                assert K[above, below] == matrix[i, j]


def test_no_rules_have_an_empty_matrix_and_equal_rules_are_refused() -> None:
    assert ancestry([], relation).matrix().shape == (0, 0)
    with pytest.raises(ValueError, match="listed twice"):
        ancestry([FIGURE_5[1], FIGURE_5[0], FIGURE_5[1]], relation)


def test_rules_without_objects_are_refused() -> None:
    class Test:
        objects = ()

        def side(self, _: object) -> int:
            return 1

    with pytest.raises(ValueError, match="both sides"):
        ancestry([Test(), Test()], relation)
