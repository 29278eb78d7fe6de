"""What workers can share: a search that is divided by the rules of its root.

`exactree.engine.native.root_search` has that for least errors, `regression_request.py` that for
numbers. Costs are integers of the search's own; what is proved of some rules is true whatever else
is searched.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exactree.engine.native.border import RootsResult, RootsRow
from exactree.engine.native.request import ProgressCallback

__all__ = ["PreparedSearch", "SearchControl", "SearchRequest"]


class SearchControl(Protocol):
    """Messages to a search while it runs."""

    def tighten_upper_bound(self, cost: int) -> None:
        """Let it know that trees that cost as much are of no use any more."""

    def return_open(self) -> None:
        """Ask for what is not done, after the rule that is being tried."""


class PreparedSearch(Protocol):
    """A table that is ready to be searched."""

    def control(self) -> Any:
        """Return a `SearchControl` for one search."""

    def roots(self) -> list[RootsRow]:
        """Return all splits that a root may use; of those that are known to be equal, one."""

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
        """Search for the best tree whose root uses one of some splits: see `PreparedErrors`."""


class SearchRequest(Protocol):
    """All that a worker has to know; it can be sent anywhere."""

    @property
    def X(self) -> NDArray[np.float64]:  # noqa: N802  (a field of those who keep this)
        """The columns of the table."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Limits of the trees, and how to search."""

    @property
    def table_bytes(self) -> int:
        """Bytes of the table."""

    @property
    def table_key(self) -> str:
        """A digest of the table."""

    @property
    def request_key(self) -> str:
        """What is required of the table, in words; how to search is left out."""

    def agrees(self, cost: int, leaves: Sequence[NDArray[np.int64]]) -> bool:
        """Return whether a tree with these leaves, given by their rows, has this cost."""

    def prepare(
        self, memory_limit: int | None = None, time_limit: float | None = None
    ) -> PreparedSearch:
        """Prepare the table for searches, with that many bytes for what is cached.

        Raises `exactree.stopping.Stopped` if the seconds are over, or after Ctrl-C.
        """
