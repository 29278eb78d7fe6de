"""K-D trees: the best of all trees, and searches that agree with scipy."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from exactree.proper import Node, check_laws, cost, gen_dts, leaves, level_order, size
from exactree.proper.kd import (
    SPACE,
    KdExample,
    LeafData,
    balance,
    best_kd_tree,
    in_box,
    nearest,
    scatter,
    visits,
)

lists_of_places = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=5, unique=True
)


def all_trees(places, k, queries=()):
    """Return every K-D tree of k nodes."""
    examples = [KdExample(i, tuple(map(float, place))) for i, place in enumerate(places)]
    query_places = tuple(tuple(map(float, query)) for query in queries)
    for chosen in combinations(examples, k):
        rest = tuple(x for x in examples if x not in chosen)
        yield from gen_dts(SPACE, chosen, LeafData(rest, query_places))


@settings(max_examples=25, deadline=None)
@given(lists_of_places, st.data())
def test_the_best_tree_is_the_minimum_over_all_trees(places, data) -> None:
    k = data.draw(st.integers(0, len(places)))
    queries = data.draw(lists_of_places)
    for objective in (balance, scatter, visits):
        best = best_kd_tree(places, objective, k, queries)
        costs = [cost(objective, tree) for tree in all_trees(places, k, queries)]
        assert objective.value(best.cost) == pytest.approx(min(map(objective.value, costs)))
        assert size(best.tree) == k
        check_level_order(best.tree, len(places))


def check_level_order(tree, n: int) -> None:
    """Check the features by level, the children, and that every example occurs once."""
    level = [tree]
    depth = 0
    while level:
        nodes = [node for node in level if isinstance(node, Node)]
        for node in nodes:
            feature = depth % 2
            assert node.rule.feature == feature
            for child, is_left in ((node.left, True), (node.right, False)):
                in_leaves = [x for leaf in leaves(child) for x in leaf.examples]
                for x in (*in_leaves, *level_order(child)):
                    assert (x.place[feature] <= node.rule.place[feature]) is is_left
        level = [child for node in nodes for child in (node.left, node.right)]
        depth += 1
    in_leaves = [x.number for leaf in leaves(tree) for x in leaf.examples]
    assert sorted([*in_leaves, *(x.number for x in level_order(tree))]) == list(range(n))


def test_visits_count_the_nodes_on_the_paths_of_all_queries() -> None:
    """Count the nodes query by query; the second number of the cost is the number of queries."""
    rng = np.random.default_rng(3)
    places, queries = rng.integers(0, 9, size=(6, 2)), rng.integers(0, 9, size=(20, 2))
    best = best_kd_tree(places, visits, 4, queries)
    visited_nodes = 0
    for query in queries.tolist():
        tree = best.tree
        while isinstance(tree, Node):
            visited_nodes += 1
            tree = tree.left if tree.rule.left_of(tuple(query)) else tree.right
    assert best.cost == (visited_nodes, 20)


def test_the_objectives_satisfy_their_laws() -> None:
    root = [KdExample(0, (0.0, 0.0))]
    check_laws(balance, root, [[0, 1, 4], [9]])
    check_laws(scatter, root, [[0.0, 0.5], [2.5]])
    check_laws(visits, root, [[(0, 3), (3, 3), (5, 3)], [(0, 2), (2, 2)]])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [0, 3, 6])
def test_searches_agree_with_scipy(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 7, size=(6 if k == 6 else 8, 3)).astype(float)
    tree = best_kd_tree(places, balance, k).tree
    reference = cKDTree(places)
    for query in rng.normal(3, 3, size=(40, 3)):
        distance, number = nearest(tree, tuple(query))
        expected, _ = reference.query(query)
        assert distance == pytest.approx(expected)
        assert np.linalg.norm(places[number] - query) == pytest.approx(expected)
        low, high = query - 2, query + 2
        expected_in_box = reference.query_ball_point(query, 2, p=np.inf)
        assert sorted(in_box(tree, tuple(low), tuple(high))) == sorted(expected_in_box)


def test_too_few_examples_are_refused() -> None:
    with pytest.raises(ValueError, match="k=3 nodes of a K-D tree need as many examples, found 2"):
        best_kd_tree([(0, 0), (1, 1)], balance, 3)
    with pytest.raises(ValueError, match="no examples"):
        nearest(best_kd_tree([], balance).tree, (0.0,))


@pytest.mark.parametrize(
    ("places", "message"),
    [
        (
            [(0.0, 1.0), (float("nan"), 2.0)],
            "places, row 1, feature 0 must be a finite number",
        ),
        (
            [(0.0, 1.0), (2.0, float("inf"))],
            "places, row 1, feature 1 must be a finite number",
        ),
        ([(0.0, 1.0), (2.0,)], "places, row 1 has 1 numbers; .* the first of places has 2"),
        ([(), ()], "places, row 0 has 0 numbers"),
    ],
)
def test_invalid_places_are_refused(places: list[tuple[float, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_kd_tree(places, balance)
    with pytest.raises(ValueError, match=message.replace("places, row", "queries, row")):
        best_kd_tree([(0.0, 0.0)], visits, queries=places)
