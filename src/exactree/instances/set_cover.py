"""Reduction from Set Cover to trees of minimum size or depth.

Source      Komusiewicz et al. (001), Theorem 4.4, second part.
Table       One feature per set; a red example of zeros; per element a blue example with ones at
            the sets that contain it.
Claim       Minimum size = minimum depth = minimum number of sets that cover the universe.
"""

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from exactree.instances.all_zero import against_zero, features_on_path_of_zero
from exactree.instances.instance import Instance
from exactree.instances.originals import names_of, read_sets
from exactree.trees import Tree

__all__ = ["SetCover"]


@dataclass(frozen=True, init=False)
class SetCover:
    """Find the fewest sets whose union is the universe.

    Parameters
    ----------
    sets : iterable of collections
        The sets to choose from.
    universe : iterable, optional
        All elements; by default the elements of the sets.

    Raises
    ------
    ValueError
        If an element is in no set, because nothing covers it.
    """

    sets: tuple[frozenset[Any], ...]
    universe: tuple[Any, ...]

    def __init__(
        self, sets: Iterable[Collection[Hashable]], universe: Iterable[Hashable] | None = None
    ) -> None:
        read, elements = read_sets(sets, universe)
        for element in elements:
            if not any(element in members for members in read):
                raise ValueError(
                    f"{element!r} is in no set, so nothing covers it: the answer is no."
                )
        object.__setattr__(self, "sets", read)
        object.__setattr__(self, "universe", elements)

    def apply(self) -> Instance:
        """Return the table whose smallest tree gives a minimum cover."""
        containing = [
            {number for number, members in enumerate(self.sets) if element in members}
            for element in self.universe
        ]
        examples = zip(names_of("element", self.universe), containing, strict=True)
        names = [f"set {number}" for number in range(len(self.sets))]
        return against_zero(names, examples, ("no element", "red"), "blue")

    def lift(self, tree: Tree) -> tuple[int, ...]:
        """Return the indices of sets that cover the universe, at most as many as the tree's depth.

        Parameters
        ----------
        tree : Tree
            A tree without errors; a tree of minimum size or depth gives a minimum cover.
        """
        return tuple(features_on_path_of_zero(self.apply(), tree))
