"""The ancestry matrix: Figure 5, and its bits."""

import numpy as np
import pytest
from hypothesis import given
from tests.proper.rules_at_hand import FIGURE_5, rules

from exactree.proper import ancestry, relation


def test_figure_5() -> None:
    """By hand: on which side of each line the two places lie that define the others."""
    K = ancestry(FIGURE_5, relation).matrix()
    assert K.tolist() == [[0, -1, 0, 1], [-1, 0, -1, -1], [-1, 1, 0, 0], [-1, -1, -1, 0]]


@given(rules())
def test_the_matrix_is_its_definition(rs) -> None:
    """Definition 3.3: on which side all examples are that define the other rule."""
    K = ancestry(rs, relation)
    matrix = K.matrix()
    assert not np.diag(matrix).any()
    for i, above in enumerate(rs):
        for j, below in enumerate(rs):
            if i != j:
                sides = {above.side(place) for place in below.objects}
                assert matrix[i, j] == (0 if len(sides) == 2 else min(sides))
                assert K[above, below] == matrix[i, j]


def test_no_rules_and_equal_rules() -> None:
    assert ancestry([], relation).matrix().shape == (0, 0)
    with pytest.raises(ValueError, match="listed twice"):
        ancestry([FIGURE_5[1], FIGURE_5[0], FIGURE_5[1]], relation)


def test_a_rule_without_objects_can_stand_on_both_sides() -> None:
    class Question:
        objects = ()

        def side(self, _: object) -> int:
            return 1

    with pytest.raises(ValueError, match="both sides"):
        ancestry([Question(), Question()], relation)
