"""Examples in the notation of the sources 000 and 002: E, E[f <= t], D_E(f), uniform.

Source      000 (Kobourov et al., AAAI 2023) and 002 (Ordyniak & Szeider, AAAI 2021), preliminaries.
Theorem     None.
Time        Every function visits every example once; `domain` also sorts.
Symbols     E examples, e one of them, e(f) is `e.row[f]`; D_E(f) is `domain(E, f)`; E[f <= t] and
            E[f > t] are the two results of `divide(E, f, t)`.
The idea    A subset is a tuple of examples, so that the algorithms read as in the sources.
Departures  1. A threshold below all values of a feature is `BELOW`, minus infinity; the sources
               subtract one from the smallest value, which may not change a large float.
"""

from math import inf
from typing import NamedTuple

from exactree.problem import Problem
from exactree.rules import AxisRule
from exactree.spec.table import SpecNode, SpecTree, rows

__all__ = [
    "BELOW",
    "Example",
    "Examples",
    "as_examples",
    "divide",
    "domain",
    "node",
    "uniform",
    "values",
]

BELOW = -inf


class Example(NamedTuple):
    """A row and the index of its class."""

    row: tuple[float, ...]
    label: int


Examples = tuple[Example, ...]


def as_examples(problem: Problem) -> Examples:
    """Return the examples of a problem."""
    labels = problem.dataset.labels.tolist()
    return tuple(Example(row, label) for row, label in zip(rows(problem), labels, strict=True))


def uniform(E: Examples) -> bool:
    """Return whether no two examples have different labels."""
    return len({e.label for e in E}) <= 1


def domain(E: Examples, f: int) -> list[float]:
    """Return the values of a feature in ascending order, D_E(f)."""
    return sorted({e.row[f] for e in E})


def values(e: Example, S: frozenset[int]) -> tuple[float, ...]:
    """Return the values of an example on a set of features."""
    return tuple(e.row[f] for f in sorted(S))


def divide(E: Examples, f: int, t: float) -> tuple[Examples, Examples]:
    """Return E[f <= t] and E[f > t]."""
    return tuple(e for e in E if e.row[f] <= t), tuple(e for e in E if e.row[f] > t)


def node(E: Examples, f: int, t: float, left: SpecTree, right: SpecTree) -> SpecNode:
    """Return the node that splits E by f <= t; both children have examples."""
    low = max(value for value in domain(E, f) if value <= t)
    high = min(value for value in domain(E, f) if value > t)
    return SpecNode(AxisRule(f, low, high), left, right)
