"""A search that starts from an initial tree: it finds a better tree, or proves that there is none.

No optimum is lost: the search looks for trees that cost less than the initial tree, which is within
the same limits. If it proves that there are none, the initial tree is optimal; if it stops before
it finds one, the initial tree is the incumbent. A worse initial tree only makes the search longer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic

from exactree.engine.native.border import SearchResult, TreeT
from exactree.engine.native.request import Caps, ProgressCallback, SearchOptions
from exactree.objectives.errors import plain
from exactree.problem import Problem
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import cost_of_found, errors_of_found
from exactree.trees import Tree

__all__ = ["InitialTree", "initial_tree"]


@dataclass(frozen=True)
class InitialTree(Generic[TreeT]):
    """A tree from which a search starts.

    Attributes
    ----------
    nodes : list of nodes
        The tree, in the form that a search returns.
    errors, size, depth : int
        Its errors in the integers of the search, its size and its depth.
    """

    nodes: TreeT
    errors: int
    size: int
    depth: int

    def within(self, caps: Caps) -> bool:
        """Return whether the tree meets the caps."""
        pairs = ((self.errors, caps.errors), (self.size, caps.size), (self.depth, caps.depth))
        return all(cap is None or own <= cap for own, cap in pairs)

    def minimum(
        self,
        quantity: str,
        problem: Problem,
        caps: Caps,
        options: SearchOptions,
        search: Callable[[Caps, SearchOptions], SearchResult[TreeT]],
    ) -> SearchResult[TreeT]:
        """Search for the minimum of a quantity, starting from this tree.

        Parameters
        ----------
        quantity : str
            "errors", "size" or "depth".
        problem : Problem
            The table and the prices.
        caps : Caps
            The limits of the tree; this tree meets them.
        options : SearchOptions
            Limits of the search.
        search : callable
            Searches for the minimum of the quantity within caps.

        Returns
        -------
        SearchResult
            The result of the search, with this tree if no better tree was found.
        """
        price = problem.leaf_price
        if quantity == "errors":
            cost = price.error_price * self.errors + price.leaf_price * (self.size + 1)
            better = replace(caps, below=cost)
        else:
            cost = getattr(self, quantity)
            better = replace(caps, **{quantity: cost - 1})
        if cost == 0:
            return SearchResult(
                status="optimal",
                cost=0,
                lower_bound=0,
                nodes=self.nodes,
                stopped_by=None,
                stats={
                    "nodes": 0,
                    "seconds": 0.0,
                    "progress": [(0, 0, 0.0)],
                    "first_incumbent": 0,
                },
            )
        gap, callback = options.stop_at_gap, None
        listener = _Listener(cost, gap, options.callback)
        if options.callback is not None or gap > 0:
            callback = listener.callback
        found = search(better, replace(options, callback=callback))
        found.stats["progress"] = [
            (cost if c is None else c, min(b, cost), s) for c, b, s in found.stats["progress"]
        ]
        if listener.close_enough and found.stopped_by == "callback":
            found = replace(found, stopped_by="gap")
        return self._or_better(cost, found)

    def _or_better(self, cost: int, found: SearchResult[TreeT]) -> SearchResult[TreeT]:
        """Return the result with this tree, if no better tree was found."""
        if found.status == "infeasible":
            return replace(
                found,
                status="optimal",
                cost=cost,
                lower_bound=cost,
                nodes=self.nodes,
                stopped_by=None,
            )
        if found.nodes is None or found.cost is None or found.cost >= cost:
            lower_bound = min(found.lower_bound, cost)
            return replace(
                found, status="feasible", cost=cost, lower_bound=lower_bound, nodes=self.nodes
            )
        return found


def initial_tree(problem: Problem, tree: Tree, nodes: TreeT) -> InitialTree[TreeT] | None:
    """Return a tree from which a search starts, None if the search omits some of its cost.

    With too low a cost for this tree, the search would call a tree optimal that is not.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    tree : Tree
        A tree within its limits.
    nodes : list of nodes
        The same tree in the form that the search returns.
    """
    errors = errors_of_found(problem, tree)
    if cost_of_found(problem, tree) != problem.cost_of(errors, [tree.size], [tree.depth]):
        return None
    if "errors" in problem.quantities:
        exact = problem.leaf_price.exact_cost(errors, tree.leaves)
        recounted = as_tuple(cost_of_found(problem, tree))[problem.quantities.index("errors")]
        if recounted != plain(exact / problem.dataset.weight_scale):
            return None
    return InitialTree(nodes, errors, tree.size, tree.depth)


@dataclass
class _Listener:
    """Callback of a search for better trees; its reports include the initial tree."""

    cost: int
    gap: float
    listener: ProgressCallback | None
    close_enough: bool = field(default=False, init=False)

    def callback(self, cost: int | None, lower_bound: int, seconds: float) -> object:
        best = self.cost if cost is None else min(cost, self.cost)
        lower_bound = min(lower_bound, best)
        self.close_enough = self.gap > 0 and best - lower_bound <= self.gap * best
        reported = None if self.listener is None else self.listener(best, lower_bound, seconds)
        return reported or self.close_enough
