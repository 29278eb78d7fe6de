"""Reduction from Hitting Set to trees of minimum size or depth.

Source      Ordyniak and Szeider (002), Theorem 2.
Table       One feature per element; a positive example of zeros; per set a negative example with
            ones at its elements.
Claim       Minimum size = minimum depth = minimum size of a hitting set. The table has
            delta_max = the size of the largest set, D_max = 2, and one example in the smaller class
            (the source's min_# = 1).
"""

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from exactree.instances.all_zero import against_zero, features_on_path_of_zero
from exactree.instances.instance import Instance
from exactree.instances.originals import names_of, read_sets
from exactree.trees import Tree

__all__ = ["HittingSet"]


@dataclass(frozen=True, init=False)
class HittingSet:
    """Find the fewest elements such that every set contains at least one of them.

    Parameters
    ----------
    sets : iterable of collections
        The sets to hit; none may be empty.
    universe : iterable, optional
        All elements; by default the elements of the sets.

    Raises
    ------
    ValueError
        If a set is empty, because nothing hits it.
    """

    sets: tuple[frozenset[Any], ...]
    universe: tuple[Any, ...]

    def __init__(
        self, sets: Iterable[Collection[Hashable]], universe: Iterable[Hashable] | None = None
    ) -> None:
        read, elements = read_sets(sets, universe)
        for number, members in enumerate(read):
            if not members:
                raise ValueError(f"set {number} is empty, so nothing hits it.")
        object.__setattr__(self, "sets", read)
        object.__setattr__(self, "universe", elements)

    def apply(self) -> Instance:
        """Return the table whose smallest tree gives a minimum hitting set."""
        index_of = {element: number for number, element in enumerate(self.universe)}
        sets = [
            (f"set {number}", {index_of[element] for element in members})
            for number, members in enumerate(self.sets)
        ]
        names = names_of("element", self.universe)
        return against_zero(names, sets, ("no set", "positive"), "negative")

    def lift(self, tree: Tree) -> frozenset[Any]:
        """Return a hitting set with at most as many elements as the depth of the tree.

        Parameters
        ----------
        tree : Tree
            A tree without errors; a tree of minimum size or depth gives a minimum hitting set.
        """
        chosen = features_on_path_of_zero(self.apply(), tree)
        return frozenset(self.universe[feature] for feature in chosen)
