"""Set Multicover (001, Theorem 5.5, Corollaries 5.6 and 5.7) and Multicoloring (Proposition 5.4).

Both directions are tested, for one and two picks k of Set Multicover. CP-SAT solves the original
problems, and finds ensembles of trees of size at most 1. Ensembles of total size 2k + 1 are
enumerated as in step 1 of the source's proof (`small_ensembles.py`).
"""

from itertools import product

import numpy as np
import pytest

from exactree import solve
from exactree.instances import Multicoloring, SetMulticover

from .small_ensembles import SmallEnsembles, ensemble_of_stumps

cp_model = pytest.importorskip("ortools.sat.python.cp_model")
networkx = pytest.importorskip("networkx")

CASES = [  # sets, picks, demand
    ([{1}], 1, 1),
    ([{1, 2}, {2}], 1, 1),
    ([{1}, {2}], 1, 1),
    ([{1}, {2}], 2, 1),
    ([{1}, {2}], 2, 2),
    ([{1, 2}, {2, 3}, {1, 3}], 2, 1),
    ([{1, 2}, {2, 3}, {1, 3}], 2, 2),
    ([{1}, {2}, {3}], 2, 1),
    ([{1, 2, 3}, {1}], 2, 2),
    ([{1, 2}, {3}, {3, 4}, {2}], 2, 1),
]


def solvable(sets: list[set], picks: int, demand: int) -> bool:
    """Return whether there is a multicover, by CP-SAT."""
    model = cp_model.CpModel()
    taken = [model.new_int_var(0, picks, str(number)) for number in range(len(sets))]
    model.add(sum(taken) == picks)
    for element in set().union(*sets):
        model.add(sum(taken[n] for n, s in enumerate(sets) if element in s) >= demand)
    return cp_model.CpSolver().solve(model) != cp_model.INFEASIBLE


@pytest.mark.parametrize(("sets", "picks", "demand"), CASES)
def test_an_ensemble_of_the_budget_exists_exactly_if_there_is_a_multicover(
    sets: list[set], picks: int, demand: int
) -> None:
    original = SetMulticover(sets, picks, demand)
    instance = original.apply()
    exists = solvable(sets, picks, demand)
    assert instance.n_trees == instance.budget == 2 * picks + 1
    assert len(np.unique(instance.X)) == 2
    ensemble = ensemble_of_stumps(cp_model, instance)
    assert (ensemble is not None) == exists
    assert SmallEnsembles(instance, picks).suffice() == exists
    if ensemble is not None:
        assert ensemble.total_size == 2 * picks + 1
        check_lifted(original, original.lift(ensemble))


@pytest.mark.parametrize(
    ("case", "method"), [(0, "witness"), (1, "witness"), (2, "witness"), (0, "subsets")]
)
def test_ensembles_of_specifications_are_lifted_to_a_multicover_of_one_pick(
    case: int, method: str
) -> None:
    sets, picks, demand = CASES[case]
    original = SetMulticover(sets, picks, demand)
    instance = original.apply()
    outcome = solve(instance.problem(), method=method, implementation="spec")
    if solvable(sets, picks, demand):
        assert outcome.cost == 3
        check_lifted(original, original.lift(outcome.ensemble))
    else:
        assert outcome.cost > 3
        assert original.lift(outcome.ensemble) is None


def check_lifted(original: SetMulticover, picked: tuple[int, ...]) -> None:
    assert len(picked) == original.picks
    for element in original.universe:
        assert sum(element in original.sets[n] for n in picked) >= original.demand


