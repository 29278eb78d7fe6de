"""Optimal bracketing of a list, and optimal search trees: rules that keep their order.

Departures
  1. The rule of a node is the position where it splits the list. The paper leaves nodes without
     rules (section 6.3). The positions are ordered, so the same programme solves matrix chains,
     search trees and all other bracketing problems.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import index
from typing import Any, TypeVar

from exactree.data.parameters import is_number, shown
from exactree.proper.not_proper import splits_catalan
from exactree.proper.objective import TreeObjective
from exactree.proper.odt import Best, Memory, sodt
from exactree.proper.space import Space

C = TypeVar("C")
X = TypeVar("X")

# The index of the first element, and that after the last.
Interval = tuple[int, int]

_GREATEST = sys.float_info.max

# This number of elements has ten million joins, which take about a minute.
MAX_ELEMENTS = 400


def best_brackets(
    things: Sequence[X],
    leaf: Callable[[X], C],
    join: Callable[[C, C], C],
    value: Callable[[C], Any],
) -> Best[int, Interval, C]:
    """Return an optimal bracketing of a list in pairs.

    Parameters
    ----------
    things : sequence
        The elements, at least one.
    leaf : callable
        Returns the cost of an element.
    join : callable
        Returns the cost of a pair in brackets from the costs of both.
    value : callable
        Returns the number by which costs of the same elements are compared.

    Raises
    ------
    ValueError
        If there are no elements, or more than 400.
    """
    if not things:
        raise ValueError("a list to bracket needs at least one element.")
    _refuse_many(len(things), "elements to bracket", positions=len(things) - 1)
    objective: TreeObjective[int, Interval, C] = TreeObjective(
        lambda interval: leaf(things[interval[0]]),
        lambda left, _, right: join(left, right),
        value,
    )
    complete = (0, len(things))
    best = sodt(
        Space(splits_catalan, between), objective, tuple(range(1, len(things))), complete, Memory()
    )
    assert best is not None, "a non-empty list has a bracketing"
    return best


def _refuse_many(n: int, elements: str, positions: int) -> None:
    """Refuse lists with too many joins, one for each interval and position in it."""
    if n > MAX_ELEMENTS:
        joins = positions * (positions + 1) * (positions + 2) // 6
        raise ValueError(
            f"{n:,} {elements} have {joins:,} joins of intervals; at most {MAX_ELEMENTS} are "
            "allowed."
        )


def between(position: int, interval: Interval) -> tuple[Interval, Interval]:
    """Return the parts of an interval before and after a position.

    Parameters
    ----------
    position : int
        The number of elements of the whole list before it.
    interval : tuple of int
        The index of the first element, and that after the last.
    """
    first, end = interval
    return (first, min(end, position)), (max(first, position), end)


@dataclass(frozen=True)
class Product:
    """A product of matrices.

    Attributes
    ----------
    cost : int
        Number of multiplications of numbers.
    rows, columns : int
        The size of the resulting matrix.
    """

    cost: int
    rows: int
    columns: int


def matrix_chain(sizes: Sequence[int]) -> Best[int, Interval, Product]:
    """Return the cheapest order of a product of matrices.

    Parameters
    ----------
    sizes : sequence of int
        At least two; the i-th matrix has sizes[i] rows and sizes[i + 1] columns.

    Raises
    ------
    ValueError, TypeError
        If a size is not an integer >= 1, or there are fewer than two or more than 401 sizes.
    """
    if len(sizes) < 2:
        raise ValueError(f"sizes must have at least two numbers, found {len(sizes)}.")
    for place, number in enumerate(sizes):
        try:
            integer = index(number)
        except TypeError:
            raise TypeError(f"sizes[{place}] must be an integer, got {shown(number)}.") from None
        if integer < 1:
            raise ValueError(f"sizes[{place}] must be at least 1, got {shown(number)}.")

    def join(left: Product, right: Product) -> Product:
        step = left.rows * left.columns * right.columns
        return Product(left.cost + right.cost + step, left.rows, right.columns)

    matrices = list(pairwise(map(index, sizes)))
    return best_brackets(matrices, lambda m: Product(0, *m), join, lambda p: p.cost)


@dataclass(frozen=True)
class SearchCost:
    """The cost of a subtree of a search tree.

    Attributes
    ----------
    cost : int or float
        Number of key comparisons in it, weighted by frequency.
    weight : int or float
        Frequency of searches in it.
    """

    cost: float
    weight: float


def search_tree(found: Sequence[float], missed: Sequence[float]) -> Best[int, Interval, SearchCost]:
    """Return the search tree with the fewest key comparisons on average.

    Parameters
    ----------
    found : sequence of number
        Frequency of searches for each key, in the order of the keys.
    missed : sequence of number
        Frequency of unsuccessful searches before the first key, between neighbouring keys, and
        after the last key.

    Raises
    ------
    ValueError
        If the lengths do not fit, a number is negative or not finite, or there are more than 400
        keys.
    """
    if len(missed) != len(found) + 1:
        raise ValueError(
            f"missed must have {len(found) + 1} numbers for {len(found)} keys, got {len(missed)}."
        )

    for name, numbers in (("found", found), ("missed", missed)):
        for place, number in enumerate(numbers):
            if not (is_number(number) and 0 <= number <= _GREATEST):
                raise ValueError(
                    f"{name}[{place}] must be a finite number of at least 0, got {shown(number)}."
                )
    _refuse_many(len(found), "keys", positions=len(found))

    def join(left: SearchCost, key: int, right: SearchCost) -> SearchCost:
        weight = left.weight + found[key] + right.weight
        return SearchCost(left.cost + right.cost + weight, weight)

    def around(key: int, interval: Interval) -> tuple[Interval, Interval]:
        first, end = interval
        return (first, min(end, key)), (max(first, key + 1), end)

    objective: TreeObjective[int, Interval, SearchCost] = TreeObjective(
        lambda interval: SearchCost(0, missed[interval[0]]), join, lambda subtree: subtree.cost
    )
    keys = tuple(range(len(found)))
    best = sodt(Space(splits_catalan, around), objective, keys, (0, len(keys)), Memory())
    assert best is not None, "keys in order have a search tree"
    return best
