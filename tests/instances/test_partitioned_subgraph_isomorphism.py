"""Partitioned Subgraph Isomorphism (000, Theorem 4.1): the budget suffices if and only if yes.

On no-instances the least size is the budget and one more for every edge of the pattern that has to
be given up (`given_up`), so it is often, but not always, the budget + 1.
"""

from itertools import product

import numpy as np
import pytest

from exactree import solve
from exactree.instances import PartitionedSubgraphIsomorphism

from .least import Least
from .specs import outcomes

networkx = pytest.importorskip("networkx")

# Edges of graph (a vertex's colour is its letter), and of pattern.
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
    ("a1-b1 b1-c1 a1-c1", "a-b b-c"),  # with an edge that pattern does not have
]


def graph_of(edges: str):
    graph = networkx.Graph(edge.split("-") for edge in edges.split())
    networkx.set_node_attributes(graph, {v: v[0] for v in graph}, "colour")
    return graph


def placed(graph, pattern) -> bool:
    """Return whether the pattern is in the graph, by networkx."""
    matcher = networkx.algorithms.isomorphism.GraphMatcher(
        graph, pattern, node_match=lambda a, b: a["colour"] == b["colour"]
    )
    return matcher.subgraph_is_monomorphic()


def given_up(original) -> int:
    """Return how many edges of the pattern have to be given up, at least.

    The pair of an edge that is given up is separated in its edge-selection subspace, by x, which
    leaves its red examples, or by y, which leaves its blue ones. They do no harm in the
    vertex-verification subspaces if both its vertices come before those chosen, or both after.
    """
    vertices = [
        [v for v, colour in original.colours.items() if colour == c]
        for c in original.pattern_vertices
    ]
    fewest = len(original.pattern_edges)
    for chosen in product(*vertices):
        place = dict(zip(original.pattern_vertices, chosen, strict=True))
        costs = [
            min(price([(v, place[original.colours[v]]) for v in edge]) for edge in edges)
            for edges in original.choices
        ]
        fewest = min(fewest, sum(costs))
    return fewest


def price(ends: list[tuple[str, str]]) -> int:
    """Return 0 for an edge that is chosen, 1 for one that can be given up, else a lot."""
    if all(v == chosen for v, chosen in ends):
        return 0
    one_side = all(v <= chosen for v, chosen in ends) or all(v >= chosen for v, chosen in ends)
    return 1 if one_side else 1000


def check_lifted(original, graph, pattern, found) -> None:
    assert set(found) == set(pattern)
    assert all(graph.nodes[found[c]]["colour"] == c for c in pattern)
    assert all(graph.has_edge(found[c], found[d]) for c, d in pattern.edges)


@pytest.mark.parametrize(("graph", "pattern"), CASES)
def test_the_budget_suffices_exactly_if_yes(graph: str, pattern: str) -> None:
    large, small = graph_of(graph), graph_of(pattern)
    original = PartitionedSubgraphIsomorphism(large, small)
    instance = original.apply()
    yes = placed(large, small)
    least = Least(instance.X, instance.y)
    assert (least.least_size() <= original.budget) == yes
    assert least.least_size() == original.budget + given_up(original)
    dataset = instance.problem().dataset
    trees = [least.any_tree(dataset, np.random.default_rng(seed)) for seed in range(8)]
    if len(instance.X) <= 18:
        trees += [outcome.tree for outcome in outcomes(instance, "size", ("witness",))]
    for tree in trees:
        assert tree.size == least.least_size()
        found = original.lift(tree)
        if yes:
            check_lifted(original, large, small, found)
        else:
            assert found is None


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    small = graph_of("a-b b-c a-c")
    pairs = [f"{u}{i}-{v}{j}" for u, v in ("ab", "bc", "ac") for i in (1, 2) for j in (1, 2)]
    one_each = [str(rng.choice(pairs[4 * k : 4 * k + 4])) for k in range(3)]
    large = graph_of(" ".join({*one_each, str(rng.choice(pairs))}))
    original = PartitionedSubgraphIsomorphism(large, small)
    instance = original.apply()
    yes = placed(large, small)
    least = Least(instance.X, instance.y)
    assert (least.least_size() <= original.budget) == yes
    assert least.least_size() == original.budget + given_up(original)
    found = original.lift(least.any_tree(instance.problem().dataset, rng))
    if yes:
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
    """Check that every solution has its tree of the promised size; return how many there are."""
    original = PartitionedSubgraphIsomorphism(large, small)
    instance = original.apply()
    solutions = list(placements(large, small))
    for placed_at in solutions:
        tree = original.tree_of(placed_at)
        assert tree.size == original.budget
        assert (tree.predict(instance.X) == instance.y).all()
        assert original.lift(tree) == placed_at
    return len(solutions)


@pytest.mark.parametrize(("graph", "pattern"), CASES)
def test_every_solution_has_a_tree_of_the_budget(graph: str, pattern: str) -> None:
    large, small = graph_of(graph), graph_of(pattern)
    assert (check_trees_of_all_solutions(large, small) > 0) == placed(large, small)


