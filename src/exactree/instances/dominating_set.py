"""Reduction from Dominating Set to trees of minimum size or depth.

Source      Komusiewicz et al. (001), Theorem 4.4, first part.
Table       One feature per vertex; a red example of zeros; per vertex a blue example with ones at
            the vertex and its neighbours.
Claim       Minimum size = minimum depth = the domination number.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exactree.instances.all_zero import against_zero, features_on_path_of_zero
from exactree.instances.instance import Instance
from exactree.instances.originals import Edge, names_of, read_graph
from exactree.trees import Tree

if TYPE_CHECKING:
    import networkx

__all__ = ["DominatingSet"]


@dataclass(frozen=True, init=False)
class DominatingSet:
    """Find the fewest vertices such that every other vertex is a neighbour of one of them.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected, with at least one vertex and without loops.
    """

    vertices: tuple[Any, ...]
    edges: tuple[Edge, ...]

    def __init__(self, graph: "networkx.Graph") -> None:
        vertices, edges = read_graph("graph", graph)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "edges", edges)

    def apply(self) -> Instance:
        """Return the table whose smallest tree gives a minimum dominating set."""
        index_of = {vertex: number for number, vertex in enumerate(self.vertices)}
        neighbourhoods = [{number} for number in range(len(self.vertices))]
        for u, v in self.edges:
            neighbourhoods[index_of[u]].add(index_of[v])
            neighbourhoods[index_of[v]].add(index_of[u])
        names = names_of("vertex", self.vertices)
        return against_zero(
            names, zip(names, neighbourhoods, strict=True), ("no vertex", "red"), "blue"
        )

    def lift(self, tree: Tree) -> frozenset[Any]:
        """Return a dominating set with at most as many vertices as the depth of the tree.

        Parameters
        ----------
        tree : Tree
            A tree without errors; a tree of minimum size or depth gives a minimum dominating set.
        """
        chosen = features_on_path_of_zero(self.apply(), tree)
        return frozenset(self.vertices[feature] for feature in chosen)
