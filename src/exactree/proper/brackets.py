"""Best brackets for a list of things, and best search trees: rules that keep their order.

Departures
  1. The rule of a node is the place between two neighbours where it divides the list. The text
     leaves nodes without rules (section 6.3). The places are in order, so one programme serves
     matrix chains, search trees and everything else that is bracketed.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import index
from typing import Any, TypeVar

from exactree.data.features import is_number, shown
from exactree.proper.not_proper import splits_catalan
from exactree.proper.objective import TreeObjective
from exactree.proper.odt import Best, Memory, sodt
from exactree.proper.space import Space

C = TypeVar("C")
X = TypeVar("X")

# The things from the first number on, before the second.
Interval = tuple[int, int]

_GREATEST = sys.float_info.max

# Of that many things there are ten million joins, which take about a minute.
MAX_THINGS = 400


def best_brackets(
    things: Sequence[X],
    leaf: Callable[[X], C],
    join: Callable[[C, C], C],
    value: Callable[[C], Any],
) -> Best[int, Interval, C]:
    """Return the best way to put brackets around a list of things, two at a time.

    Parameters
    ----------
    things : sequence
        At least one.
    leaf : callable
        Returns the cost of one thing.
    join : callable
        Returns the cost of two neighbours in brackets, from the costs of both.
    value : callable
        Returns the number by which costs of the same things are compared.

    Raises
    ------
    ValueError
        If there are no things, or more than 400.
    """
    if not things:
        raise ValueError("there is nothing to put in brackets.")
    _refuse_many(len(things), "things to put in brackets")
    objective: TreeObjective[int, Interval, C] = TreeObjective(
        lambda interval: leaf(things[interval[0]]),
        lambda left, _, right: join(left, right),
        value,
    )
    whole = (0, len(things))
    best = sodt(
        Space(splits_catalan, between), objective, tuple(range(1, len(things))), whole, Memory()
    )
    assert best is not None, "a list with a thing in it has a bracketing"
    return best


def _refuse_many(n: int, what: str) -> None:
    """Refuse more than can be joined in minutes, as each interval is joined at each place."""
    if n > MAX_THINGS:
        raise ValueError(
            f"{n:,} {what} make {n * (n * n - 1) // 6:,} joins of intervals; at most "
            f"{MAX_THINGS} are taken."
        )


def between(place: int, interval: Interval) -> tuple[Interval, Interval]:
    """Return what of an interval lies before a place, and what after it.

    Parameters
    ----------
    place : int
        The number of things before it.
    interval : tuple of int
        The first thing, and the one after the last.
    """
    first, end = interval
    return (first, min(end, place)), (max(first, place), end)


@dataclass(frozen=True)
class Product:
    """The product of some matrices.

    Attributes
    ----------
    cost : int
        How many numbers are multiplied to compute it.
    rows, columns : int
        Its size.
    """

    cost: int
    rows: int
    columns: int


def matrix_chain(sizes: Sequence[int]) -> Best[int, Interval, Product]:
    """Return the cheapest way to multiply matrices one after the other.

    Parameters
    ----------
    sizes : sequence of int
        At least two; the i-th matrix has sizes[i] rows and sizes[i + 1] columns.

    Raises
    ------
    ValueError, TypeError
        If a size is no whole number of at least 1, or there are fewer than two, or more than 401.
    """
    if len(sizes) < 2:
        raise ValueError(f"sizes must hold at least two numbers, found {len(sizes)}.")
    for place, number in enumerate(sizes):
        try:
            whole = index(number)
        except TypeError:
            raise TypeError(
                f"sizes[{place}] must be a whole number, got {shown(number)}."
            ) from None
        if whole < 1:
            raise ValueError(f"sizes[{place}] must be at least 1, got {shown(number)}.")

    def join(left: Product, right: Product) -> Product:
        step = left.rows * left.columns * right.columns
        return Product(left.cost + right.cost + step, left.rows, right.columns)

    matrices = list(pairwise(map(index, sizes)))
    return best_brackets(matrices, lambda m: Product(0, *m), join, lambda p: p.cost)


@dataclass(frozen=True)
class Searched:
    """Part of a search tree.

    Attributes
    ----------
    cost : int or float
        How many keys are looked at there, weighted by how often.
    weight : int or float
        How often a search comes there.
    """

    cost: float
    weight: float


def search_tree(found: Sequence[float], missed: Sequence[float]) -> Best[int, Interval, Searched]:
    """Return the search tree that looks at the fewest keys on average.

    Parameters
    ----------
    found : sequence of number
        How often each key is searched for, in the order of the keys.
    missed : sequence of number
        How often something before the first key is searched for, between two neighbours, and
        after the last key; one more than keys.

    Raises
    ------
    ValueError
        If the lengths do not fit, a number is negative or not finite, or there are more than 400
        keys.
    """
    if len(missed) != len(found) + 1:
        raise ValueError(
            f"{len(found)} keys have {len(found) + 1} places around them, got {len(missed)}."
        )

    for name, numbers in (("found", found), ("missed", missed)):
        for place, number in enumerate(numbers):
            if not (is_number(number) and 0 <= number <= _GREATEST):
                raise ValueError(
                    f"{name}[{place}] must be a finite number of at least 0, got {shown(number)}."
                )
    _refuse_many(len(found), "keys")

    def join(left: Searched, key: int, right: Searched) -> Searched:
        weight = left.weight + found[key] + right.weight
        return Searched(left.cost + right.cost + weight, weight)

    def around(key: int, interval: Interval) -> tuple[Interval, Interval]:
        first, end = interval
        return (first, min(end, key)), (max(first, key + 1), end)

    objective: TreeObjective[int, Interval, Searched] = TreeObjective(
        lambda interval: Searched(0, missed[interval[0]]), join, lambda part: part.cost
    )
    keys = tuple(range(len(found)))
    best = sodt(Space(splits_catalan, around), objective, keys, (0, len(keys)), Memory())
    assert best is not None, "keys in order have a search tree"
    return best
