"""On tables too large for the definition, accelerated and plain search agree.

The plain search has all switches off except the depth-two solver and the cache, without which it
would take too long. These two are compared with the definition on small tables.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import settings

from exactree import Limits, Problem
from exactree.engine import accelerators, branch_and_bound
from exactree.problem.verification.recount import recount
from exactree.testing import random_weights

QUICK = settings.get_current_profile_name() == "quick"

NAMES = list(accelerators())
PLAIN = {name: name in ("depth_two", "cache") for name in NAMES}


def draw(rng):
    rows, features = int(rng.integers(10, 45)), int(rng.integers(1, 4))
    values, classes = int(rng.choice([4, 10, 100])), int(rng.integers(2, 11))
    X = rng.integers(0, values, (rows, features)).astype(float)
    y = rng.integers(0, classes, rows)
    if rng.random() < 0.6:
        pattern = (X[:, 0] > values / 2) * 1 + (X[:, -1] > values / 3) * (classes > 3)
        y = np.where(rng.random(rows) < 0.8, pattern, y)
    depth = int(rng.integers(2, 5 if rows < 22 else 4))
    return Problem(
        X,
        y,
        sample_weight=random_weights(rng, rows),
        leaf_penalty=[0, 0, 0.01, 0.03][rng.integers(4)],
        limits=Limits(
            max_depth=depth,
            max_size=int(rng.integers(2, 8)) if rng.random() < 0.4 else None,
            min_samples_leaf=int(rng.integers(2, 6)) if rng.random() < 0.3 else 1,
        ),
    )


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_the_accelerated_search_finds_the_plain_optimum(seed):
    rng = np.random.default_rng(seed)
    pruned = Counter()
    for number in range(60 if QUICK else 150):
        problem = draw(rng)
        expected = branch_and_bound(problem, switches=PLAIN)
        switchings = [{}, *({"bit_columns": False, name: False} for name in NAMES)]
        switchings += [{name: bool(rng.random() < 0.5) for name in NAMES} for _ in range(3)]
        for switches in switchings:
            outcome = branch_and_bound(problem, switches=switches)
            recount(problem, outcome)
            found = (outcome.status, outcome.cost, outcome.lower_bound)
            assert found == (expected.status, expected.cost, expected.lower_bound), (
                f"seed {seed}, problem {number}: {problem}, switches {switches}"
            )
            pruned.update(outcome.stats["pruned"])
    assert pruned["feature_bounds"], "inherited bounds were never used"
    assert pruned["stump_bounds"], "no sweep was ever left out"
