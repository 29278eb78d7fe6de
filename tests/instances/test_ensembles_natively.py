"""Families of source 001 solved natively, at sizes beyond the specifications.

Theorem 3.3 (parity), Theorem 5.5 with Corollary 5.7 (Set Multicover) and Proposition 5.4
(Multicoloring). Original problems are solved by enumeration, or their answers are well known.
"""

from collections import Counter
from itertools import combinations_with_replacement

import networkx
import numpy as np
import pytest

from exactree import Limits, Outcome, Problem, Status, solve
from exactree.instances import Multicoloring, Parity, SetMulticover
from exactree.instances.instance import Instance

# Minimum sizes of single trees by (n_trees, size) of the family, found by complete search. For size
# 1 and l trees, a tree without repeated rules has a node for each prefix of votes that leaves the
# majority open: C(l + 1, (l + 1) / 2) - 1, which is 69 for l = 7.
SINGLE_TREE_SIZES = {
    (3, 1): 5,
    (3, 2): 16,
    (3, 3): 34,
    (3, 4): 62,
    (5, 1): 19,
    (5, 2): 110,
    (7, 1): 69,
}


@pytest.mark.parametrize(("n_trees", "size"), SINGLE_TREE_SIZES)
def test_the_parity_family_is_far_smaller_as_an_ensemble(n_trees: int, size: int) -> None:
    """Theorem 3.3, and the upper bound of Theorem 3.2 on single trees.

    For every rule there are two examples of different classes that no other rule separates, so no
    ensemble has fewer than n_trees · size nodes.
    """
    family = Parity(n_trees, size)
    instance = family.apply()
    for quantity, optimum in (("total_size", n_trees * size), ("largest_size", size)):
        problem = Problem(instance.X, instance.y, minimize=quantity, n_trees=n_trees)
        outcome = solve(problem, method="witness")
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, optimum)
        assert outcome.ensemble is not None
        assert outcome.ensemble.total_size == n_trees * size
        instance.check_classified(outcome.ensemble)
        tree = outcome.ensemble.to_tree(instance.X, instance.y)
        instance.check_classified(tree)
        assert SINGLE_TREE_SIZES[n_trees, size] <= tree.size <= (size + 1) ** n_trees - 1
    outcome = solve(instance.problem("size"))
    assert (outcome.status, outcome.cost) == (Status.OPTIMAL, SINGLE_TREE_SIZES[n_trees, size])
    assert family.lower_bound <= outcome.cost <= (size + 1) ** n_trees - 1


def test_both_algorithms_agree_on_the_smallest_parity_instance() -> None:
    instance = Parity(3, 1).apply()
    for quantity, optimum in (("total_size", 3), ("largest_size", 1)):
        problem = Problem(instance.X, instance.y, minimize=quantity, n_trees=3)
        for method in ("witness", "subsets"):
            assert solve(problem, method=method).cost == optimum


# --- Set Multicover --------------------------------------------------------------------------


def within_the_budget(instance: Instance, quantity: str) -> Outcome:
    """Search for an ensemble of total size at most 2k + 1, or of largest size at most 1."""
    total = quantity == "total_size"
    limits = Limits(max_total_size=instance.n_trees) if total else Limits(max_size=1)
    parameters = {"minimize": quantity, "n_trees": instance.n_trees, "limits": limits}
    return solve(Problem(instance.X, instance.y, **parameters), method="witness")


def is_multicover(original: SetMulticover, picked: tuple[int, ...]) -> bool:
    counts = (sum(u in original.sets[n] for n in picked) for u in original.universe)
    return min(counts) >= original.demand


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
        choices = combinations_with_replacement(range(n), picks)
        exists = any(is_multicover(original, picked) for picked in choices)
        answers[exists] += 1
        outcome = within_the_budget(original.apply(), quantity)
        expected = Status.OPTIMAL if exists else Status.INFEASIBLE
        assert outcome.status is expected, original
        if outcome.ensemble is not None:
            picked = original.lift(outcome.ensemble)
            assert picked is not None
            assert len(picked) == picks
            assert is_multicover(original, picked)
    assert len(answers) == 2, answers  # both answers occur


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
def test_ensembles_of_the_budget_colour_graphs(graph, colours, demand, exists) -> None:
    """Proposition 5.4 and Theorem 5.5; chromatic numbers of well-known graphs."""
    original = Multicoloring(graph, colours, demand)
    outcome = within_the_budget(original.apply().apply(), "total_size")
    assert (outcome.status is Status.OPTIMAL) == exists
    if exists:
        found = original.lift(outcome.ensemble)
        assert found is not None
        assert all(len(found[v]) == demand for v in graph)
        assert all(not found[u] & found[v] for u, v in graph.edges)
