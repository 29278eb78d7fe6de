"""The rules of a problem, each as the examples that define it and the subset it sends left."""

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Problem
from exactree.rules import Hypersurfaces, RuleFamily, families_of

if TYPE_CHECKING:
    from exactree.proper import ThroughExamples

__all__ = ["rules_of"]


def rules_of(problem: Problem) -> list["ThroughExamples"]:
    """Return the rules of a problem; of two rules with exchanged children only one.

    Parameters
    ----------
    problem : Problem
        The table and the rules.
    """
    families, X = families_of(problem.rules), problem.dataset.X
    return list(dict.fromkeys(rule for family in families for rule in _rules(family, X)))


def _rules(family: RuleFamily, X: NDArray[np.float64]) -> Iterator["ThroughExamples"]:
    from exactree.proper import ThroughExamples, gen_rules

    everything = frozenset(range(len(X)))
    if not isinstance(family, Hypersurfaces):
        for column in family.columns(X):
            values = column.values(X)
            for row in np.flatnonzero(values < values.max()).tolist():
                below = frozenset(np.flatnonzero(values <= values[row]).tolist())
                yield ThroughExamples((row,), below, everything - below)
        return
    features = family.features_of(X.shape[1])
    different, place = np.unique(X[:, features], axis=0, return_inverse=True)
    rows = [np.flatnonzero(place.ravel() == p).tolist() for p in range(len(different))]
    if len(different) > 1:
        for rule in gen_rules(different, family.degree):
            left = frozenset(row for p in rule.left for row in rows[p])
            for objects in _objects(rule.objects, rows):
                yield ThroughExamples(objects, left, everything - left)


def _objects(places: tuple[int, ...], rows: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """List the sets of objects of a surface, where equal rows can replace each other."""
    chosen = [places] if len(places) <= 2 else [(place,) for place in places]
    for some in chosen:
        yield from product(*(rows[place] for place in some))
