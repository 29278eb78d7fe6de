"""Boxes of a grid: the splits of every feature, and the examples between two corners.

Source      Kobourov, Löffler, Montecchiani, Pilipczuk, Rutter, Seidel, Sorge, Wulms: The Influence
            of Dimensions on the Complexity of Computing Decision Trees, AAAI 2023, section 3.
Theorem     The preliminaries of Theorem 3.1.
Time        O(D_max^(2d) · d) for listing the boxes, O(d·n) for the examples of a box.
Symbols     E the n examples, d features, D_max distinct values of a feature at most. S_i: the
            splits of feature i, one threshold between any two neighbouring values, and -∞ and ∞.
            box(u, v): the points above the splits u and up to the splits v in every feature.
            v_i(t): v with its entry i set to t. Volume: the number of grid points, that is, of
            choices of splits from u to v. (The source calls the split of a cut sigma or t, here t.)
The idea    Only the order of the values matters. So a split is given by the number of values below
            it, from 0 for -∞ to |D_i| for ∞, and an example by the ranks of its values.
Departures  1. A box contains the points on its upper split v_i, because a point with x[i] = t goes
               left.
"""

from collections.abc import Iterator
from itertools import combinations, product
from math import prod

import numpy as np

from exactree.problem import Problem

__all__ = ["Box", "Ranks", "boxes", "children", "examples_in", "grid", "ranks_of", "volume"]

# By feature: the ranks of an example's values, or a corner of a box.
Ranks = tuple[int, ...]
Box = tuple[Ranks, Ranks]


def grid(problem: Problem) -> list[range]:
    """Return S_1, ..., S_d, each split as the number of values of its feature below it.

    Parameters
    ----------
    problem : Problem
        The examples.
    """
    return [range(len(np.unique(column)) + 1) for column in problem.dataset.X.T]


def ranks_of(problem: Problem) -> list[Ranks]:
    """Return the examples, with each value replaced by its rank in its feature.

    Parameters
    ----------
    problem : Problem
        The examples.
    """
    columns = problem.dataset.X.T
    ranks = [np.searchsorted(np.unique(column), column).tolist() for column in columns]
    return list(zip(*ranks, strict=True))


def boxes(S: list[range]) -> Iterator[Box]:
    """List all boxes: every coordinate of u is smaller than that of v.

    Parameters
    ----------
    S : list of range
        The splits of every feature.
    """
    for intervals in product(*(list(combinations(ends, 2)) for ends in S)):
        yield tuple(low for low, _ in intervals), tuple(high for _, high in intervals)


def volume(box: Box) -> int:
    """Return the number of grid points in a box."""
    return prod(high - low + 1 for low, high in zip(*box, strict=True))


def examples_in(ranks: list[Ranks], box: Box) -> list[int]:
    """Return E ∩ box(u, v): the examples whose rank in each feature i is in u_i, ..., v_i - 1."""
    u, v = box
    return [
        example
        for example, row in enumerate(ranks)
        if all(low <= rank < high for low, rank, high in zip(u, row, v, strict=True))
    ]


def children(box: Box, i: int, t: int) -> tuple[Box, Box]:
    """Return box(u, v_i(t)) and box(u_i(t), v)."""
    u, v = box
    return (u, (*v[:i], t, *v[i + 1 :])), ((*u[:i], t, *u[i + 1 :]), v)
