"""Families of the ensembles' paper solved natively, at sizes beyond the specifications.

Theorem 3.3 (parity), Theorem 5.5 with Corollary 5.7 (Set Multicover) and Proposition 5.4
(Multicoloring). Original problems are solved by trying everything, or by CP-SAT.
"""

from collections import Counter
from itertools import combinations_with_replacement

import networkx
import numpy as np
import pytest

from exactree import Limits, Outcome, Problem, Status, solve
from exactree.instances import Multicoloring, Parity, SetMulticover
from exactree.instances.instance import Instance

# Least sizes of single trees, by complete search. For size 1 every tree that asks nothing twice has
# a node for each prefix that leaves the vote open: C(l + 1, (l + 1) / 2) - 1, here the last one.
ONE_TREE = {(3, 1): 5, (3, 2): 16, (3, 3): 34, (3, 4): 62, (5, 1): 19, (5, 2): 110, (7, 1): 69}


@pytest.mark.parametrize(("n_trees", "size"), ONE_TREE)
def test_the_parity_family_is_far_smaller_as_an_ensemble(n_trees: int, size: int) -> None:
    """Theorem 3.3: all numbers of the family, and both theorems' bounds about them.

    Every rule alone separates two unlike tuples, so no ensemble has fewer than l·s nodes.
    """
    family = Parity(n_trees, size)
    instance = family.apply()
    for quantity, least in (("total_size", n_trees * size), ("largest_size", size)):
        problem = Problem(instance.X, instance.y, minimize=quantity, n_trees=n_trees)
        outcome = solve(problem, method="witness")
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, least)
        assert outcome.ensemble is not None
        assert outcome.ensemble.total_size == n_trees * size
        instance.check_classified(outcome.ensemble)
        one = outcome.ensemble.to_tree(instance.X, instance.y)
        instance.check_classified(one)
        # Theorem 3.2, and what no single tree is smaller than.
        assert ONE_TREE[n_trees, size] <= one.size <= (size + 1) ** n_trees - 1
    alone = solve(instance.problem("size"))
    assert (alone.status, alone.cost) == (Status.OPTIMAL, ONE_TREE[n_trees, size])
    assert family.lower_bound <= ONE_TREE[n_trees, size] <= (size + 1) ** n_trees - 1


def test_both_algorithms_agree_about_the_smallest_member() -> None:
    instance = Parity(3, 1).apply()
    for quantity, least in (("total_size", 3), ("largest_size", 1)):
        problem = Problem(instance.X, instance.y, minimize=quantity, n_trees=3)
        for method in ("witness", "subsets"):
            assert solve(problem, method=method).cost == least


# --- Set Multicover --------------------------------------------------------------------------


def within_the_budget(instance: Instance, quantity: str) -> Outcome:
    """Ask for an ensemble of total size 2k + 1 at most, or of largest size 1 at most."""
    total = quantity == "total_size"
    limits = Limits(max_total_size=instance.n_trees) if total else Limits(max_size=1)
    asked = {"minimize": quantity, "n_trees": instance.n_trees, "limits": limits}
    return solve(Problem(instance.X, instance.y, **asked), method="witness")


def enough(original: SetMulticover, picked: tuple[int, ...]) -> bool:
    held = (sum(u in original.sets[n] for n in picked) for u in original.universe)
    return min(held) >= original.demand


@pytest.mark.parametrize("quantity", ["total_size", "largest_size"])
@pytest.mark.parametrize("picks", [1, 2, 3, 4])
def test_a_multicover_exists_exactly_if_a_small_ensemble_does(picks: int, quantity: str) -> None:
    """Theorem 5.5 for the total size, Corollary 5.7 for the largest, in both directions."""
    rng, answers = np.random.default_rng(20_261_223), Counter()
    for _ in range(20):
        n = int(rng.integers(3, 8))
        sets = [set(rng.choice(n, rng.integers(1, n), replace=False).tolist()) for _ in range(n)]
        demand = int(rng.integers(1, picks + 1))
        original = SetMulticover(sets, picks, demand, sorted(set().union(*sets)))
        tried = combinations_with_replacement(range(n), picks)
        exists = any(enough(original, picked) for picked in tried)
        answers[exists] += 1
        outcome = within_the_budget(original.apply(), quantity)
        expected = Status.OPTIMAL if exists else Status.INFEASIBLE
        assert outcome.status is expected, original
        if outcome.ensemble is not None:
            picked = original.lift(outcome.ensemble)
            assert picked is not None
            assert len(picked) == picks
            assert enough(original, picked)
    assert len(answers) == 2, answers


@pytest.mark.parametrize(
    ("graph", "colours", "demand", "exists"),
    [
        (networkx.cycle_graph(5), 3, 1, True),
        (networkx.cycle_graph(5), 2, 1, False),
        (networkx.cycle_graph(5), 5, 2, True),
        (networkx.cycle_graph(5), 4, 2, False),
        (networkx.complete_graph(4), 4, 1, True),
        (networkx.complete_graph(4), 3, 1, False),
        (networkx.petersen_graph(), 3, 1, True),
        (networkx.petersen_graph(), 2, 1, False),
    ],
)
def test_graphs_are_coloured_by_ensembles(graph, colours, demand, exists) -> None:
    """Proposition 5.4 and Theorem 5.5; chromatic numbers of well-known graphs."""
    original = Multicoloring(graph, colours, demand)
    outcome = within_the_budget(original.apply().apply(), "total_size")
    assert (outcome.status is Status.OPTIMAL) == exists
    if exists:
        found = original.lift(outcome.ensemble)
        assert found is not None
        assert all(len(found[v]) == demand for v in graph)
        assert all(not found[u] & found[v] for u, v in graph.edges)
