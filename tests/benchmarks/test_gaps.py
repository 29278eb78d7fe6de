"""`benchmarks/gaps.py`: gaps of large tables in a minute."""

from pathlib import Path

import numpy as np
from benchmarks.gaps import GapRequest, oblique, repeated, requests, row


def test_a_row_has_bounds_of_which_the_later_is_not_lower() -> None:
    request = GapRequest("oblique", 2, lambda _: oblique(300, 3, noise=0.1, seed=0))
    _, name, size, depth, errors, early, bound, gap, _, _ = row(request, Path(), 5.0).split("|")
    assert [name, size, depth] == [" oblique ", " 300 x 3 ", " 2 "]
    assert float(early) <= float(bound) == float(errors)
    assert float(gap) == 0.0
    assert row(request, Path(), 5.0, ["block_bound"]).split("|")[6] == bound


def test_repeated_rows_keep_their_labels_and_nearly_their_values() -> None:
    X = np.array([[0.0, 5.0], [1.0, 7.0], [2.0, 5.0]])
    more, labels = repeated((X, np.array([0, 1, 2])), 10, seed=0)
    assert sorted(np.bincount(labels)) == [3, 3, 4]
    assert np.abs(more - X[labels]).max() < 0.01
    assert len(np.unique(more[:, 0])) == 10


def test_planted_and_oblique_tables_are_made_without_public_data() -> None:
    kinds = ("planted", "oblique")
    made = [each.make(Path()) for each in requests((200,)) if each.name.startswith(kinds)]
    assert [X.shape for X, _ in made] == [(200, 10), (200, 10)]
    assert all(len(np.unique(y)) == 2 for _, y in made)
