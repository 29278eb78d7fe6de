"""Partitioned Subgraph Isomorphism (000, Theorem 4.1): the budget suffices iff the answer is yes.

If the answer is no, the minimum size is the budget plus one for every edge of the pattern that has
to be dropped (`dropped_edges`); this is often, but not always, the budget + 1.
"""

from itertools import product

import numpy as np
import pytest

from exactree import solve
from exactree.instances import PartitionedSubgraphIsomorphism

from .by_specifications import outcomes
from .exhaustive import ExhaustiveSearch

networkx = pytest.importorskip("networkx")

# The edges of the graph, and those of the pattern. The colour of a vertex is its letter.
CASES = [
    ("a1-b1", "a-b"),
    ("a1-b1 a2-b1", "a-b"),
    ("a1-b1 a2-b2 a1-b2", "a-b"),
    ("a1-b1 b1-c1", "a-b b-c"),
    ("a1-b1 b2-c1", "a-b b-c"),
    ("a1-b1 b2-c1 a2-b1", "a-b b-c"),
    ("a1-b1 b2-c1 a2-b2", "a-b b-c"),
    ("a1-b1 b1-c1 c1-a1", "a-b b-c a-c"),
    ("a1-b1 b1-c1 c1-a2", "a-b b-c a-c"),
    ("a1-b1 b1-c1 c1-a2 c1-a1", "a-b b-c a-c"),
    ("a1-b1 b1-c1 c1-a2 c2-a1", "a-b b-c a-c"),
    ("a1-b1 b2-c1 c2-d1", "a-b b-c c-d"),  # budget + 2
    ("a1-b2 b1-c1 c2-d1", "a-b b-c c-d"),  # the same up to names: budget + 1
    ("a1-b1 c1-d1", "a-b c-d"),
    ("a1-b1 b1-c1 a1-d1 a2-d1", "a-b b-c a-d"),
    ("a1-b1 b1-c1 a2-d1 a3-d1", "a-b b-c a-d"),
    ("a1-b1 b1-c1 a1-c1", "a-b b-c"),  # with an edge whose colours the pattern does not join
]


def graph_of(edges: str):
    graph = networkx.Graph(edge.split("-") for edge in edges.split())
    networkx.set_node_attributes(graph, {v: v[0] for v in graph}, "colour")
    return graph


def is_subgraph(graph, pattern) -> bool:
    """Return whether the graph contains the pattern, by networkx."""
    matcher = networkx.algorithms.isomorphism.GraphMatcher(
        graph, pattern, node_match=lambda a, b: a["colour"] == b["colour"]
    )
    return matcher.subgraph_is_monomorphic()


def dropped_edges(original) -> int:
    """Return the minimum number of edges of the pattern that have to be dropped.

    The pair of examples of a dropped edge is separated in the edge-selection subspace of the edge,
    by feature x or y. The examples of this edge that remain, red after x and blue after y, cost
    nothing in the vertex-verification subspaces if both vertices of the edge come before the chosen
    vertices, or both come after them.
    """
    vertices = [
        [v for v, colour in original.colours.items() if colour == c]
        for c in original.pattern_vertices
    ]
    fewest = len(original.pattern_edges)
    for chosen in product(*vertices):
        vertex_of = dict(zip(original.pattern_vertices, chosen, strict=True))
        costs = [
            min(edge_cost([(v, vertex_of[original.colours[v]]) for v in edge]) for edge in edges)
            for edges in original.choices
        ]
        fewest = min(fewest, sum(costs))
    return fewest


def edge_cost(ends: list[tuple[str, str]]) -> int:
    """Return 0 for an edge between chosen vertices, 1 if it can be dropped, otherwise 1000.

    Each end is given with the chosen vertex of its colour.
    """
    if all(v == chosen for v, chosen in ends):
        return 0
    one_side = all(v <= chosen for v, chosen in ends) or all(v >= chosen for v, chosen in ends)
    return 1 if one_side else 1000


def check_lifted(original, graph, pattern, found) -> None:
    assert set(found) == set(pattern)
    assert all(graph.nodes[found[c]]["colour"] == c for c in pattern)
    assert all(graph.has_edge(found[c], found[d]) for c, d in pattern.edges)


