"""The parity family (001, Theorem 3.3): small as ensembles, large as single trees."""

from itertools import product

import numpy as np
import pytest

from exactree import Problem, solve
from exactree.instances import Parity, examples_per_leaf

from .by_specifications import outcomes
from .exhaustive import ExhaustiveSearch

# Minimum sizes of single trees by (n_trees, size), from this project's corrections of the source.
KNOWN = {(3, 1): 5, (3, 2): 16, (3, 3): 34, (3, 4): 62, (5, 1): 19, (5, 2): 110}


@pytest.mark.parametrize(("n_trees", "size"), KNOWN)
def test_the_optimum_is_as_published_and_within_the_bounds_of_the_source(
    n_trees: int, size: int
) -> None:
    family = Parity(n_trees, size)
    instance = family.apply()
    assert instance.known == {"size": KNOWN[n_trees, size]}
    [outcome] = outcomes(instance, "size", ("box",))
    assert outcome.cost == KNOWN[n_trees, size] >= family.lower_bound
    mean, largest = examples_per_leaf(outcome.tree)
    assert mean * outcome.tree.leaves == len(instance.X)
    # The source conjectures that the mean is less than the bound; it is even below the largest.
    assert mean < largest <= family.max_per_leaf


@pytest.mark.parametrize(("n_trees", "size"), KNOWN)
def test_the_engine_finds_the_published_optimum(n_trees: int, size: int) -> None:
    instance = Parity(n_trees, size).apply()
    assert solve(instance.problem("size")).cost == KNOWN[n_trees, size]


def test_an_exhaustive_search_finds_the_published_optimum_and_only_leaves_within_the_bound() -> (
    None
):
    """A table for one tree is classified by a tree of the given size."""
    for n_trees, size in ((1, 3), (3, 1), (3, 2)):
        family = Parity(n_trees, size)
        instance = family.apply()
        search = ExhaustiveSearch(instance.X, instance.y)
        assert search.min_size() == (size if n_trees == 1 else KNOWN[n_trees, size])
        for seed in range(10):
            tree = search.any_tree(instance.problem().dataset, np.random.default_rng(seed))
            assert examples_per_leaf(tree)[1] <= family.max_per_leaf


@pytest.mark.parametrize(("n_trees", "size"), [(1, 4), (3, 1), (3, 4), (5, 2), (7, 1)])
def test_an_ensemble_of_small_trees_classifies_the_table(n_trees: int, size: int) -> None:
    family = Parity(n_trees, size)
    instance, ensemble = family.apply(), family.ensemble()
    instance.check_classified(ensemble)
    assert [tree.size for tree in ensemble.trees] == [size] * n_trees
    for tree in (ensemble.to_tree(), ensemble.to_tree(instance.X, instance.y)):
        instance.check_classified(tree)
        assert family.lower_bound <= tree.size <= (size + 1) ** n_trees - 1
        assert tree.depth <= ensemble.total_depth


def test_the_smallest_ensemble_has_the_size_of_the_family() -> None:
    """Three trees of size 1 are optimal, because every feature is needed."""
    instance = Parity(3, 1).apply()
    problem = Problem(instance.X, instance.y, minimize="total_size", n_trees=3)
    outcome = solve(problem, method="witness", implementation="spec")
    assert outcome.cost == 3


def test_labels_are_the_majority_vote_of_the_parities() -> None:
    instance = Parity(3, 2).apply()
    assert [tuple(row) for row in instance.X] == list(product(range(3), repeat=3))
    for row, label in zip(instance.X, instance.y, strict=True):
        even = sum(value % 2 == 0 for value in row)
        assert label == ("blue" if even >= 2 else "red")


def test_invalid_numbers_of_trees_and_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="n_trees must be an odd integer >= 1, got 2"):
        Parity(2, 1)
    with pytest.raises(ValueError, match="size must be an integer >= 1, got 0"):
        Parity(3, 0)
    with pytest.raises(
        ValueError, match=r"n_trees=7 and size=10 give .* at most 1,000,000 are allowed"
    ):
        Parity(7, 10)
