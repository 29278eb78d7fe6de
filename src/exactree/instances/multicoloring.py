"""Reduction from Multicoloring to Set Multicover, and so to ensembles.

Source      Komusiewicz et al. (001), Proposition 5.4.
Symbols     a = colours, b = demand.
Idea        The vertices of one colour are independent. So the sets are the maximal independent
            sets, the universe is the set of vertices, every demand is b, and exactly a sets are
            picked: the i-th set has the vertices that may have colour i.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from exactree.data.parameters import shown
from exactree.instances.originals import Edge, read_graph
from exactree.instances.set_multicover import SetMulticover, refuse_large_picks
from exactree.problem.parameters import whole_number

if TYPE_CHECKING:
    import networkx

    from exactree.trees.ensemble import Ensemble

__all__ = ["Multicoloring"]


@dataclass(frozen=True, init=False)
class Multicoloring:
    """Assign several colours to every vertex such that neighbours have no common colour.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected, with at least one vertex and without loops.
    colours : int
        The number of colours.
    demand : int
        The number of colours of each vertex.

    Raises
    ------
    ValueError
        If the demand is greater than the number of colours.
    """

    vertices: tuple[Any, ...]
    edges: tuple[Edge, ...]
    colours: int
    demand: int
    cover: SetMulticover = field(compare=False)

    def __init__(self, graph: "networkx.Graph", colours: int, demand: int = 1) -> None:
        vertices, edges = read_graph("graph", graph)
        colours = whole_number("colours", colours, 1, "an integer >= 1")
        demand = whole_number("demand", demand, 1, "an integer >= 1")
        if demand > colours:
            raise ValueError(
                f"demand={shown(demand)} is more than colours={shown(colours)}, so no vertex can "
                "get enough: the answer is no."
            )
        attributes = {"vertices": vertices, "edges": edges, "colours": colours, "demand": demand}
        sets = independent_sets(vertices, edges)
        refuse_large_picks("colours", colours, len(sets), len(vertices))
        attributes["cover"] = SetMulticover(sets, picks=colours, demand=demand, universe=vertices)
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def apply(self) -> SetMulticover:
        """Return the Set Multicover problem of the maximal independent sets."""
        return self.cover

    def lift(self, picked: "tuple[int, ...] | Ensemble | None") -> dict[Any, frozenset[int]] | None:
        """Return the colours (numbers from 0) of every vertex, or None if the answer is no.

        Parameters
        ----------
        picked : tuple of int, Ensemble or None
            The indices of the picked sets from `SetMulticover.lift`, or an ensemble to lift.
        """
        numbers = picked if picked is None or isinstance(picked, tuple) else self.cover.lift(picked)
        if numbers is None:
            return None
        if len(numbers) != self.colours:
            raise ValueError(f"{self.colours} sets must be picked, got {len(numbers)}.")
        found: dict[Any, frozenset[int]] = {}
        for vertex in self.vertices:
            allowed = [c for c, n in enumerate(numbers) if vertex in self.cover.sets[n]]
            if len(allowed) < self.demand:
                raise ValueError(f"the picked sets contain {vertex!r} only {len(allowed)} times.")
            found[vertex] = frozenset(allowed[: self.demand])
        return found


def independent_sets(vertices: tuple[Any, ...], edges: tuple[Edge, ...]) -> list[frozenset[Any]]:
    """Return all maximal independent sets of a graph, in a deterministic order.

    Parameters
    ----------
    vertices, edges : tuple
        The graph.
    """
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(vertices)
    graph.add_edges_from(edges)
    index_of = {vertex: number for number, vertex in enumerate(vertices)}
    found = networkx.find_cliques(networkx.complement(graph))
    return sorted(map(frozenset, found), key=lambda members: sorted(index_of[v] for v in members))
