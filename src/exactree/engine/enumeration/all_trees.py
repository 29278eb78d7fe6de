"""Native count and lazy list of all optimal trees, and search for a tree of a given shape.

One optimal tree is given. The optimal trees are the trees within the limits that do not exceed it
in any minimized quantity, whatever the order of the quantities: a tree with a smaller first
quantity would be better, so all of them have the same value of the first quantity, then of the
second, and so on. With a slack, each quantity may exceed its value by the slack.
"""

from collections.abc import Generator, Sequence
from fractions import Fraction
from math import floor

from exactree.engine.lexicographic.branch_and_bound import reason_to_refuse
from exactree.engine.native import count_trees, list_trees, next_trees
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import ListingRequest
from exactree.engine.oblique.memory import columns_within
from exactree.engine.prepare import Timer
from exactree.problem import Problem
from exactree.problem.encoding.columns import EncodedProblem
from exactree.problem.verification.recount import errors_of_found
from exactree.rules import Column, of_surfaces
from exactree.stopping import Stopped
from exactree.trees.arrays import grow_all
from exactree.trees.tree import Tree

__all__ = [
    "all_trees",
    "count_all",
    "reason_to_refuse_all_trees",
    "reason_to_refuse_columns",
    "tree_with_shape",
]

# The native search adds costs up to this without loss.
_GREATEST_COST = 2**62 - 1


def reason_to_refuse_all_trees(problem: Problem, slack: Sequence[Fraction] = ()) -> str | None:
    """Return None if the optimal trees of a problem are listed natively, else the reason.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    slack : sequence of Fraction
        The slack of each quantity; empty means 0.
    """
    if (why := reason_to_refuse_columns(problem)) is not None:
        return why
    if problem.limits.max_leaves_of is not None:
        return "its native enumeration supports no max_leaves_of"
    if problem.feature_constraints:
        return (
            "its native enumeration joins trees of the two children of a node whatever features "
            "they use; it supports no monotonic_cst, feature_penalty or constraints"
        )
    if problem.constrained:
        return "its native enumeration counts the rows of a leaf, not their weight"
    if (why := reason_to_refuse(problem)) is not None:
        return why
    if any(slack) and "errors" in problem.quantities:
        # No optimal tree costs more than a single leaf, which errs on at most the total weight and
        # keeps all limits if leaves have a price.
        more = slack[problem.quantities.index("errors")]
        if _max_cost(problem, problem.dataset.total_weight, 1, more) > _GREATEST_COST:
            return "its native enumeration supports no slack that large with such prices of leaves"
    return None


def reason_to_refuse_columns(problem: Problem) -> str | None:
    """Return None if every feature has either thresholds or codes, else the reason as a clause.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    if of_surfaces(problem.rules):  # decided without a list of surfaces, which may be long
        # Two surfaces that send the same examples of a subset left make the same tree.
        return "its native enumeration supports thresholds and codes, not surfaces"
    every = problem.rules.columns(problem.dataset.X)
    columns = [column for column in every if isinstance(column, Column)]
    if any(column.missing for column in columns):
        # In a subset without missing values, rules that differ only in the child of missing
        # values make the same tree.
        return "its native enumeration supports no missing values"
    if any(column.codes is not None and len(column.codes) > 1 for column in columns):
        return "its native enumeration supports no sets of levels"
    codes = {column.feature for column in columns if column.codes is not None}
    if any(column.codes is None and column.feature in codes for column in columns):
        # A threshold and a code that send the same examples left make the same tree.
        return "its native enumeration supports thresholds or codes of a feature, not both"
    return None


def count_all(
    problem: Problem,
    tree: Tree,
    slack: Sequence[Fraction],
    time_limit: float | None,
    memory_limit: int | None = None,
) -> int | None:
    """Return the number of all trees within a slack, or None if a limit ended the count.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    tree : Tree
        An optimal tree.
    slack : sequence of Fraction
        The slack of each quantity.
    time_limit : float or None
        Seconds.
    memory_limit : int or None
        Bytes of the graph.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    encoded = _encoded(problem, time_limit, memory_limit)
    if encoded is None:
        return None
    columns, options = encoded
    result = count_trees(columns.problem, _listing_request(problem, tree, slack), options)
    if result.stopped_by == "interrupt":
        raise KeyboardInterrupt
    return result.count


def all_trees(
    problem: Problem,
    tree: Tree,
    slack: Sequence[Fraction],
    time_limit: float | None,
    memory_limit: int | None = None,
) -> Generator[Tree, None, bool]:
    """Yield every tree within a slack once, by cost; return whether these were all.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    tree : Tree
        An optimal tree.
    slack : sequence of Fraction
        The slack of each quantity.
    time_limit : float or None
        Seconds.
    memory_limit : int or None
        Bytes of the graph.
    """
    encoded = _encoded(problem, time_limit, memory_limit)
    if encoded is None:
        return False
    columns, options = encoded
    trees = list_trees(columns.problem, _listing_request(problem, tree, slack), options)
    while not isinstance(found := next_trees(columns.problem, trees), bool):
        yield from map(columns.lift_tree, grow_all(columns.problem.dataset, found))
    return found


