"""Requests of workers that share a search over dichotomies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.call import labels_of
from exactree.engine.native.one_tree import dichotomy_settings
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.root_request import RootRequest
from exactree.engine.native.settings import CostSettings, DichotomySettings
from exactree.problem import Problem

__all__ = ["DichotomyRequest", "dichotomy_request"]

# The prepared copy of a dichotomy has 60 to 80 bytes besides its rows, for counts and bounds. A
# worker has three copies of a table, so `table_bytes` is multiplied by three, and here is a third
# of these bytes.
_EXTRA_BYTES = 24


@dataclass(frozen=True, kw_only=True)
class DichotomyRequest(RootRequest[CostSettings, np.uint32]):
    """A request to search for minimum errors plus leaf prices over dichotomies.

    All dichotomies count as rules of one feature, number 0; the root rules are the dichotomies
    without those that equal another one.

    Attributes
    ----------
    bits : ndarray of uint8
        For each dichotomy the rows that go left as bits, lowest bits first.
    leaves : list of (int, int)
        Classes with their maximum number of leaves.
    """

    leaf: ClassVar[tuple[Any, ...]] = (-1, -1, -1)

    bits: NDArray[np.uint8]
    leaves: list[tuple[int, int]]

    @property
    def splits(self) -> NDArray[np.uint8]:
        """The dichotomies."""
        return self.bits

    @property
    def table_bytes(self) -> int:
        """Bytes of the table."""
        return super().table_bytes + _EXTRA_BYTES * len(self.bits)

    def n_rules(self, feature: int) -> int:
        """Return the number of dichotomies."""
        if feature:
            raise IndexError("dichotomies are the rules of feature 0")
        return len(self.bits)

    def goes_left(self, rule: Sequence[Any], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows a dichotomy sends left."""
        (dichotomy,) = rule
        bits = np.unpackbits(self.bits[dichotomy], count=len(self.labels), bitorder="little")
        return bits[rows].astype(np.bool_)

    def relaxed(self) -> "DichotomyRequest | None":
        """Return the request without limits on leaves, or else without a minimum leaf size."""
        if self.leaves:
            return replace(self, leaves=[])
        search = self.settings.search
        is_on = search.resources.switches.get("relaxation", True)
        if self.limits.min_samples_leaf == 1 or not is_on:
            return None
        search = replace(search, limits=replace(self.limits, min_samples_leaf=1))
        return replace(self, settings=replace(self.settings, search=search))

    def _definition(self) -> dict[str, object]:
        return {**super()._definition(), "leaves": self.leaves}

    def _prepared(self, settings: CostSettings) -> tuple[_native.RootSearch | None, str | None]:
        table = (self.bits, self.labels, self.weights, self.n_classes)
        limited = DichotomySettings(costs=settings, leaves=self.leaves)
        return _native.RootSearch.of_dichotomies(*table, limited)


def dichotomy_request(
    problem: Problem, bits: NDArray[np.uint8], caps: Caps, options: SearchOptions
) -> DichotomyRequest:
    """Return the request with which a worker searches over dichotomies.

    Parameters
    ----------
    problem, bits, caps, options
        As in `proper_tree`.
    """
    labels, weights, n_classes = labels_of(problem)
    settings = dichotomy_settings(problem, caps, options)
    return DichotomyRequest(
        bits=bits,
        labels=labels,
        weights=weights,
        n_classes=n_classes,
        settings=settings.costs,
        leaves=settings.leaves,
    )
