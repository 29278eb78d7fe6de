"""All optimal trees natively: which numbers they have, how many they are, a lazy list of them.

An optimal tree is known. Whatever is minimized, in whatever order, the optimal trees are then
those with at most its values of the minimized quantities that keep the limits on the others: one
with less of the first quantity would be better, so all have the same of it; and so on. With a slack
the trees have at most these values and the slack of each quantity.
"""

from collections.abc import Generator, Sequence
from fractions import Fraction
from math import floor

from exactree.engine.lexicographic.branch_and_bound import accepts
from exactree.engine.native import count_trees, list_trees, next_trees
from exactree.engine.native.request import ListingRequest, SearchOptions
from exactree.engine.oblique.memory import columns_within
from exactree.engine.prepare import Timer
from exactree.problem import Problem
from exactree.problem.encoding.columns import EncodedProblem
from exactree.problem.verification.recount import errors_of_found
from exactree.rules import Column, of_surfaces
from exactree.stopping import Stopped
from exactree.trees.arrays import grow_all
from exactree.trees.tree import Tree

__all__ = ["accepts_all", "all_trees", "columns_of_one_kind", "count_all"]

# The native search adds costs up to this without loss.
_GREATEST_COST = 2**62 - 1


def accepts_all(problem: Problem, slack: Sequence[Fraction] = ()) -> str | None:
    """Return None for a problem whose optimal trees are listed natively, else why not.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    slack : sequence of Fraction
        By quantity; none is 0.
    """
    if (why := columns_of_one_kind(problem)) is not None:
        return why
    if problem.limits.max_leaves_of is not None:
        return "its native list takes no max_leaves_of"
    if (why := accepts(problem)) is not None:
        return why
    if any(slack) and "errors" in problem.quantities:
        # A single leaf has at most these errors, and where leaves have a price it keeps all limits.
        more = slack[problem.quantities.index("errors")]
        if _most_cost(problem, problem.dataset.total_weight, 1, more) > _GREATEST_COST:
            return "its native list takes no slack that large with such prices of leaves"
    return None


def columns_of_one_kind(problem: Problem) -> str | None:
    """Return None if every feature has thresholds or codes, not both, else why that matters.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    if of_surfaces(problem.rules):  # asked without a list of them, which may be long
        # Two surfaces of the table that send the same examples of a subset left are one rule.
        return "its native list takes thresholds and codes, no surfaces"
    every = problem.rules.columns(problem.dataset.X)
    columns = [column for column in every if isinstance(column, Column)]
    if any(column.missing for column in columns):
        # Where all have a value, rules that differ in the side of missing ones are one rule.
        return "its native list takes no missing values"
    if any(column.codes is not None and len(column.codes) > 1 for column in columns):
        return "its native list takes no sets of levels"
    codes = {column.feature for column in columns if column.codes is not None}
    if any(column.codes is None and column.feature in codes for column in columns):
        # A threshold and a code that send the same examples left are one rule.
        return "its native list takes thresholds or codes of a feature, not both"
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
        By quantity.
    time_limit : float or None
        Seconds.
    memory_limit : int or None
        Bytes of the graph.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    stated = _stated(problem, time_limit, memory_limit)
    if stated is None:
        return None
    columns, options = stated
    answer = count_trees(columns.problem, _wanted(problem, tree, slack), options)
    if answer["stopped_by"] == "interrupt":
        raise KeyboardInterrupt
    count: int | None = answer["count"]
    return count


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
        By quantity.
    time_limit : float or None
        Seconds.
    memory_limit : int or None
        Bytes of the graph.
    """
    stated = _stated(problem, time_limit, memory_limit)
    if stated is None:
        return False
    columns, options = stated
    trees = list_trees(columns.problem, _wanted(problem, tree, slack), options)
    while not isinstance(answers := next_trees(columns.problem, trees), bool):
        yield from map(columns.lift_tree, grow_all(columns.problem.dataset, answers))
    return answers


def _stated(
    problem: Problem, time_limit: float | None, memory_limit: int | None
) -> tuple[EncodedProblem, SearchOptions] | None:
    """Return the problem in columns, and the limits that are left; None without time for that."""
    timer = Timer(time_limit)
    try:
        # Codes that are opposites make trees that are not the same.
        columns = columns_within(problem, memory_limit, opposites=True, check=timer.check)
    except Stopped:
        return None
    return columns, SearchOptions(timer.left(), memory_limit, 0.0, None, {})


def _wanted(problem: Problem, tree: Tree, slack: Sequence[Fraction]) -> ListingRequest:
    """Return the numbers of the trees within a slack of an optimal one."""
    limits, price, names = problem.limits, problem.leaf_price, problem.quantities
    more, exactly = dict(zip(names, slack, strict=True)), not any(slack)
    most_size = problem.most_size

    def range_of(name: str, own: int, most: int) -> tuple[int, int]:
        # Only of what comes first no tree within the slack has less.
        return (own if exactly or names[0] == name else 0, most)

    max_depth, sizes = limits.max_depth, None
    splits = len(problem.dataset.X) - 1  # that a tree may have
    if "depth" in more:
        stated = (tree.depth + floor(more["depth"]), limits.max_depth, splits)
        max_depth = min(depth for depth in stated if depth is not None)
    if "size" in more:
        stated = (tree.size + floor(more["size"]), most_size, splits)
        most = min(size for size in stated if size is not None)
        sizes = range_of("size", tree.size, most)
    elif most_size is not None and most_size < splits:
        sizes = (0, most_size)
    costs = (0, problem.most_errors or 0)
    if "errors" in more:
        errors = errors_of_found(problem, tree)
        cost = price.error_price * errors + price.leaf_price * tree.leaves
        most = cost if exactly else _most_cost(problem, errors, tree.leaves, more["errors"])
        costs = range_of("errors", cost, most)
    return ListingRequest(
        max_depth=max_depth,
        sizes=sizes,
        costs=costs,
        least_size="size" in more and (exactly or (names[0] == "size" and more["size"] < 1)),
        order=() if exactly else names,
    )


def _most_cost(problem: Problem, errors: int, leaves: int, slack: Fraction) -> int:
    """Return the greatest cost, in the integers of the search, of a tree within a slack of one.

    The search's price of a leaf puts trees in the same order as the exact one, but differences of
    costs need not be the same. So of every number of leaves the most errors within the exact cost
    are found, and the search's cost of that.
    """
    price, dataset = problem.leaf_price, problem.dataset
    stated = [dataset.total_weight, problem.most_errors]
    most_errors = min(most for most in stated if most is not None)
    budget = price.exact_cost(errors, leaves) + slack * dataset.weight_scale
    if not price.exact:
        return min(floor(budget), most_errors)
    most = 0
    for number in range(1, price.max_leaves + 1):
        left = floor(budget - price.exact * number)
        if left < 0:
            break
        most = max(most, price.error_price * min(left, most_errors) + price.leaf_price * number)
    return most
