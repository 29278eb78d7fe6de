"""In how many ways a rule divides examples in two at most, counted by the size of the left part.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020,
             for thresholds on numbers; features with categories are ours.
Theorem      Theorem 7, as it enters Theorem 9.
Symbols      m n_examples, k examples in the left part.
The idea     The left part is a side of a rule. There are C(m, k) sets of k examples; features
             alike have so many sides of k examples, and so many in all. Every left part of k
             examples allows worth[k] partitions: the most is had from the sizes worth most.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb, inf, log

import numpy as np
from numpy.typing import NDArray

from exactree.theory.features import Features

_NO_LIMIT = 2**900  # in logarithms, so many sides are not told from any number


def log_total(terms: NDArray[np.float64]) -> float:
    """Return the logarithm of a sum, given the logarithms of its terms."""
    largest = float(terms.max(initial=-inf))
    return largest if largest == -inf else largest + log(np.exp(terms - largest).sum())


@dataclass(frozen=True)
class Divisions:
    """Left parts of m examples, by size.

    Attributes
    ----------
    together : list of int
        For k = 1 ... m - 1, how many left parts of k examples there are at most.
    apart : list of tuple of list of int and int
        The same for each group of features alike, and how many there are in all; empty where these
        are no limit. The parts of all groups together are all left parts, too.
    """

    together: list[int]
    apart: list[tuple[list[int], int]]

    def most(self, worth: list[int]) -> int:
        """Return how many partitions there are at most.

        Parameters
        ----------
        worth : list of int
            For k = 1 ... m - 1, how many partitions each left part of k examples allows.
        """
        together = sum(d * w for d, w in zip(self.together, worth, strict=True))
        if not self.apart:
            return together
        sizes = sorted(range(len(worth)), key=worth.__getitem__, reverse=True)
        total = 0
        for by_size, left in self.apart:
            for size in sizes:
                taken = min(by_size[size], left)
                total += taken * worth[size]
                left -= taken
        return min(together, total)

    def log_most(self, worth: NDArray[np.float64]) -> float:
        """Return the logarithm of how many partitions there are at most.

        Parameters
        ----------
        worth : ndarray
            The logarithms of what `most` asks.
        """
        together = log_total(worth + self._log_together)
        if not self.apart or any(left > _NO_LIMIT for _, left in self.apart):
            return together
        sizes = np.argsort(-worth)
        addends = []
        for by_size, left in self.apart:
            # Rounding up by one in 10^12 keeps this a bound, whatever the sums round to.
            until = np.minimum(np.cumsum(np.array(by_size, dtype=np.float64)[sizes]), left)
            taken = np.diff(until, prepend=0.0) * (1 + 1e-12)
            addends.append(worth[sizes] + _log(taken))
        return min(together, log_total(np.concatenate(addends)))

    @cached_property
    def _log_together(self) -> NDArray[np.float64]:
        return np.array([log(d) if d else -inf for d in self.together])


def divisions(features: Features, m: int) -> Divisions:
    """Return in how many ways rules on some features divide m examples at most, by size."""
    groups = [(alike.sides_by_size(m), alike.sides(m)) for alike in features.alike()]
    together = [sum(numbers) for numbers in zip(*(by_size for by_size, _ in groups), strict=True)]
    apart = [(_of_all_sets(by_size, m), most) for by_size, most in groups]
    if all(most >= sum(by_size) for by_size, most in apart):
        apart = []
    return Divisions(_of_all_sets(together or [0] * (m - 1), m), apart)


def _of_all_sets(most: list[int], m: int) -> list[int]:
    """Return min{most[k], C(m, k)} for k = 1 ... m - 1; both are the same for k and m - k."""
    capped = list(most)
    for k in range(1, m // 2 + 1):
        sets = comb(m, k)
        if sets >= max(most):
            break
        capped[k - 1] = capped[m - k - 1] = min(most[k - 1], sets)
    return capped


def _log(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.log(numbers)
