"""The maximum number of splits of examples by rules, by the size of the left subset.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020,
             for thresholds on numbers; features with categories are ours.
Theorem      Theorem 7, as it enters Theorem 9.
Symbols      m n_examples, k examples in the left subset.
The idea     The left subset is the set that a rule sends left. There are C(m, k) sets of k
             examples; the features of one kind have a maximum number of left subsets of k examples,
             and a maximum in total. How many partitions a left subset allows depends only on k; so
             the maximum takes left subsets first from the sizes k that allow the most.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb, inf, log

import numpy as np
from numpy.typing import NDArray

from exactree.theory.features import Features

_NO_LIMIT = 2**900  # larger limits cannot bind, in logarithms


def log_total(terms: NDArray[np.float64]) -> float:
    """Return the logarithm of a sum, given the logarithms of its terms."""
    largest = float(terms.max(initial=-inf))
    return largest if largest == -inf else largest + log(np.exp(terms - largest).sum())


@dataclass(frozen=True)
class Divisions:
    """Maximum numbers of left subsets of m examples, by size.

    Attributes
    ----------
    by_size : list of int
        For k = 1 ... m - 1, the maximum number of left subsets of k examples.
    groups : list of tuple of list of int and int
        For each group of features of one kind, a list like `by_size` for this group alone, and its
        maximum number of left subsets of all sizes. The list of groups is empty if these maxima
        limit nothing.
    """

    by_size: list[int]
    groups: list[tuple[list[int], int]]

    def max_partitions(self, worth: list[int]) -> int:
        """Return the maximum number of partitions.

        Parameters
        ----------
        worth : list of int
            For k = 1 ... m - 1, the number of partitions that a left subset of k examples allows.
        """
        by_size_alone = sum(d * w for d, w in zip(self.by_size, worth, strict=True))
        if not self.groups:
            return by_size_alone
        sizes = sorted(range(len(worth)), key=worth.__getitem__, reverse=True)
        total = 0
        for by_size, limit in self.groups:
            remaining = limit
            for size in sizes:
                used = min(by_size[size], remaining)
                total += used * worth[size]
                remaining -= used
        return min(by_size_alone, total)

    def log_max_partitions(self, worth: NDArray[np.float64]) -> float:
        """Return the logarithm of the maximum number of partitions.

        Parameters
        ----------
        worth : ndarray
            The logarithms of the argument of `max_partitions`.
        """
        by_size_alone = log_total(worth + self._log_by_size)
        if not self.groups or any(limit > _NO_LIMIT for _, limit in self.groups):
            return by_size_alone
        sizes = np.argsort(-worth)
        addends = []
        for by_size, limit in self.groups:
            # Rounding up by one in 10^12 keeps this a bound despite rounding of the sums.
            until = np.minimum(np.cumsum(np.array(by_size, dtype=np.float64)[sizes]), limit)
            used = np.diff(until, prepend=0.0) * (1 + 1e-12)
            addends.append(worth[sizes] + _log(used))
        return min(by_size_alone, log_total(np.concatenate(addends)))

    @cached_property
    def _log_by_size(self) -> NDArray[np.float64]:
        return np.array([log(d) if d else -inf for d in self.by_size])


def divisions(features: Features, m: int) -> Divisions:
    """Return the maximum numbers of left subsets of m examples by rules on some features."""
    sides = [(group.sides_by_size(m), group.sides(m)) for group in features.groups()]
    totals = [sum(numbers) for numbers in zip(*(by_size for by_size, _ in sides), strict=True)]
    groups = [(_at_most_all_sets(by_size, m), limit) for by_size, limit in sides]
    if all(limit >= sum(by_size) for by_size, limit in groups):
        groups = []
    return Divisions(_at_most_all_sets(totals or [0] * (m - 1), m), groups)


def _at_most_all_sets(limits: list[int], m: int) -> list[int]:
    """Return min{limits[k], C(m, k)} for k = 1 ... m - 1; both are symmetric in k and m - k."""
    capped = list(limits)
    for k in range(1, m // 2 + 1):
        sets = comb(m, k)
        if sets >= max(limits):
            break
        capped[k - 1] = capped[m - k - 1] = min(limits[k - 1], sets)
    return capped


def _log(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.log(numbers)
