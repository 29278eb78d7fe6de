"""Reduction from Partitioned Subgraph Isomorphism to trees of minimum size.

Source      Kobourov et al. (000), Theorem 4.1.
Symbols     G = graph, H = pattern, m_G, m_H, n_H = numbers of edges and vertices, M = m_G made
            even, s = budget = (M + 4)(m_G - m_H) + n_H.
Idea        Every edge of H has an edge-selection subspace of two features x and y, with a pair of a
            red and a blue position for each edge of G that it may go to; exactly one of these pairs
            can be left unseparated. Every vertex of H has a vertex-verification subspace of one
            feature, with a pair for each vertex of G of its colour; one node there separates one
            pair. The pairs that are left unseparated in the edge-selection subspaces can all be
            separated in the vertex-verification subspaces exactly if their edges meet in one vertex
            per colour. Dummy tuples between the pairs force the rest.
Claim       Minimum size = s if H is in G with its colours, else at least s + 1. It may be more,
            depending on the order of the vertices: G = a1-b1, b2-c1, c2-d1 (a letter is a colour)
            and H = the path a-b-c-d need s + 2, but G = a1-b2, b1-c1, c2-d1 needs only s + 1. There
            are 2 m_H + n_H features.
Departures  1. For an odd number of edges M = m_G + 1 (the source assumes an even number).
            2. Edges of G between colours that H does not join are left out (the source assumes that
               there are none). Colours may have different numbers of vertices (the source assumes
               equal numbers), because positions without examples change nothing.
            3. An instance where H joins two colours that G does not join is refused: the answer is
               no.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactree.instances.colours import check_colours, edges_between
from exactree.instances.instance import Instance, make_instance
from exactree.instances.originals import Edge, read_graph
from exactree.trees import Tree
from exactree.trees.arrays import grow

if TYPE_CHECKING:
    import networkx

__all__ = ["PartitionedSubgraphIsomorphism"]

Row = NDArray[np.float64]
# A node: its feature, the values around its threshold, and whether its leaf is the left child.
Cut = tuple[int, float, float, bool]
RED, BLUE = "red", "blue"


@dataclass(frozen=True, eq=False, init=False)
class PartitionedSubgraphIsomorphism:
    """Map each vertex of H to a vertex of G of its colour such that edges are mapped to edges.

    Parameters
    ----------
    graph : networkx.Graph
        G, with neighbours of different colours.
    pattern : networkx.Graph
        H, without isolated vertices; its vertices are the colours.
    colours : mapping, optional
        The colour of every vertex of G; by default its attribute "colour".

    Attributes
    ----------
    choices : tuple of tuple of edges
        For each edge of H, the edges of G between the two colours that it joins.

    Raises
    ------
    ValueError
        If the colours do not fit, or G has no edge between two colours that H joins.
    """

    pattern_vertices: tuple[Any, ...]
    pattern_edges: tuple[Edge, ...]
    colours: Mapping[Any, Any]
    choices: tuple[tuple[Edge, ...], ...]

    def __init__(
        self,
        graph: "networkx.Graph",
        pattern: "networkx.Graph",
        colours: Mapping[Any, Any] | None = None,
    ) -> None:
        vertices, edges = read_graph("graph", graph)
        pattern_vertices, pattern_edges = read_graph("pattern", pattern)
        for c in pattern_vertices:
            if not any(c in edge for edge in pattern_edges):
                raise ValueError(f"pattern has the isolated vertex {c!r}; leave it out.")
        if colours is None:
            colours = {v: graph.nodes[v]["colour"] for v in vertices if "colour" in graph.nodes[v]}
        check_colours(vertices, edges, pattern_vertices, colours)
        attributes = {
            "pattern_vertices": pattern_vertices,
            "pattern_edges": pattern_edges,
            "colours": {v: colours[v] for v in vertices},
            "choices": tuple(edges_between(edges, colours, joined) for joined in pattern_edges),
        }
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    @cached_property
    def graph_edges(self) -> int:
        """The number of edges of G between colours that H joins: m_G."""
        return sum(map(len, self.choices))

    @cached_property
    def even_edges(self) -> int:
        """The number of edges, rounded up to an even number: M."""
        return self.graph_edges + self.graph_edges % 2

    @property
    def budget(self) -> int:
        """The size of a smallest tree if the answer is yes: s."""
        surplus = self.graph_edges - len(self.pattern_edges)
        return (self.even_edges + 4) * surplus + len(self.pattern_vertices)

    def apply(self) -> Instance:
        """Return the table whose smallest tree has `budget` nodes iff the answer is yes."""
        names = [f"{axis} of edge {c}-{d}" for c, d in self.pattern_edges for axis in "xy"]
        names += [f"vertex {c}" for c in self.pattern_vertices]
        examples = [*self._primary(), *self._dummies(), *self._vertex_dummies()]
        return make_instance(names, examples, budget=self.budget)

    def lift(self, tree: Tree) -> dict[Any, Any] | None:
        """Return the vertex of G for each vertex of H, or None if the answer is no.

        Parameters
        ----------
        tree : Tree
            A tree without errors of minimum size.
        """
        instance = self.apply()
        instance.check_classified(tree)
        if tree.size > self.budget:
            return None
        found: dict[Any, Any] = {}
        for k in range(len(self.pattern_edges)):
            for u, v in self._unseparated(instance, tree, k):
                found[self.colours[u]], found[self.colours[v]] = u, v
        return {c: found[c] for c in self.pattern_vertices}

    def tree_of(self, placed: Mapping[Any, Any]) -> Tree:
        """Return the tree with `budget` nodes of a solution, the inverse of `lift`.

        Parameters
        ----------
        placed : mapping
            The vertex of G for each vertex of H, in the format of `lift`.

        Raises
        ------
        ValueError
            If it is not a solution.
        """
        instance = self.apply()
        chosen = self._chosen_edges(placed)
        cuts: list[Cut] = []
        for k, i in enumerate(chosen):
            cuts += self._separating_all_but(instance, k, i)
        for c in self.pattern_vertices:
            red = float(self._vertex_pairs[placed[c]])
            cuts.append((self._vertex_feature(c), red, red + 1, True))
        return grow(instance.problem().dataset, nodes_of_chain(cuts))

    # --- the two kinds of subspaces ---------------------------------------------------------

    @property
    def _tuple_length(self) -> int:
        return 2 * (self.even_edges + 2)

    def _edge_pair(self, i: int) -> int:
        """Return the position of the red example of edge pair i; the blue example is next."""
        return 1 + i * (2 + self._tuple_length)

    @cached_property
    def _vertex_pairs(self) -> dict[Any, int]:
        """Return the position of the red example of each vertex of G in its colour's subspace."""
        seen = dict.fromkeys(self.pattern_vertices, 0)
        pairs = {}
        for vertex, colour in self.colours.items():
            pairs[vertex] = 1 + 2 * seen[colour]
            seen[colour] += 1
        return pairs

    def _irrelevant(self, right: bool = True) -> Row:
        """Return the row at the unlabeled position of every subspace.

        In vertex-verification subspaces this is the right end, or the left end if not `right`.
        """
        row = np.zeros(2 * len(self.pattern_edges) + len(self.pattern_vertices))
        for k, edges in enumerate(self.choices):
            row[2 * k + 1] = self._edge_pair(len(edges) - 1) + 2  # x below all, y above all
        if right:
            for c in self.pattern_vertices:
                row[self._vertex_feature(c)] = 1 + 2 * list(self.colours.values()).count(c)
        return row

    def _vertex_feature(self, c: Any) -> int:
        return 2 * len(self.pattern_edges) + self.pattern_vertices.index(c)

    # --- the examples -----------------------------------------------------------------------

    def _primary_row(self, k: int, i: int, vertex: Any, label: str) -> Row:
        row = self._irrelevant()
        row[2 * k : 2 * k + 2] = self._edge_pair(i) + (label == BLUE)
        row[self._vertex_feature(self.colours[vertex])] = self._vertex_pairs[vertex] + (
            label == BLUE
        )
        return row

    def _primary(self) -> Iterator[tuple[str, Row, str]]:
        for k, edges in enumerate(self.choices):
            for i, edge in enumerate(edges):
                for vertex in edge:
                    for label in (RED, BLUE):
                        name = f"{label} of {vertex} in edge {edge[0]}-{edge[1]}"
                        yield name, self._primary_row(k, i, vertex, label), label

    def _dummies(self) -> Iterator[tuple[str, Row, str]]:
        """List the examples of every dummy tuple: between edge pairs i and i + 1 of subspace k."""
        for k, edges in enumerate(self.choices):
            for i in range(len(edges) - 1):
                start = self._edge_pair(i) + 2
                for b in range(1, self.even_edges + 2):
                    for side in ("left", "right"):
                        for step in (0, 1):
                            # Positions of a tuple are red, red, blue, blue, red, ...
                            row = self._irrelevant(right=side == "right")
                            row[2 * k : 2 * k + 2] = start + 2 * b - 1 + step
                            label = BLUE if (b - 1 + step) % 2 else RED
                            yield f"dummy {side} {b} of tuple {k}.{i}", row, label
                outer = self._primary_row(k, i, edges[i][0], BLUE)
                outer[2 * k : 2 * k + 2] = start
                yield f"first dummy of tuple {k}.{i}", outer, RED
                outer = self._primary_row(k, i + 1, edges[i + 1][0], RED)
                outer[2 * k : 2 * k + 2] = start + self._tuple_length - 1
                yield f"last dummy of tuple {k}.{i}", outer, BLUE

    def _vertex_dummies(self) -> Iterator[tuple[str, Row, str]]:
        for c in self.pattern_vertices:
            row = self._irrelevant()
            yield f"right dummy of vertex {c}", row.copy(), BLUE
            row[self._vertex_feature(c)] = 0
            yield f"left dummy of vertex {c}", row, RED

    # --- the tree of a solution -------------------------------------------------------------

    def _chosen_edges(self, placed: Mapping[Any, Any]) -> list[int]:
        """Return the index of the edge of G for each edge of H, among its choices."""
        for c in self.pattern_vertices:
            if c not in placed:
                raise ValueError(f"placed has no vertex of graph for {c!r}.")
            if self.colours.get(placed[c], self) != c:
                raise ValueError(f"{placed[c]!r} is not a vertex of graph of the colour {c!r}.")
        chosen = []
        for (c, d), edges in zip(self.pattern_edges, self.choices, strict=True):
            ends = {placed[c], placed[d]}
            if not any(set(edge) == ends for edge in edges):
                raise ValueError(
                    f"graph does not join {placed[c]!r} and {placed[d]!r}, as pattern joins "
                    f"{c!r} and {d!r}."
                )
            chosen.append(next(i for i, edge in enumerate(edges) if set(edge) == ends))
        return chosen

    def _separating_all_but(self, instance: Instance, k: int, i: int) -> Iterator[Cut]:
        """List the nodes that cut subspace k at all changes of labels, except inside pair i.

        Irrelevant examples are below all others on x and above them on y. So nodes on x cut off the
        examples above the pair, from the top, and nodes on y the examples below it.
        """
        position, height = instance.X[:, 2 * k], instance.X[:, 2 * k + 1]
        labels = {p: instance.y[row] for row, p in enumerate(position.tolist()) if p == height[row]}
        steps = list(pairwise(sorted(labels)))
        red = self._edge_pair(i)
        for low, high in reversed(steps):
            if low > red and labels[low] != labels[high]:
                yield 2 * k, low, high, False
        for low, high in steps:
            if high <= red and labels[low] != labels[high]:
                yield 2 * k + 1, low, high, True

    # --- the answer -------------------------------------------------------------------------

    def _unseparated(self, instance: Instance, tree: Tree, k: int) -> Iterator[Edge]:
        """List the edges of G whose pairs the tree leaves unseparated in edge selection k."""
        for i, edge in enumerate(self.choices[k]):
            tested = {
                separating_feature(
                    tree,
                    self._primary_row(k, i, vertex, RED),
                    self._primary_row(k, i, vertex, BLUE),
                )
                for vertex in edge
            }
            if not tested & {2 * k, 2 * k + 1}:
                yield edge


