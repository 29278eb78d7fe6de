"""The native engine agrees with the definition if errors are limited.

`tests/engine/test_against_definition.py` limits depth, size and rows per leaf, but not errors.
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
    """The limit is below, at or above the minimum number of errors, by an integer or a fraction."""
    statuses: Counter[Status] = Counter()
    for seed in range(1_300):
        rng = np.random.default_rng([17, seed])
        unlimited = random_problem(rng, budget=60)  # small, as the definition solves up to five
        dataset = unlimited.dataset
        # Weights of 2^53 and more may be rounded when they are given to the limited problem.
        if unlimited.leaf_penalty or dataset.weights.max() >= 2**53:
            continue
        min_errors = min_cost(unlimited).cost
        if min_errors is None:
            continue
        for difference in (-1, Fraction(-1, 3), 0, 1):
            if min_errors + difference < 0:
                continue
            limits = replace(unlimited.limits, max_errors=Fraction(min_errors + difference))
            weights = [Fraction(int(w), dataset.weight_scale) for w in dataset.weights]
            problem = Problem(dataset.X, dataset.labels, weights, limits=limits)
            outcome, expected = branch_and_bound(problem), min_cost(problem)
            recount(problem, outcome)
            assert (outcome.status, outcome.cost) == (expected.status, expected.cost), seed
            if difference < 0:
                # The search may end before it has proved the minimum number of errors.
                assert outcome.cost is None, seed
                assert problem.max_errors < outcome.lower_bound <= min_errors, seed
            else:
                assert outcome.cost == outcome.lower_bound == min_errors, seed
            statuses[outcome.status] += 1
    assert statuses.total() > 1500
    assert min(statuses[Status.OPTIMAL], statuses[Status.INFEASIBLE]) > 300
