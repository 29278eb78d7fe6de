"""A row of the record of threads: the times of one problem with one thread and with two."""

import numpy as np
from benchmarks.threads import ThreadRequest, row

from exactree import Limits, Problem


def test_a_row_has_the_request_the_seconds_and_their_ratio() -> None:
    random = np.random.default_rng(0)
    problem = Problem(random.random((60, 3)), random.integers(0, 2, 60), limits=Limits(2))
    cells = [
        cell.strip() for cell in row(ThreadRequest("some", None, "0.5"), problem).split("|")[1:-1]
    ]
    assert cells[:3] == ["some", "any", "0.5"]
    one, two, ratio, cpu = map(float, cells[3:])
    assert min(one, two, cpu) >= 0
    assert ratio > 0