def tree_with_shape(
    problem: Problem,
    shapes: Sequence[tuple[int, int] | None],
    errors: tuple[int, int],
    time_limit: float | None,
) -> tuple[Tree | None, bool]:
    """Return a tree of a shape with the minimum errors for that shape, if they are in a range.

    Parameters
    ----------
    problem : Problem
        The table and the rules; without leaf penalty. Its limits on size and depth do not matter.
    shapes : sequence of pairs of int, or None
        The shape is the last entry; the entries before it are the shapes of its subtrees, each once
        and after its own subtrees. An entry holds the positions of its two subtrees, or is None for
        a leaf. Mirror images are the same shape.
    errors : pair of int
        A lower bound on the errors of trees of the shape, and the maximum errors.
    time_limit : float or None
        Seconds.

    Returns
    -------
    tuple of Tree or None, and bool
        The tree; without a tree, whether it is proved that there is none.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    columns = columns_within(problem, None)
    request = ListingRequest(
        max_depth=None, sizes=None, costs=errors, minimum_size=False, shapes=shapes
    )
    trees = list_trees(columns.problem, request, SearchOptions.within(time_limit))
    found = next_trees(columns.problem, trees)
    if isinstance(found, bool):
        return None, found
    return columns.lift_tree(next(iter(grow_all(columns.problem.dataset, found)))), True


def _encoded(
    problem: Problem, time_limit: float | None, memory_limit: int | None
) -> tuple[EncodedProblem, SearchOptions] | None:
    """Return the problem in columns and the remaining limits; None without time to encode it."""
    timer = Timer(time_limit)
    try:
        # A test for a code and its opposite are different rules, so they make different trees.
        columns = columns_within(problem, memory_limit, opposites=True, check=timer.check)
    except Stopped:
        return None
    return columns, SearchOptions(timer.left(), memory_limit, 0.0, None, {})


def _listing_request(problem: Problem, tree: Tree, slack: Sequence[Fraction]) -> ListingRequest:
    """Return the request for the trees within a slack of an optimal tree."""
    limits, price, names = problem.limits, problem.leaf_price, problem.quantities
    more, exactly = dict(zip(names, slack, strict=True)), not any(slack)
    max_size = problem.max_tree_size

    def range_of(name: str, own: int, maximum: int) -> tuple[int, int]:
        # With a slack, the value of an optimal tree is a lower bound for the first quantity only.
        return (own if exactly or names[0] == name else 0, maximum)

    max_depth, sizes = limits.max_depth, None
    max_splits = len(problem.dataset.X) - 1
    if "depth" in more:
        depths = (tree.depth + floor(more["depth"]), limits.max_depth, max_splits)
        max_depth = min(depth for depth in depths if depth is not None)
    if "size" in more:
        max_sizes = (tree.size + floor(more["size"]), max_size, max_splits)
        sizes = range_of("size", tree.size, min(size for size in max_sizes if size is not None))
    elif max_size is not None and max_size < max_splits:
        sizes = (0, max_size)
    costs = (0, problem.max_error_weight or 0)
    if "errors" in more:
        errors = errors_of_found(problem, tree)
        cost = price.error_price * errors + price.leaf_price * tree.leaves
        max_cost = cost if exactly else _max_cost(problem, errors, tree.leaves, more["errors"])
        costs = range_of("errors", cost, max_cost)
    return ListingRequest(
        max_depth=max_depth,
        sizes=sizes,
        costs=costs,
        minimum_size="size" in more and (exactly or (names[0] == "size" and more["size"] < 1)),
        order=() if exactly else names,
    )


def _max_cost(problem: Problem, errors: int, leaves: int, slack: Fraction) -> int:
    """Return the maximum cost, in the integers of the search, of a tree within a slack of a tree.

    The search's price of a leaf puts trees in the same order as the exact price, but differences
    between costs need not be the same. So for every number of leaves the maximum errors within the
    exact cost are computed, and their cost in the search.
    """
    price, dataset = problem.leaf_price, problem.dataset
    limit = problem.max_error_weight
    max_errors = dataset.total_weight if limit is None else min(dataset.total_weight, limit)
    budget = price.exact_cost(errors, leaves) + slack * dataset.weight_scale
    if not price.exact:
        return min(floor(budget), max_errors)
    max_cost = 0
    for n_leaves in range(1, price.max_leaves + 1):
        affordable_errors = floor(budget - price.exact * n_leaves)
        if affordable_errors < 0:
            break
        n_errors = min(affordable_errors, max_errors)
        max_cost = max(max_cost, price.error_price * n_errors + price.leaf_price * n_leaves)
    return max_cost
