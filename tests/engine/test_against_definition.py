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

# Bounds and caches that have to prune something, or they are not tested. `feature_bounds` needs
# larger tables: see test_large_against_plain.py.
MUST_PRUNE = {
    "interval_bound",
    "similarity_bound",
    "stump_bounds",
    "equivalent_points",
    "class_count",
    "leaf_price",
    "cached_bounds",
    "two_set_bound",
    "leaf_classes",
    "equal_features",
}


def switchings(rng):
    """Yield switches: all on; each switch off alone; all off; three random settings."""
    yield {}
    yield from ({name: False} for name in NAMES)
    yield dict.fromkeys(NAMES, False)
    for _ in range(3):
        yield {name: bool(rng.random() < 0.5) for name in NAMES}


def grow_once():
    """Return a function that makes a tree from nodes, once for equal nodes of one problem."""
    trees = {}

    def grow(problem, nodes):
        key = tuple(map(tuple, nodes))
        if key not in trees:
            trees[key] = ENGINE.grow(problem, nodes)
        return trees[key]

    return grow


@pytest.mark.parametrize(
    ("seed", "problems"),
    [(0, 250), *(pytest.param(seed, 1_000, marks=pytest.mark.long) for seed in range(5))],
)
def test_random_problems_agree_under_all_switchings(seed, problems):
    rng = np.random.default_rng(seed)
    pruned = Counter()
    for number in range(problems):
        problem = random_problem(rng)
        expected = min_cost(problem)
        # Most settings of the switches find the same nodes, whose tree is made once.
        searches = replace(ENGINE, grow=grow_once())
        for switches in switchings(rng):
            outcome = branch_and_bound(problem, switches=switches, searches=searches)
            recount(problem, outcome)
            found = (outcome.status, outcome.cost, outcome.lower_bound)
            assert found == (expected.status, expected.cost, expected.lower_bound), (
                f"seed {seed}, problem {number}: {problem}, off: "
                f"{[name for name, on in switches.items() if not on]}"
            )
            pruned.update(outcome.stats.get("pruned", {}))
    idle = {name for name in MUST_PRUNE if not pruned[name]}
    assert not idle, f"these never pruned anything, so they were not tested: {idle}"


def test_no_node_of_an_optimal_tree_can_become_a_leaf():
    rng = np.random.default_rng(99)
    for _ in range(300):
        problem = random_problem(rng)
        outcome = branch_and_bound(problem)
        if outcome.tree is not None:
            assert_no_node_can_become_a_leaf(problem, outcome.tree)


@pytest.mark.parametrize("minimize", ["errors", "gini", "f1_error", "squared_error"])
def test_a_subtree_replaces_the_tree_if_its_threshold_fits_all_rows(minimize):
    """Below a root that splits on the first feature, the subtree separates -1 from 1 on the second.

    In the whole table, 0 lies between these values. So the subtree can replace the tree only with a
    threshold that separates 0 from 1.
    """
    X, y = [[0, 0], [1, -1], [3, 1], [-1, 0], [3, -2]], [0, 0, 1, 0, 0]
    problem = xt.Problem(X, y, minimize=minimize, limits=xt.Limits(max_depth=2))
    outcome = xt.solve(problem)
    assert (outcome.cost, outcome.tree.size) == (0, 1)


def assert_no_node_can_become_a_leaf(problem, tree):
    """Check that no node can become a leaf without raising the cost."""
    price = problem.leaf_penalty * problem.dataset.total_weight
    cost = [round(e * problem.dataset.weight_scale) + price for e in tree.errors]
    leaf_cost = list(cost)
    for node in reversed(range(tree.node_count)):
        left, right = tree.children_left[node], tree.children_right[node]
        if left >= 0:
            cost[node] = cost[left] + cost[right]
            assert cost[node] < leaf_cost[node]