@pytest.mark.parametrize(("graph", "pattern"), CASES)
def test_the_budget_suffices_exactly_if_the_graph_contains_the_pattern(
    graph: str, pattern: str
) -> None:
    large, small = graph_of(graph), graph_of(pattern)
    original = PartitionedSubgraphIsomorphism(large, small)
    instance = original.apply()
    contains = is_subgraph(large, small)
    search = ExhaustiveSearch(instance.X, instance.y)
    assert (search.min_size() <= original.budget) == contains
    assert search.min_size() == original.budget + dropped_edges(original)
    dataset = instance.problem().dataset
    trees = [search.any_tree(dataset, np.random.default_rng(seed)) for seed in range(8)]
    if len(instance.X) <= 18:
        trees += [outcome.tree for outcome in outcomes(instance, "size", ("witness",))]
    for tree in trees:
        assert tree.size == search.min_size()
        found = original.lift(tree)
        if contains:
            check_lifted(original, large, small, found)
        else:
            assert found is None


@pytest.mark.parametrize("seed", range(12))
def test_the_budget_suffices_exactly_if_random_graphs_contain_a_triangle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    small = graph_of("a-b b-c a-c")
    pairs = [f"{u}{i}-{v}{j}" for u, v in ("ab", "bc", "ac") for i in (1, 2) for j in (1, 2)]
    one_per_pair = [str(rng.choice(pairs[4 * k : 4 * k + 4])) for k in range(3)]
    large = graph_of(" ".join({*one_per_pair, str(rng.choice(pairs))}))
    original = PartitionedSubgraphIsomorphism(large, small)
    instance = original.apply()
    contains = is_subgraph(large, small)
    search = ExhaustiveSearch(instance.X, instance.y)
    assert (search.min_size() <= original.budget) == contains
    assert search.min_size() == original.budget + dropped_edges(original)
    found = original.lift(search.any_tree(instance.problem().dataset, rng))
    if contains:
        check_lifted(original, large, small, found)
    else:
        assert found is None


def placements(graph, pattern):
    """List all solutions, by networkx."""
    matcher = networkx.algorithms.isomorphism.GraphMatcher(
        graph, pattern, node_match=lambda a, b: a["colour"] == b["colour"]
    )
    for found in matcher.subgraph_monomorphisms_iter():
        yield {c: v for v, c in found.items()}


def check_trees_of_all_solutions(large, small) -> int:
    """Check that every solution has a tree whose size is the budget; return their number."""
    original = PartitionedSubgraphIsomorphism(large, small)
    instance = original.apply()
    solutions = list(placements(large, small))
    for solution in solutions:
        tree = original.tree_of(solution)
        assert tree.size == original.budget
        assert (tree.predict(instance.X) == instance.y).all()
        assert original.lift(tree) == solution
    return len(solutions)


@pytest.mark.parametrize(("graph", "pattern"), CASES)
def test_every_solution_has_a_tree_of_the_budget(graph: str, pattern: str) -> None:
    large, small = graph_of(graph), graph_of(pattern)
    assert (check_trees_of_all_solutions(large, small) > 0) == is_subgraph(large, small)


def test_every_solution_in_all_small_graphs_has_a_tree_of_the_budget() -> None:
    """The path a-b-c in all graphs with two vertices of each colour."""
    small = graph_of("a-b b-c")
    pairs = [f"{u}{i}-{v}{j}" for u, v in ("ab", "bc") for i in (1, 2) for j in (1, 2)]
    solutions = 0
    for bits in product((0, 1), repeat=len(pairs)):
        edges = [edge for edge, bit in zip(pairs, bits, strict=True) if bit]
        if any(e[0] == "a" for e in edges) and any(e[0] == "b" for e in edges):
            solutions += check_trees_of_all_solutions(graph_of(" ".join(edges)), small)
    assert solutions == 8 * 2**6  # each of the 8 placements has 2 of the 8 possible edges


@pytest.mark.parametrize("seed", range(20))
def test_every_solution_in_random_graphs_has_a_tree_of_the_budget(seed: int) -> None:
    rng = np.random.default_rng(seed)
    small = graph_of("a-b b-c a-c" if seed % 2 else "a-b b-c a-c c-d")
    edges = [f"{u}{i}-{v}{j}" for u, v in small.edges for i in (1, 2, 3) for j in (1, 2, 3)]
    chosen = {str(edge) for edge in rng.choice(edges, 8, replace=False)}
    chosen |= {f"{u}1-{v}1" for u, v in small.edges}  # so that there is a solution
    assert check_trees_of_all_solutions(graph_of(" ".join(sorted(chosen))), small) > 0


