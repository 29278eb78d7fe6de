"""Checks of the colours of a graph for Partitioned Subgraph Isomorphism."""

from collections.abc import Mapping
from typing import Any

from exactree.instances.originals import Edge

__all__ = ["check_colours", "edges_between"]


def check_colours(
    vertices: tuple[Any, ...],
    edges: tuple[Edge, ...],
    allowed: tuple[Any, ...],
    colours: Mapping[Any, Any],
) -> None:
    """Raise ValueError unless all vertices have allowed colours, different for neighbours.

    Parameters
    ----------
    vertices, edges : tuple
        The graph.
    allowed : tuple
        The available colours.
    colours : mapping
        The colour of each vertex.
    """
    for v in vertices:
        if v not in colours:
            raise ValueError(f"vertex {v!r} of graph has no colour; give it a colour.")
        if colours[v] not in allowed:
            raise ValueError(
                f"vertex {v!r} of graph has the colour {colours[v]!r}, not a vertex of pattern."
            )
    for u, v in edges:
        if colours[u] == colours[v]:
            raise ValueError(f"the neighbours {u!r} and {v!r} of graph have the same colour.")


def edges_between(
    edges: tuple[Edge, ...], colours: Mapping[Any, Any], pair: Edge
) -> tuple[Edge, ...]:
    """Return the edges between two colours, at least one.

    Parameters
    ----------
    edges : tuple
        The edges of the graph.
    colours : mapping
        The colour of each vertex.
    pair : tuple
        The two colours, an edge of the pattern.
    """
    found = tuple(edge for edge in edges if {colours[v] for v in edge} == set(pair))
    if not found:
        raise ValueError(
            f"pattern joins {pair[0]!r} and {pair[1]!r}, but graph has no edge between these "
            "colours: the answer is no."
        )
    return found
