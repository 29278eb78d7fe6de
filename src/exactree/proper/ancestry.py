"""The ancestry matrix of a list of rules: which rules can be below which, on which side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

R = TypeVar("R")


@dataclass(frozen=True)
class Ancestry(Generic[R]):
    """The matrix K of Definition 3.3, two bits for each entry.

    Attributes
    ----------
    rules : tuple
        Different rules; the i-th has the row and the column i.
    on_left, on_right : tuple of int
        Bit j of entry i: the j-th rule can be on this side of the i-th, never on both (axiom 4).
    """

    rules: tuple[R, ...]
    on_left: tuple[int, ...]
    on_right: tuple[int, ...]

    @cached_property
    def index(self) -> dict[R, int]:
        """The index of every rule."""
        return {rule: i for i, rule in enumerate(self.rules)}

    def __getitem__(self, pair: tuple[R, R]) -> int:
        i, j = self.index[pair[0]], self.index[pair[1]]
        return (self.on_left[i] >> j & 1) - (self.on_right[i] >> j & 1)

    def matrix(self) -> NDArray[np.int8]:
        """Return the matrix with its entries 1, -1 and 0."""
        rows = [[self[above, below] for below in self.rules] for above in self.rules]
        return np.array(rows, dtype=np.int8).reshape(len(rows), len(rows))


def ancestry(rules: Sequence[R], relation: Callable[[R, R], int]) -> Ancestry[R]:
    """Return the ancestry matrix of a list of rules.

    Parameters
    ----------
    rules : sequence
        Different rules.
    relation : callable
        Returns 1 or -1 if its second rule can be on that side of the first, else 0.

    Raises
    ------
    ValueError
        If two rules are equal.
    """
    if len(set(rules)) < len(rules):
        twice = next(rule for i, rule in enumerate(rules) if rule in rules[:i])
        raise ValueError(f"the rule {twice!r} is listed twice.")
    on_left, on_right = [0] * len(rules), [0] * len(rules)
    for i, above in enumerate(rules):
        for j, below in enumerate(rules):
            if i != j and (side := relation(above, below)):
                (on_left if side > 0 else on_right)[i] |= 1 << j
    return Ancestry(tuple(rules), tuple(on_left), tuple(on_right))
