"""Hitting Set (002, Theorem 2): minimum size = depth = hitting set, by python-sat."""

import numpy as np
import pytest

from exactree import solve
from exactree.instances import HittingSet

from .least import Least
from .parameters import delta_max, most_values, smallest_class
from .specs import outcomes

hitman = pytest.importorskip("pysat.examples.hitman")


def least_hitting_set(sets: list[set]) -> int:
    with hitman.Hitman(bootstrap_with=[sorted(s) for s in sets]) as solver:
        return len(solver.get())


def random_sets(seed: int) -> list[set]:
    rng = np.random.default_rng(seed)
    elements, count = rng.integers(2, 7), rng.integers(2, 9)
    sizes = rng.integers(1, min(4, elements) + 1, count)
    return [{int(e) for e in rng.choice(elements, size, replace=False)} for size in sizes]


@pytest.mark.parametrize("seed", range(12))
def test_least_size_and_depth_are_the_least_hitting_set(seed: int) -> None:
    sets = random_sets(seed)
    original = HittingSet(sets)
    instance = original.apply()
    k = least_hitting_set(sets)
    least = Least(instance.X, instance.y)
    assert least.least_size() == least.least_depth() == k
    assert delta_max(instance) == max(map(len, sets))
    assert smallest_class(instance) == 1
    assert most_values(instance) == 2
    for quantity in ("size", "depth") if seed % 3 == 0 else ("size",):
        for outcome in outcomes(instance, quantity, ("witness",) if seed % 3 else ()):
            assert outcome.cost == k
            hitting = original.lift(outcome.tree)
            assert len(hitting) == k
            assert all(hitting & members for members in original.sets)


@pytest.mark.parametrize(
    ("elements", "count", "members"),
    [(12, 20, 3), (16, 30, 3), (20, 40, 3), (20, 40, 5), (24, 30, 3), (30, 25, 4)],
)
@pytest.mark.parametrize("quantity", ["size", "depth"])
def test_natively_beyond_the_specifications(
    elements: int, count: int, members: int, quantity: str
) -> None:
    rng = np.random.default_rng([elements, count, members])
    sets = [{int(e) for e in rng.choice(elements, members, replace=False)} for _ in range(count)]
    original = HittingSet(sets)
    outcome = solve(original.apply().problem(quantity))
    assert outcome.cost == least_hitting_set(sets)
    hitting = original.lift(outcome.tree)
    assert all(hitting & members for members in original.sets)
    if quantity == "size":
        assert len(hitting) == outcome.cost


def test_lift_takes_any_tree_without_errors() -> None:
    original = HittingSet([{1, 2}, {2, 3}, {3, 1}, {4}])
    instance = original.apply()
    dataset = instance.problem().dataset
    least = Least(instance.X, instance.y)
    for seed in range(20):
        hitting = original.lift(least.any_tree(dataset, np.random.default_rng(seed)))
        assert len(hitting) == 3
        assert all(hitting & members for members in original.sets)


def test_universe_may_be_larger() -> None:
    instance = HittingSet([["b"], ["b", "c"]], universe=["a", "b", "c", "d"]).apply()
    assert instance.feature_names == ("element a", "element b", "element c", "element d")
    assert instance.X.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0]]
    assert instance.y.tolist() == ["positive", "negative", "negative"]


@pytest.mark.parametrize(
    ("sets", "universe", "says"),
    [
        ([[1], []], None, "set 1 is empty, so nothing hits it."),
        ([], None, "there are no sets; give at least one."),
        (["ab"], None, "set 0 must be a collection of elements, got 'ab'."),
        ([7], None, "set 0 must be a collection of elements, got 7."),
        ([[1], [2, 3]], [1, 2], "set 1 has 3, which is not in the universe."),
    ],
)
def test_refuses(sets: list, universe: list | None, says: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole sentence is compared)
        HittingSet(sets, universe)
    assert str(refused.value) == says
