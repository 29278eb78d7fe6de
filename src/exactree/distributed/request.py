"""Protocols of searches that workers share, divided by the rule at the root.

`exactree.engine.native.root_search` implements them for errors, `regression_request.py` for
regression. Costs are integers in units of the search; a lower bound proved for some root rules is
valid regardless of the other rules.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exactree.engine.native.border import RootsResult, RootsRow
from exactree.engine.native.request import ProgressCallback
from exactree.engine.native.settings import TreeLimits

__all__ = ["PreparedSearch", "SearchControl", "SearchRequest"]


class SearchControl(Protocol):
    """Messages to a search while it runs."""

    def tighten_upper_bound(self, cost: int) -> None:
        """Set an upper bound: only trees that cost less are still useful."""

    def return_open(self) -> None:
        """Request the open rules, once the current rule is done."""


class PreparedSearch(Protocol):
    """A table that is prepared for searches."""

    def control(self) -> Any:
        """Return a `SearchControl` for one search."""

    def roots(self) -> list[RootsRow]:
        """Return all root splits; of splits known to be equal, only the first."""

    def search(
        self,
        roots: Sequence[RootsRow],
        below: int | None,
        control: Any,
        *,
        begin: bool = False,
        time_limit: float | None = None,
        callback: ProgressCallback | None = None,
    ) -> RootsResult:
        """Search for the best tree with one of the given root splits: see `PreparedErrors`."""


class SearchRequest(Protocol):
    """A search, which can be pickled and sent to workers."""

    @property
    def X(self) -> NDArray[np.float64]:  # noqa: N802  (a field in the implementations)
        """The columns of the table."""

    @property
    def limits(self) -> TreeLimits:
        """Limits of the trees."""

    @property
    def table_bytes(self) -> int:
        """Bytes of the table."""

    @property
    def table_key(self) -> str:
        """A digest of the table."""

    @property
    def request_key(self) -> str:
        """Text that identifies the problem on the table, without settings of the search."""

    def agrees(self, cost: int, leaves: Sequence[NDArray[np.int64]]) -> bool:
        """Return whether a tree with the given leaves, as row indices, has the given cost."""

    def prepare(
        self, memory_limit: int | None = None, time_limit: float | None = None
    ) -> PreparedSearch:
        """Prepare the table for searches, with a limit on the bytes of the cache.

        Raises `exactree.stopping.Stopped` after the time limit or Ctrl-C.
        """
