"""Rules made from examples: hyperplanes and surfaces through G of them, as in section 5.2.

Departures
  1. A surface through G examples stands for several rules: tilting it divides the examples on it.
     The paper has one rule for each surface, which does not yield all dichotomies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree.proper.objective import errors
from exactree.proper.odt import Best, odt
from exactree.proper.space import proper
from exactree.rules.dichotomies import dichotomies
from exactree.rules.hypersurfaces import Hypersurfaces, embedded
from exactree.rules.sides import ScaledExamples, sides


@dataclass(frozen=True)
class ThroughExamples:
    """A rule made from examples, which are given by their indices.

    Attributes
    ----------
    objects : tuple of int
        The examples on its surface that define it.
    left : frozenset of int
        All examples that it sends left.
    """

    objects: tuple[int, ...]
    left: frozenset[int]

    def side(self, thing: int) -> int:
        """Return 1 for an example that goes left, else -1.

        Parameters
        ----------
        thing : int
            The index of an example.
        """
        return 1 if thing in self.left else -1


def gen_rules(X: ArrayLike, degree: int = 1) -> list[ThroughExamples]:
    """Return the rules of surfaces through examples, one of each pair of opposites.

    Parameters
    ----------
    X : array, shape (n, d)
        Different examples.
    degree : int
        The degree of the surfaces; 1 for hyperplanes.

    Raises
    ------
    ValueError
        If X has a number that is not finite, or the degree is not an integer from 1 to 100.
    """
    try:
        table = np.asarray(X, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        table = np.full((1, 1), np.inf)  # refused in the next line
    if not np.isfinite(table).all():
        raise ValueError("X must have finite numbers within the range of float64.")
    examples, _ = embedded(table, Hypersurfaces(degree).monomials(table.shape[1]))
    features = examples.spanning_features()
    flat = examples.take(range(len(examples)), features)
    chosen = np.array(list(combinations(range(len(flat)), len(features))), dtype=np.int64)
    planes = sides(flat, chosen.reshape(-1, len(features)))
    found: dict[ThroughExamples, None] = {}
    for side, objects in zip(planes.side, planes.chosen.tolist(), strict=True):
        below = np.flatnonzero(side < 0).tolist()
        for contained in _divisions(flat, np.flatnonzero(side == 0).tolist()):
            rule = ThroughExamples(tuple(objects), frozenset([*below, *contained]))
            found[rule] = None
    return list(found)


def _divisions(flat: ScaledExamples, on: list[int]) -> Iterator[list[int]]:
    """List the sets of examples on a hyperplane that can go left."""
    # As many examples as features: tilting divides them in all ways.
    if len(on) == len(flat.powers):
        for pattern in product((True, False), repeat=len(on)):
            yield [example for example, left in zip(on, pattern, strict=True) if left]
    else:
        for left in dichotomies(flat.take(on, range(len(flat.powers)))).mirrored().left:
            yield [on[i] for i in np.flatnonzero(left).tolist()]


def odt_ml(
    X: ArrayLike, y: NDArray[np.int64], k: int, degree: int = 1
) -> Best[ThroughExamples, tuple[int, ...], int] | None:
    """Return the tree of k rules of `gen_rules` with the fewest errors, None if there is none.

    Parameters
    ----------
    X : array, shape (n, d)
        Different examples.
    y : ndarray of int64, shape (n,)
        Their classes.
    k : int
        The size of the tree.
    degree : int
        The degree of the surfaces; 1 for hyperplanes.
    """
    rules = gen_rules(X, degree)
    classes = np.asarray(y).tolist()
    objective = errors(classes.__getitem__)
    return odt(proper(rules), objective, k, rules, tuple(range(len(classes))))
