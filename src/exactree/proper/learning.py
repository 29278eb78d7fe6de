"""Rules made from examples: hyperplanes and surfaces through G of them, as in section 5.2.

Departures
  1. A surface through G examples stands for several rules: tilting it divides the examples on it.
     The paper has one rule for each surface, which does not yield all dichotomies.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exactree.data.parameters import shown
from exactree.proper.objective import errors
from exactree.proper.odt import Best, odt
from exactree.proper.space import proper
from exactree.rules.dichotomies import dichotomies
from exactree.rules.hypersurfaces import Hypersurfaces, embedded
from exactree.rules.sides import ScaledExamples, sides


@dataclass(frozen=True)
class ThroughExamples:
    """A rule made from examples of a table, which are given by their indices.

    The data of trees of such rules are indices of rows, as in `tuple(range(len(X)))`, and not
    points.

    Attributes
    ----------
    objects : tuple of int
        The examples on its surface that define it.
    left : frozenset of int
        All examples of the table that it sends left.
    right : frozenset of int
        All other examples of the table.
    """

    objects: tuple[int, ...]
    left: frozenset[int]
    right: frozenset[int] = field(repr=False)

    def side(self, thing: int) -> int:
        """Return 1 for an example that goes left, -1 for one that goes right.

        Parameters
        ----------
        thing : int
            The index of an example of the table.

        Raises
        ------
        ValueError
            If it is not the index of an example, for instance the example itself.
        """
        try:
            if thing in self.left:
                return 1
            if thing in self.right:
                return -1
        except TypeError:  # not hashable, as an array
            pass
        n = len(self.left) + len(self.right)
        raise ValueError(
            f"{shown(thing)} is not the index of a row, from 0 to {n - 1}: rules of gen_rules(X) "
            "need the row indices tuple(range(len(X))) as data, not points."
        )


def gen_rules(X: ArrayLike, degree: int = 1) -> list[ThroughExamples]:
    """Return the rules of surfaces through examples, one of each pair of opposites.

    The rules know the examples by their indices in X. So the data of `odt`, `sodt` and `gen_dts`
    with these rules are `tuple(range(len(X)))`; with points as data `side` raises ValueError.
    `odt_ml` is the whole call for the fewest errors.

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
    everything = frozenset(range(len(flat)))
    for side, objects in zip(planes.side, planes.chosen.tolist(), strict=True):
        below = np.flatnonzero(side < 0).tolist()
        for contained in _divisions(flat, np.flatnonzero(side == 0).tolist()):
            left = frozenset([*below, *contained])
            rule = ThroughExamples(tuple(objects), left, everything - left)
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

    The leaves of the tree hold row indices.

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

    Examples
    --------
    >>> from exactree.proper import odt_ml
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> [odt_ml(X, y, k).cost for k in (0, 1, 2)]
    [2, 1, 0]
    """
    rules = gen_rules(X, degree)
    classes = np.asarray(y).tolist()
    objective = errors(classes.__getitem__)
    return odt(proper(rules), objective, k, rules, tuple(range(len(classes))))