@pytest.mark.parametrize(
    ("solution", "message"),
    [
        ({"a": "a1"}, "placed has no vertex of graph for 'b'"),
        ({"a": "a1", "b": "a2", "c": "c1"}, "'a2' is not a vertex of graph of the colour 'b'"),
        ({"a": "a1", "b": "b9", "c": "c1"}, "'b9' is not a vertex of graph"),
        ({"a": "a2", "b": "b1", "c": "c1"}, "graph does not join 'a2' and 'b1'"),
    ],
)
def test_wrong_solutions_have_no_tree(solution: dict[str, str], message: str) -> None:
    graph = graph_of("a1-b1 b1-c1 a2-b2")
    original = PartitionedSubgraphIsomorphism(graph, graph_of("a-b b-c"))
    with pytest.raises(ValueError, match=message):
        original.tree_of(solution)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "pattern", ["a-b b-c c-d a-d", "a-b b-c c-d d-e", "a-b a-c a-d a-e", "a-b b-c c-d a-d a-c b-d"]
)
def test_the_engine_finds_the_minimum_size_for_larger_patterns(pattern: str, seed: int) -> None:
    """Two vertices of each colour; one edge per edge of the pattern, at least five edges."""
    rng = np.random.default_rng(seed)
    pairs = [
        [f"{u}{i}-{v}{j}" for i in (1, 2) for j in (1, 2)]
        for u, v in (edge.split("-") for edge in pattern.split())
    ]
    edges = {str(rng.choice(candidates)) for candidates in pairs}
    while len(edges) < 5:
        edges.add(str(rng.choice(pairs[0])))
    large, small = graph_of(" ".join(sorted(edges))), graph_of(pattern)
    original = PartitionedSubgraphIsomorphism(large, small)
    outcome = solve(original.apply().problem("size"))
    assert outcome.cost == original.budget + dropped_edges(original)
    found = original.lift(outcome.tree)
    assert (found is not None) == is_subgraph(large, small)
    if found is not None:
        check_lifted(original, large, small, found)


def test_the_size_of_the_table_is_as_in_the_source() -> None:
    original = PartitionedSubgraphIsomorphism(
        graph_of("a1-b1 a2-b2 b3-c1 b2-c1"), graph_of("a-b b-c")
    )
    instance = original.apply()
    m_g, m_h, n_h = 4, 2, 3  # edges of the graph, edges and vertices of the pattern
    assert instance.budget == (m_g + 4) * (m_g - m_h) + n_h
    assert instance.X.shape[1] == 2 * m_h + n_h
    dummies = 2 * (2 * (m_g + 1) + 1) * (m_g - m_h)
    assert len(instance.X) == 4 * m_g + dummies + 2 * n_h


def test_an_odd_number_of_edges_is_made_even() -> None:
    original = PartitionedSubgraphIsomorphism(graph_of("a1-b1 a2-b2 a3-b3"), graph_of("a-b"))
    # The first factor is m_g + 4 with m_g = 4 instead of 3.
    assert original.budget == (4 + 4) * (3 - 1) + 2


def test_colours_may_be_given() -> None:
    graph = networkx.Graph([(1, 2)])
    original = PartitionedSubgraphIsomorphism(graph, networkx.Graph([("x", "y")]), {1: "y", 2: "x"})
    instance = original.apply()
    [outcome] = outcomes(instance, "size", ("witness",))
    assert original.lift(outcome.tree) == {"x": 2, "y": 1}


@pytest.mark.parametrize(
    ("graph", "pattern", "colours", "message"),
    [
        (
            "a1-b1",
            "a-b b-c",
            None,
            "pattern joins 'b' and 'c', but graph has no edge between these colours: the answer "
            "is no.",
        ),
        ("a1-a2", "a-b", None, "the neighbours 'a1' and 'a2' of graph have the same colour."),
        ("a1-c1", "a-b", None, "vertex 'c1' of graph has the colour 'c', not a vertex of pattern."),
        ("a1-b1", "a-b", {"a1": "a"}, "vertex 'b1' of graph has no colour; give it a colour."),
    ],
)
def test_wrong_graphs_are_refused(
    graph: str, pattern: str, colours: dict | None, message: str
) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole sentence is compared)
        PartitionedSubgraphIsomorphism(graph_of(graph), graph_of(pattern), colours)
    assert str(refused.value) == message


def test_refuses_isolated_vertices_of_pattern() -> None:
    pattern = graph_of("a-b")
    pattern.add_node("c")
    with pytest.raises(ValueError, match="pattern has the isolated vertex 'c'; leave it out"):
        PartitionedSubgraphIsomorphism(graph_of("a1-b1"), pattern)
