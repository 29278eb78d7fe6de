"""`benchmarks/one_surface.py`: the best tree of one surface, by cost and size."""

import pytest
from benchmarks.one_surface import COSTS, Size, page, seconds


def test_a_page_has_a_row_for_every_size_and_cost() -> None:
    rows = [line for line in page((Size(12, 2), Size(8, 2, 2))) if line.startswith("| ")][2:]
    assert len(rows) == 2 * len(COSTS)
    cells = [row.strip("| ").split(" | ") for row in rows]
    assert [row[:3] for row in cells[:2]] == [
        ["12 x 2", "1", "errors"],
        ["12 x 2", "1", "balanced_error"],
    ]
    assert all(float(row[3]) > 0 for row in cells)


@pytest.mark.parametrize("cost", COSTS)
def test_every_cost_is_solved(cost: str) -> None:
    assert seconds(Size(20, 2), cost, threads=2) > 0
