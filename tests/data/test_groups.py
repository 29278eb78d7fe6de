"""Groups of equal rows, compared with a loop over the rows."""

from collections import Counter, defaultdict

import numpy as np

from exactree.data import make_dataset
from exactree.data.groups import (
    contradictions,
    duplicates,
    groups_of_ranks,
    unavoidable_errors,
)


def test_contradictions_errors_and_duplicates_are_those_of_a_loop() -> None:
    n_contradictory = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(1, 30)), int(rng.integers(1, 4))
        X = rng.choice([-0.0, 0.0, 1.0, -1e308, 1e308, 5e-324], (n, d))
        # The last row has a positive weight, so that some row is kept.
        weights = np.append(rng.integers(0, 2**57, n - 1), 1)
        dataset = make_dataset(X, rng.integers(0, 4, n), weights)
        rows: dict[tuple[float, ...], list[int]] = defaultdict(list)
        for number, row in enumerate(dataset.X.tolist()):
            rows[tuple(row)].append(number)
        unavoidable, n_duplicates, expected = 0, 0, []
        for equal in rows.values():
            class_weights = Counter[int]()
            for row in equal:
                class_weights[int(dataset.labels[row])] += int(dataset.weights[row])
            unavoidable += class_weights.total() - max(class_weights.values())
            n_duplicates += len(equal) - len(class_weights)
            if len(class_weights) > 1:
                expected.append([int(dataset.kept[row]) for row in equal])
        assert contradictions(dataset) == expected, seed
        assert unavoidable_errors(dataset) == unavoidable, seed
        ranks = [np.unique(column, return_inverse=True)[1] for column in dataset.X.T]
        groups = groups_of_ranks(dataset, ranks, lambda: None)
        assert contradictions(dataset, groups=groups) == expected, seed
        assert unavoidable_errors(dataset, groups=groups) == unavoidable, seed
        assert duplicates(groups) == n_duplicates, seed
        n_contradictory += len(expected)
    assert n_contradictory > 500  # so on average each table has some


def test_ranks_of_many_features_are_compared_some_at_a_time() -> None:
    """A hundred features of up to 40 values do not fit into 62 bits."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 40, (50, 100))[rng.integers(0, 50, 300)]
    dataset = make_dataset(X, rng.integers(0, 2, 300))
    checks: list[None] = []
    ranks = [np.unique(column, return_inverse=True)[1] for column in X.T]
    groups = groups_of_ranks(dataset, ranks, lambda: checks.append(None))
    assert contradictions(dataset, groups=groups) == contradictions(dataset)
    assert len(checks) == 100 + 1  # one for each feature, and one at the end
