"""The engine agrees with the definition, for all settings of its switches."""

import runpy
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import exactree as xt
from exactree.engine import accelerators, branch_and_bound
from exactree.engine.lexicographic.branch_and_bound import ENGINE
from exactree.problem.verification.recount import recount
from exactree.spec import min_cost

random_problem = runpy.run_path(str(Path(__file__).with_name("instances.py")))["random_problem"]

NAMES = list(accelerators())

# Rules that discard and so must have discarded something in every thousand instances.
# `feature_bounds` needs larger tables: see test_large_against_plain.py.
DISCARDS = {
    "interval_bound",
    "similarity_bound",
    "stump_bounds",
    "equivalent_points",
    "class_count",
    "leaf_price",
    "cached_bounds",
    "relaxation",
    "equal_features",
}


def switchings(rng):
    """All on; each one off; all off; three random subsets."""
    yield {}
    yield from ({name: False} for name in NAMES)
    yield dict.fromkeys(NAMES, False)
    for _ in range(3):
        yield {name: bool(rng.random() < 0.5) for name in NAMES}


def growing_once():
    """Return what grows the tree of each list of nodes once, for one problem."""
    grown = {}

    def grow(problem, nodes):
        key = tuple(map(tuple, nodes))
        if key not in grown:
            grown[key] = ENGINE.grow(problem, nodes)
        return grown[key]

    return grow


@pytest.mark.parametrize(
    ("seed", "problems"),
    [(0, 150), *(pytest.param(seed, 1_000, marks=pytest.mark.long) for seed in range(5))],
)
def test_random_problems_agree_under_all_switchings(seed, problems):
    rng = np.random.default_rng(seed)
    discarded = Counter()
    for number in range(problems):
        problem = random_problem(rng)
        expected = min_cost(problem)
        # Most switchings find the same tree: what the same nodes stand for is reported once.
        searches = replace(ENGINE, grow=growing_once())
        for switches in switchings(rng):
            outcome = branch_and_bound(problem, switches=switches, searches=searches)
            recount(problem, outcome)
            found = (outcome.status, outcome.cost, outcome.lower_bound)
            assert found == (expected.status, expected.cost, expected.lower_bound), (
                f"seed {seed}, problem {number}: {problem}, off: "
                f"{[name for name, on in switches.items() if not on]}"
            )
            discarded.update(outcome.stats.get("pruned", {}))
    idle = {name for name in DISCARDS if not discarded[name]}
    assert not idle, f"never discarded anything, so these rules were not tested: {idle}"


def test_the_tree_of_an_optimal_outcome_is_reduced():
    rng = np.random.default_rng(99)
    for _ in range(300):
        problem = random_problem(rng)
        outcome = branch_and_bound(problem)
        if outcome.tree is not None:
            assert_reduced(problem, outcome.tree)


@pytest.mark.parametrize("minimize", ["errors", "gini", "f1_error", "squared_error"])
def test_a_subtree_whose_threshold_lies_well_for_more_rows_stands_for_the_whole_tree(minimize):
    """The threshold below the root, 0, is between -1 and 1 there; of the others some have 0."""
    X, y = [[0, 0], [1, -1], [3, 1], [-1, 0], [3, -2]], [0, 0, 1, 0, 0]
    problem = xt.Problem(X, y, minimize=minimize, limits=xt.Limits(max_depth=2))
    outcome = xt.solve(problem)
    assert (outcome.cost, outcome.tree.size) == (0, 1)


def assert_reduced(problem, tree):
    """No node can become a leaf without raising the cost."""
    price = problem.leaf_penalty * problem.dataset.total_weight
    cost = [round(e * problem.dataset.weight_scale) + price for e in tree.errors]
    leaf_cost = list(cost)
    for node in reversed(range(tree.node_count)):
        left, right = tree.children_left[node], tree.children_right[node]
        if left >= 0:
            cost[node] = cost[left] + cost[right]
            assert cost[node] < leaf_cost[node]
