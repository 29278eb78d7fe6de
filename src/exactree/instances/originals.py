"""Reading the input of the original problems: collections of sets, and networkx graphs."""

from collections.abc import Collection, Hashable, Iterable
from typing import TYPE_CHECKING, Any

from exactree.data.parameters import shown

if TYPE_CHECKING:
    import networkx

__all__ = ["Edge", "in_order", "names_of", "read_graph", "read_sets"]

Edge = tuple[Hashable, Hashable]


def in_order(things: Iterable[Hashable]) -> tuple[Any, ...]:
    """Return distinct things in a deterministic order.

    Parameters
    ----------
    things : iterable of hashable
        Sorted if they can be compared, else by their representation.
    """
    different: list[Any] = list(dict.fromkeys(things))
    try:
        return tuple(sorted(different))
    except TypeError:
        return tuple(sorted(different, key=repr))


def names_of(word: str, things: Iterable[Any]) -> list[str]:
    """Return distinct names for distinct things.

    Parameters
    ----------
    word : str
        The common noun of the names.
    things : iterable
        The things.
    """
    things = list(things)
    short = [str(thing) for thing in things]
    if len(set(short)) < len(short):  # for instance 1 and "1"
        short = [repr(thing) for thing in things]
    return [f"{word} {name}" for name in short]


def read_sets(
    sets: Iterable[Collection[Hashable]], universe: Iterable[Hashable] | None
) -> tuple[tuple[frozenset[Any], ...], tuple[Any, ...]]:
    """Check a collection of sets, and return it with its universe.

    Parameters
    ----------
    sets : iterable of collections
        The sets, in the user's order.
    universe : iterable, optional
        All elements; by default the elements of the sets, in order.
    """
    read: list[frozenset[Any]] = []
    for number, members in enumerate(sets):
        if isinstance(members, str | bytes) or not isinstance(members, Iterable):
            raise ValueError(
                f"set {number} must be a collection of elements, got {shown(members)}."
            )
        try:
            read.append(frozenset(members))
        except TypeError as error:
            raise TypeError(
                f"sets, set {number}: every element must be hashable: {error}."
            ) from None
    if not read:
        raise ValueError("there are no sets; give at least one.")
    inside = frozenset[Any]().union(*read)
    elements = in_order(inside) if universe is None else tuple(dict.fromkeys(universe))
    for number, chosen in enumerate(read):
        for element in in_order(chosen - set(elements)):
            raise ValueError(f"set {number} has {element!r}, which is not in the universe.")
    if not elements:
        raise ValueError("the universe is empty; give at least one element.")
    return tuple(read), elements


def read_graph(name: str, graph: "networkx.Graph") -> tuple[tuple[Any, ...], tuple[Edge, ...]]:
    """Check an undirected graph, and return its vertices and edges in order.

    Parameters
    ----------
    name : str
        The name of the parameter.
    graph : networkx.Graph
        Undirected, without loops.
    """
    if not (hasattr(graph, "nodes") and hasattr(graph, "edges") and hasattr(graph, "is_directed")):
        raise TypeError(f"{name} must be a networkx.Graph, got {type(graph).__name__}.")
    if graph.is_directed():
        raise ValueError(f"{name} must be undirected; graph.to_undirected() makes it so.")
    vertices = in_order(graph.nodes)
    if not vertices:
        raise ValueError(f"{name} has no vertices; give at least one.")
    index_of = {vertex: number for number, vertex in enumerate(vertices)}
    edges = {
        (min(index_of[u], index_of[v]), max(index_of[u], index_of[v])) for u, v in graph.edges()
    }
    for u, v in sorted(edges):
        if u == v:
            raise ValueError(f"{name} has a loop at {vertices[u]!r}; loops are not allowed.")
    return vertices, tuple((vertices[u], vertices[v]) for u, v in sorted(edges))