def nodes_of_chain(cuts: Sequence[Cut]) -> list[tuple[int, float, float, int, int]]:
    """Return the nodes, in the format of `grow`, of a tree in which every node has a leaf.

    Parameters
    ----------
    cuts : sequence of (feature, low, high, leaf_left)
        The nodes from the root on; `leaf_left` says whether the left child is the leaf.
    """
    leaf = (-1, 0.0, 0.0, -1, -1)
    before: list[tuple[int, float, float, int, int]] = []
    after: list[tuple[int, float, float, int, int]] = []
    for number, (feature, low, high, leaf_left) in enumerate(cuts, 1):
        index, below = len(before), 2 * (len(cuts) - number) + 1
        before.append((feature, low, high, index + 1, index + (2 if leaf_left else 1 + below)))
        (before if leaf_left else after).append(leaf)
    return [*before, leaf, *after]


def separating_feature(tree: Tree, first: Row, second: Row) -> int:
    """Return the feature of the node that separates two examples.

    Parameters
    ----------
    tree : Tree
        A tree that predicts different labels for them.
    first, second : ndarray of float64, shape (d,)
        The examples.
    """
    node = 0
    while True:
        goes_left, other_goes_left = tree.goes_left(node, np.stack([first, second]))
        if goes_left != other_goes_left:
            return int(tree.feature[node])
        node = int((tree.children_left if goes_left else tree.children_right)[node])
