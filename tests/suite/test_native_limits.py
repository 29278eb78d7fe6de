"""The native engine agrees with the definition if errors are limited.

The comparison in `tests/engine/` limits depth, size and rows per leaf; this one adds the errors.
"""

import runpy
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from exactree import Problem, Status
from exactree.engine import branch_and_bound
from exactree.problem.verification.recount import recount
from exactree.spec import min_cost

ENGINE = Path(__file__).parents[1] / "engine"
random_problem = runpy.run_path(str(ENGINE / "instances.py"))["random_problem"]


def test_random_problems_with_limited_errors_agree() -> None:
    """The limit is about the fewest errors: below, at and above it, whole or not."""
    seen: Counter[Status] = Counter()
    for seed in range(1_300):
        rng = np.random.default_rng([17, seed])
        free = random_problem(rng, 60)
        if free.leaf_penalty or free.dataset.weights.max() >= 2**53:  # merged, and no float64 then
            continue
        least = min_cost(free).cost
        if least is None:
            continue
        for more in (-1, Fraction(-1, 3), 0, 1):
            if least + more < 0:
                continue
            limits = replace(free.limits, max_errors=Fraction(least + more))
            weights = [Fraction(int(w), free.dataset.weight_scale) for w in free.dataset.weights]
            problem = Problem(free.dataset.X, free.dataset.labels, weights, limits=limits)
            outcome, expected = branch_and_bound(problem), min_cost(problem)
            recount(problem, outcome)
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost), seed
            # Where nothing meets the limit the search may end before it knows the fewest errors.
            assert (outcome.cost is None) == (more < 0), seed
            assert problem.max_errors < outcome.lower_bound <= least or more >= 0, seed
            assert outcome.lower_bound == least or more < 0, seed
            seen[outcome.status] += 1
    assert seen.total() > 1500
    assert min(seen[Status.OPTIMAL], seen[Status.INFEASIBLE]) > 300