def test_the_table_has_the_sizes_of_the_source() -> None:
    instance = SetMulticover([{1, 2}, {2, 3}], 2, universe=[1, 2, 3]).apply()
    k, elements, sets = 2, 3, 2  # picks, elements of the universe, sets
    assert instance.X.shape[1] == k * sets + k + 1
    pairs = (k + 1) * k // 2
    assert len(instance.X) == elements + (k + 1) + 2 + (k + 1) * k + pairs * k + k
    labels = {tuple(row): set() for row in instance.X}
    for row, label in zip(instance.X, instance.y, strict=True):
        labels[tuple(row)].add(label)
    assert all(len(classes) == 1 for classes in labels.values())  # no contradictions


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([{1}], 0), "picks must be an integer >= 1, got 0."),
        (([{1}], 1, 0), "demand must be an integer >= 1, got 0."),
        (
            ([{1}], 1, 2),
            "demand=2 is more than picks=1, so no element can be covered often enough: the answer "
            "is no.",
        ),
        (([{1}], 1, 1, [1, 2]), "2 is in no set, so nothing covers it: the answer is no."),
    ],
)
def test_wrong_numbers_and_sets_are_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole sentence is compared)
        SetMulticover(*arguments)
    assert str(refused.value) == message


# --- Multicoloring ---------------------------------------------------------------------------


def colourable(graph, colours: int, demand: int) -> bool:
    """Return whether a multicoloring exists, by CP-SAT."""
    model = cp_model.CpModel()
    has = {(v, c): model.new_bool_var(f"{v} {c}") for v in graph for c in range(colours)}
    for v in graph:
        model.add(sum(has[v, c] for c in range(colours)) == demand)
    for u, v in graph.edges:
        for c in range(colours):
            model.add_bool_or([~has[u, c], ~has[v, c]])
    return cp_model.CpSolver().solve(model) != cp_model.INFEASIBLE


def any_multicover(original: SetMulticover) -> tuple[int, ...] | None:
    """Return a multicover by enumeration, None if there is none."""
    for picked in product(range(len(original.sets)), repeat=original.picks):
        counts = [sum(e in original.sets[n] for n in picked) for e in original.universe]
        if min(counts) >= original.demand:
            return picked
    return None


@pytest.mark.parametrize(
    ("graph", "colours", "demand"),
    [
        (networkx.path_graph(3), 2, 1),
        (networkx.cycle_graph(5), 2, 1),
        (networkx.cycle_graph(5), 5, 2),
        (networkx.cycle_graph(5), 4, 2),
        (networkx.complete_graph(3), 3, 1),
        (networkx.complete_graph(3), 2, 1),
        (networkx.empty_graph(2), 1, 1),
        (networkx.petersen_graph(), 3, 1),
        (networkx.petersen_graph(), 2, 1),
    ],
)
def test_multicoloring_is_a_multicover_by_independent_sets(graph, colours, demand) -> None:
    original = Multicoloring(graph, colours, demand)
    cover = original.apply()
    assert cover.picks == colours
    for members in cover.sets:  # maximal independent sets
        assert not graph.subgraph(members).edges
        assert all(members & set(graph[v]) for v in set(graph) - members)
    picked = any_multicover(cover)
    assert (picked is not None) == colourable(graph, colours, demand)
    found = original.lift(picked)
    if picked is not None:
        assert all(len(found[v]) == demand for v in graph)
        assert all(not found[u] & found[v] for u, v in graph.edges)
    else:
        assert found is None


def test_an_ensemble_is_lifted_to_a_multicoloring() -> None:
    original = Multicoloring(networkx.path_graph(2), 2)
    instance = original.apply().apply()
    found = original.lift(ensemble_of_stumps(cp_model, instance))
    assert found is not None
    assert not found[0] & found[1]


def test_wrong_multicolorings_are_refused() -> None:
    graph = networkx.path_graph(2)
    with pytest.raises(ValueError, match="demand=3 is more than colours=2, so no vertex can get"):
        Multicoloring(graph, 2, 3)
    with pytest.raises(ValueError, match="colours must be an integer >= 1, got 0"):
        Multicoloring(graph, 0)
    original = Multicoloring(graph, 2)
    with pytest.raises(ValueError, match="2 sets must be picked, got 1"):
        original.lift((0,))
    with pytest.raises(ValueError, match="the picked sets contain 1 only 0 times"):
        original.lift((0, 0))
