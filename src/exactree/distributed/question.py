"""What workers can share: a search that is divided by the rules of its root.

`exactree.engine.roots` has that for least errors, `numbers_question.py` that for numbers. Costs are
integers of the search's own; what is proved of some rules is true whatever else is searched.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exactree.engine.asked import Heard
from exactree.engine.roots import Found, RootsRow

__all__ = ["Laid", "Question", "Told"]


class Told(Protocol):
    """What a search is told while it runs."""

    def beat(self, cost: int) -> None:
        """Let it know that trees that cost as much are of no use any more."""

    def give_back(self) -> None:
        """Ask for what is not done, after the rule that is being tried."""


class Laid(Protocol):
    """A table that is ready to be searched."""

    def told(self) -> Any:
        """Return a `Told` for one search."""

    def roots(self) -> list[RootsRow]:
        """Return all rules that a root may ask; of those that are known to be equal, one."""

    def search(
        self,
        roots: Sequence[RootsRow],
        below: int | None,
        told: Any,
        *,
        begin: bool = False,
        time_limit: float | None = None,
        heard: Heard | None = None,
    ) -> Found:
        """Search for the best tree whose root asks one of some rules: see `engine.roots.Laid`."""


class Question(Protocol):
    """All that a worker has to know; it can be sent anywhere."""

    @property
    def X(self) -> NDArray[np.float64]:  # noqa: N802  (a field of those who keep this)
        """The columns of the table."""

    @property
    def settings(self) -> dict[str, Any]:
        """Limits of the trees, and how to search."""

    @property
    def table_bytes(self) -> int:
        """Bytes of the table."""

    @property
    def table_key(self) -> str:
        """A digest of the table."""

    @property
    def asked_key(self) -> str:
        """What is asked of the table, in words; how to search is left out."""

    def agrees(self, cost: int, leaves: Sequence[NDArray[np.int64]]) -> bool:
        """Tell whether a tree with these leaves, given by their rows, has this cost."""

    def laid_out(self, memory_limit: int | None = None, time_limit: float | None = None) -> Laid:
        """Prepare the table for searches, with so many bytes for what is remembered.

        Raises `exactree.stopping.Stopped` if the seconds are over, or after Ctrl-C.
        """
