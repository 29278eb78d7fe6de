"""Planted trees classify their table without errors, except for the noise."""

import numpy as np
import pytest

from exactree.instances import Planted

from .exhaustive import ExhaustiveSearch


@pytest.mark.parametrize("seed", range(20))
def test_the_planted_tree_misclassifies_exactly_the_noise(seed: int) -> None:
    family = Planted(rows=60, features=5, size=6, values=4, classes=3, noise=4, seed=seed)
    instance = family.apply()
    tree = family.tree
    assert tree.size == 6
    assert tree.errors[tree.feature < 0].sum() == 0
    assert (tree.predict(instance.X) != instance.y).sum() == 4
    assert len(tree.classes) == 3
    # No node has two leaves with the same prediction, so no node is superfluous.
    is_leaf = tree.feature < 0
    for node in np.flatnonzero(~is_leaf):
        left, right = tree.children_left[node], tree.children_right[node]
        assert not (is_leaf[left] and is_leaf[right]) or (
            tree.prediction[left] != tree.prediction[right]
        )


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_at_most_the_planted_size(seed: int) -> None:
    family = Planted(rows=20, features=4, size=4, seed=seed)
    instance = family.apply()
    assert ExhaustiveSearch(instance.X, instance.y).min_size() <= 4


def test_the_same_seed_gives_the_same_table() -> None:
    first, second, other = (Planted(30, 4, 3, seed=s).apply() for s in (1, 1, 2))
    assert (first.X == second.X).all()
    assert (first.y == second.y).all()
    assert (first.X != other.X).any()


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="size must be an integer >= 1, got 0"):
        Planted(10, 2, 0)
    with pytest.raises(ValueError, match="values must be an integer >= 2, got 1"):
        Planted(10, 2, 1, values=1)
    with pytest.raises(ValueError, match=r"classes=4, but the tree has 3 leaves\."):
        Planted(10, 2, 2, classes=4)
    with pytest.raises(ValueError, match=r"noise=11 is more than rows=10\."):
        Planted(10, 2, 1, noise=11)
    with pytest.raises(ValueError, match="these 10 examples have no tree of size 5"):
        Planted(10, 2, 5).apply()
