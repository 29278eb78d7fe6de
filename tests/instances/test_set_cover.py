"""Set Cover (001, Theorem 4.4): minimum size = depth = smallest cover, by CP-SAT."""

import numpy as np
import pytest

from exactree import solve
from exactree.instances import SetCover

from .by_specifications import outcomes
from .exhaustive import ExhaustiveSearch

cp_model = pytest.importorskip("ortools.sat.python.cp_model")


def smallest_cover(sets: list[set]) -> int:
    model = cp_model.CpModel()
    chosen = [model.new_bool_var(str(number)) for number in range(len(sets))]
    for element in set().union(*sets):
        model.add_bool_or([chosen[n] for n, members in enumerate(sets) if element in members])
    model.minimize(sum(chosen))
    solver = cp_model.CpSolver()
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


@pytest.mark.parametrize("seed", range(8))
def test_minimum_size_and_depth_are_the_size_of_a_smallest_cover(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets = [set(np.flatnonzero(rng.random(6) < 0.4).tolist()) for _ in range(5)] + [{0, 1}]
    original = SetCover(sets)
    instance = original.apply()
    k = smallest_cover(sets)
    search = ExhaustiveSearch(instance.X, instance.y)
    assert search.min_size() == search.min_depth() == k
    for outcome in outcomes(instance, "size", ("witness", "subsets")):
        assert outcome.cost == k
        cover = original.lift(outcome.tree)
        assert len(cover) == k
        assert set().union(*(sets[number] for number in cover)) == set(original.universe)


@pytest.mark.parametrize("quantity", ["size", "depth"])
@pytest.mark.parametrize(("elements", "count"), [(15, 12), (25, 15), (40, 20), (100, 20)])
def test_the_engine_finds_smallest_covers_of_larger_universes(
    elements: int, count: int, quantity: str
) -> None:
    rng = np.random.default_rng([elements, count])
    drawn = [set(np.flatnonzero(rng.random(elements) < 0.25).tolist()) for _ in range(count)]
    uncovered = set(range(elements)) - set().union(*drawn)
    sets = [drawn[0] | uncovered, *drawn[1:]]
    original = SetCover(sets)
    outcome = solve(original.apply().problem(quantity))
    assert outcome.cost == smallest_cover(sets)
    cover = original.lift(outcome.tree)
    assert set().union(*(sets[number] for number in cover)) == set(range(elements))
    if quantity == "size":
        assert len(cover) == outcome.cost


def test_an_element_in_no_set_is_refused() -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole sentence is compared)
        SetCover([["a"], []], universe=["a", "b"])
    assert str(refused.value) == "'b' is in no set, so nothing covers it: the answer is no."
