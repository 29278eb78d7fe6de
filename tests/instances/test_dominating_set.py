"""Dominating Set (001, Theorem 4.4): minimum size = depth = domination number, by CP-SAT."""

import numpy as np
import pytest

from exactree import solve
from exactree.instances import DominatingSet

from .by_specifications import outcomes
from .exhaustive import ExhaustiveSearch

networkx = pytest.importorskip("networkx")
cp_model = pytest.importorskip("ortools.sat.python.cp_model")


def domination_number(graph) -> int:
    model = cp_model.CpModel()
    chosen = {v: model.new_bool_var(str(v)) for v in graph}
    for v in graph:
        model.add_bool_or([chosen[v], *(chosen[u] for u in graph[v])])
    model.minimize(sum(chosen.values()))
    solver = cp_model.CpSolver()
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


GRAPHS = {
    "path": networkx.path_graph(5),
    "cycle": networkx.cycle_graph(7),
    "star": networkx.star_graph(5),
    "isolated": networkx.empty_graph(3),
    "one": networkx.empty_graph(1),
    "petersen": networkx.petersen_graph(),
    "random": networkx.gnp_random_graph(8, 0.3, seed=4),
    "names": networkx.Graph([("a", "b"), ("b", 1), (1, "1")]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_minimum_size_and_depth_are_the_domination_number(name: str) -> None:
    graph = GRAPHS[name]
    original = DominatingSet(graph)
    instance = original.apply()
    number = domination_number(graph)
    search = ExhaustiveSearch(instance.X, instance.y)
    assert search.min_size() == search.min_depth() == number
    methods = ("witness",) if len(graph) > 6 else ()  # the other methods are too slow
    trees = [outcome.tree for outcome in outcomes(instance, "size", methods)]
    dataset = instance.problem().dataset
    trees += [search.any_tree(dataset, np.random.default_rng(seed)) for seed in range(5)]
    for tree in trees:
        assert tree.size == number
        chosen = original.lift(tree)
        assert len(chosen) == number
        assert networkx.is_dominating_set(graph, chosen)


LARGE = {
    "cycle": networkx.cycle_graph(20),
    "grid": networkx.grid_2d_graph(4, 6),
    "hypercube": networkx.hypercube_graph(4),
    "dodecahedron": networkx.dodecahedral_graph(),
    "sparse": networkx.gnp_random_graph(28, 0.1, seed=1),
    "dense": networkx.gnp_random_graph(30, 0.3, seed=2),
}


@pytest.mark.parametrize("quantity", ["size", "depth"])
@pytest.mark.parametrize("name", LARGE)
def test_the_engine_finds_the_domination_number_of_larger_graphs(name: str, quantity: str) -> None:
    graph = LARGE[name]
    original = DominatingSet(graph)
    outcome = solve(original.apply().problem(quantity))
    assert outcome.cost == domination_number(graph)
    chosen = original.lift(outcome.tree)
    assert networkx.is_dominating_set(graph, chosen)
    if quantity == "size":
        assert len(chosen) == outcome.cost


def test_the_table_of_a_path() -> None:
    instance = DominatingSet(networkx.path_graph(3)).apply()
    assert instance.X.tolist() == [[0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]]
    assert instance.y.tolist() == ["red", "blue", "blue", "blue"]
    assert instance.example_names == ("no vertex", "vertex 0", "vertex 1", "vertex 2")


def test_graphs_and_trees_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="graph has no vertices; give at least one"):
        DominatingSet(networkx.Graph())
    with pytest.raises(ValueError, match="graph must be undirected"):
        DominatingSet(networkx.DiGraph([(1, 2)]))
    with pytest.raises(ValueError, match="graph has a loop at 1; loops are not allowed"):
        DominatingSet(networkx.Graph([(1, 1)]))
    with pytest.raises(TypeError, match=r"graph must be a networkx\.Graph, got list"):
        DominatingSet([(1, 2)])
    original = DominatingSet(networkx.path_graph(3))
    wrong = DominatingSet(networkx.empty_graph(3))
    tree = outcomes(original.apply(), "size", ("witness",))[0].tree
    with pytest.raises(ValueError, match=r"the answer misclassifies example 1 \(vertex 0\)"):
        wrong.lift(tree)