def test_every_solution_in_all_small_graphs_has_a_tree_of_the_budget() -> None:
    """The path a-b-c in all graphs of two vertices of each colour."""
    small = graph_of("a-b b-c")
    pairs = [f"{u}{i}-{v}{j}" for u, v in ("ab", "bc") for i in (1, 2) for j in (1, 2)]
    solutions = 0
    for bits in product((0, 1), repeat=len(pairs)):
        edges = [edge for edge, bit in zip(pairs, bits, strict=True) if bit]
        if any(e[0] == "a" for e in edges) and any(e[0] == "b" for e in edges):
            solutions += check_trees_of_all_solutions(graph_of(" ".join(edges)), small)
    assert solutions == 8 * 4**3  # each of the eight is in a quarter of the 2^8 graphs


@pytest.mark.parametrize("seed", range(20))
def test_every_solution_in_random_graphs_has_a_tree_of_the_budget(seed: int) -> None:
    rng = np.random.default_rng(seed)
    small = graph_of("a-b b-c a-c" if seed % 2 else "a-b b-c a-c c-d")
    sides = [f"{u}-{v}".replace("-", "") for u, v in small.edges]
    pairs = [f"{u}{i}-{v}{j}" for u, v in sides for i in (1, 2, 3) for j in (1, 2, 3)]
    chosen = {str(pair) for pair in rng.choice(pairs, 8, replace=False)}
    chosen |= {f"{u}1-{v}1" for u, v in sides}
    assert check_trees_of_all_solutions(graph_of(" ".join(sorted(chosen))), small) > 0


@pytest.mark.parametrize(
    ("placed_at", "says"),
    [
        ({"a": "a1"}, "placed has no vertex of graph for 'b'"),
        ({"a": "a1", "b": "a2", "c": "c1"}, "'a2' is not a vertex of graph of the colour 'b'"),
        ({"a": "a1", "b": "b9", "c": "c1"}, "'b9' is not a vertex of graph"),
        ({"a": "a2", "b": "b1", "c": "c1"}, "graph does not join 'a2' and 'b1'"),
    ],
)
def test_what_is_no_solution_has_no_tree(placed_at: dict[str, str], says: str) -> None:
    graph = graph_of("a1-b1 b1-c1 a2-b2")
    original = PartitionedSubgraphIsomorphism(graph, graph_of("a-b b-c"))
    with pytest.raises(ValueError, match=says):
        original.tree_of(placed_at)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "pattern", ["a-b b-c c-d a-d", "a-b b-c c-d d-e", "a-b a-c a-d a-e", "a-b b-c c-d a-d a-c b-d"]
)
def test_natively_beyond_the_specifications(pattern: str, seed: int) -> None:
    """Two vertices of each colour; one edge for each of the pattern, and for small ones another."""
    rng = np.random.default_rng(seed)
    pairs = [
        [f"{u}{i}-{v}{j}" for i in (1, 2) for j in (1, 2)]
        for u, v in (edge.split("-") for edge in pattern.split())
    ]
    edges = {str(rng.choice(some)) for some in pairs}
    while len(edges) < 5:
        edges.add(str(rng.choice(pairs[0])))
    large, small = graph_of(" ".join(sorted(edges))), graph_of(pattern)
    original = PartitionedSubgraphIsomorphism(large, small)
    outcome = solve(original.apply().problem("size"))
    assert outcome.cost == original.budget + given_up(original)
    found = original.lift(outcome.tree)
    assert (found is not None) == placed(large, small)
    if found is not None:
        check_lifted(original, large, small, found)


def test_the_size_of_the_table_is_as_in_the_source() -> None:
    original = PartitionedSubgraphIsomorphism(
        graph_of("a1-b1 a2-b2 b3-c1 b2-c1"), graph_of("a-b b-c")
    )
    instance = original.apply()
    m_g, m_h, n_h = 4, 2, 3
    assert instance.budget == (m_g + 4) * (m_g - m_h) + n_h
    assert instance.X.shape[1] == 2 * m_h + n_h
    dummies = 2 * (2 * (m_g + 1) + 1) * (m_g - m_h)
    assert len(instance.X) == 4 * m_g + dummies + 2 * n_h


def test_an_odd_number_of_edges_is_made_even() -> None:
    original = PartitionedSubgraphIsomorphism(graph_of("a1-b1 a2-b2 a3-b3"), graph_of("a-b"))
    assert original.budget == (4 + 4) * (3 - 1) + 2


def test_colours_may_be_given() -> None:
    graph = networkx.Graph([(1, 2)])
    original = PartitionedSubgraphIsomorphism(graph, networkx.Graph([("x", "y")]), {1: "y", 2: "x"})
    instance = original.apply()
    [outcome] = outcomes(instance, "size", ("witness",))
    assert original.lift(outcome.tree) == {"x": 2, "y": 1}


@pytest.mark.parametrize(
    ("graph", "pattern", "colours", "says"),
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
def test_refuses(graph: str, pattern: str, colours: dict | None, says: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (the whole sentence is compared)
        PartitionedSubgraphIsomorphism(graph_of(graph), graph_of(pattern), colours)
    assert str(refused.value) == says


def test_refuses_isolated_vertices_of_pattern() -> None:
    pattern = graph_of("a-b")
    pattern.add_node("c")
    with pytest.raises(ValueError, match="pattern has the isolated vertex 'c'; leave it out"):
        PartitionedSubgraphIsomorphism(graph_of("a1-b1"), pattern)
