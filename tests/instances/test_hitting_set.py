"""Hitting Set (002, Theorem 2): minimum size = depth = smallest hitting set, by python-sat."""

import numpy as np
import pytest

from exactree import solve
from exactree.instances import HittingSet

from .by_specifications import outcomes
from .exhaustive import ExhaustiveSearch
from .parameters import delta_max, max_values, smallest_class

hitman = pytest.importorskip("pysat.examples.hitman")


def smallest_hitting_set(sets: list[set]) -> int:
    """Return the size of a smallest hitting set."""
    with hitman.Hitman(bootstrap_with=[sorted(s) for s in sets]) as solver:
        return len(solver.get())


def random_sets(seed: int) -> list[set]:
    rng = np.random.default_rng(seed)
    elements, count = rng.integers(2, 7), rng.integers(2, 9)
    sizes = rng.integers(1, min(4, elements) + 1, count)
    return [{int(e) for e in rng.choice(elements, size, replace=False)} for size in sizes]


@pytest.mark.parametrize("seed", range(12))
def test_minimum_size_and_depth_are_the_size_of_a_smallest_hitting_set(seed: int) -> None:
    sets = random_sets(seed)
    original = HittingSet(sets)
    instance = original.apply()
    k = smallest_hitting_set(sets)
    search = ExhaustiveSearch(instance.X, instance.y)
    assert search.min_size() == search.min_depth() == k
    assert delta_max(instance) == max(map(len, sets))
    assert smallest_class(instance) == 1
    assert max_values(instance) == 2
    # For every third seed all methods and both quantities, otherwise the fastest method.
    thorough = seed % 3 == 0
    for quantity in ("size", "depth") if thorough else ("size",):
        for outcome in outcomes(instance, quantity, () if thorough else ("witness",)):
            assert outcome.cost == k
            hitting = original.lift(outcome.tree)
            assert len(hitting) == k
            assert all(hitting & members for members in original.sets)


@pytest.mark.parametrize(
    ("elements", "count", "members"),
    [(12, 20, 3), (16, 30, 3), (20, 40, 3), (20, 40, 5), (24, 30, 3), (30, 25, 4)],
)
@pytest.mark.parametrize("quantity", ["size", "depth"])
def test_the_engine_finds_smallest_hitting_sets_of_larger_families(
    elements: int, count: int, members: int, quantity: str
) -> None:
    rng = np.random.default_rng([elements, count, members])
    sets = [{int(e) for e in rng.choice(elements, members, replace=False)} for _ in range(count)]
    original = HittingSet(sets)
    outcome = solve(original.apply().problem(quantity))
    assert outcome.cost == smallest_hitting_set(sets)
    hitting = original.lift(outcome.tree)
    assert all(hitting & members for members in original.sets)
    if quantity == "size":
        assert len(hitting) == outcome.cost


def test_every_smallest_tree_is_lifted_to_a_smallest_hitting_set() -> None:
    original = HittingSet([{1, 2}, {2, 3}, {3, 1}, {4}])
    instance = original.apply()
    dataset = instance.problem().dataset
    search = ExhaustiveSearch(instance.X, instance.y)
    for seed in range(20):
        hitting = original.lift(search.any_tree(dataset, np.random.default_rng(seed)))
        assert len(hitting) == 3
        assert all(hitting & members for members in original.sets)


def test_the_universe_may_have_elements_in_no_set() -> None:
    instance = HittingSet([["b"], ["b", "c"]], universe=["a", "b", "c", "d"]).apply()
    assert instance.feature_names == ("element a", "element b", "element c", "element d")
    assert instance.X.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0]]
    assert instance.y.tolist() == ["positive", "negative", "negative"]


@pytest.mark.parametrize(
    ("sets", "universe", "message"),
    [
        ([[1], []], None, "set 1 is empty, so nothing hits it."),
        ([], None, "there are no sets; give at least one."),
        (["ab"], None, "set 0 must be a collection of elements, got 'ab'."),
        ([7], None, "set 0 must be a collection of elements, got 7."),
        ([[1], [2, 3]], [1, 2], "set 1 has 3, which is not in the universe."),
    ],
)
def test_wrong_sets_are_refused(sets: list, universe: list | None, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole sentence is compared)
        HittingSet(sets, universe)
    assert str(refused.value) == message
