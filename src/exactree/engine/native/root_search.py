"""The search over given root splits, for workers that share a search.

A worker prepares a table once (`root_request.py`), and then searches it repeatedly for the best
tree over some root splits. Costs are integers of the search; a lower bound proved for some root
splits is valid regardless of the other splits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from exactree import _native
from exactree.engine.native.border import Nodes, RootsConclusion, RootsResult, RootsRow
from exactree.engine.native.request import ProgressCallback
from exactree.errors import InternalError

__all__ = ["PreparedRoots", "SearchControl"]

# Signals to a running search: a better upper bound, or to return its open root splits.
SearchControl = _native.SearchControl


@dataclass(frozen=True)
class PreparedRoots:
    """A table prepared for searches; results cached for subsets speed up later searches.

    Attributes
    ----------
    native : RootSearch
        The native search.
    """

    native: _native.RootSearch

    def control(self) -> SearchControl:
        """Return the control through which a running search communicates."""
        return SearchControl()

    def roots(self) -> list[RootsRow]:
        """Return all splits that a root may use, one for each set of equivalent splits."""
        return self.native.roots()

    def search(
        self,
        roots: Sequence[RootsRow],
        below: int | None,
        control: SearchControl,
        *,
        begin: bool = False,
        time_limit: float | None = None,
        callback: ProgressCallback | None = None,
    ) -> RootsResult:
        """Search for the best tree whose root uses one of the given splits.

        Parameters
        ----------
        roots : sequence of tuple
            Ranges of splits, as `roots` returns them.
        below : int or None
            An exclusive upper bound on the cost of the tree; None for no bound.
        control : SearchControl
            Passes incumbents of other workers to the search, and the signal to return open splits.
        begin : bool
            Whether to start from a greedy tree, or from the incumbent of the request.
        time_limit : float or None
            Seconds.
        callback : callable or None
            As in `SearchOptions`.

        Returns
        -------
        RootsResult
            As `minimum_errors`; `open` has the root splits not yet pruned: a tree with such a root
            may still cost less than the upper bound.
        """
        try:
            return self.native.run(list(roots), below, begin, time_limit, control, callback)
        except _native.CoreError as error:
            raise InternalError(f"{error} Please report this bug of exactree.") from error

    def in_user_units(self, cost: int) -> float:
        """Return a cost as callbacks of a search without tasks receive it.

        Parameters
        ----------
        cost : int
            In integers of the search.
        """
        converted = self.native.in_user_units(cost)
        return cost if converted is None else converted

    def gap(self, cost: int, lower_bound: int) -> float:
        """Return (cost - lower bound) / cost, with the roundings of the search.

        Parameters
        ----------
        cost, lower_bound : int
            In integers of the search.
        """
        return self.native.gap(cost, lower_bound)

    def agrees(self, nodes: Nodes, cost: int) -> bool:
        """Return whether a tree has a given cost, up to the rounding of the search.

        Parameters
        ----------
        nodes : list of nodes
            The tree, with splits of the table. Limits on its leaves are checked for dichotomies
            and under constraints only.
        cost : int
            In integers of the search.
        """
        return self.native.agrees(nodes, cost)

    def adopted(self, nodes: Nodes, cost: int) -> tuple[int, Nodes] | None:
        """Return a tree of the search with its cost, made of the tree of a relaxed search.

        Under constraints it is pruned until it satisfies them; otherwise it is the same tree, if it
        is within the limits. None if there is none.

        Parameters
        ----------
        nodes, cost
            The tree and its cost in the relaxed search, which has the same integers.
        """
        return self.native.adopted(nodes, cost)

    def conclude(self, nodes: Nodes | None, cost: int, lower_bound: int) -> RootsConclusion:
        """Convert the result of all tasks of a search for other costs than plain errors.

        Parameters
        ----------
        nodes : list of nodes or None
            The best tree, if there is one.
        cost, lower_bound : int
            Its cost and a lower bound for all root splits, in integers of the search.
        """
        found = self.native.conclude(nodes, cost, lower_bound)
        if found is None:
            raise InternalError("plain errors need no conversion")
        return found
