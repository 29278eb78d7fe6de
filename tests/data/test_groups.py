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


def test_they_are_what_a_loop_counts() -> None:
    contradictory = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(1, 30)), int(rng.integers(1, 4))
        X = rng.choice([-0.0, 0.0, 1.0, -1e308, 1e308, 5e-324], (n, d))
        weights = np.append(rng.integers(0, 2**57, n - 1), 1)
        dataset = make_dataset(X, rng.integers(0, 4, n), weights)
        rows: dict[tuple[float, ...], list[int]] = defaultdict(list)
        for number, row in enumerate(dataset.X.tolist()):
            rows[tuple(row)].append(number)
        wrong, repeated, groups = 0, 0, []
        for equal in rows.values():
            total: Counter[int] = Counter()
            for row in equal:
                total[int(dataset.labels[row])] += int(dataset.weights[row])
            wrong += total.total() - max(total.values())
            repeated += len(equal) - len(total)
            if len(total) > 1:
                groups.append([int(dataset.kept[row]) for row in equal])
        assert contradictions(dataset) == groups, seed
        assert unavoidable_errors(dataset) == wrong, seed
        ranks = [np.unique(column, return_inverse=True)[1] for column in dataset.X.T]
        known = groups_of_ranks(dataset, ranks, lambda: None)
        assert contradictions(dataset, groups=known) == groups, seed
        assert unavoidable_errors(dataset, groups=known) == wrong, seed
        assert duplicates(known) == repeated, seed
        contradictory += len(groups)
    assert contradictory > 500


def test_ranks_of_many_features_are_compared_some_at_a_time() -> None:
    """A hundred features of up to 40 values do not fit into 62 bits."""
    rng = np.random.default_rng(5)
    ranks = rng.integers(0, 40, (50, 100))[rng.integers(0, 50, 300)]
    dataset = make_dataset(ranks, rng.integers(0, 2, 300))
    checks: list[None] = []
    places = [np.unique(column, return_inverse=True)[1] for column in ranks.T]
    known = groups_of_ranks(dataset, places, lambda: checks.append(None))
    assert contradictions(dataset, groups=known) == contradictions(dataset)
    assert len(checks) == 100 + 1
